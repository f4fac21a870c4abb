import { Mailer, MailFailure, type MailSender } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createTransport } from "nodemailer"
import { rootCertificates } from "node:tls"

/** The mail server that accepts the emails of this server. */
export interface MailerOptions {
  /** `smtp://user:password@host:587` or, with TLS from the start, `smtps://user:password@host:465`. */
  readonly url: Redacted.Redacted<string>
  /** The sender, such as `Tocsin <status@example.com>`. */
  readonly from: string
  /** Whether a connection of `smtp://` must be upgraded by STARTTLS (RFC 3207); otherwise, none is. */
  readonly startsTls: boolean
  /** Certificates in PEM that are trusted in addition to the public CAs. */
  readonly caPem?: string | undefined
}

/** Connections that are kept open, and how long each step of a conversation may take, in milliseconds. */
const connectionsMax = 5
const stepTimeoutMs = 15_000

/** Sends emails by SMTP. The operator chooses the server, so its address is not guarded. */
export const layer = ({ url, from, startsTls, caPem }: MailerOptions): Layer.Layer<never> =>
  Layer.effect(
    Mailer,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() =>
          createTransport(
            {
              url: Redacted.value(url),
              pool: true,
              maxConnections: connectionsMax,
              requireTLS: startsTls,
              ignoreTLS: !startsTls,
              connectionTimeout: stepTimeoutMs,
              greetingTimeout: stepTimeoutMs,
              socketTimeout: stepTimeoutMs,
              tls: caPem === undefined ? {} : { ca: [...rootCertificates, caPem] },
              disableFileAccess: true,
              disableUrlAccess: true,
            },
            { from },
          ),
        ),
        (transport) => Effect.sync(() => transport.close()),
      ),
      (transport): MailSender => ({
        send: (mail) =>
          Effect.asVoid(
            Effect.tryPromise({
              try: () =>
                transport.sendMail({
                  ...mail,
                  headers: { ...mail.headers, "Auto-Submitted": "auto-generated" },
                }),
              catch: failureOf,
            }),
          ),
      }),
    ),
  )

/** The codes of nodemailer. The words of the mail server may contain the address. */
const failureOf = (error: unknown): MailFailure => {
  const { code, responseCode, command, message } = Object(error)
  const isOfSocket = (words: RegExp) => typeof message === "string" && words.test(message)
  const failed = (reason: MailFailure["reason"], detail: string, isPermanent = false) =>
    new MailFailure({ reason, detail, isPermanent })
  if (typeof responseCode === "number" && code !== "EAUTH" && code !== "ETLS")
    return failed(
      "mail_rejected",
      `the mail server responded with ${responseCode}`,
      // Other rejections are of the sender, or of all emails.
      responseCode >= 500 && command === "RCPT TO",
    )
  switch (code) {
    case "EAUTH":
      return failed("mail_rejected", "the mail server did not accept the user name and password")
    case "ETLS":
      return failed("tls_invalid", "the mail server did not offer a trusted TLS connection")
    case "ETIMEDOUT":
      return failed("timeout", "the mail server did not respond in time")
    case "EDNS":
      return failed("dns_not_found", "the host name of the mail server was not found")
    default:
      // The code of the socket is replaced.
      if (isOfSocket(/ECONNREFUSED/))
        return failed("connect_refused", "the mail server refused the connection")
      if (isOfSocket(/certificate|altname|TLS|SSL/i))
        return failed("tls_invalid", "the mail server did not offer a trusted TLS connection")
      return failed("connection_reset", "the connection to the mail server was closed")
  }
}
