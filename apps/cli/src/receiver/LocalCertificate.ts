import * as Effect from "effect/Effect"
import { generate } from "selfsigned"

export interface LocalCertificate {
  readonly cert: string
  readonly key: string
}

/** Valid for `localhost`, `127.0.0.1` and `::1`, for 30 days. */
export const makeLocalCertificate: Effect.Effect<LocalCertificate> = Effect.promise(() => {
  const notBeforeDate = new Date(Date.now() - 60_000)
  return generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate,
    notAfterDate: new Date(notBeforeDate.getTime() + 30 * 86_400_000),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", digitalSignature: true, keyCertSign: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
          { type: 7, ip: "::1" },
        ],
      },
    ],
  })
}).pipe(Effect.map(({ cert, private: key }) => ({ cert, key })))
