import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import {
  clientSecretRule,
  deliveriesInFlightMax,
  isClientId,
  isClientSecret,
  type OrganizationQuotas,
  parseOrganization,
  type Role,
  roles,
} from "@tocsin/domain"
import { nearestName } from "@tocsin/domain/codec"
import { makeAddressPolicy } from "@tocsin/domain/delivery"
import {
  alertsPerSecond,
  clientIdMaxCharacters,
  countRequestsPerSecond,
  countsRetentionDays,
  countsRetentionMaxDays,
  countsRetentionMinDays,
  definitionsQuota,
  definitionsQuotaMax,
  deliveriesPerMinute,
  deliveriesPerMinuteMax,
  historyQuotaBytes,
  historyQuotaMaxMebibytes,
  ingestPerSecondMax,
  nameMaxCharacters,
  notificationsQuotaBytes,
  notificationsQuotaMaxMebibytes,
} from "@tocsin/domain/limits"
import { findSloPerSecond, findSloPerSecondMax } from "@tocsin/domain/rate-limit"
import {
  connectionsMaxDefault as databasePoolSizeDefault,
  connectionsMin as databasePoolSizeMin,
} from "@tocsin/adapters-pg/admin"
import { anyOrigin, maxConnectionsDefault } from "@tocsin/adapters-http/server"
import { isExported, openTelemetryIssues } from "./OpenTelemetryVariables.ts"
import { type LogFormat, logFormats } from "../terminal/LogFormat.ts"
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

