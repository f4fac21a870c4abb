import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { decodeServerConfig, type StoreConfig } from "../src/config/ServerConfig.ts"

const masterKey = Buffer.alloc(32, 7).toString("base64")

const issuesOf = (environment: Record<string, string>) => {
  const decoded = decodeServerConfig(environment)
  return Result.isSuccess(decoded) ? [] : decoded.failure.issues
}

describe("decodeServerConfig", () => {
  it("needs nothing, and fills every setting with its default", () => {
    expect(decodeServerConfig({})).toEqual(
      Result.succeed({
        host: "127.0.0.1",
        port: 8080,
        vendorPrefix: "tocsin",
        store: { kind: "embedded", dataDirectory: ".tocsin" },
        bootstrapCredentials: [],
        egressAllowCidrs: [],
        v1Api: true,
        findSloPerSecond: 100,
        quotas: {
          definitions: 20_000,
          alertsPerSecond: 100,
          countRequestsPerSecond: 100,
          deliveriesPerMinute: 6_000,
          notificationBytes: 10 * 1024 ** 3,
          historyBytes: 256 * 1024 ** 2,
        },
        countsRetentionDays: 408,
        reportMinCoverage: 90,
        migrates: true,
        databasePoolSize: 10,
        deliveriesInFlight: 256,
        trustedProxies: 0,
        maxConnections: 4_096,
        corsOrigins: [],
        drainSeconds: 5,
        logLevel: "info",
        logFormat: "json",
        collectsMetrics: false,
        sendsTraceparent: true,
        allowsUnsupportedSources: false,
        allowsUnsupported: false,
      }),
    )
  })

  it("needs both files of a certificate, or none", () => {
    const pair = { TOCSIN_TLS_CERT_FILE: "tls.crt", TOCSIN_TLS_KEY_FILE: "tls.key" }
    expect(Result.getOrThrow(decodeServerConfig(pair)).tls).toEqual({
      certFile: "tls.crt",
      keyFile: "tls.key",
    })
    const { TOCSIN_TLS_CERT_FILE, TOCSIN_TLS_KEY_FILE } = pair
    expect([...issuesOf({ TOCSIN_TLS_CERT_FILE }), ...issuesOf({ TOCSIN_TLS_KEY_FILE })]).toEqual([
      { variable: "TOCSIN_TLS_KEY_FILE", message: "is required if TOCSIN_TLS_CERT_FILE is set" },
      { variable: "TOCSIN_TLS_CERT_FILE", message: "is required if TOCSIN_TLS_KEY_FILE is set" },
    ])
  })

  const key = Redacted.make(new Uint8Array(32).fill(7))
  const databaseUrl = "postgres://me:hunter2@db.example.com/tocsin"
  const url = Redacted.make(databaseUrl)
  it.each<[Record<string, string>, StoreConfig]>([
    [{ DATABASE_URL: databaseUrl }, { kind: "postgres", url, masterKey: key }],
    [
      { DATABASE_URL: databaseUrl, TOCSIN_STORE: "memory" },
      { kind: "memory", masterKey: key },
    ],
    [
      { DATABASE_URL: databaseUrl, TOCSIN_STORE: "embedded", TOCSIN_DATA_DIR: "/var/lib/tocsin" },
      { kind: "embedded", dataDirectory: "/var/lib/tocsin", masterKey: key },
    ],
  ])("keeps everything where %o says", (environment, store) => {
    const decoded = decodeServerConfig({ TOCSIN_MASTER_KEY: masterKey, ...environment })
    expect(Result.isSuccess(decoded) && decoded.success.store).toEqual(store)
  })

  it("rejects a store without what it needs, and repeats no password", () => {
    expect(issuesOf({ TOCSIN_STORE: "postgres" }).map(({ variable }) => variable)).toEqual([
      "DATABASE_URL",
      "TOCSIN_MASTER_KEY",
    ])
    const issues = issuesOf({ DATABASE_URL: "mysql://me:hunter2@db", TOCSIN_PREVIOUS_MASTER_KEY: "c2hvcnQ=" })
    expect(issues.map(({ variable }) => variable)).toEqual([
      "DATABASE_URL",
      "TOCSIN_MASTER_KEY",
      "TOCSIN_PREVIOUS_MASTER_KEY",
    ])
    expect(JSON.stringify(issues)).not.toMatch(/hunter2|c2hvcnQ/)
  })

  it("reports every problem at once, and repeats no secret", () => {
    const issues = issuesOf({
      PORT: "99999",
      TOCSIN_BASE_URL: "ftp://example.com",
      TOCSIN_VENDOR_PREFIX: "Not OK",
      TOCSIN_STORE: "postgress",
      TOCSIN_MASTER_KEY: "c2hvcnQ=",
      TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([
        {
          organization: "acme",
          clientId: "a:b",
          clientSecret: "hunter2hunter2hunter2hunter2hunter2hunter2hA",
          role: "editor",
        },
      ]),
      TOCSIN_V1_API: "yes",
      TOCSIN_FIND_SLO_PER_SECOND: "0",
      TOCSIN_QUOTA_DEFINITIONS: "0",
      TOCSIN_QUOTA_ALERTS_PER_SECOND: "10001",
      TOCSIN_QUOTA_COUNT_REQUESTS_PER_SECOND: "many",
      TOCSIN_QUOTA_DELIVERIES_PER_MINUTE: "60001",
      TOCSIN_QUOTA_NOTIFICATIONS_MIB: "0",
      TOCSIN_QUOTA_HISTORY_MIB: "0",
      TOCSIN_COUNTS_RETENTION_DAYS: "38",
      TOCSIN_DATABASE_POOL_SIZE: "1",
      TOCSIN_MIGRATE: "no",
      TOCSIN_SMTP_URL: "mailto:hunter2@example.com",
      TOCSIN_SMTP_FROM: "nobody",
      TOCSIN_SMTP_STARTTLS: "yes",
      TOCSIN_DELIVERIES_IN_FLIGHT: "7",
      TOCSIN_TRUSTED_PROXIES: "-1",
      TOCSIN_MAX_CONNECTIONS: "0",
      TOCSIN_CORS_ORIGINS: "https://a.example.com/, b.example.com",
      TOCSIN_DRAIN_SECONDS: "601",
      TOCSIN_LOG_LEVEL: "loud",
      TOCSIN_EGRES_CA_FILE: "ca.pem",
    })
    expect(issues.map(({ variable }) => variable)).toEqual([
      "PORT",
      "TOCSIN_BASE_URL",
      "TOCSIN_VENDOR_PREFIX",
      "TOCSIN_STORE",
      "TOCSIN_MASTER_KEY",
      "TOCSIN_BOOTSTRAP_CREDENTIALS",
      "TOCSIN_SMTP_URL",
      "TOCSIN_SMTP_FROM",
      "TOCSIN_SMTP_STARTTLS",
      "TOCSIN_V1_API",
      "TOCSIN_FIND_SLO_PER_SECOND",
      "TOCSIN_QUOTA_DEFINITIONS",
      "TOCSIN_QUOTA_ALERTS_PER_SECOND",
      "TOCSIN_QUOTA_COUNT_REQUESTS_PER_SECOND",
      "TOCSIN_QUOTA_DELIVERIES_PER_MINUTE",
      "TOCSIN_QUOTA_NOTIFICATIONS_MIB",
      "TOCSIN_QUOTA_HISTORY_MIB",
      "TOCSIN_COUNTS_RETENTION_DAYS",
      "TOCSIN_MIGRATE",
      "TOCSIN_DATABASE_POOL_SIZE",
      "TOCSIN_DELIVERIES_IN_FLIGHT",
      "TOCSIN_TRUSTED_PROXIES",
      "TOCSIN_MAX_CONNECTIONS",
      "TOCSIN_CORS_ORIGINS",
      "TOCSIN_DRAIN_SECONDS",
      "TOCSIN_LOG_LEVEL",
      "TOCSIN_EGRES_CA_FILE",
    ])
    const text = JSON.stringify(issues)
    expect(text).toContain("did you mean TOCSIN_EGRESS_CA_FILE?")
    expect(text).not.toContain("hunter2")
    expect(text).not.toContain("c2hvcnQ")
  })

  it("takes origins as browsers send them", () => {
    const originsOf = (text: string) => {
      const decoded = decodeServerConfig({ TOCSIN_CORS_ORIGINS: text })
      return Result.isSuccess(decoded) ? decoded.success.corsOrigins : decoded.failure.message
    }
    expect(originsOf(" https://a.example.com ,http://localhost:3000,")).toEqual([
      "https://a.example.com",
      "http://localhost:3000",
    ])
    expect(originsOf("*")).toEqual(["*"])
    const invalid = ["https://a.example.com/", "https://A.example.com", "https://a.example.com:443", "null"]
    for (const origin of [...invalid, "ftp://a.example.com", "https://*.example.com/"])
      expect(originsOf(`https://b.example.com,${origin}`)).toContain(`invalid: ${origin}`)
  })

  it("rejects an unknown sslmode of the database, without the password", () => {
    const of = (query: string) =>
      issuesOf({
        DATABASE_URL: `postgres://tocsin:secret@localhost/tocsin${query}`,
        TOCSIN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      })
    expect(of("?sslmode=verify")).toEqual([
      {
        variable: "DATABASE_URL",
        message:
          "has an unknown sslmode: it must be require, verify-full, verify-ca, prefer, allow or disable",
      },
    ])
    expect(of("?sslmode=verify-full")).toEqual([])
    expect(of("")).toEqual([])
  })

  it("reports a missing master key and how to create one", () => {
    expect(issuesOf({ TOCSIN_STORE: "memory" })).toEqual([
      { variable: "TOCSIN_MASTER_KEY", message: expect.stringContaining("openssl rand -base64 32") },
    ])
    expect(issuesOf({ TOCSIN_STORE: "memory" })[0]?.message).toContain(
      "for an existing one, use its master key",
    )
  })

  it.each([
    ["no list", "{}"],
    ["no JSON", "nope"],
    [
      "an organization that no header could name",
      '[{"organization":"my team","clientId":"c","clientSecret":"0123456789abcdef0123456789abcdef0123456789A","role":"viewer"}]',
    ],
    [
      "a client id that is no visible ASCII",
      '[{"organization":"o","clientId":"ü","clientSecret":"0123456789abcdef0123456789abcdef0123456789A","role":"viewer"}]',
    ],
    ["a short secret", '[{"organization":"o","clientId":"c","clientSecret":"short","role":"viewer"}]'],
    [
      "an unknown role",
      '[{"organization":"o","clientId":"c","clientSecret":"0123456789abcdef0123456789abcdef0123456789A","role":"owner"}]',
    ],
    [
      "a repeated client id",
      '[{"organization":"o","clientId":"c","clientSecret":"0123456789abcdef0123456789abcdef0123456789A","role":"viewer"},{"organization":"o","clientId":"c","clientSecret":"0123456789abcdef0123456789abcdef0123456789A","role":"viewer"}]',
    ],
  ])("refuses bootstrap credentials with %s", (_, credentials) => {
    expect(
      issuesOf({ TOCSIN_MASTER_KEY: masterKey, TOCSIN_BOOTSTRAP_CREDENTIALS: credentials }),
    ).toHaveLength(1)
  })

  it("drops the final slash of the base address", () => {
    const decoded = decodeServerConfig({
      TOCSIN_MASTER_KEY: masterKey,
      TOCSIN_BASE_URL: "https://t.example.com/slo/",
    })
    expect(Result.isSuccess(decoded) && decoded.success.baseUrl).toBe("https://t.example.com/slo")
  })
})
