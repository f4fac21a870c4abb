import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import {
  clientSecretRule,
  isClientId,
  isClientSecret,
  parseOrganization,
  type Role,
  roles,
} from "@tocsin/domain"
import { makeAddressPolicy } from "@tocsin/domain/delivery"
import {
  clientIdMaxCharacters,
  countsRetentionMaxDays,
  countsRetentionMinDays,
  definitionsQuotaMax,
  deliveriesPerMinuteMax,
  historyQuotaMaxMebibytes,
  ingestPerSecondMax,
  nameMaxCharacters,
  notificationsQuotaMaxMebibytes,
} from "@tocsin/domain/limits"
import { findSloPerSecondMax } from "@tocsin/domain/rate-limit"
import { connectionsMin as databasePoolSizeMin } from "@tocsin/adapters-pg/admin"
import { anyOrigin } from "@tocsin/adapters-http/server"
import { logFormats } from "../terminal/LogFormat.ts"

/** Decodes the text of a variable; fails with what the text must be. */
export type Decoder<A> = (text: string) => Result.Result<A, string>

/** 32 bytes from which the keys of access tokens and stored secrets are derived. */
export type MasterKey = Redacted.Redacted<Uint8Array>

export interface BootstrapCredential {
  readonly organization: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
  readonly role: Role
}

const masterKeyBytes = 32
export const masterKeyRule = `${masterKeyBytes} random bytes in base64: for a new database, generate them with \`openssl rand -base64 ${masterKeyBytes}\`; for an existing one, use its master key`

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
const databaseUrl: Decoder<Redacted.Redacted<string>> = (text) => {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    return Result.fail("must be a URL such as postgres://user:password@host:5432/tocsin")
  const mode = new URL(text).searchParams.get("sslmode")
  return mode === null || sslModes.includes(mode)
    ? Result.succeed(Redacted.make(text))
    : Result.fail(`has an unknown sslmode: it must be ${listed(sslModes)}`)
}

const sslModes = ["require", "verify-full", "verify-ca", "prefer", "allow", "disable"]

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

