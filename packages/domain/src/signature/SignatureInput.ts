import * as Result from "effect/Result"
import { type CoveredComponent, itemToComponent, requiredComponents } from "./CoveredComponent.ts"
import { type DictionaryMember, writeString } from "./StructuredField.ts"

/** Most covered components that a verifier reads of one signature. */
export const signatureComponentsMax = 32

/**
 * One signature's entry in `Signature-Input`, of a signature that may vouch for a notification.
 *
 * `created` and `expires` are Unix seconds. `signatureParams` is the entry's value exactly as received: it ends
 * the signature base byte for byte.
 *
 * Source: RFC 9421 section 4.1; spec/signatures §2.
 */
export interface SignatureInput {
  readonly label: string
  readonly components: ReadonlyArray<CoveredComponent>
  readonly created: number
  readonly expires: number | undefined
  readonly keyId: string
  readonly signatureParams: string
}

/** Why an entry does not describe a signature that vouches for a notification; `detail` says what is wrong. */
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

/** The label of our signature. Source: spec/signatures §1. */
export const signatureLabel = "sig1"

/**
 * Writes the parameters of our signature: `("@method" …);created=…;keyid="…";alg="ed25519"`.
 *
 * With the label and `=` before it, this is `Signature-Input`. `created` is in Unix seconds; `keyId` is
 * printable ASCII.
 *
 * Source: spec/signatures §1, spec/signatures §3.
 */
export const writeSignatureParams = (created: number, keyId: string): string =>
  `${componentList};created=${created};keyid=${writeString(keyId)};alg="ed25519"`

/**
 * Reads one member of `Signature-Input` and holds it to what a notification's signature must state.
 *
 * The five components must be covered without parameters, further ones may be; parameters come in any order,
 * further ones are ignored.
 *
 * Source: RFC 9421 section 2.3; spec/signatures §1, spec/signatures §9.
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

const componentList = `(${requiredComponents.map(writeString).join(" ")})`

const fault = (
  code: SignatureInputFault["code"],
  detail: string,
): Result.Result<never, SignatureInputFault> => Result.fail({ code, detail })
