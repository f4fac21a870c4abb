import { Command, Options } from "@effect/cli"
import { Console, Effect } from "effect"
import { writeFile } from "node:fs/promises"
import { serverUrl } from "../ClientConfig.ts"
import { makeLocalCertificate } from "../LocalCertificate.ts"
import { receiveNotifications } from "../NotificationReceiver.ts"
import { notificationText } from "../NotificationText.ts"
import type { Environment } from "../ServerConfig.ts"
import { urlOption } from "./ClientOptions.ts"

/** `tocsin listen`: a receiver on this machine, to see what a server sends. Source: contract section 5.3. */
export const listenCommand = (environment: Environment) =>
  Command.make(
    "listen",
    {
      url: urlOption,
      port: Options.integer("port").pipe(
        Options.withDescription("Port to listen on, on this machine only."),
        Options.withDefault(8443),
      ),
      caFile: Options.text("ca-file").pipe(
        Options.withDescription("Where to write the certificate, for the server's TOCSIN_EGRESS_CA_FILE."),
        Options.withDefault("tocsin-listen-ca.pem"),
      ),
    },
    ({ url, port, caFile }) =>
      Effect.gen(function* () {
        const certificate = yield* makeLocalCertificate
        yield* Effect.promise(() => writeFile(caFile, certificate.cert))
        const address = yield* receiveNotifications({
          port,
          serverUrl: serverUrl(url, environment),
          certificate,
          onReceived: (received) => process.stdout.write(`${notificationText(received)}\n`),
        })
        yield* Console.log(
          [
            `Listening on ${address}; Ctrl-C ends it.`,
            `The server must trust it and may reach it: start it with`,
            `  TOCSIN_EGRESS_CA_FILE=${caFile} TOCSIN_EGRESS_ALLOW_CIDRS=127.0.0.1/32,::1/128 tocsin serve`,
            `and give an alert method the URL ${address}/`,
            "",
          ].join("\n"),
        )
        return yield* Effect.never
      }).pipe(Effect.scoped),
  ).pipe(Command.withDescription("Receive notifications over HTTPS on this machine, verify and print each."))
