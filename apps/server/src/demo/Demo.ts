import { Console, Deferred, Effect, Fiber, Redacted, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { Limits } from "@tocsin/domain/Limits"
import { type ApiClient, type ApiFailure, makeApiClient } from "../ApiClient.ts"
import { makeLocalCertificate } from "../LocalCertificate.ts"
import { type ReceivedNotification, receiveNotifications } from "../NotificationReceiver.ts"
import { notificationText } from "../NotificationText.ts"
import { ServerCannotStart, startServer } from "../Server.ts"
import { serverDefaults } from "../ServerConfig.ts"
import { keepCounting, recordLastHour } from "./DemoCounts.ts"
import { demoAlertPolicy, demoDefinitions, demoObjective, demoOrganization, demoSlos } from "./DemoObjects.ts"

/** Where the demo listens. */
export interface DemoOptions {
  readonly host: string
  readonly port: number
}

/**
 * Runs the real server with an organization of a dozen SLOs whose counts keep coming, one alert method, and a
 * receiver that only this process trusts; triggers an alert and prints the notification that arrives, verified.
 *
 * Everything goes over sockets, as a user's programs would do it. Succeeds when all is printed; the server runs
 * until the scope closes.
 */
export const runDemo = ({
  host,
  port,
}: DemoOptions): Effect.Effect<void, ServerCannotStart | ApiFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const certificate = yield* makeLocalCertificate
    const clientSecret = Redacted.make(randomBytes(32).toString("base64url"))
    const credential = { organization: demoOrganization, clientId: "demo", clientSecret }
    const { url } = yield* startServer(
      {
        ...serverDefaults,
        host,
        port,
        masterKey: Redacted.make(new Uint8Array(randomBytes(32))),
        bootstrapCredentials: [{ ...credential, role: "editor" }],
        egressAllowCidrs: ["127.0.0.1/32", "::1/128"],
        logLevel: "warning",
      },
      { egressCaPem: certificate.cert },
    )
    yield* Console.log(`Tocsin listens on ${url}; its API is described at ${url}/docs\n`)

    const arrived = yield* Deferred.make<ReceivedNotification>()
    const receiver = yield* receiveNotifications({
      port: 0,
      serverUrl: url,
      certificate,
      onReceived: (received) => Deferred.unsafeDone(arrived, Effect.succeed(received)),
    }).pipe(
      Effect.mapError(
        ({ reason }) => new ServerCannotStart({ message: `the demo's receiver cannot listen (${reason})` }),
      ),
    )

    const client = yield* makeApiClient({ url, ...credential })
    yield* applyDemo(client, `${receiver}/notifications`)
    // The demo has just been given an access token; the lines that get one must work as soon as they are printed.
    const tokenWindow = yield* Effect.fork(Effect.sleep(Limits.accessTokenWindowMs))
    yield* recordLastHour(client)
    yield* Effect.forkScoped(
      Effect.catchAllCause(keepCounting(client), (cause) =>
        Effect.logWarning("The demo's counts stopped", cause),
      ),
    )
    yield* Console.log(`Defined ${demoSlos.length} SLOs with an hour of counts; more come every 5 s.`)

    yield* triggerAlert(client)
    yield* Console.log("Triggered an alert. What arrived at its webhook, over TLS:\n")
    yield* Console.log(`${notificationText(yield* Deferred.await(arrived))}\n`)
    yield* Fiber.join(tokenWindow)
    yield* Console.log(tryIt(url, credential.clientId, Redacted.value(clientSecret)))
  })

const applyDemo = (client: ApiClient, webhookUrl: string) =>
  client.call({
    method: "PUT",
    path: "/api/apply",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(demoDefinitions(webhookUrl)),
  })

const triggerAlert = (client: ApiClient) => {
  const [endangered] = demoSlos
  return client.call({
    method: "POST",
    path: "/api/alerts",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      status: "triggered",
      slo: { name: endangered?.name, project: endangered?.project },
      objective: demoObjective,
      alertPolicy: demoAlertPolicy,
      conditions: ["Average error budget burn rate is greater than or equal to 5 for 15 minutes"],
    }),
  })
}

const tryIt = (url: string, clientId: string, clientSecret: string): string =>
  [
    "Now you. Get an access token, then list the SLOs:",
    "",
    `TOKEN=$(curl -s -X POST ${url}/api/accessToken -u '${clientId}:${clientSecret}' \\`,
    `  -H 'Organization: ${demoOrganization}' -H 'Accept: application/json; version=v1alpha' \\`,
    `  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    "",
    `curl -s '${url}/api/v2/slos?limit=3' -H "Authorization: Bearer $TOKEN" -H 'Organization: ${demoOrganization}'`,
    "",
    "Ctrl-C ends it; nothing is kept.",
  ].join("\n")
