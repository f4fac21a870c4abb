import { Mailer, type MailFailure } from "@tocsin/domain/ports"
import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { makeCertificates } from "../../../../test/egress/certificates.ts"
import { freePort } from "../../../../test/FreePort.ts"
import { startMailServer } from "../../../../test/e2e/mail-server.ts"
import * as MailerSmtp from "../../src/MailerSmtp.ts"

const startServer = (options: { readonly offersTls?: boolean } = {}) =>
  Effect.gen(function* () {
    const certificates = yield* Effect.promise(() => makeCertificates())
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startMailServer(certificates, options)),
      ({ close }) => Effect.promise(close),
    )
    return { ...server, certificates }
  })

const sendTo = (
  to: string,
  port: number,
  {
    password = "secret",
    startsTls = true,
    caPem,
  }: { password?: string; startsTls?: boolean; caPem?: string } = {},
) => {
  const url = Redacted.make(`smtp://tocsin:${password}@127.0.0.1:${port}`)
  return Effect.flatMap(Mailer, (mailer) =>
    mailer === undefined
      ? Effect.die(new Error("no mailer"))
      : mailer.send({ to, subject: "Ünï", text: "Line one\nLine two", headers: {} }),
  ).pipe(Effect.provide(MailerSmtp.layer({ url, from: "status@example.com", startsTls, caPem })))
}

const failure = (error: MailFailure) => [error.reason, error.isPermanent]

it.effect("spec/status-pages §4: an email is sent over TLS only, unless that is turned off", () =>
  Effect.gen(function* () {
    const { port, received, certificates } = yield* startServer()
    const caPem = certificates.ca
    yield* sendTo("ada@example.com", port, { caPem })
    expect(received).toMatchObject([{ to: ["ada@example.com"], isSecure: true }])
    expect(received[0]?.text).toContain("Auto-Submitted: auto-generated")
    const untrusted = yield* Effect.flip(sendTo("ada@example.com", port))
    expect(failure(untrusted)).toEqual(["tls_invalid", false])
    const plain = yield* startServer({ offersTls: false })
    const refused = yield* Effect.flip(sendTo("ada@example.com", plain.port, { caPem }))
    expect(failure(refused)).toEqual(["tls_invalid", false])
    yield* sendTo("ada@example.com", plain.port, { startsTls: false })
    expect([received.length, plain.received.length]).toEqual([1, 1])
  }),
)

it.effect("spec/status-pages §4: only a mailbox that does not exist is a permanent failure", () =>
  Effect.gen(function* () {
    const { port, certificates } = yield* startServer()
    const caPem = certificates.ca
    const failing = (to: string, options = {}) =>
      Effect.map(Effect.flip(sendTo(to, port, { caPem, ...options })), (error) => {
        expect(error.detail).not.toContain("@")
        return failure(error)
      })
    expect(yield* failing("nobody@example.com")).toEqual(["mail_rejected", true])
    expect(yield* failing("later@example.com")).toEqual(["mail_rejected", false])
    expect(yield* failing("ada@example.com", { password: "wrong" })).toEqual(["mail_rejected", false])
    const closed = yield* Effect.promise(async () => Number(await freePort()))
    expect(failure(yield* Effect.flip(sendTo("ada@example.com", closed)))).toEqual(["connect_refused", false])
  }),
)
