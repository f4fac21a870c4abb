import { type NotificationRejectionCode, reject } from "./NotificationRejected.ts"
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

function componentOf(name: string): CoveredComponent {
  return { name, queryParameter: undefined, identifier: `"${name}"` }
}

/** The components that the signature of every notification covers, in this order (spec/signatures §1). */
const requiredComponents = ["@method", "@authority", "@path", "content-digest", "content-type"].map(
  componentOf,
)

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

/** The label of the signatures that Tocsin sends. */
export const signatureLabel = "sig1"

/**
 * Reads one member of `Signature-Input` (RFC 9421, section 2.3) and checks that it can be the signature of a notification.
 *
 * It must cover `requiredComponents`, and may cover others. Its parameters may be in any order; unknown ones are ignored.
 */
export const readSignatureInput = (member: DictionaryMember): SignatureInput => {
  const { items, parameters } = member
  const fault = (code: NotificationRejectionCode, detail: string): never =>
    reject(code, `Signature-Input ${member.key}: ${detail}`)
  if (items === undefined) return fault("signature_input_malformed", "it is not a list of components")
  if (items.length > signatureComponentsMax) {
    return fault("components_too_many", `at most ${signatureComponentsMax} components are read`)
  }
  const components = new Map<string, CoveredComponent>()
  for (const item of items) {
    const component = itemToComponent(item)
    if (component === undefined) return fault("component_unsupported", describeItem(item))
    if (components.has(component.identifier)) return fault("component_duplicated", component.identifier)
    components.set(component.identifier, component)
  }
  for (const { identifier, name } of requiredComponents) {
    if (!components.has(identifier)) return fault("component_not_covered", name)
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
  return {
    label: member.key,
    components: [...components.values()],
    created: created.value,
    expires: expires?.value,
    keyId: keyid.value,
    signatureParams: member.raw,
  }
}

/**
 * Reads one item of the list of covered components (RFC 9421, sections 2, 2.1 and 2.2).
 *
 * Gives `undefined` if the item is not a string, if its name is neither a field name in lower case nor a derived component
 * of requests, and if it has a parameter, which would change its meaning (`sf`, `key`, `bs`, `req`, `tr`, unknown ones).
 */
export const itemToComponent = ({ value, parameters }: Item): CoveredComponent | undefined => {
  if (value.type !== "string") return undefined
  const name = value.value
  if (name === "@query-param") {
    const parameter = parameters.get("name")
    if (parameters.size !== 1 || parameter?.type !== "string") return undefined
    const identifier = `"@query-param";name=${writeString(parameter.value)}`
    return { name, queryParameter: parameter.value, identifier }
  }
  if (parameters.size > 0) return undefined
  return knownComponents.get(name) ?? (fieldNamePattern.test(name) ? componentOf(name) : undefined)
}

const describeItem = ({ value, parameters }: Item): string => {
  if (value.type !== "string") return "an item that is not a string"
  return parameters.size > 0 ? `${value.value} with parameters` : value.value
}

/** All derived components, and the required fields: every notification has the same. */
const knownComponents: ReadonlyMap<string, CoveredComponent> = new Map(
  [...requiredComponents, ...["@target-uri", "@scheme", "@request-target", "@query"].map(componentOf)].map(
    (component) => [component.name, component],
  ),
)
const fieldNamePattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
