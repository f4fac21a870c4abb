import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { decodeServerConfig } from "@tocsin/server/ServerConfig"

const masterKey = Buffer.alloc(32, 7).toString("base64")

const issuesOf = (environment: Record<string, string>) => {
  const decoded = decodeServerConfig(environment)
  return decoded.ok ? [] : decoded.error
}

describe("decodeServerConfig", () => {
  it("fills every setting but the master key with its default", () => {
    const decoded = decodeServerConfig({ TOCSIN_MASTER_KEY: masterKey })
    expect(decoded.ok && { ...decoded.value, masterKey: Redacted.value(decoded.value.masterKey) }).toEqual({
      host: "127.0.0.1",
      port: 8080,
      vendorPrefix: "tocsin",
      store: "memory",
      masterKey: new Uint8Array(32).fill(7),
      bootstrapCredentials: [],
      egressAllowCidrs: [],
      v1Api: true,
      findSloPerSecond: 100,
      trustedProxies: 0,
      logLevel: "info",
    })
  })

  it("tells every problem at once, and repeats no secret", () => {
    const issues = issuesOf({
      PORT: "99999",
      TOCSIN_BASE_URL: "ftp://example.com",
      TOCSIN_VENDOR_PREFIX: "Not OK",
      TOCSIN_STORE: "postgress",
      TOCSIN_MASTER_KEY: "c2hvcnQ=",
      TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([
        { organization: "acme", clientId: "a:b", clientSecret: "hunter2hunter2hunter2", role: "editor" },
      ]),
      TOCSIN_V1_API: "yes",
      TOCSIN_FIND_SLO_PER_SECOND: "0",
      TOCSIN_TRUSTED_PROXIES: "-1",
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
      "TOCSIN_V1_API",
      "TOCSIN_FIND_SLO_PER_SECOND",
      "TOCSIN_TRUSTED_PROXIES",
      "TOCSIN_LOG_LEVEL",
      "TOCSIN_EGRES_CA_FILE",
    ])
    const text = JSON.stringify(issues)
    expect(text).toContain("did you mean TOCSIN_EGRESS_CA_FILE?")
    expect(text).not.toContain("hunter2")
    expect(text).not.toContain("c2hvcnQ")
  })

  it("names a missing master key and how to make one", () => {
    expect(issuesOf({})).toEqual([
      { variable: "TOCSIN_MASTER_KEY", message: expect.stringContaining("openssl rand -base64 32") },
    ])
  })

  it.each([
    ["no list", "{}"],
    ["no JSON", "nope"],
    ["a short secret", '[{"organization":"o","clientId":"c","clientSecret":"short","role":"viewer"}]'],
    [
      "an unknown role",
      '[{"organization":"o","clientId":"c","clientSecret":"0123456789abcdef","role":"admin"}]',
    ],
    [
      "a repeated client id",
      '[{"organization":"o","clientId":"c","clientSecret":"0123456789abcdef","role":"viewer"},{"organization":"o","clientId":"c","clientSecret":"0123456789abcdef","role":"viewer"}]',
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
    expect(decoded.ok && decoded.value.baseUrl).toBe("https://t.example.com/slo")
  })
})
