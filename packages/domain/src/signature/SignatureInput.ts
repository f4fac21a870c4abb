import * as Result from "effect/Result"
import { type DictionaryMember, type Item, writeString } from "./StructuredField.ts"

/** Most covered components of one signature that a verifier reads. */
export const signatureComponentsMax = 32

/**
 * A covered component (RFC 9421, section 2): a field name in lower case, or a derived name that starts with `@`.
 *
 * `identifier` is its serialized form, with which its line of the signature base starts. `queryParameter` is the `name`
 * parameter of `@query-param`, percent-encoded; no other component has a parameter.
 */
export interface CoveredComponent {
  readonly name: string
  readonly queryParameter: string | undefined
  readonly identifier: string
}

/** The components that the signature of every notification covers, in this order (spec/signatures §1). */
export const requiredComponents = [
  "@method",
  "@authority",
  "@path",
  "content-digest",
  "content-type",
] as const

/**
 * The member of `Signature-Input` for one signature (RFC 9421, section 4.1).
 *
 * `created` and `expires` are Unix seconds. `signatureParams` is the value exactly as received, as the signature base
 * ends with these bytes.
 */
export interface SignatureInput {
  readonly label: string
  readonly components: ReadonlyArray<CoveredComponent>
  readonly created: number
  readonly expires: number | undefined
  readonly keyId: string
  readonly signatureParams: string
}

export interface SignatureInputFault {
  readonly code:
    | "signature_input_malformed"
    | "components_too_many"
    | "component_duplicated"
    | "component_unsupported"
    | "component_not_covered"
    | "created_invalid"
    | "expires_invalid"
    | "keyid_invalid"
    | "algorithm_unsupported"
  readonly detail: string
}

/** The label of Tocsin's signature. */
export const signatureLabel = "sig1"

/**
 * Writes the parameters of Tocsin's signature (spec/signatures §3): `("@method" …);created=…;keyid="…";alg="ed25519"`.
 *
 * `Signature-Input` is the label, `=` and these parameters. `created` is in Unix seconds; `keyId` is printable ASCII.
 */
export const writeSignatureParams = (created: number, keyId: string): string =>
  `${componentList};created=${created};keyid=${writeString(keyId)};alg="ed25519"`

/**
 * Reads one member of `Signature-Input` (RFC 9421, section 2.3) and checks that it can be the signature of a notification.
 *
 * It must cover `requiredComponents`, and may cover others. Its parameters may be in any order; unknown ones are ignored.
 */
export const readSignatureInput = (
  member: DictionaryMember,
): Result.Result<SignatureInput, SignatureInputFault> => {
  const { items, parameters } = member
  if (items === undefined) return fault("signature_input_malformed", "it is not a list of components")
  if (items.length > signatureComponentsMax) {
    return fault("components_too_many", `at most ${signatureComponentsMax} components are read`)
  }
  const components: Array<CoveredComponent> = []
  const identifiers = new Set<string>()
  for (const item of items) {
    const component = itemToComponent(item)
    if (Result.isFailure(component)) return fault("component_unsupported", component.failure)
    if (identifiers.has(component.success.identifier)) {
      return fault("component_duplicated", component.success.identifier)
    }
    identifiers.add(component.success.identifier)
    components.push(component.success)
  }
  for (const name of requiredComponents) {
    if (!identifiers.has(`"${name}"`)) return fault("component_not_covered", name)
  }
  const created = parameters.get("created")
  if (created?.type !== "integer" || created.value < 0) {
    return fault("created_invalid", "created must be a whole number of Unix seconds")
  }
  const expires = parameters.get("expires")
  if (expires !== undefined && expires.type !== "integer") {
    return fault("expires_invalid", "expires must be a whole number of Unix seconds")
  }
  const keyid = parameters.get("keyid")
  if (keyid?.type !== "string" || keyid.value === "") {
    return fault("keyid_invalid", "keyid must be a string in double quotes")
  }
  const alg = parameters.get("alg")
  if (alg?.type !== "string" || alg.value !== "ed25519") {
    return fault("algorithm_unsupported", 'alg must be "ed25519"')
  }
  return Result.succeed({
    label: member.key,
    components,
    created: created.value,
    expires: expires?.value,
    keyId: keyid.value,
    signatureParams: member.raw,
  })
}

/**
 * Reads one item of the list of covered components (RFC 9421, sections 2, 2.1 and 2.2).
 *
 * Fails with a description of the component if the item is not a string, if its name is neither a field name in lower
 * case nor a derived component of requests, and if it has a parameter, which would change its meaning (`sf`, `key`, `bs`,
 * `req`, `tr`, unknown ones).
 */
export const itemToComponent = (item: Item): Result.Result<CoveredComponent, string> => {
  if (item.value.type !== "string") return Result.fail("an item that is not a string")
  const name = item.value.value
  const parameter = item.parameters.get("name")
  if (name === "@query-param") {
    if (item.parameters.size !== 1 || parameter?.type !== "string") return Result.fail(name)
    const identifier = `"@query-param";name=${writeString(parameter.value)}`
    return Result.succeed({ name, queryParameter: parameter.value, identifier })
  }
  if (item.parameters.size > 0) return Result.fail(`${name} with parameters`)
  const known = knownComponents.get(name)
  if (known !== undefined) return known
  return fieldNamePattern.test(name) ? Result.succeed(plainComponent(name)) : Result.fail(name)
}

const plainComponent = (name: string): CoveredComponent => ({
  name,
  queryParameter: undefined,
  identifier: writeString(name),
})

const knownComponents = new Map(
  [...requiredComponents, "@target-uri", "@scheme", "@request-target", "@query"].map((name) => [
    name,
    Result.succeed(plainComponent(name)),
  ]),
)
const fieldNamePattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

const componentList = `(${requiredComponents.map(writeString).join(" ")})`

const fault = (
  code: SignatureInputFault["code"],
  detail: string,
): Result.Result<never, SignatureInputFault> => Result.fail({ code, detail })
