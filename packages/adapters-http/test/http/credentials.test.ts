import { failedCredentialsPolicy } from "@tocsin/domain/rate-limit"
import { credentialsMax } from "@tocsin/domain/limits"
import { CredentialStore } from "@tocsin/domain/ports"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { issueOperatorToken } from "@tocsin/adapters-http/server"
import {
  apiServer,
  basicOf,
  errorsOf,
  headersOf,
  type ReceivedResponse,
  send,
} from "../../../../test/http/api-client.ts"
import { masterKey } from "../../../../test/http/api-ports.ts"
import { consoleServer, cookieOf, fromConsole, newSignIn } from "../../../../test/http/console-server.ts"

const jsonOf = (response: ReceivedResponse): Record<string, unknown> => JSON.parse(response.text)

const codeOf = (response: ReceivedResponse) => [response.status, errorsOf(response)[0]?.code]

const post = (path: string, headers: Readonly<Record<string, string>>, body: unknown = {}) =>
  send(path, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  })

const tokenWith = (organization: string, clientId: unknown, clientSecret: unknown) =>
  send("/api/accessToken", {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
      organization,
    },
  })

describe("an admin", () => {
  it.effect("spec/access §4: creates a credential, whose secret works and is returned only once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
      const admin = yield* headersOf("acme", "admin")
      const created = yield* post("/api/credentials", admin, { role: "editor", clientId: "ci" })
      expect(created.status).toBe(201)
      expect(created.headers.get("cache-control")).toBe("no-store")
      const { clientSecret, ...credential } = jsonOf(created)
      expect(credential).toEqual({
        organization: "acme",
        clientId: "ci",
        role: "editor",
        isDisabled: false,
        createdAt: "2026-01-30T12:00:00.000Z",
      })
      yield* TestClock.adjust("30 minutes")
      expect((yield* tokenWith("acme", "ci", clientSecret)).status).toBe(200)
      const listed = yield* send("/api/credentials", { headers: yield* headersOf("acme", "admin") })
      expect(listed.text).not.toContain(clientSecret)
      expect(jsonOf(listed)["data"]).toContainEqual({
        ...credential,
        lastUsedAt: "2026-01-30T12:30:00.000Z",
      })
      expect(codeOf(yield* post("/api/credentials", admin, { role: "viewer", clientId: "ci" }))).toEqual([
        409,
        "client_id_taken",
      ])
      const invalid = yield* post("/api/credentials", admin, { role: "owner", clientId: "a:b", secret: "x" })
      expect(errorsOf(invalid).map(({ code, source }) => [source?.propertyName, code])).toEqual([
        ["clientId", "invalid_format"],
        ["role", "not_allowed_value"],
        ["secret", "unknown_property"],
      ])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/access §4: sees and changes the credentials of the own organization alone", () =>
    Effect.gen(function* () {
      const admin = yield* headersOf("acme", "admin")
      const other = yield* newSignIn("other")
      const listed = jsonOf(yield* send("/api/credentials", { headers: admin }))["data"]
      expect(listed).toHaveLength(1)
      const at = `/api/credentials/${other.clientId}`
      for (const response of [
        yield* post(`${at}/rotate`, admin),
        yield* post(`${at}/disable`, admin),
        yield* send(at, { method: "DELETE", headers: admin }),
      ]) {
        expect(codeOf(response)).toEqual([404, "credential_not_found"])
      }
      expect((yield* tokenWith("other", other.clientId, other.clientSecret)).status).toBe(200)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect.each(["viewer", "editor"] as const)("spec/access §5: is needed; a %s may not", (role) =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme", role)
      for (const response of [
        yield* send("/api/credentials", { headers }),
        yield* post("/api/credentials", headers, { role: "viewer" }),
        yield* post("/api/credentials/x/rotate", headers),
        yield* post("/api/credentials/x/disable", headers),
        yield* send("/api/credentials/x", { method: "DELETE", headers }),
      ]) {
        expect(codeOf(response)).toEqual([403, "insufficient_permissions"])
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/access §4: rotates a secret; the one before works as long as asked", () =>
    Effect.gen(function* () {
      const admin = yield* headersOf("acme", "admin")
      const { clientId, clientSecret: first } = yield* newSignIn("acme", "viewer")
      const rotate = (previousFor?: string) =>
        Effect.map(post(`/api/credentials/${clientId}/rotate`, admin, { previousFor }), jsonOf)
      const works = (secret: unknown) =>
        Effect.andThen(
          TestClock.adjust("3 seconds"),
          Effect.map(tokenWith("acme", clientId, secret), ({ status }) => status === 200),
        )
      const second = yield* rotate("30m")
      expect(second["previousSecretExpiresAt"]).toBe("1970-01-01T00:30:00.000Z")
      expect([yield* works(first), yield* works(second["clientSecret"])]).toEqual([true, true])
      yield* TestClock.setTime(1_800_000 - 1)
      expect((yield* tokenWith("acme", clientId, first)).status).toBe(200)
      yield* TestClock.setTime(1_800_000)
      expect((yield* tokenWith("acme", clientId, first)).status).toBe(401)
      const third = yield* rotate()
      expect(third).not.toHaveProperty("previousSecretExpiresAt")
      expect([yield* works(second["clientSecret"]), yield* works(third["clientSecret"])]).toEqual([
        false,
        true,
      ])
      for (const [previousFor, code] of [
        ["169h", "out_of_range"],
        ["-1s", "out_of_range"],
        ["soon", "invalid_format"],
      ]) {
        const rejected = yield* post(`/api/credentials/${clientId}/rotate`, admin, { previousFor })
        expect(codeOf(rejected)).toEqual([400, code])
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/access §4: disables and deletes others, and not the credential that asks", () =>
    Effect.gen(function* () {
      const { clientId: own, ...admin } = yield* Effect.map(newSignIn("acme", "admin"), (it) => it)
      const token = jsonOf(yield* tokenWith("acme", own, admin.clientSecret))["access_token"]
      const headers = { authorization: `Bearer ${token}`, organization: "acme" }
      const other = yield* newSignIn("acme", "editor")
      const at = `/api/credentials/${other.clientId}`
      expect((yield* post(`${at}/disable`, headers)).status).toBe(204)
      yield* TestClock.adjust("3 seconds")
      expect((yield* tokenWith("acme", other.clientId, other.clientSecret)).status).toBe(401)
      expect((yield* send(at, { method: "DELETE", headers })).status).toBe(204)
      expect(codeOf(yield* post(`/api/credentials/${own}/disable`, headers))).toEqual([409, "own_credential"])
      expect(codeOf(yield* send(`/api/credentials/${own}`, { method: "DELETE", headers }))).toEqual([
        409,
        "own_credential",
      ])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/access §4: creates no more than the limit", () =>
    Effect.gen(function* () {
      const admin = yield* headersOf("acme", "admin")
      const store = yield* CredentialStore
      const [template] = yield* store.list("acme")
      if (template === undefined) throw new Error("no credential")
      for (let index = 1; index < credentialsMax; index++) {
        yield* store.create({ ...template, clientId: `c-${index}` })
      }
      expect(codeOf(yield* post("/api/credentials", admin, { role: "viewer" }))).toEqual([
        403,
        "credentials_quota_exceeded",
      ])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/access §4: a use of the secret is recorded once a minute", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("acme", "viewer")
      const use = send("/metrics/slos", { headers: { authorization, organization: "acme" } })
      const recorded = Effect.gen(function* () {
        expect((yield* use).status).toBe(200)
        return (yield* (yield* CredentialStore).list("acme"))[0]?.lastUsedAt
      })
      yield* TestClock.setTime(1_000_000)
      expect(yield* recorded).toBe(1_000_000)
      yield* TestClock.adjust(59_999)
      expect(yield* recorded).toBe(1_000_000)
      yield* TestClock.adjust(1)
      expect(yield* recorded).toBe(1_060_000)
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("a sign-in link", () => {
  const server = consoleServer()

  const linkOf = ({ organization, clientId }: { readonly organization: string; readonly clientId: string }) =>
    Effect.gen(function* () {
      const authorization = `Bearer ${yield* issueOperatorToken(masterKey)}`
      const created = yield* post(`/api/operator/credentials/${clientId}/sign-in-link`, {
        authorization,
        organization,
      })
      expect(created.status).toBe(201)
      const url = new URL(String(jsonOf(created)["url"]))
      expect(url.pathname + url.search).toBe("/sign-in")
      return url.hash.replace("#link=", "")
    })

  const use = (token: unknown) => post("/api/console/session/link", fromConsole, { token })

  it.effect("spec/console §1: opens one session, also of many requests at once", () =>
    Effect.gen(function* () {
      const credential = yield* newSignIn("acme", "viewer")
      const token = yield* linkOf(credential)
      const responses = yield* Effect.forEach(Array.from({ length: 5 }), () => use(token), {
        concurrency: "unbounded",
      })
      const [opened, ...others] = responses.toSorted((a, b) => a.status - b.status)
      expect(others.map(codeOf)).toEqual(Array.from({ length: 4 }, () => [401, "invalid_sign_in_link"]))
      expect(opened?.status).toBe(200)
      const cookie = opened === undefined ? "" : cookieOf(opened)
      const read = yield* send("/api/console/session", { headers: { cookie } })
      expect(jsonOf(read)).toMatchObject({
        organization: "acme",
        clientId: credential.clientId,
        role: "viewer",
      })
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §1: expires after an hour, and with its credential", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
      const credential = yield* newSignIn("acme")
      const [early, late, ofDeleted] = [
        yield* linkOf(credential),
        yield* linkOf(credential),
        yield* linkOf(credential),
      ]
      yield* TestClock.adjust(3_600_000 - 1)
      expect((yield* use(early)).status).toBe(200)
      yield* TestClock.adjust(1)
      expect(codeOf(yield* use(late))).toEqual([401, "invalid_sign_in_link"])
      yield* (yield* CredentialStore).delete("acme", credential.clientId)
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
      expect(codeOf(yield* use(ofDeleted))).toEqual([401, "invalid_sign_in_link"])
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §1: is no session, and a session is no link; guesses are limited", () =>
    Effect.gen(function* () {
      const token = yield* linkOf(yield* newSignIn("acme"))
      const asSession = yield* send("/api/console/session", {
        headers: { cookie: `tocsin_session=${token}` },
      })
      expect(asSession.status).toBe(401)
      const opened = yield* use(token)
      const [, session] = cookieOf(opened).split("=")
      const attempts = [yield* use(session)]
      for (let attempt = 0; attempt < failedCredentialsPolicy.limit; attempt++)
        attempts.push(yield* use("x.y.z"))
      expect(attempts.slice(0, failedCredentialsPolicy.limit).map(({ status }) => status)).toEqual(
        Array.from({ length: failedCredentialsPolicy.limit }, () => 401),
      )
      expect(attempts.at(-1)?.status).toBe(429)
      expect((yield* post("/api/console/session/link", {}, { token })).status).toBe(403)
      expect(codeOf(yield* use(5))).toEqual([400, "wrong_type"])
    }).pipe(Effect.provide(server)),
  )
})
