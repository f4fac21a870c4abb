import { X509Certificate } from "node:crypto"

/** The certificates of a PEM text, or `undefined` if it has none or one that is invalid. A TLS context ignores those. */
export const certificatesOf = (pem: string): ReadonlyArray<X509Certificate> | undefined => {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  try {
    return blocks.length === 0 ? undefined : blocks.map((block) => new X509Certificate(block))
  } catch {
    return undefined
  }
}
