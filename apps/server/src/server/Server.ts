import * as Result from "effect/Result"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type AddressInfo, createServer } from "node:net"
import { BackgroundWork, MetricsServer, NodeApiServer } from "@tocsin/adapters-http"
import { measureProcess, PortIsNotAvailable } from "@tocsin/adapters-http/server"
import type { PgStores } from "@tocsin/adapters-pg"
import { type DistributionFailed, type ExportFailed, postgresVersions } from "@tocsin/adapters-pg/admin"
import { ensureSigningKey } from "@tocsin/domain"
import { collectMetrics, Readiness } from "@tocsin/domain/adapter"
import { makeAddressPolicy } from "@tocsin/domain/delivery"
import { ensureBootstrapCredential } from "./BootstrapCredentials.ts"
import { api, serverLayer, type ServerOverrides } from "./Layers.ts"
import { readCertificates } from "../config/Certificates.ts"
import type { ServerConfig } from "../config/ServerConfig.ts"
import { version } from "../config/Version.ts"
import { databaseFailureText } from "../store/DatabaseUrl.ts"
import { tlsOfFiles } from "./ServerCertificate.ts"
import { openStore, type StoreCannotBeOpened } from "../store/Store.ts"
import { loadStoreModule } from "../store/StoreModule.ts"

export type { StoreCannotBeOpened } from "../store/Store.ts"

export interface RunningServer {
  /** The address that the server listens on, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** The public base URL, with which links start. */
  readonly baseUrl: string
  /** Where the metrics are served, if they are. */
  readonly metricsUrl: string | undefined
}

export class ServerCannotStart extends Data.TaggedError("ServerCannotStart")<{ readonly message: string }> {}

/**
 * Runs the whole server until the scope closes: the API, deliveries, and the refresh of statuses.
 *
 * When the scope closes, the server is not ready, and accepts requests for `drainSeconds` more. Then requests in flight
 * are completed, then deliveries in flight, then the stores close.
 */
export const startServer = (
  config: ServerConfig,
  overrides: ServerOverrides = {},
): Effect.Effect<RunningServer, ServerCannotStart | StoreCannotBeOpened, Scope.Scope> =>
  Effect.gen(function* () {
    const policy = makeAddressPolicy(config.egressAllowCidrs)
    if (Result.isFailure(policy))
      return yield* new ServerCannotStart({
        message: `invalid CIDR blocks: ${policy.failure.join(", ")}`,
      })
    const caOfFile =
      config.egressCaFile && (yield* readCertificates("TOCSIN_EGRESS_CA_FILE", config.egressCaFile)).pem
    const egressCaPem = [caOfFile, overrides.egressCaPem].filter((pem) => pem !== undefined).join("\n")
    const port = config.port === 0 ? yield* freePort(config.host) : config.port
    const scheme = config.tls === undefined ? "http" : "https"
    const baseUrl = config.baseUrl ?? `${scheme}://${reachableHost(config.host)}:${port}`
    const tls = config.tls && (yield* tlsOfFiles(config.tls))

    const readiness = yield* Layer.build(Readiness.layer)
    const storeModule =
      config.storesModule === undefined ? undefined : yield* loadStoreModule(config.storesModule)
    const store = yield* Effect.provide(openStore(config), readiness)
    const ports = yield* Layer.build(
      serverLayer(config, store, {
        ...overrides,
        storeModule,
        baseUrl,
        addressPolicy: policy.success,
        egressCaPem: egressCaPem === "" ? undefined : egressCaPem,
      }).pipe(Layer.provideMerge(Layer.succeedContext(readiness))),
    ).pipe(
      Effect.mapError((error) =>
        error._tag === "StoreModuleIsUnusable" ? error : databaseCannotBeUsed(error),
      ),
    )
    const { url, metricsUrl } = yield* Effect.provide(running(config, port, tls), ports)
    return { url, baseUrl, metricsUrl }
  }).pipe(
    Effect.catchTags({
      CertificateCannotBeUsed: ({ message }) => new ServerCannotStart({ message }),
      PortIsNotAvailable: ({ host, port, reason }) =>
        new ServerCannotStart({
          message:
            reason === "EADDRINUSE"
              ? `port ${port} of ${host} is already in use; set ${portVariable(config, port)} to another port`
              : `cannot listen on port ${port} of ${host} (${reason}); check HOST and ${portVariable(config, port)}`,
        }),
    }),
  )

