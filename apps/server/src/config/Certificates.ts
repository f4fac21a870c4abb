import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"

/** The file of a setting has no certificate or key that can be used. */
export class CertificateCannotBeUsed extends Data.TaggedError("CertificateCannotBeUsed")<{
  readonly message: string
}> {}

/** Reads the file of a setting. */
export const readPem = (setting: string, file: string): Effect.Effect<string, CertificateCannotBeUsed> =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) =>
      new CertificateCannotBeUsed({
        message: `cannot read ${file}, the file of ${setting} (${(cause as NodeJS.ErrnoException).code}); check the path and its permissions`,
      }),
  })

/** Reads the certificates of the file of a setting, at least one. */
export const readCertificates = Effect.fnUntraced(function* (setting: string, file: string) {
  const pem = yield* readPem(setting, file)
  const [first] = certificatesOf(pem) ?? []
  if (first === undefined)
    return yield* new CertificateCannotBeUsed({ message: `${setting} must contain PEM certificates` })
  return { pem, first }
})

/** The certificates of a PEM text, or `undefined` if it has none or one that is invalid. A TLS context ignores those. */
export const certificatesOf = (pem: string): ReadonlyArray<X509Certificate> | undefined => {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  try {
    return blocks.length === 0 ? undefined : blocks.map((block) => new X509Certificate(block))
  } catch {
    return undefined
  }
}
