import { Command, InvalidArgumentError } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { serverUrl } from "../client/ClientConfig.ts"
import { withContext } from "../client/ContextFile.ts"
import { makeLocalCertificate } from "../receiver/LocalCertificate.ts"
import { receiveNotifications } from "../receiver/NotificationReceiver.ts"
import { notificationText } from "../terminal/TerminalText.ts"
import { type CommandContext, CommandFailed } from "./CommandContext.ts"
import { addFlags, defaulted, parsed, parsedDefault, url, type ValuesOf } from "./Flags.ts"

const flags = {
  port: parsedDefault("<port>", "port to listen on", portNumber, "8443"),
  caFile: defaulted(
    "<file>",
    "file to write the certificate to; set the server's TOCSIN_EGRESS_CA_FILE to it",
    "tocsin-listen-ca.pem",
  ),
  forward: parsed(
    "<url>",
    "receiver that gets each verified notification and whose status is the response, such as http://localhost:3000",
    originUrl,
  ),
  ...url,
}

export const listenCommand = (context: CommandContext): Command => {
  const command = new Command()
    .summary("receive, verify and print notifications")
    .description(
      "Receive notifications over HTTPS on localhost, verify them and print them. With --forward, also send them to a receiver on this machine.",
    )
  addFlags(command, flags)
  return command.action((given: ValuesOf<typeof flags>) =>
    context.runUntilStopped(Effect.scoped(listen(given, context))),
  )
}

const listen = (
  { port, caFile, forward, ...given }: ValuesOf<typeof flags>,
  { environment }: CommandContext,
) =>
  Effect.gen(function* () {
    const certificate = yield* makeLocalCertificate
    const address = yield* receiveNotifications({
      port,
      serverUrl: serverUrl(given, yield* withContext(given, environment)),
      certificate,
      forwardTo: forward,
      onReceived: (received) => process.stdout.write(`${notificationText(received)}\n\n`),
    }).pipe(
      Effect.mapError(({ port, reason }) => {
        const problem =
          reason === "EADDRINUSE"
            ? `port ${port} is already in use`
            : `cannot listen on port ${port} (${reason})`
        return new CommandFailed({ message: `${problem}; specify another port with --port` })
      }),
    )
    // Only once the port is bound: a receiver that already listens there has written the certificate that servers trust.
    yield* Effect.tryPromise({
      try: () => writeFile(caFile, `${certificate.cert.trimEnd()}\n`),
      catch: (cause) =>
        new CommandFailed({
          message: `cannot write the certificate to ${caFile} (${(cause as NodeJS.ErrnoException).code}); specify another file with --ca-file`,
        }),
    })
    yield* Console.log(
      [
        `Listening on ${address}. Press Ctrl-C to stop.`,
        "Start the server with these variables, so that it may connect to the receiver and trusts its certificate:",
        `  TOCSIN_EGRESS_CA_FILE=${caFile} TOCSIN_EGRESS_ALLOW_CIDRS=127.0.0.1/32,::1/128`,
        `Then set the URL of an alert method to ${address}/`,
        ...(forward === undefined
          ? []
          : [
              `Notifications are forwarded to ${forward.origin}, with their path. A receiver that verifies them`,
              `needs the authority ${new URL(address).host}.`,
            ]),
        "",
      ].join("\n"),
    )
    return yield* Effect.never
  })

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError("It must be an integer from 0 to 65535.")
}

function originUrl(text: string): URL {
  if (URL.canParse(text)) {
    const url = new URL(text)
    const isOrigin = url.pathname === "/" && url.search === "" && url.hash === "" && url.username === ""
    if (isOrigin && /^https?:$/.test(url.protocol)) return url
  }
  throw new InvalidArgumentError(
    "It must be a URL without a path, such as http://localhost:3000: the path of the alert method is kept, as it is signed.",
  )
}
