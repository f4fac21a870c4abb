import * as Result from "effect/Result"
import type * as Redacted from "effect/Redacted"
import { deliveriesInFlightMax, type OrganizationQuotas } from "@tocsin/domain"
import { nearestName } from "@tocsin/domain/codec"
import {
  alertsPerSecond,
  countRequestsPerSecond,
  countsRetentionDays,
  definitionsQuota,
  deliveriesPerMinute,
  historyQuotaBytes,
  minCoveragePercent,
  notificationsQuotaBytes,
} from "@tocsin/domain/limits"
import { findSloPerSecond } from "@tocsin/domain/rate-limit"
import { connectionsMaxDefault as databasePoolSizeDefault } from "@tocsin/adapters-pg/admin"
import { maxConnectionsDefault } from "@tocsin/adapters-http/server"
import { isExported, openTelemetryIssues } from "./OpenTelemetryVariables.ts"
import type { LogFormat } from "../terminal/LogFormat.ts"
import {
  clientVariables,
  ConfigIsInvalid,
  type ConfigIssue,
  defaultVendorPrefix,
  type Environment,
} from "@tocsin/cli/config/Environment"
import {
  fileVariables,
  secretFileIssue,
  secretVariables,
  withSecretFiles,
} from "@tocsin/cli/config/SecretVariables"
import {
  type BootstrapCredential,
  type Decoded,
  type Decoder,
  type LogLevelName,
  type MasterKey,
  masterKeyRule,
  serverVariables,
  type Settings,
  settings,
} from "./Settings.ts"

export interface ServerConfig {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Public base URL without a trailing slash. Default: `http://{host}:{port}` as bound. */
  readonly baseUrl?: string | undefined
  /** Files of the certificate that the server uses for its connections. Absent: it accepts connections without TLS. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly vendorPrefix: string
  /** Whether definitions of data sources that are not read are stored. */
  readonly allowsUnsupportedSources: boolean
  /** Whether documents that have no effect are stored; those of data sources too. */
  readonly allowsUnsupported: boolean
  readonly store: StoreConfig
  /** Path of a module whose ports replace the store's ports. */
  readonly storesModule?: string | undefined
  /** The master key before the current one. Tokens and stored secrets that use it are still valid. */
  readonly previousMasterKey?: MasterKey | undefined
  readonly bootstrapCredentials: ReadonlyArray<BootstrapCredential>
  /** CIDR blocks of non-public addresses that outbound connections may reach. */
  readonly egressAllowCidrs: ReadonlyArray<string>
  /** Path of a PEM file of CAs to trust in addition to the public ones. */
  readonly egressCaFile?: string | undefined
  /** The mail server; absent: nothing offers email. */
  readonly smtp?:
    | { readonly url: Redacted.Redacted<string>; readonly from: string; readonly startsTls: boolean }
    | undefined
  readonly v1Api: boolean
  /** Rate limit for reading one SLO, per second and organization. */
  readonly findSloPerSecond: number
  readonly quotas: OrganizationQuotas
  readonly countsRetentionDays: number
  /** The share of minutes with counts that an objective must have to be met in a report, in percent. */
  readonly reportMinCoverage: number
  /** Number of proxies in front that append to `X-Forwarded-For`. 0: the header is ignored. */
  readonly trustedProxies: number
  /** Whether the schema of the database is migrated at start. */
  readonly migrates: boolean
  /** Most connections to the database at the same time. */
  readonly databasePoolSize: number
  /** Maximum number of deliveries in flight at the same time. */
  readonly deliveriesInFlight: number
  /** Most inbound connections at the same time. */
  readonly maxConnections: number
  /** Origins whose pages may call the API; `*` for all. */
  readonly corsOrigins: ReadonlyArray<string>
  /** How long the server still accepts requests when it is stopped, while it is not ready. */
  readonly drainSeconds: number
  readonly logLevel: LogLevelName
  readonly logFormat: LogFormat
  /** Where the metrics are served; absent: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined
  /** Whether the metrics are exported too, so that they must be brought up to date. */
  readonly collectsMetrics: boolean
  /** Whether notifications have the header `traceparent`. */
  readonly sendsTraceparent: boolean
}

