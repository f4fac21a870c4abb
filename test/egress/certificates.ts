import { randomUUID } from "node:crypto"
import { generate } from "selfsigned"

/**
 * What a certificate of a server or client is for.
 *
 * `names` and `ips` are what it is valid for; its validity runs from `notBefore` to `notAfter`, by default from
 * yesterday for thirty days.
 */
export interface CertificateOptions {
  readonly names?: ReadonlyArray<string>
  readonly ips?: ReadonlyArray<string>
  readonly commonName?: string
  readonly notBefore?: Date
  readonly notAfter?: Date
}

/** PEM texts: the authority to trust, and the certificate with its private key to serve. */
export interface Certificates {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/**
 * Makes a certificate authority and a server certificate that it signs.
 *
 * Trusting `ca` is what makes `cert` trusted; without names and addresses it is for `localhost`, 127.0.0.1 and ::1.
 */
export const makeCertificates = async (options: CertificateOptions = {}): Promise<Certificates> => {
  const yesterday = new Date(Date.now() - day)
  const authority = await generate([{ name: "commonName", value: `Tocsin test authority ${randomUUID()}` }], {
    ...algorithm,
    notBeforeDate: new Date("2020-01-01T00:00:00Z"),
    notAfterDate: new Date("2100-01-01T00:00:00Z"),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  const isBare = options.names === undefined && options.ips === undefined
  const names = isBare ? ["localhost"] : (options.names ?? [])
  const ips = isBare ? ["127.0.0.1", "::1"] : (options.ips ?? [])
  const server = await generate(
    [{ name: "commonName", value: options.commonName ?? "Tocsin test receiver" }],
    {
      ...algorithm,
      ca: { key: authority.private, cert: authority.cert },
      notBeforeDate: options.notBefore ?? yesterday,
      notAfterDate: options.notAfter ?? new Date(yesterday.getTime() + 30 * day),
      extensions: [
        { name: "basicConstraints", cA: false },
        { name: "keyUsage", digitalSignature: true, critical: true },
        { name: "extKeyUsage", serverAuth: true, clientAuth: true },
        ...(names.length + ips.length === 0
          ? []
          : [
              {
                name: "subjectAltName" as const,
                altNames: [
                  ...names.map((value) => ({ type: 2 as const, value })),
                  ...ips.map((ip) => ({ type: 7 as const, ip })),
                ],
              },
            ]),
      ],
    },
  )
  return { ca: authority.cert, cert: server.cert, key: server.private }
}

const day = 86_400_000

const algorithm = { keyType: "ec", curve: "P-256", algorithm: "sha256" } as const
