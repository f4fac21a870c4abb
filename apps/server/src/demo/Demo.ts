import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { channel } from "node:diagnostics_channel"
import { resolve } from "node:path"
import { deriveKey, issueOperatorToken } from "@tocsin/adapters-http/server"
import { operatorCredentials } from "@tocsin/api"
import {
  type ApiClient,
  type ApiFailure,
  makeApiClient,
  operationsOf,
  send,
} from "@tocsin/cli/client/ApiClient"
import { applyObjects, listObjects } from "@tocsin/cli/client/Objects"
import { makeLocalCertificate } from "@tocsin/cli/receiver/LocalCertificate"
import { type ReceivedNotification, receiveNotifications } from "@tocsin/cli/receiver/NotificationReceiver"
import { notificationText } from "@tocsin/cli/terminal/TerminalText"
import { ServerCannotStart, startServer } from "../server/Server.ts"
import { type ServerConfig, serverDefaults, type StoreConfig } from "../config/ServerConfig.ts"
import type { MasterKey } from "../config/Settings.ts"
import { findDatabase } from "../postgres/Cluster.ts"
import { masterKeyOf, type StoreCannotBeOpened } from "../store/Store.ts"
import { historyDays, incidentMinutes, keepCounting, recordHistory, recordIncident } from "./DemoCounts.ts"
import { demoAlertMethod, demoDefinitions, demoOrganization, demoSlos } from "./DemoObjects.ts"
import { accessTokenWindowMs } from "@tocsin/domain/rate-limit"

type DemoOptions = Pick<ServerConfig, "host" | "port" | "store">

/**
 * Runs a server with sample data and live counts, and a receiver that only this process trusts. One SLO has an
 * incident: the alert fires, and its notification is verified and printed. Minutes later,
 * so is the notification of its resolution.
 *
 * Existing data is reused, but the demo's own definitions are applied again, and the alert of an earlier run is canceled,
 * so that it can fire again. If the embedded database is not available, everything is in memory.
 *
 * The link that signs in to the web console is printed first: the SLOs and their history appear there as they are created.
 *
 * Succeeds when everything but the resolution is printed; the server runs until the scope closes.
 */
export const runDemo = (
  options: DemoOptions,
): Effect.Effect<void, ServerCannotStart | StoreCannotBeOpened | ApiFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const certificate = yield* makeLocalCertificate
    yield* Console.log(options.store.kind === "embedded" ? "Starting PostgreSQL …" : "Starting the server …")
    const { url, clientSecret, store, masterKey } = yield* startOrFallBack(options, certificate.cert)
    yield* Effect.sync(() => channel(listeningChannel).publish({ url }))
    const credential = { organization: demoOrganization, clientId: demoClientId, clientSecret }
    yield* Console.log(addresses(url, yield* signInLink(url, masterKey)))

    const arrivals = yield* Queue.unbounded<ReceivedNotification>()
    const receiver = yield* receiveNotifications({
      port: 0,
      serverUrl: url,
      certificate,
      onReceived: (received) => Queue.offerUnsafe(arrivals, received),
    }).pipe(
      Effect.mapError(
        ({ reason }) =>
          new ServerCannotStart({ message: `cannot start the receiver of the demo (${reason})` }),
      ),
    )

    const client = yield* makeApiClient({ url, ...credential })
    const webhookUrl = `${receiver}/notifications`
    // Without an alert policy, the open alert of an earlier run is canceled, and a new one can fire.
    yield* applyDemo(client, { webhookUrl, isEvaluated: false })
    // Access tokens are rate limited, and the demo has just got one. The printed commands must work at once.
    const tokenWindow = yield* Effect.forkChild(Effect.sleep(accessTokenWindowMs))
    const sloCount = yield* recordHistory(client)
    yield* Console.log(
      sloCount > 0
        ? `Created ${demoSlos.length} SLOs with ${historyDays} days of history. Live counts arrive every 5 seconds.\n`
        : `Found ${demoSlos.length} SLOs of an earlier run. Live counts arrive every 5 seconds.\n`,
    )
    yield* noAlertIsOpen(client)
    const { endsAt } = yield* recordIncident(client)
    yield* Effect.forkScoped(
      Effect.catchCause(keepCounting(client, endsAt), (cause) =>
        Effect.logWarning("Recording demo counts failed", cause),
      ),
    )
    yield* applyDemo(client, { webhookUrl, isEvaluated: true })
    yield* Console.log(
      `Checkout has been slow for ${incidentMinutes} minutes. Its error budget burns too fast, and an alert triggers.\n` +
        "The demo's own receiver received this notification over TLS:\n",
    )
    const triggered = yield* arrivalOf(arrivals, "alert.triggered")
    yield* Console.log(`${notificationText(triggered)}\n`)
    yield* Effect.forkScoped(
      Effect.flatMap(arrivalOf(arrivals, "alert.resolved"), (resolved) =>
        Console.log(`Checkout has recovered, and the alert is resolved:\n\n${notificationText(resolved)}\n`),
      ),
    )
    yield* Console.log(
      "Checkout recovers in a minute. The alert resolves within 10 minutes, and the notification is printed here.\n",
    )
    yield* Fiber.join(tokenWindow)
    yield* Console.log(tryIt(url, credential.clientId, Redacted.value(clientSecret)))
    yield* Console.log(
      store.kind === "memory"
        ? "Press Ctrl-C to stop. The data is in memory and is lost when the demo stops."
        : `Press Ctrl-C to stop. The data is stored in ${placeOf(store)} and is reused at the next start,\nwhich applies the demo's own definitions again.`,
    )
  })