/** Where data is stored. Without `masterKey`, the data directory of the embedded PostgreSQL has the master key too. */
export type StoreConfig =
  | {
      readonly kind: "embedded"
      readonly dataDirectory: string
      readonly masterKey?: MasterKey | undefined
    }
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted<string>; readonly masterKey: MasterKey }
  | { readonly kind: "memory"; readonly masterKey: MasterKey }

export const serverDefaults: Omit<ServerConfig, "store"> = {
  host: "127.0.0.1",
  port: 8080,
  vendorPrefix: defaultVendorPrefix,
  allowsUnsupportedSources: false,
  allowsUnsupported: false,
  bootstrapCredentials: [],
  egressAllowCidrs: [],
  v1Api: true,
  findSloPerSecond: findSloPerSecond,
  quotas: {
    definitions: definitionsQuota,
    alertsPerSecond,
    countRequestsPerSecond,
    deliveriesPerMinute,
    notificationBytes: notificationsQuotaBytes,
    historyBytes: historyQuotaBytes,
  },
  countsRetentionDays: countsRetentionDays,
  reportMinCoverage: minCoveragePercent,
  migrates: true,
  databasePoolSize: databasePoolSizeDefault,
  deliveriesInFlight: deliveriesInFlightMax,
  trustedProxies: 0,
  maxConnections: maxConnectionsDefault,
  corsOrigins: [],
  // Nothing in front of a server within another program reads its readiness.
  drainSeconds: 0,
  logLevel: "info",
  logFormat: "json",
  collectsMetrics: false,
  sendsTraceparent: true,
}

const mebibyte = 1_048_576

const drainSecondsDefault = 5

/**
 * Decodes the server's configuration and reports every issue. An empty variable is treated as unset. An unknown variable
 * that starts with `TOCSIN_` is an issue, since it is most likely misspelled. On a terminal, the log is text by default.
 */
export const decodeServerConfig = (
  environment: Environment,
  isTerminal = false,
): Result.Result<ServerConfig, ConfigIsInvalid> => readServerConfig(environment, isTerminal).config

/** A setting of the server as it is in an environment. */
export interface ConfiguredSetting {
  readonly variable: string
  /** As text; a secret is `[hidden]`. Absent: it has no value. */
  readonly value: string | undefined
  readonly from: "environment" | "file" | "default"
}

/** Every setting of the server, in the order of `serverVariables`; fails as `decodeServerConfig` does. */
export const describeServerConfig = (
  given: Environment,
  isTerminal = false,
): Result.Result<ReadonlyArray<ConfiguredSetting>, ConfigIsInvalid> => {
  const environment = withSecretFiles(given)
  const { config, values } = readServerConfig(environment, isTerminal)
  return Result.map(config, () =>
    serverVariables.map((variable): ConfiguredSetting => ({
      variable,
      value: (secretVariables as ReadonlyArray<string>).includes(variable)
        ? environment[variable] && "[hidden]"
        : settingText(values.get(variable)),
      from: given[variable] ? "environment" : environment[variable] ? "file" : "default",
    })),
  )
}

const settingText = (value: unknown): string | undefined => {
  if (value === undefined) return undefined
  if (typeof value === "boolean") return value ? "on" : "off"
  return Array.isArray(value) ? value.join(",") || undefined : String(value)
}