export interface ServerConfig {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Public base URL without a trailing slash. Default: `http://{host}:{port}` as bound. */
  readonly baseUrl?: string | undefined
  readonly vendorPrefix: string
  /** Whether definitions of data sources that are not read are stored. */
  readonly allowsUnsupportedSources: boolean
  /** Whether documents that have no effect are stored; those of data sources too. */
  readonly allowsUnsupported: boolean
  readonly store: StoreConfig
  /** Path of a module whose ports replace those of the store. */
  readonly storesModule?: string | undefined
  /** The master key before the current one. Tokens and stored secrets that use it are still valid. */
  readonly previousMasterKey?: MasterKey | undefined
  readonly bootstrapCredentials: ReadonlyArray<BootstrapCredential>
  /** CIDR blocks of non-public addresses that outbound connections may reach. */
  readonly egressAllowCidrs: ReadonlyArray<string>
  /** Path of a PEM file of CAs to trust in addition to the public ones. */
  readonly egressCaFile?: string | undefined
  readonly v1Api: boolean
  /** Rate limit for reading one SLO, per second and organization. */
  readonly findSloPerSecond: number
  readonly quotas: OrganizationQuotas
  readonly countsRetentionDays: number
  /** Number of proxies in front that append to `X-Forwarded-For`. 0: the header is ignored. */
  readonly trustedProxies: number
  /** Whether the schema of the database is migrated at start. */
  readonly migrates: boolean
  /** Most connections to the database at the same time. */
  readonly databasePoolSize: number
  /** Most deliveries in flight at the same time. */
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

/** 32 bytes from which the keys of access tokens and stored secrets are derived. */
export type MasterKey = Redacted.Redacted<Uint8Array>

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

export interface BootstrapCredential {
  readonly organization: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
  readonly role: Role
}

/**
 * Decodes the server's configuration and reports every issue. An empty variable is treated as unset. An unknown variable
 * that starts with `TOCSIN_` is an issue, since it is most likely misspelled. On a terminal, the log is text by default.
 */
export const decodeServerConfig = (
  environment: Environment,
  isTerminal = false,
): Result.Result<ServerConfig, ConfigIsInvalid> => readServerConfig(environment, isTerminal).config

/** A setting of the server as it is in an environment. */
export interface Setting {
  readonly variable: string
  /** As text; a secret is `[hidden]`. Absent: it has no value. */
  readonly value: string | undefined
  readonly from: "environment" | "file" | "default"
}

/** Every setting of the server, in the order of `serverVariables`; fails as `decodeServerConfig` does. */
export const describeServerConfig = (
  given: Environment,
  isTerminal = false,
): Result.Result<ReadonlyArray<Setting>, ConfigIsInvalid> => {
  const environment = withSecretFiles(given)
  const { config, values } = readServerConfig(environment, isTerminal)
  return Result.map(config, () =>
    serverVariables.map((variable): Setting => ({
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
    const nearest = nearestName(variable, known)
    issues.push({
      variable,
      message: `is not a known variable${nearest === undefined ? "" : `; did you mean ${nearest}?`}`,
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

const masterKeyBytes = 32
const masterKeyRule = `${masterKeyBytes} random bytes in base64; generate them with \`openssl rand -base64 ${masterKeyBytes}\``

export const masterKeyIsMissing: ConfigIssue = {
  variable: "TOCSIN_MASTER_KEY",
  message: `is required and must be ${masterKeyRule}`,
}

type Decoder<A> = (text: string) => Result.Result<A, string>

type Decoders = typeof decoders

type Decoded<V extends keyof Decoders> = Result.Result.Success<ReturnType<Decoders[V]>>

type ReadVariable = <V extends keyof Decoders, B extends Decoded<V> | undefined>(
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
    const decode = decoders[variable] as Decoder<Decoded<typeof variable>>
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

/** On the address of the API unless it has one of its own, and only if it has a port. */
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

const logLevels = ["debug", "info", "warning", "error", "none"] as const

export type LogLevelName = (typeof logLevels)[number]

const trustedProxiesMax = 16

const wholeNumber =
  (min: number, max: number): Decoder<number> =>
  (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max
      ? Result.succeed(Number(text))
      : Result.fail(`must be an integer from ${min} to ${max}, but is "${text}"`)

const masterKey: Decoder<MasterKey> = (text) => {
  const bytes = Buffer.from(text, "base64")
  const isExact = bytes.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "")
  return bytes.length === masterKeyBytes && isExact
    ? Result.succeed(Redacted.make(new Uint8Array(bytes)))
    : Result.fail(`must be ${masterKeyRule}`)
}

/** The message does not contain the value, as it may contain a password. */
const databaseUrl: Decoder<Redacted.Redacted<string>> = (text) =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)
    ? Result.succeed(Redacted.make(text))
    : Result.fail("must be a URL such as postgres://user:password@host:5432/tocsin")

const nonBlank: Decoder<string> = (text) =>
  text.trim() === "" ? Result.fail("must not be blank") : Result.succeed(text)

const httpBaseUrl: Decoder<string> = (text) => {
  if (!URL.canParse(text)) return Result.fail("must be a URL such as https://tocsin.example.com")
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return Result.fail("must start with https:// or http://")
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return Result.fail("must not have a user name, password, query or fragment")
  return Result.succeed(url.href.replace(/\/+$/, ""))
}

const dnsLabel: Decoder<string> = (text) =>
  /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(text)
    ? Result.succeed(text)
    : Result.fail(
        "must be at most 63 lowercase letters, digits, - and ., and start and end with a letter or digit",
      )

const onOrOff: Decoder<boolean> = (text) => Result.map(oneOf(["on", "off"])(text), (value) => value === "on")

const oneOf =
  <const A extends string>(values: ReadonlyArray<A>): Decoder<A> =>
  (text) => {
    const value = values.find((candidate) => candidate === text)
    return value === undefined
      ? Result.fail(`must be ${listed(values)}, but is "${text}"`)
      : Result.succeed(value)
  }

const listed = (values: ReadonlyArray<string>): string =>
  `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`

const cidrs: Decoder<ReadonlyArray<string>> = (text) => {
  const blocks = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
  const policy = makeAddressPolicy(blocks)
  return Result.isSuccess(policy)
    ? Result.succeed(blocks)
    : Result.fail(
        `must be comma-separated CIDR blocks, for example 10.0.0.0/8,fd00::/8; invalid: ${policy.failure.join(", ")}`,
      )
}

const origins: Decoder<ReadonlyArray<string>> = (text) => {
  const listed = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
  const invalid = listed.filter((origin) => origin !== anyOrigin && !isOrigin(origin))
  return invalid.length === 0
    ? Result.succeed(listed)
    : Result.fail(
        `must be comma-separated origins, for example https://console.example.com, or *; invalid: ${invalid.join(", ")}`,
      )
}

/** Whether a text is an origin as browsers send it: scheme, host and port, without a default port or a slash at the end. */
const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

const isRole = (value: unknown): value is Role => roles.some((role) => role === value)

const credentials: Decoder<ReadonlyArray<BootstrapCredential>> = (text) => {
  const form = "must be a JSON array of {organization, clientId, clientSecret, role}"
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    return Result.fail(`${form}; the value is not valid JSON`)
  }
  if (!Array.isArray(list)) return Result.fail(form)
  const decoded: Array<BootstrapCredential> = []
  const problems: Array<string> = []
  for (const [index, item] of list.entries()) {
    const { organization, clientId, clientSecret, role } = (item ?? {}) as Record<string, unknown>
    const problem = (text: string) => problems.push(`[${index}] ${text}`)
    if (typeof organization !== "string" || Result.isFailure(parseOrganization(organization)))
      problem(`organization must be 1 to ${nameMaxCharacters} visible ASCII characters`)
    else if (typeof clientId !== "string" || !isClientId(clientId))
      problem(`clientId must be 1 to ${clientIdMaxCharacters} visible ASCII characters without a colon`)
    else if (decoded.some((one) => one.organization === organization && one.clientId === clientId))
      problem("duplicates the clientId of another entry")
    else if (typeof clientSecret !== "string" || !isClientSecret(clientSecret))
      problem(`clientSecret must be ${clientSecretRule}`)
    else if (!isRole(role)) problem(`role must be ${roles.join(", ")}`)
    else decoded.push({ organization, clientId, clientSecret: Redacted.make(clientSecret), role })
  }
  return problems.length > 0 ? Result.fail(`${form}: ${problems.join("; ")}`) : Result.succeed(decoded)
}

/** The variables of the server, in the order of the README's table. */
const decoders = {
  PORT: wholeNumber(0, 65_535),
  HOST: nonBlank,
  TOCSIN_BASE_URL: httpBaseUrl,
  TOCSIN_VENDOR_PREFIX: dnsLabel,
  TOCSIN_ALLOW_UNSUPPORTED_SOURCES: onOrOff,
  TOCSIN_ALLOW_UNSUPPORTED: onOrOff,
  TOCSIN_STORE: oneOf(["embedded", "postgres", "memory"]),
  TOCSIN_STORES: nonBlank,
  TOCSIN_DATA_DIR: nonBlank,
  DATABASE_URL: databaseUrl,
  TOCSIN_DATABASE_POOL_SIZE: wholeNumber(databasePoolSizeMin, 1_000),
  TOCSIN_MIGRATE: onOrOff,
  TOCSIN_MASTER_KEY: masterKey,
  TOCSIN_PREVIOUS_MASTER_KEY: masterKey,
  TOCSIN_BOOTSTRAP_CREDENTIALS: credentials,
  TOCSIN_EGRESS_ALLOW_CIDRS: cidrs,
  TOCSIN_EGRESS_CA_FILE: nonBlank,
  TOCSIN_V1_API: onOrOff,
  TOCSIN_FIND_SLO_PER_SECOND: wholeNumber(1, findSloPerSecondMax),
  TOCSIN_QUOTA_DEFINITIONS: wholeNumber(1, definitionsQuotaMax),
  TOCSIN_QUOTA_ALERTS_PER_SECOND: wholeNumber(1, ingestPerSecondMax),
  TOCSIN_QUOTA_COUNT_REQUESTS_PER_SECOND: wholeNumber(1, ingestPerSecondMax),
  TOCSIN_QUOTA_DELIVERIES_PER_MINUTE: wholeNumber(1, deliveriesPerMinuteMax),
  TOCSIN_QUOTA_NOTIFICATIONS_MIB: wholeNumber(1, notificationsQuotaMaxMebibytes),
  TOCSIN_QUOTA_HISTORY_MIB: wholeNumber(1, historyQuotaMaxMebibytes),
  TOCSIN_COUNTS_RETENTION_DAYS: wholeNumber(countsRetentionMinDays, countsRetentionMaxDays),
  TOCSIN_DELIVERIES_IN_FLIGHT: wholeNumber(8, 10_000),
  TOCSIN_TRUSTED_PROXIES: wholeNumber(0, trustedProxiesMax),
  TOCSIN_MAX_CONNECTIONS: wholeNumber(1, 1_000_000),
  TOCSIN_CORS_ORIGINS: origins,
  TOCSIN_DRAIN_SECONDS: wholeNumber(0, 600),
  TOCSIN_LOG_LEVEL: oneOf(logLevels),
  TOCSIN_LOG_FORMAT: oneOf(logFormats),
  TOCSIN_METRICS_PORT: wholeNumber(0, 65_535),
  TOCSIN_METRICS_HOST: nonBlank,
  TOCSIN_SEND_TRACEPARENT: onOrOff,
}

export const serverVariables = Object.keys(decoders)