const demoClientId = "demo"

/** A diagnostics channel, on which `npm start` learns that the server listens. */
const listeningChannel = "tocsin:listening"

const placeOf = (store: StoreConfig): string =>
  store.kind === "embedded" ? resolve(store.dataDirectory) : "the database at DATABASE_URL"

/** Starts the server with the store of the options, or in memory if the embedded database is not available. */
const startOrFallBack = (options: DemoOptions, egressCaPem: string) =>
  Effect.catchIf(
    start(options, egressCaPem),
    (error) => options.store.kind === "embedded" && isWithoutPostgres(error),
    (error) =>
      Effect.gen(function* () {
        if (!(yield* isWithoutDatabase(options.store))) return yield* error
        yield* Console.log(
          `Warning: ${error.message}.\nThe demo stores its data in memory instead. It is lost when the demo stops.\n`,
        )
        const masterKey = Redacted.make(new Uint8Array(randomBytes(32)))
        return yield* start({ ...options, store: { kind: "memory", masterKey } }, egressCaPem)
      }),
  )

const isWithoutPostgres = ({ _tag }: ServerCannotStart | StoreCannotBeOpened): boolean =>
  _tag === "EmbeddedPostgresIsMissing" ||
  _tag === "EmbeddedPostgresDidNotStart" ||
  _tag === "SecretFileIsUnusable"

/** If a database exists, or may exist, its data would seem to be lost in memory. */
const isWithoutDatabase = (store: StoreConfig) =>
  store.kind === "embedded"
    ? Effect.match(findDatabase(store.dataDirectory), {
        onSuccess: (major) => major === undefined,
        onFailure: () => false,
      })
    : Effect.succeed(false)

const start = ({ host, port, store }: DemoOptions, egressCaPem: string) =>
  Effect.gen(function* () {
    const masterKey = yield* masterKeyOf(store)
    const clientSecret = demoSecret(masterKey)
    const { url } = yield* startServer(
      {
        ...serverDefaults,
        host,
        port,
        store,
        bootstrapCredentials: [
          { organization: demoOrganization, clientId: demoClientId, clientSecret, role: "admin" },
        ],
        egressAllowCidrs: ["127.0.0.1/32", "::1/128"],
        logLevel: "warning",
      },
      { egressCaPem },
    )
    return { url, clientSecret, store, masterKey }
  })

/** Derived from the master key, so that it is the same at each start. */
const demoSecret = (masterKey: MasterKey): Redacted.Redacted<string> =>
  Redacted.make(Buffer.from(Redacted.value(deriveKey(masterKey, "demo client secret"))).toString("base64url"))

const arrivalOf = (
  arrivals: Queue.Dequeue<ReceivedNotification>,
  event: string,
): Effect.Effect<ReceivedNotification> =>
  Effect.repeat(Queue.take(arrivals), { until: ({ headers }) => headers["notification-event"] === event })

const applyDemo = (
  client: ApiClient,
  options: { readonly webhookUrl: string; readonly isEvaluated: boolean },
) => applyObjects(client, demoDefinitions(options), { dryRun: false })

/** Waits until the alert of an earlier run is canceled. */
const noAlertIsOpen = (client: ApiClient) =>
  listObjects(client, "alert", { project: demoAlertMethod.project, status: ["triggered"] }).pipe(
    Effect.repeat({ until: (alerts) => alerts.length === 0, schedule: Schedule.spaced("200 millis") }),
  )

/** A link that signs in to the web console once. */
const signInLink = (url: string, masterKey: MasterKey) =>
  Effect.gen(function* () {
    const headers = {
      authorization: `Bearer ${yield* issueOperatorToken(masterKey)}`,
      organization: demoOrganization,
    }
    const api = operationsOf(operatorCredentials, (call) => send(url, { ...call, headers }))
    const link = yield* api.createSignInLink({ clientId: demoClientId })
    return link.url
  })

const addresses = (url: string, link: string): string =>
  [
    `Tocsin is listening on ${url}`,
    `Web console:   ${url}/`,
    `API reference: ${url}/docs`,
    `Documentation: ${url}/help`,
    "",
    "Open the web console with this link. It signs you in once, within an hour:",
    `  ${link}`,
    "",
    `Preparing ${demoSlos.length} SLOs with ${historyDays} days of history …`,
  ].join("\n")

const tryIt = (url: string, clientId: string, clientSecret: string): string =>
  [
    "Now try it yourself.",
    "",
    `Open ${url} and sign in:`,
    `  Organization:   ${demoOrganization}`,
    `  Client ID:      ${clientId}`,
    `  Client secret:  ${clientSecret}`,
    "",
    "Or get an access token and list the SLOs:",
    "",
    `TOKEN=$(curl -s -X POST ${url}/api/accessToken -u '${clientId}:${clientSecret}' \\`,
    `  -H 'Organization: ${demoOrganization}' -H 'Accept: application/json; version=v1alpha' \\`,
    `  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    "",
    `curl -s '${url}/api/v2/slos?limit=3' -H "Authorization: Bearer $TOKEN" -H 'Organization: ${demoOrganization}'`,
    "",
  ].join("\n")
