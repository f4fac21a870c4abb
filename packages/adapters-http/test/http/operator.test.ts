import { issueOperatorToken } from "@tocsin/adapters-http/server"
import { publicKeyPath, publicKeysPath } from "@tocsin/domain/limits"
import { EndpointStore } from "@tocsin/domain/ports"
import { describeWith, expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Redacted from "effect/Redacted"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"
import { masterKey } from "../../../../test/http/api-ports.ts"

const operatorHeaders = (organization: string) =>
  Effect.map(issueOperatorToken(masterKey), (token) => ({ authorization: `Bearer ${token}`, organization }))

const json = (headers: Readonly<Record<string, string>>, body: unknown): RequestInit => ({
  method: "POST",
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify(body),
})

const credentials = "/api/operator/credentials"

describeWith(apiServer)("the operator's calls", (it) => {
  it.effect(
    "spec/access §4: a credential is created with a secret of 256 bits, shown once, that gets a token",
    () =>
      Effect.gen(function* () {
        const headers = yield* operatorHeaders("created")
        const response = yield* send(credentials, json(headers, { role: "viewer" }))
        expect(response.status).toBe(201)
        const created = JSON.parse(response.text)
        expect(created).toMatchObject({ organization: "created", role: "viewer", isDisabled: false })
        expect(Buffer.from(created.clientSecret, "base64url")).toHaveLength(32)
        const authorization = `Basic ${btoa(`${created.clientId}:${created.clientSecret}`)}`
        const token = yield* send("/api/accessToken", {
          method: "POST",
          headers: { authorization, organization: "created" },
        })
        expect(token.status).toBe(200)
        const listed = yield* send(credentials, { headers })
        expect(JSON.parse(listed.text).data).toHaveLength(1)
        expect(listed.text).not.toContain(created.clientSecret)
        expect(listed.text).not.toContain("secretHash")
      }),
  )

  it.effect(
    "spec/access §4: client id and secret may be given; a client id is taken once per organization",
    () =>
      Effect.gen(function* () {
        const wanted = {
          role: "editor",
          clientId: "ci",
          clientSecret: "0123456789abcdef0123456789abcdef0123456789A",
        }
        const headers = yield* operatorHeaders("given")
        expect((yield* send(credentials, json(headers, wanted))).status).toBe(201)
        const again = yield* send(credentials, json(headers, wanted))
        expect([again.status, errorsOf(again)[0]?.code]).toEqual([409, "client_id_taken"])
        const elsewhere = yield* send(credentials, json(yield* operatorHeaders("other"), wanted))
        expect(elsewhere.status).toBe(201)
      }),
  )

  it.effect.each([
    [{}, ["role required"]],
    [[], [" wrong_type"]],
    [{ role: "owner" }, ["role not_allowed_value"]],
    [{ role: "viewer", clientId: 1 }, ["clientId wrong_type"]],
    [{ role: "viewer", clientId: "" }, ["clientId invalid_format"]],
    [{ role: "viewer", clientId: "a:b" }, ["clientId invalid_format"]],
    [{ role: "viewer", clientId: "x".repeat(129) }, ["clientId too_long"]],
    [{ role: "viewer", clientSecret: "" }, ["clientSecret invalid_format"]],
    [{ role: "viewer", password: "x" }, ["password unknown_property"]],
    [
      { role: "owner", clientId: "a b", clientSecret: "a password of many letters, and more" },
      ["clientId invalid_format", "clientSecret invalid_format", "role not_allowed_value"],
    ],
  ])("spec/access §4: %j is rejected with %j", ([body, issues]) =>
    Effect.gen(function* () {
      const response = yield* send(credentials, json(yield* operatorHeaders("refused"), body))
      const errors = errorsOf(response).map(({ code, source }) => `${source?.propertyName ?? ""} ${code}`)
      expect([response.status, errors]).toEqual([400, issues])
      expect(response.text).not.toContain("a password")
    }),
  )

  it.effect("spec/access §4: a disabled credential gets no token, and its tokens stop working", () =>
    Effect.gen(function* () {
      const client = yield* headersOf("disabled")
      const operator = yield* operatorHeaders("disabled")
      const { clientId } = JSON.parse((yield* send(credentials, { headers: operator })).text).data[0]
      expect((yield* send("/api/v2/slos", { headers: client })).status).toBe(200)
      const path = `${credentials}/${clientId}`
      const disabled = yield* send(`${path}/disable`, { method: "POST", headers: operator })
      expect([disabled.status, disabled.text]).toEqual([204, ""])
      const refused = yield* send("/api/v2/slos", { headers: client })
      expect([refused.status, errorsOf(refused)[0]?.code]).toEqual([401, "access_token_invalid"])
      const listed = JSON.parse((yield* send(credentials, { headers: operator })).text)
      expect(listed.data).toMatchObject([{ clientId, isDisabled: true }])
    }),
  )

  it.effect(
    "spec/access §4: a deleted credential is gone, with its tokens; one that is not there is 404",
    () =>
      Effect.gen(function* () {
        const client = yield* headersOf("deleted")
        const operator = yield* operatorHeaders("deleted")
        const { clientId } = JSON.parse((yield* send(credentials, { headers: operator })).text).data[0]
        const remove = send(`${credentials}/${clientId}`, { method: "DELETE", headers: operator })
        expect((yield* remove).status).toBe(204)
        expect((yield* send("/api/v2/slos", { headers: client })).status).toBe(401)
        const again = yield* remove
        expect([again.status, errorsOf(again)[0]?.code]).toEqual([404, "credential_not_found"])
        const path = `${credentials}/${clientId}/disable`
        expect((yield* send(path, { method: "POST", headers: operator })).status).toBe(404)
      }),
  )

  it.effect("spec/signatures §7: a rotation publishes the next key, while the present one still signs", () =>
    Effect.gen(function* () {
      const headers = yield* operatorHeaders("any")
      const before = JSON.parse((yield* send(publicKeyPath)).text)
      const rotated = yield* send("/api/operator/keys/rotate", { method: "POST", headers })
      expect(rotated.status).toBe(200)
      const next = JSON.parse(rotated.text)
      expect(next.state).toBe("next")
      expect(JSON.parse((yield* send(publicKeyPath)).text)).toEqual(before)
      const { keys } = JSON.parse((yield* send(publicKeysPath)).text)
      expect(keys.map(({ keyId }: { keyId: string }) => keyId)).toEqual([before.keyId, next.keyId])
    }),
  )

  it.effect("spec/signatures §18: the operator revokes the server's key; a new one signs at once", () =>
    Effect.gen(function* () {
      const headers = yield* operatorHeaders("any")
      const before = JSON.parse((yield* send(publicKeyPath)).text)
      const revoke = send(`/api/operator/keys/${before.keyId}/revoke`, { method: "POST", headers })
      const { status, text } = yield* revoke
      expect(status).toBe(200)
      const { keyId } = JSON.parse((yield* send(publicKeyPath)).text)
      expect(keyId).not.toBe(before.keyId)
      expect(JSON.parse(text).keys).toContainEqual(expect.objectContaining({ keyId, state: "active" }))
      const { keys } = JSON.parse((yield* send(publicKeysPath)).text)
      expect(keys.map(({ keyId }: { keyId: string }) => keyId)).not.toContain(before.keyId)
      const again = yield* revoke
      expect([again.status, errorsOf(again)[0]?.code]).toEqual([404, "public_key_not_found"])
    }),
  )

  it.effect("spec/delivery §13: all deliveries are paused and resumed, with nobody's own pause touched", () =>
    Effect.gen(function* () {
      const headers = yield* operatorHeaders("any")
      const endpoints = yield* EndpointStore
      const own = { project: "shop", name: "own" }
      yield* endpoints.setPaused("acme", own, true)
      const path = "/api/operator/deliveries"
      const ask = (method: "GET" | "POST", verb: string) =>
        Effect.map(send(`${path}/${verb}`, { method, headers }), ({ status, text }) => [
          status,
          JSON.parse(text),
        ])
      const paused = { isPaused: true, inFlight: 0 }
      expect(yield* ask("GET", "pause")).toEqual([200, { isPaused: false, inFlight: 0 }])
      expect(yield* ask("POST", "pause")).toEqual([200, paused])
      expect(yield* ask("GET", "pause")).toEqual([200, paused])
      expect(yield* ask("POST", "resume")).toEqual([200, { isPaused: false, inFlight: 0 }])
      expect((yield* endpoints.find("acme", own)).pause).toEqual(paused)
    }),
  )

  it.effect("spec/access §6: an operator's token is needed: a client's, a foreign or an old one is 401", () =>
    Effect.gen(function* () {
      const client = yield* headersOf("acme")
      const foreign = yield* issueOperatorToken(Redacted.make(new Uint8Array(32).fill(8)))
      const old = yield* Effect.provide(issueOperatorToken(masterKey), TestClock.layer())
      const organization = "acme"
      for (const headers of [
        { organization },
        client,
        { organization, authorization: `Bearer ${foreign}` },
        { organization, authorization: `Bearer ${old}` },
      ]) {
        for (const [method, path] of [
          ["GET", credentials],
          ["POST", credentials],
          ["POST", `${credentials}/ci/disable`],
          ["DELETE", `${credentials}/ci`],
          ["POST", "/api/operator/keys/rotate"],
          ["POST", "/api/operator/keys/any/revoke"],
          ["POST", "/api/operator/keys/reseal"],
          ["GET", "/api/operator/deliveries/pause"],
          ["POST", "/api/operator/deliveries/pause"],
          ["POST", "/api/operator/deliveries/resume"],
        ] as const) {
          const response = yield* send(path, { method, headers })
          expect([method, path, response.status]).toEqual([method, path, 401])
        }
      }
    }),
  )

  it.effect("spec/access §6: an operator's token is no access token", () =>
    Effect.gen(function* () {
      const response = yield* send("/api/v2/slos", { headers: yield* operatorHeaders("acme") })
      expect(response.status).toBe(401)
    }),
  )
})
