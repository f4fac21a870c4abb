import { Command, InvalidArgumentError } from "commander"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { type ClientFlags, serverUrl } from "../client/ClientConfig.ts"
import { makeLocalCertificate } from "../receiver/LocalCertificate.ts"
import { receiveNotifications } from "../receiver/NotificationReceiver.ts"
import { notificationText } from "../terminal/NotificationText.ts"
import { type CommandContext, urlFlag } from "./CommandContext.ts"

/** `tocsin listen`: a receiver on this machine, to see what a server sends. Source: contract section 5.3. */
export const listenCommand = (context: CommandContext): Command =>
  new Command("listen")
    .summary("receive notifications on this machine, verify and print each")
    .description("Receive notifications over HTTPS on this machine, verify and print each.")
    .option("--port <port>", "port to listen on, on this machine only", portNumber, 8443)
    .option(
      "--ca-file <file>",
      "where to write the certificate, for the server's TOCSIN_EGRESS_CA_FILE",
      "tocsin-listen-ca.pem",
    )
    .addOption(urlFlag())
    .action((flags: ListenFlags) => context.runUntilStopped(Effect.scoped(listen(flags, context))))

/** The certificate cannot be written. */
export class CertificateIsNotWritten extends Data.TaggedError("CertificateIsNotWritten")<{
  readonly file: string
  readonly reason: string
}> {
  override get message(): string {
    return `the certificate cannot be written to ${this.file} (${this.reason}); choose another --ca-file`
  }
}

/** The port cannot be listened on. */
export class ReceiverCannotListen extends Data.TaggedError("ReceiverCannotListen")<{
  readonly port: number
  readonly reason: string
}> {
  override get message(): string {
    return this.reason === "EADDRINUSE"
      ? `port ${this.port} is in use by another program; choose another --port`
      : `cannot listen on port ${this.port} (${this.reason}); choose another --port`
  }
}

interface ListenFlags extends ClientFlags {
  readonly port: number
  readonly caFile: string
}

const listen = ({ port, caFile, ...flags }: ListenFlags, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const certificate = yield* makeLocalCertificate
    const address = yield* receiveNotifications({
      port,
      serverUrl: serverUrl(flags, environment),
      certificate,
      onReceived: (received) => process.stdout.write(`${notificationText(received)}\n\n`),
    }).pipe(Effect.mapError(({ port, reason }) => new ReceiverCannotListen({ port, reason })))
    // Once the port is ours: what listens there already has written the certificate that servers trust.
    yield* Effect.tryPromise({
      try: () => writeFile(caFile, certificate.cert),
      catch: (cause) =>
        new CertificateIsNotWritten({ file: caFile, reason: String((cause as NodeJS.ErrnoException).code) }),
    })
    yield* Console.log(
      [
        `Listening on ${address}; Ctrl-C ends it.`,
        "The server must trust it and may reach it, so start the server with",
        `  TOCSIN_EGRESS_CA_FILE=${caFile} TOCSIN_EGRESS_ALLOW_CIDRS=127.0.0.1/32,::1/128`,
        `and give an alert method the URL ${address}/`,
        "",
      ].join("\n"),
    )
    return yield* Effect.never
  })

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError("It must be a whole number from 0 to 65535.")
}
