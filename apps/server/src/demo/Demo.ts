import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { resolve } from "node:path"
import { deriveKey } from "@tocsin/adapters-http/crypto/DeriveKey"
import { Limits } from "@tocsin/domain/Limits"
import { type ApiClient, type ApiFailure, makeApiClient } from "../client/ApiClient.ts"
import { makeLocalCertificate } from "../receiver/LocalCertificate.ts"
import { type ReceivedNotification, receiveNotifications } from "../receiver/NotificationReceiver.ts"
import { notificationText } from "../terminal/NotificationText.ts"
import { ServerCannotStart, startServer } from "../server/Server.ts"
import { type MasterKey, serverDefaults, type StoreConfig } from "../config/ServerConfig.ts"
import { isFilled, masterKeyOf, type StoreCannotBeOpened } from "../store/Store.ts"
import { incidentMinutes, keepCounting, recordIncident, recordLastHour } from "./DemoCounts.ts"
import { demoAlertMethod, demoDefinitions, demoOrganization, demoSlos } from "./DemoObjects.ts"

/** Where the demo listens, and where it keeps what it has. */
export interface DemoOptions {
  readonly host: string
  readonly port: number
  readonly store: StoreConfig
}

/**
 * Runs the real server with an organization of a dozen SLOs whose counts keep coming, an alert policy, one alert method,
 * and a receiver that only this process trusts. The counts of one SLO turn bad: its budget burns, the policy fires, and
 * the notification that arrives is printed, verified; so is the one that tells the end, minutes later.
 *
 * What an earlier run has left is kept; only its alert is ended, so that this one rings again. Where the embedded
 * database cannot be had, everything is in memory.
 *
 * Everything goes over sockets, as a user's programs would do it. Succeeds when all is printed but the end of the alert;
 * the server runs until the scope closes.
 */
export const runDemo = (
  options: DemoOptions,
): Effect.Effect<void, ServerCannotStart | StoreCannotBeOpened | ApiFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const certificate = yield* makeLocalCertificate
    const { url, clientSecret, store } = yield* startOrFallBack(options, certificate.cert)
    const credential = { organization: demoOrganization, clientId: demoClientId, clientSecret }
    yield* Console.log(`Tocsin listens on ${url}; its API is described at ${url}/docs\n`)

    const arrivals = yield* Queue.unbounded<ReceivedNotification>()
    const receiver = yield* receiveNotifications({
      port: 0,
      serverUrl: url,
      certificate,
      onReceived: (received) => Queue.offerUnsafe(arrivals, received),
    }).pipe(
      Effect.mapError(
        ({ reason }) => new ServerCannotStart({ message: `the demo's receiver cannot listen (${reason})` }),
      ),
    )

    const client = yield* makeApiClient({ url, ...credential })
    const webhookUrl = `${receiver}/notifications`
    // Without its policy the SLO can have no alert: one of an earlier run is over, and its like can ring anew.
    yield* applyDemo(client, { webhookUrl, isEvaluated: false })
    // The demo has just been given an access token; the lines that get one must work as soon as they are printed.
    const tokenWindow = yield* Effect.forkChild(Effect.sleep(Limits.accessTokenWindowMs))
    const isFirst = yield* recordLastHour(client)
    yield* Console.log(
      isFirst
        ? `Defined ${demoSlos.length} SLOs with an hour of counts; more come every 5 s.`
        : `Found ${demoSlos.length} SLOs and their counts as the last run left them; more come every 5 s.`,
    )
    yield* noAlertIsOpen(client)
    const { endsAt } = yield* recordIncident(client)
    yield* Effect.forkScoped(
      Effect.catchCause(keepCounting(client, endsAt), (cause) =>
        Effect.logWarning("The demo's counts stopped", cause),
      ),
    )
    yield* applyDemo(client, { webhookUrl, isEvaluated: true })
    yield* Console.log(
      `For ${incidentMinutes} minutes the checkout has been slow: its budget burns, and the policy fires. What arrived over TLS:\n`,
    )
    const triggered = yield* arrivalOf(arrivals, "alert.triggered")
    yield* Console.log(`${notificationText(triggered)}\n`)
    yield* Effect.forkScoped(
      Effect.flatMap(arrivalOf(arrivals, "alert.resolved"), (resolved) =>
        Console.log(
          `The checkout has been fine for the cool-down of its policy:\n\n${notificationText(resolved)}\n`,
        ),
      ),
    )
    yield* Console.log(
      "In a minute the checkout recovers. The alert resolves within ten minutes, and that is told here.\n",
    )
    yield* Fiber.join(tokenWindow)
    yield* Console.log(tryIt(url, credential.clientId, Redacted.value(clientSecret)))
    yield* Console.log(
      store.kind === "memory"
        ? "Ctrl-C ends it; nothing is kept."
        : `Ctrl-C ends it; the next start goes on with what is kept in ${placeOf(store)}.`,
    )
  })

