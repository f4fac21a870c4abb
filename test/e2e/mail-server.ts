import { text } from "node:stream/consumers"
import { SMTPServer } from "smtp-server"
import type { Certificates } from "../egress/certificates.ts"

/** An e-mail as it came. */
export interface ReceivedMail {
  readonly to: ReadonlyArray<string>
  readonly user: string | undefined
  /** Whether it came over TLS. */
  readonly isSecure: boolean
  /** Headers and body with line breaks, without those of quoted-printable. */
  readonly text: string
}

/** A mail server on loopback that offers STARTTLS, accepts the password `secret` over TLS only, and keeps what it got. */
export const startMailServer = async ({ cert, key }: Certificates) => {
  const received: Array<ReceivedMail> = []
  const server = new SMTPServer({
    cert,
    key,
    authMethods: ["PLAIN", "LOGIN"],
    onAuth: ({ username, password }, _, done) =>
      password === "secret" ? done(null, { user: username }) : done(new Error("Invalid password")),
    onData: (stream, { envelope, secure, user }, done) => {
      void text(stream).then((raw) => {
        received.push({
          to: envelope.rcptTo.map(({ address }) => address),
          user,
          isSecure: secure,
          text: raw.replaceAll(/=\r\n/g, "").replaceAll("\r\n", "\n").replaceAll("=3D", "="),
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