const readServerConfig = (
  environment: Environment,
  isTerminal: boolean,
): {
  readonly config: Result.Result<ServerConfig, ConfigIsInvalid>
  /** What was read of each variable, or its default. */
  readonly values: ReadonlyMap<string, unknown>
} => {
  const { issues, read, values } = readerOf(environment)
  const { store, ...config } = {
    ...listenAddress(read),
    baseUrl: read("TOCSIN_BASE_URL", undefined),
    tls: readTls(issues, read),
    vendorPrefix: read("TOCSIN_VENDOR_PREFIX", serverDefaults.vendorPrefix),
    allowsUnsupportedSources: read(
      "TOCSIN_ALLOW_UNSUPPORTED_SOURCES",
      serverDefaults.allowsUnsupportedSources,
    ),
    allowsUnsupported: read("TOCSIN_ALLOW_UNSUPPORTED", serverDefaults.allowsUnsupported),
    store: readStore(environment, issues, read),
    storesModule: read("TOCSIN_STORES", undefined),
    previousMasterKey: read("TOCSIN_PREVIOUS_MASTER_KEY", undefined),
    bootstrapCredentials: read("TOCSIN_BOOTSTRAP_CREDENTIALS", serverDefaults.bootstrapCredentials),
    egressAllowCidrs: read("TOCSIN_EGRESS_ALLOW_CIDRS", serverDefaults.egressAllowCidrs),
    egressCaFile: read("TOCSIN_EGRESS_CA_FILE", undefined),
    smtp: readSmtp(issues, read),
    v1Api: read("TOCSIN_V1_API", serverDefaults.v1Api),
    findSloPerSecond: read("TOCSIN_FIND_SLO_PER_SECOND", serverDefaults.findSloPerSecond),
    quotas: {
      definitions: read("TOCSIN_QUOTA_DEFINITIONS", serverDefaults.quotas.definitions),
      alertsPerSecond: read("TOCSIN_QUOTA_ALERTS_PER_SECOND", serverDefaults.quotas.alertsPerSecond),
      countRequestsPerSecond: read(
        "TOCSIN_QUOTA_COUNT_REQUESTS_PER_SECOND",
        serverDefaults.quotas.countRequestsPerSecond,
      ),
      deliveriesPerMinute: read(
        "TOCSIN_QUOTA_DELIVERIES_PER_MINUTE",
        serverDefaults.quotas.deliveriesPerMinute,
      ),
      notificationBytes:
        mebibyte * read("TOCSIN_QUOTA_NOTIFICATIONS_MIB", serverDefaults.quotas.notificationBytes / mebibyte),
      historyBytes:
        mebibyte * read("TOCSIN_QUOTA_HISTORY_MIB", serverDefaults.quotas.historyBytes / mebibyte),
    },
    countsRetentionDays: read("TOCSIN_COUNTS_RETENTION_DAYS", serverDefaults.countsRetentionDays),
    reportMinCoverage: read("TOCSIN_REPORT_MIN_COVERAGE", serverDefaults.reportMinCoverage),
    migrates: read("TOCSIN_MIGRATE", serverDefaults.migrates),
    databasePoolSize: read("TOCSIN_DATABASE_POOL_SIZE", serverDefaults.databasePoolSize),
    deliveriesInFlight: read("TOCSIN_DELIVERIES_IN_FLIGHT", serverDefaults.deliveriesInFlight),
    trustedProxies: read("TOCSIN_TRUSTED_PROXIES", serverDefaults.trustedProxies),
    maxConnections: read("TOCSIN_MAX_CONNECTIONS", serverDefaults.maxConnections),
    corsOrigins: read("TOCSIN_CORS_ORIGINS", serverDefaults.corsOrigins),
    drainSeconds: read("TOCSIN_DRAIN_SECONDS", drainSecondsDefault),
    logLevel: read("TOCSIN_LOG_LEVEL", serverDefaults.logLevel),
    logFormat: read("TOCSIN_LOG_FORMAT", isTerminal ? "text" : "json"),
    metrics: readMetricsAddress(read),
    collectsMetrics: isExported(environment, "METRICS"),
    sendsTraceparent: read("TOCSIN_SEND_TRACEPARENT", serverDefaults.sendsTraceparent),
  }

  issues.push(...openTelemetryIssues(environment))
  const known: ReadonlyArray<string> = [...serverVariables, ...clientVariables, ...fileVariables]
  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith("TOCSIN_") || known.includes(variable)) continue
    // Without the prefix, which variables such as PORT do not have, and which would allow for many more edits.
    const meant = nearestName(withoutPrefix(variable), known.map(withoutPrefix))
    const nearest = known.find((name) => withoutPrefix(name) === meant)
    issues.push({
      variable,
      message: `is not a known variable${nearest === undefined ? "; correct its name, or remove it" : `; did you mean ${nearest}?`}`,
    })
  }

  return {
    config:
      store === undefined || issues.length > 0
        ? Result.fail(new ConfigIsInvalid({ issues }))
        : Result.succeed({ ...config, store }),
    values,
  }
}

