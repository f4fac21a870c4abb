/** The components that the signature of every notification covers, in this order (spec/signatures §1). */
const coveredComponents = ["@method", "@authority", "@path", "content-digest", "content-type"]

/** The label of Tocsin's signature. */
export const signatureLabel = "sig1"

/**
 * Writes the parameters of Tocsin's signature (spec/signatures §3): `("@method" …);created=…;keyid="…";alg="ed25519"`.
 *
 * `Signature-Input` is the label, `=` and these parameters. `created` is in Unix seconds; `keyId` is printable ASCII, of
 * which JSON writes the same strings as RFC 9651.
 */
export const writeSignatureParams = (created: number, keyId: string): string =>
  `${componentList};created=${created};keyid=${JSON.stringify(keyId)};alg="ed25519"`

const componentList = `(${coveredComponents.map((name) => `"${name}"`).join(" ")})`
