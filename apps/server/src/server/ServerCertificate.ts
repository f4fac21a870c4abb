import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { createPrivateKey, X509Certificate } from "node:crypto"
import type { TlsCertificate } from "@tocsin/adapters-http/server"
import { CertificateCannotBeUsed, readCertificates, readPem } from "../config/Certificates.ts"

/** The files of the certificate with its chain, and of its private key, in PEM. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** Reads the certificate and its key, and checks that they belong together. */
export const readCertificate = ({
  certFile,
  keyFile,
}: TlsFiles): Effect.Effect<TlsCertificate, CertificateCannotBeUsed> =>
  Effect.gen(function* () {
    const { pem: cert, first } = yield* readCertificates("TOCSIN_TLS_CERT_FILE", certFile)
    const key = yield* readPem("TOCSIN_TLS_KEY_FILE", keyFile)
    const privateKey = yield* Effect.try({
      try: () => createPrivateKey(key),
      catch: () =>
        cannotBeUsed("TOCSIN_TLS_KEY_FILE must contain a private key in PEM, without a passphrase"),
    })
    if (!first.checkPrivateKey(privateKey))
      return yield* cannotBeUsed(
        "the key in TOCSIN_TLS_KEY_FILE does not belong to the first certificate in TOCSIN_TLS_CERT_FILE",
      )
    return { cert, key }
  })

/** The certificate of files and those that replace it. */
export const tlsOfFiles = (files: TlsFiles) =>
  Effect.map(readCertificate(files), (certificate) => ({
    certificate,
    renewals: renewedCertificates(files, certificate),
  }))

/**
 * The certificates that replace `first`, from files that are read every minute. A certificate that cannot be used is logged, and
 * the one before stays in use: the next minute may find a renewal complete of which only one file was written.
 */
export const renewedCertificates = (files: TlsFiles, first: TlsCertificate): Stream.Stream<TlsCertificate> =>
  Stream.fromSchedule(Schedule.spaced("1 minute")).pipe(
    Stream.mapEffect(() =>
      readCertificate(files).pipe(
        Effect.catch(({ message }) =>
          Effect.as(
            Effect.annotateLogs(Effect.logError("The TLS certificate cannot be renewed"), {
              reason: message,
            }),
            undefined,
          ),
        ),
      ),
    ),
    Stream.filter(Predicate.isNotUndefined),
    Stream.prepend([first]),
    Stream.changesWith((a, b) => a.cert === b.cert && a.key === b.key),
    Stream.drop(1),
    Stream.tap(({ cert }) =>
      Effect.annotateLogs(Effect.logInfo("TLS certificate renewed"), {
        validTo: new X509Certificate(cert).validTo,
      }),
    ),
  )

const cannotBeUsed = (message: string) => new CertificateCannotBeUsed({ message })