/** The message does not contain the value, as it may contain a password. */
const smtpUrl: Decoder<Redacted.Redacted<string>> = (text) =>
  /^smtps?:\/\/[^/?#]+\/?$/.test(text) && URL.canParse(text)
    ? Result.succeed(Redacted.make(text))
    : Result.fail("must be a URL such as smtp://user:password@host:587")

const sender: Decoder<string> = (text) =>
  /^(?:[^<>@\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(text)
    ? Result.succeed(text)
    : Result.fail("must be an address such as status@example.com or Example <status@example.com>")

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

const commaSeparated = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

const cidrs: Decoder<ReadonlyArray<string>> = (text) => {
  const blocks = commaSeparated(text)
  const policy = makeAddressPolicy(blocks)
  return Result.isSuccess(policy)
    ? Result.succeed(blocks)
    : Result.fail(
        `must be comma-separated CIDR blocks, for example 10.0.0.0/8,fd00::/8; invalid: ${policy.failure.join(", ")}`,
      )
}

const origins: Decoder<ReadonlyArray<string>> = (text) => {
  const listed = commaSeparated(text)
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

const databasePoolSizeMax = 1_000

const counted = (value: number): string => value.toLocaleString("en-US")

/** A variable of the environment that configures the server. */
export interface Setting<A> {
  readonly decode: Decoder<A>
  readonly topic: SettingTopic
  /** What it sets, with its unit and range, in Markdown; links are relative to `docs/guides`. */
  readonly description: string
  /** What applies if it is not set, in Markdown, where that is no constant. */
  readonly otherwise?: string
}

export const settingTopics = [
  "Address",
  "Data",
  "Keys and credentials",
  "Definitions",
  "Outbound connections",
  "Rate limits and quotas",
  "Inbound connections",
  "Logs, metrics and traces",
] as const

export type SettingTopic = (typeof settingTopics)[number]

/** The settings of the server. The documentation lists them in this order. */
export const settings = {
  PORT: {
    decode: wholeNumber(0, 65_535),
    topic: "Address",
    description: "Port that the server listens on. If the value is 0, the server selects a free port.",
  },
  HOST: {
    decode: nonBlank,
    topic: "Address",
    description: "Address that the server listens on. If the value is `0.0.0.0`, other machines can connect.",
  },
  TOCSIN_BASE_URL: {
    decode: httpBaseUrl,
    topic: "Address",
    description: "Public base URL of the server. Links in notifications start with this URL.",
    otherwise: "`http://{HOST}:{PORT}`, or `https://` with a certificate",
  },
  TOCSIN_TLS_CERT_FILE: {
    decode: nonBlank,
    topic: "Address",
    description:
      "PEM file of the server's certificate with its chain. With a certificate, the server accepts connections [over TLS](tls.md) only. The server reads the file every minute and uses a renewed certificate for new connections.",
    otherwise: "no TLS",
  },
  TOCSIN_TLS_KEY_FILE: {
    decode: nonBlank,
    topic: "Address",
    description: "PEM file of the private key of the certificate, without a passphrase.",
  },
  TOCSIN_STORE: {
    decode: oneOf(["embedded", "postgres", "memory"]),
    topic: "Data",
    description:
      "`embedded`: a PostgreSQL server that Tocsin starts itself. `postgres`: the database at `DATABASE_URL`; the default if that variable is set. `memory`: data is lost when the server stops.",
  },
  DATABASE_URL: {
    decode: databaseUrl,
    topic: "Data",
    description:
      "PostgreSQL connection URL: `postgres://user:password@host:5432/tocsin`. Several servers can share a database. [Parameters](operations.md#your-own-postgresql) configure TLS and PgBouncer.",
  },
  TOCSIN_DATABASE_POOL_SIZE: {
    decode: wholeNumber(databasePoolSizeMin, databasePoolSizeMax),
    topic: "Data",
    description: `Maximum number of connections from the server to the database, ${databasePoolSizeMin} to ${databasePoolSizeMax}. If the value is 10 or more, 4 of them serve deliveries only ([how to choose](scaling.md#connections)).`,
  },
  TOCSIN_MIGRATE: {
    decode: onOrOff,
    topic: "Data",
    description:
      "`off`: the server does not change the database schema, and fails to start until `tocsin database migrate` has been run.",
  },
  TOCSIN_DATA_DIR: {
    decode: nonBlank,
    topic: "Data",
    description:
      "Data directory of the embedded PostgreSQL. Only one server at a time can use the directory.",
  },
  TOCSIN_STORES: {
    decode: nonBlank,
    topic: "Data",
    description:
      "Path of a JavaScript module whose [default export is a layer](write-an-adapter.md#use-it-in-the-server) with ports of the server, such as all stores. They replace the ports of `TOCSIN_STORE`.",
  },
  TOCSIN_COUNTS_RETENTION_DAYS: {
    decode: wholeNumber(countsRetentionMinDays, countsRetentionMaxDays),
    topic: "Data",
    description: `[Retention of counts](operations.md#retention) in days, at least ${countsRetentionMinDays}.`,
  },
  TOCSIN_REPORT_MIN_COVERAGE: {
    decode: wholeNumber(0, 100),
    topic: "Data",
    description:
      "Minimum share of the minutes of a period that counts must cover for a [report](slos.md#reports) to count an objective as met, in percent. Below it, the result is `Missed` or `Insufficient data`.",
  },
  TOCSIN_MASTER_KEY: {
    decode: masterKey,
    topic: "Keys and credentials",
    description:
      "32 random bytes in base64: `openssl rand -base64 32`. The keys of access tokens and stored secrets are derived from the master key. Required unless the store is `embedded`, which generates a key in the data directory.",
    otherwise: "generated",
  },
  TOCSIN_PREVIOUS_MASTER_KEY: {
    decode: masterKey,
    topic: "Keys and credentials",
    description:
      "The previous master key, while you [change the master key](operations.md#change-the-master-key).",
  },
  TOCSIN_BOOTSTRAP_CREDENTIALS: {
    decode: credentials,
    topic: "Keys and credentials",
    description:
      "JSON array of `{organization, clientId, clientSecret, role}`. The credentials are created at startup, or replaced if the secret or role differs. `clientSecret` is at least 32 random bytes in base64. `role` is `viewer`, `editor` or `admin`.",
    otherwise: "`[]`",
  },
  TOCSIN_VENDOR_PREFIX: {
    decode: dnsLabel,
    topic: "Definitions",
    description: "First part of `apiVersion` in definitions.",
  },
  TOCSIN_ALLOW_UNSUPPORTED_SOURCES: {
    decode: onOrOff,
    topic: "Definitions",
    description:
      "`on`: the server accepts definitions of data sources that Tocsin does not support, such as datadog. Their SLOs have no data. The same as `tocsin serve --allow-unsupported-sources`.",
  },
  TOCSIN_ALLOW_UNSUPPORTED: {
    decode: onOrOff,
    topic: "Definitions",
    description:
      "`on`: the server also accepts alert methods other than webhooks, RoleBindings, UserGroups and DataExports, and stores them without effect. Includes `TOCSIN_ALLOW_UNSUPPORTED_SOURCES`.",
  },
  TOCSIN_EGRESS_ALLOW_CIDRS: {
    decode: cidrs,
    topic: "Outbound connections",
    description:
      "Comma-separated CIDR blocks of private addresses that webhooks and Prometheus queries may connect to, such as `10.0.0.0/8`. Public addresses are always allowed.",
  },
  TOCSIN_EGRESS_CA_FILE: {
    decode: nonBlank,
    topic: "Outbound connections",
    description:
      "PEM file of certificate authorities (CAs) to trust for webhooks and Prometheus queries, in addition to the public CAs.",
  },
  TOCSIN_SMTP_URL: {
    decode: smtpUrl,
    topic: "Outbound connections",
    description:
      "URL of the mail server that sends emails to [subscribers of status pages](incidents.md#subscriptions): `smtp://user:password@host:587`, or `smtps://` for TLS from the start. Requires `TOCSIN_SMTP_FROM`. Without it, subscriptions by email are not available.",
  },
  TOCSIN_SMTP_FROM: {
    decode: sender,
    topic: "Outbound connections",
    description: "Sender of emails: `status@example.com` or `Example <status@example.com>`.",
  },
  TOCSIN_SMTP_STARTTLS: {
    decode: onOrOff,
    topic: "Outbound connections",
    description:
      "`on`: a connection to a mail server of `smtp://` must be upgraded to TLS. `off`: it is not encrypted, for a mail server on the same machine.",
  },
  TOCSIN_DELIVERIES_IN_FLIGHT: {
    decode: wholeNumber(8, 10_000),
    topic: "Outbound connections",
    description:
      "Maximum number of deliveries in flight on the server, 8 to 10,000. An organization that has none in flight can always send one.",
  },
  TOCSIN_FIND_SLO_PER_SECOND: {
    decode: wholeNumber(1, findSloPerSecondMax),
    topic: "Rate limits and quotas",
    description: `Maximum number of requests for one SLO per second and organization, up to ${counted(findSloPerSecondMax)}.`,
  },
  TOCSIN_QUOTA_DEFINITIONS: {
    decode: wholeNumber(1, definitionsQuotaMax),
    topic: "Rate limits and quotas",
    description: `Maximum number of definitions per organization, up to ${counted(definitionsQuotaMax)}.`,
  },
  TOCSIN_QUOTA_ALERTS_PER_SECOND: {
    decode: wholeNumber(1, ingestPerSecondMax),
    topic: "Rate limits and quotas",
    description: `Maximum number of [external alerts](api.md#alerts) of an organization per second, up to ${counted(ingestPerSecondMax)}.`,
  },
  TOCSIN_QUOTA_COUNT_REQUESTS_PER_SECOND: {
    decode: wholeNumber(1, ingestPerSecondMax),
    topic: "Rate limits and quotas",
    description: `Maximum number of requests with counts per second and organization, up to ${counted(ingestPerSecondMax)}.`,
  },
  TOCSIN_QUOTA_DELIVERIES_PER_MINUTE: {
    decode: wholeNumber(1, deliveriesPerMinuteMax),
    topic: "Rate limits and quotas",
    description: `Maximum number of deliveries per minute that the external alerts of an organization can cause, up to ${counted(deliveriesPerMinuteMax)}.`,
  },
  TOCSIN_QUOTA_NOTIFICATIONS_MIB: {
    decode: wholeNumber(1, notificationsQuotaMaxMebibytes),
    topic: "Rate limits and quotas",
    description: `Maximum size of the stored notifications of an organization in MiB, up to ${counted(notificationsQuotaMaxMebibytes)}.`,
  },
  TOCSIN_QUOTA_HISTORY_MIB: {
    decode: wholeNumber(1, historyQuotaMaxMebibytes),
    topic: "Rate limits and quotas",
    description: `Maximum size of the stored [history of definitions](../spec/definitions.md#13-history) of an organization in MiB, up to ${counted(historyQuotaMaxMebibytes)}. When the history exceeds the size, the server deletes the oldest changes.`,
  },
  TOCSIN_TRUSTED_PROXIES: {
    decode: wholeNumber(0, trustedProxiesMax),
    topic: "Inbound connections",
    description: `Number of proxies in front of the server that append to \`X-Forwarded-For\`, up to ${trustedProxiesMax}. If the value is 0, the server ignores the header.`,
  },
  TOCSIN_MAX_CONNECTIONS: {
    decode: wholeNumber(1, 1_000_000),
    topic: "Inbound connections",
    description: "Maximum number of [open client connections](operations.md#connections).",
  },
  TOCSIN_CORS_ORIGINS: {
    decode: origins,
    topic: "Inbound connections",
    description:
      "Comma-separated origins whose pages may [call the API from a browser](api.md#calls-from-other-web-pages), such as `https://dashboard.example.com`. `*` allows all.",
  },
  TOCSIN_DRAIN_SECONDS: {
    decode: wholeNumber(0, 600),
    topic: "Inbound connections",
    description:
      "Number of seconds in which a [stopping server](operations.md#stop-a-server) still accepts requests while `/readyz` returns 503, up to 600.",
  },
  TOCSIN_V1_API: {
    decode: onOrOff,
    topic: "Inbound connections",
    description: "`off`: the deprecated `/api/v1` returns 410.",
  },
  TOCSIN_LOG_LEVEL: {
    decode: oneOf(logLevels),
    topic: "Logs, metrics and traces",
    description:
      "`debug`, `info`, `warning`, `error` or `none`. If the level is `debug` or `info`, the server writes an access log to stdout. The start of the server is always logged.",
  },
  TOCSIN_LOG_FORMAT: {
    decode: oneOf(logFormats),
    topic: "Logs, metrics and traces",
    description: "`json`: one object per line. `text`: human-readable lines.",
    otherwise: "`text` on a terminal, otherwise `json`",
  },
  TOCSIN_METRICS_PORT: {
    decode: wholeNumber(0, 65_535),
    topic: "Logs, metrics and traces",
    description:
      "Port that serves [metrics](operations.md#metrics) at `/metrics` for Prometheus. If the value is 0, the server selects a free port.",
    otherwise: "no metrics",
  },
  TOCSIN_METRICS_HOST: {
    decode: nonBlank,
    topic: "Logs, metrics and traces",
    description: "Address that serves the metrics.",
    otherwise: "the value of `HOST`",
  },
  TOCSIN_SEND_TRACEPARENT: {
    decode: onOrOff,
    topic: "Logs, metrics and traces",
    description:
      "`off`: notifications have no `traceparent` header and therefore [do not continue traces](operations.md#traces).",
  },
} satisfies Record<string, Setting<unknown>>

export type Settings = typeof settings

export const serverVariables = Object.keys(settings) as ReadonlyArray<keyof Settings>

/** The value of a setting in the configuration. */
export type Decoded<V extends keyof Settings> = Result.Result.Success<ReturnType<Settings[V]["decode"]>>