const withoutPrefix = (variable: string): string => variable.replace(/^TOCSIN_/, "")

export const decodeDemoConfig = (
  environment: Environment,
): Result.Result<Pick<ServerConfig, "host" | "port" | "store">, ConfigIsInvalid> => {
  const { issues, read } = readerOf(environment)
  const address = listenAddress(read)
  const store = readStore(environment, issues, read)
  return store === undefined || issues.length > 0
    ? Result.fail(new ConfigIsInvalid({ issues }))
    : Result.succeed({ ...address, store })
}

/** Decodes only where the data is, and its master keys, for the commands that move it. */
export const decodeStoreConfig = (
  environment: Environment,
): Result.Result<Pick<ServerConfig, "store" | "previousMasterKey">, ConfigIsInvalid> => {
  const { issues, read } = readerOf(environment)
  const store = readStore(environment, issues, read)
  const previousMasterKey = read("TOCSIN_PREVIOUS_MASTER_KEY", undefined)
  return store === undefined || issues.length > 0
    ? Result.fail(new ConfigIsInvalid({ issues }))
    : Result.succeed({ store, previousMasterKey })
}

/** Decodes only the master key, for the operator commands; `undefined` if it is not set. */
export const decodeMasterKey = (
  environment: Environment,
): Result.Result<MasterKey | undefined, ConfigIsInvalid> => {
  const { issues, read } = readerOf(environment)
  const key = read("TOCSIN_MASTER_KEY", undefined)
  return issues.length > 0 ? Result.fail(new ConfigIsInvalid({ issues })) : Result.succeed(key)
}

/** Decodes only the URL of the database, for the commands that connect to it. */
export const decodeDatabaseUrl = (
  environment: Environment,
): Result.Result<Redacted.Redacted<string>, ConfigIsInvalid> => {
  const { issues, read } = readerOf(environment)
  const url = read("DATABASE_URL", undefined)
  if (url !== undefined) return Result.succeed(url)
  const missing = { variable: "DATABASE_URL", message: "is required and must be the URL of the database" }
  return Result.fail(new ConfigIsInvalid({ issues: issues.length > 0 ? issues : [missing] }))
}

export const dataDirectoryOf = (environment: Environment): string =>
  environment["TOCSIN_DATA_DIR"] || defaultDataDirectory

const defaultDataDirectory = ".tocsin"

const masterKeyIsMissing: ConfigIssue = {
  variable: "TOCSIN_MASTER_KEY",
  message: `is required and must be ${masterKeyRule}`,
}

type ReadVariable = <V extends keyof Settings, B extends Decoded<V> | undefined>(
  variable: V,
  fallback: B,
) => Decoded<V> | B