const portVariable = ({ metrics }: ServerConfig, port: number): string =>
  metrics?.port === port ? "TOCSIN_METRICS_PORT" : "PORT"

export const databaseCannotBeUsed = (
  error: Layer.Error<ReturnType<typeof PgStores.layer>> | DistributionFailed | ExportFailed,
): ServerCannotStart =>
  new ServerCannotStart({
    message:
      error._tag === "SchemaIsNewer"
        ? `the database has schema version ${error.version}, but this version of Tocsin supports up to ${error.known}; upgrade Tocsin`
        : error._tag === "SchemaIsOlder"
          ? `the database has schema version ${error.version}, and this version of Tocsin needs ${error.known}; run \`tocsin database migrate\`, or start without --no-migrate and TOCSIN_MIGRATE=off`
          : error._tag === "PostgresIsTooOld"
            ? `the database is PostgreSQL ${error.version}; Tocsin needs PostgreSQL ${postgresVersions.oldest} or later`
            : error._tag === "MasterKeyIsWrong" || error._tag === "ImportIsIncomplete"
              ? error.message
              : databaseFailureText(error.cause),
  })

/** The API starts last, so it stops first. */
const running = (
  config: ServerConfig,
  port: number,
  tls: NodeApiServer.NodeApiServerOptions["tls"] | undefined,
) =>
  Effect.gen(function* () {
    yield* Effect.mapError(
      whileDatabaseStarts(ensureSigningKey),
      () => new ServerCannotStart({ message: "cannot read the signing keys from the store" }),
    )
    yield* Effect.forEach(config.bootstrapCredentials, (credential) =>
      whileDatabaseStarts(ensureBootstrapCredential(credential)).pipe(
        Effect.mapError(
          ({ _tag }) =>
            new ServerCannotStart({
              message: `cannot store the credential ${credential.clientId} of TOCSIN_BOOTSTRAP_CREDENTIALS (${_tag})`,
            }),
        ),
      ),
    )
    yield* measureProcess(version)
    yield* BackgroundWork.start
    const { host, maxConnections } = config
    const drainMs = config.drainSeconds * 1_000
    if (config.collectsMetrics)
      yield* Effect.forkScoped(Effect.forever(Effect.delay(collectMetrics, "10 seconds")))
    const metricsUrl = config.metrics === undefined ? undefined : yield* MetricsServer.make(config.metrics)
    const { url } = yield* NodeApiServer.make(
      { host, port, maxConnections, drainMs, ...(tls && { tls }) },
      api,
    )
    return { url, metricsUrl }
  })

/** Retries, as the stores do when they are opened: the database may be restarted while the server starts. */
const whileDatabaseStarts = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    while: (error) => Predicate.hasProperty(error, "isRetryable") && error.isRetryable === true,
    schedule: Schedule.spaced("1 second"),
  })

export const reachableHost = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "localhost"
  return host.includes(":") ? `[${host}]` : host
}

/** A port that is free now. Links need the port before the API listens on it. */
const freePort = (host: string) =>
  Effect.callback<number, PortIsNotAvailable>((resume) => {
    const probe = createServer()
    probe.once("error", ({ code, name }: NodeJS.ErrnoException) =>
      resume(Effect.fail(new PortIsNotAvailable({ host, port: 0, reason: code ?? name }))),
    )
    probe.listen({ host, port: 0 }, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resume(Effect.succeed(port)))
    })
  })