const demoClientId = "demo"

const placeOf = (store: StoreConfig): string =>
  store.kind === "embedded" ? resolve(store.dataDirectory) : "the database of DATABASE_URL"

/** Starts the server on the store of the options, or in memory where that is all there can be. */
const startOrFallBack = (options: DemoOptions, egressCaPem: string) =>
  Effect.catchIf(
    start(options, egressCaPem),
    (error) => canDoWithout(options.store, error),
    ({ message }) =>
      Effect.gen(function* () {
        yield* Console.log(`${message}\nThe demo goes on in memory: nothing survives its end.\n`)
        const masterKey = Redacted.make(new Uint8Array(randomBytes(32)))
        return yield* start({ ...options, store: { kind: "memory", masterKey } }, egressCaPem)
      }),
  )

/** Whether the demo goes on in memory: not when a database is there, which it would seem to have lost. */
const canDoWithout = (store: StoreConfig, { _tag }: ServerCannotStart | StoreCannotBeOpened): boolean =>
  store.kind === "embedded" &&
  (_tag === "EmbeddedPostgresIsMissing" ||
    ((_tag === "EmbeddedPostgresDidNotStart" || _tag === "KeptSecretIsUnusable") &&
      !isFilled(store.dataDirectory)))

const start = ({ host, port, store }: DemoOptions, egressCaPem: string) =>
  Effect.gen(function* () {
    const clientSecret = demoSecret(yield* masterKeyOf(store))
    const { url } = yield* startServer(
      {
        ...serverDefaults,
        host,
        port,
        store,
        bootstrapCredentials: [
          { organization: demoOrganization, clientId: demoClientId, clientSecret, role: "editor" },
        ],
        egressAllowCidrs: ["127.0.0.1/32", "::1/128"],
        logLevel: "warning",
      },
      { egressCaPem },
    )
    return { url, clientSecret, store }
  })

/** The same at each start, as long as the master key is. */
const demoSecret = (masterKey: MasterKey): Redacted.Redacted<string> =>
  Redacted.make(Buffer.from(Redacted.value(deriveKey(masterKey, "demo client secret"))).toString("base64url"))

/** The first notification of an event about the SLO that is in danger; any other that arrives is passed over. */
const arrivalOf = (
  arrivals: Queue.Dequeue<ReceivedNotification>,
  event: string,
): Effect.Effect<ReceivedNotification> =>
  Effect.repeat(Queue.take(arrivals), { until: ({ headers }) => headers["notification-event"] === event })

const applyDemo = (
  client: ApiClient,
  options: { readonly webhookUrl: string; readonly isEvaluated: boolean },
) =>
  client.call({
    method: "PUT",
    path: "/api/apply",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(demoDefinitions(options)),
  })

/** Waits until the alert of an earlier run is over. */
const noAlertIsOpen = (client: ApiClient) =>
  client
    .call({
      method: "GET",
      path: "/api/get/alert?state=triggered",
      headers: { project: demoAlertMethod.project },
    })
    .pipe(
      Effect.repeat({
        until: (alerts) => (JSON.parse(alerts) as ReadonlyArray<unknown>).length === 0,
        schedule: Schedule.spaced("200 millis"),
      }),
    )

const tryIt = (url: string, clientId: string, clientSecret: string): string =>
  [
    `Now you. The web console is at ${url}: sign in to the organization ${demoOrganization} with client id`,
    `${clientId} and client secret ${clientSecret}`,
    "",
    "Or get an access token, then list the SLOs:",
    "",
    `TOKEN=$(curl -s -X POST ${url}/api/accessToken -u '${clientId}:${clientSecret}' \\`,
    `  -H 'Organization: ${demoOrganization}' -H 'Accept: application/json; version=v1alpha' \\`,
    `  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    "",
    `curl -s '${url}/api/v2/slos?limit=3' -H "Authorization: Bearer $TOKEN" -H 'Organization: ${demoOrganization}'`,
    "",
  ].join("\n")