const readerOf = (
  environment: Environment,
): {
  readonly issues: Array<ConfigIssue>
  readonly read: ReadVariable
  readonly values: ReadonlyMap<string, unknown>
} => {
  const issues: Array<ConfigIssue> = []
  const values = new Map<string, unknown>()
  const read: ReadVariable = (variable, fallback) => {
    values.set(variable, fallback)
    const fileIssue = secretFileIssue(environment, variable)
    if (fileIssue !== undefined && !issues.some((issue) => issue.variable === fileIssue.variable))
      issues.push(fileIssue)
    const text = environment[variable]
    if (text === undefined || text === "") return fallback
    const decode = settings[variable].decode as Decoder<Decoded<typeof variable>>
    const decoded = decode(text)
    if (Result.isFailure(decoded)) {
      issues.push({ variable, message: decoded.failure })
      return fallback
    }
    values.set(variable, decoded.success)
    return decoded.success
  }
  return { issues, read, values }
}

const listenAddress = (read: ReadVariable): Pick<ServerConfig, "host" | "port"> => ({
  port: read("PORT", serverDefaults.port),
  host: read("HOST", serverDefaults.host),
})

/** Both files or neither. */
const readTls = (issues: Array<ConfigIssue>, read: ReadVariable): ServerConfig["tls"] => {
  const pair = ["TOCSIN_TLS_CERT_FILE", "TOCSIN_TLS_KEY_FILE"] as const
  const [certFile, keyFile] = [read(pair[0], undefined), read(pair[1], undefined)]
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile }
  requireBoth(issues, pair, [certFile, keyFile])
  return undefined
}

const readSmtp = (issues: Array<ConfigIssue>, read: ReadVariable): ServerConfig["smtp"] => {
  const pair = ["TOCSIN_SMTP_URL", "TOCSIN_SMTP_FROM"] as const
  const [url, from] = [read(pair[0], undefined), read(pair[1], undefined)]
  const startsTls = read("TOCSIN_SMTP_STARTTLS", true)
  if (url !== undefined && from !== undefined) return { url, from, startsTls }
  requireBoth(issues, pair, [url, from])
  return undefined
}

/** Adds an issue if one of two variables is set. */
const requireBoth = (
  issues: Array<ConfigIssue>,
  [first, second]: readonly [string, string],
  [a, b]: readonly [unknown, unknown],
): void => {
  const [missing, present] = a === undefined ? [first, second] : [second, first]
  if (a !== undefined || b !== undefined)
    issues.push({ variable: missing, message: `is required if ${present} is set` })
}

/** On the address of the API unless it has its own address, and only if it has a port. */
const readMetricsAddress = (read: ReadVariable): ServerConfig["metrics"] => {
  const port = read("TOCSIN_METRICS_PORT", undefined)
  const host = read("TOCSIN_METRICS_HOST", read("HOST", serverDefaults.host))
  return port === undefined ? undefined : { host, port }
}

/** `undefined` if a variable of the store is missing or invalid, which is in `issues` then. */
const readStore = (
  environment: Environment,
  issues: Array<ConfigIssue>,
  read: ReadVariable,
): StoreConfig | undefined => {
  const url = read("DATABASE_URL", undefined)
  const isSet = (variable: string): boolean =>
    Boolean(environment[variable]) || secretFileIssue(environment, variable) !== undefined
  const kind = read("TOCSIN_STORE", isSet("DATABASE_URL") ? "postgres" : "embedded")
  const dataDirectory = read("TOCSIN_DATA_DIR", defaultDataDirectory)
  const key = read("TOCSIN_MASTER_KEY", undefined)
  if (kind === "postgres" && !isSet("DATABASE_URL")) {
    issues.push({ variable: "DATABASE_URL", message: "is required if TOCSIN_STORE is postgres" })
  }
  if (kind !== "embedded" && !isSet("TOCSIN_MASTER_KEY")) issues.push(masterKeyIsMissing)
  if (kind === "embedded") return { kind, dataDirectory, masterKey: key }
  if (key === undefined) return undefined
  if (kind === "memory") return { kind, masterKey: key }
  return url === undefined ? undefined : { kind, url, masterKey: key }
}
