import { SMTPServer } from "smtp-server"
import type { Certificates } from "../egress/certificates.ts"

/** An email as it came. */
export interface ReceivedMail {
  readonly to: ReadonlyArray<string>
  readonly user: string | undefined
  /** Whether it came over TLS. */
  readonly isSecure: boolean
  /** Headers and body with line breaks, without those of quoted-printable. */
  readonly text: string
}

/**
 * A mail server on loopback that offers STARTTLS, accepts the password `secret` over TLS only, and keeps what it got. It has no mailbox
 * `nobody`, and is too busy for `later`.
 */
export const startMailServer = async (
  { cert, key }: Certificates,
  { offersTls = true }: { readonly offersTls?: boolean } = {},
) => {
  const received: Array<ReceivedMail> = []
  const server = new SMTPServer({
    cert,
    key,
    authMethods: ["PLAIN", "LOGIN"],
    hideSTARTTLS: !offersTls,
    allowInsecureAuth: !offersTls,
    onRcptTo: ({ address }, _, done) => {
      const responseCode = address.startsWith("nobody@")
        ? 550
        : address.startsWith("later@")
          ? 451
          : undefined
      if (responseCode === undefined) done()
      else done(Object.assign(new Error(`${address} is rejected`), { responseCode }))
    },
    onAuth: ({ username, password }, _, done) =>
      password === "secret" ? done(null, { user: username }) : done(new Error("Invalid password")),
    onData: (stream, { envelope, secure, user }, done) => {
      const parts: Array<Buffer> = []
      stream.on("data", (part: Buffer) => parts.push(part))
      stream.on("end", () => {
        received.push({
          to: envelope.rcptTo.map(({ address }) => address),
          user,
          isSecure: secure,
          text: Buffer.concat(parts)
            .toString()
            .replaceAll(/=\r\n/g, "")
            .replaceAll("\r\n", "\n")
            .replaceAll("=3D", "="),
        })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { port, received, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}
