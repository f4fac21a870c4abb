import { createOrganizationKey, endOrganizationKey } from "@tocsin/domain"
import { SigningKeyCache } from "@tocsin/domain/adapter"
import {
  publicKeyPath,
  publicKeysPath,
  signingKeyOverlapSeconds,
  signingKeyRetiredListedSeconds,
} from "@tocsin/domain/limits"
import { SigningKeyStore } from "@tocsin/domain/ports"
import { describe, describeWith, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { createPublicKey } from "node:crypto"
import { apiServer, errorsOf, send } from "../../../../test/http/api-client.ts"
import { apiPortsWith } from "../../../../test/http/api-ports.ts"
import { NodeApiServer } from "@tocsin/adapters-http"
import { MemoryStores, SigningKeyStoreMemory, WebhookTransportRecording } from "@tocsin/adapters-memory"

describeWith(apiServer)("the public key over HTTP", (it) => {
  it.effect("spec/signatures §5: it is a JSON object with keyId, algorithm and publicKeyPem", () =>
    Effect.gen(function* () {
      const response = yield* send(publicKeyPath)
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toBe("application/json")
      const key = JSON.parse(response.text)
      expect(Object.keys(key)).toEqual(["keyId", "algorithm", "publicKeyPem"])
      expect(key.algorithm).toBe("ed25519")
      expect(createPublicKey(key.publicKeyPem).asymmetricKeyType).toBe("ed25519")
    }),
  )

  it.effect("spec/signatures §7: it needs no authentication, and may be cached for 300 s", () =>
    Effect.gen(function* () {
      const response = yield* send(publicKeyPath)
      expect(response.headers.get("cache-control")).toBe("public, max-age=300")
      expect(response.headers.get("etag")).toMatch(/^"[\w-]{22}"$/)
    }),
  )

  it.effect("spec/signatures §5: a client that has it gets 304 without a body", () =>
    Effect.gen(function* () {
      const etag = (yield* send(publicKeyPath)).headers.get("etag") ?? ""
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const response = yield* send(publicKeyPath, { headers: { "if-none-match": known } })
        expect([response.status, response.text, response.headers.get("etag")]).toEqual([304, "", etag])
      }
      const other = yield* send(publicKeyPath, { headers: { "if-none-match": '"other"' } })
      expect(other.status).toBe(200)
    }),
  )

  it.effect("spec/signatures §5: the list has the active key, with its state", () =>
    Effect.gen(function* () {
      const active = JSON.parse((yield* send(publicKeyPath)).text)
      const response = yield* send(publicKeysPath)
      expect(JSON.parse(response.text)).toEqual({ keys: [{ ...active, state: "active" }] })
      expect(response.headers.get("cache-control")).toBe("public, max-age=300")
    }),
  )

  it.effect.each(["", "a b", "é", "x".repeat(254)])(
    "spec/signatures §13: the organization %j is rejected: the server's keys are not returned instead",
    (organization) =>
      Effect.gen(function* () {
        const { keyId } = JSON.parse((yield* send(publicKeyPath)).text)
        for (const path of [publicKeyPath, publicKeysPath, `${publicKeysPath}/${keyId}`]) {
          const response = yield* send(`${path}?organization=${encodeURIComponent(organization)}`)
          expect([response.status, errorsOf(response)[0]?.code]).toEqual([400, "organization_malformed"])
        }
      }),
  )
})

describe("the public keys of an organization", () => {
  const ofAcme = "?organization=acme"
  const get = (path: string) =>
    Effect.map(send(path), (response) => ({
      status: response.status,
      json: JSON.parse(response.text),
      code: response.status === 200 ? undefined : errorsOf(response)[0]?.code,
      headers: response.headers,
    }))
  const states = (json: { keys: ReadonlyArray<{ keyId: string; state: string }> }) =>
    Object.fromEntries(json.keys.map(({ keyId, state }) => [keyId, state]))

  it.effect(
    "spec/signatures §13: are its own only, from their creation until a day after the server's key signs again",
    () =>
      Effect.gen(function* () {
        const server = yield* get(publicKeyPath)
        const { keyId } = yield* createOrganizationKey("acme")
        const current = yield* get(publicKeyPath + ofAcme)
        expect(current.json).toMatchObject({ keyId, algorithm: "ed25519" })
        expect(Object.keys(current.json)).toEqual(["organization", "keyId", "algorithm", "publicKeyPem"])
        expect(current.headers.get("cache-control")).toBe("public, max-age=300")
        expect(states((yield* get(publicKeysPath + ofAcme)).json)).toEqual({ [keyId]: "next" })
        yield* TestClock.adjust(signingKeyOverlapSeconds * 1_000)
        expect(states((yield* get(publicKeysPath + ofAcme)).json)).toEqual({ [keyId]: "active" })

        // The server's stay what they were.
        expect((yield* get(publicKeyPath)).json).toEqual(server.json)
        expect(states((yield* get(publicKeysPath)).json)).toEqual({ [server.json.keyId]: "active" })
        for (const [id, query, status] of [
          [keyId, ofAcme, 200],
          [keyId, "", 404],
          [keyId, "?organization=globex", 404],
          [server.json.keyId, "", 200],
          [server.json.keyId, ofAcme, 404],
        ] as const) {
          expect((yield* get(`${publicKeysPath}/${id}${query}`)).status).toBe(status)
        }

        yield* endOrganizationKey("acme")
        expect((yield* get(publicKeyPath + ofAcme)).json.keyId).toBe(keyId)
        yield* TestClock.adjust(signingKeyOverlapSeconds * 1_000)
        const ended = yield* get(publicKeyPath + ofAcme)
        expect([ended.status, ended.code]).toEqual([404, "organization_key_not_found"])
        expect(states((yield* get(publicKeysPath + ofAcme)).json)).toEqual({ [keyId]: "retired" })
        yield* TestClock.adjust(signingKeyRetiredListedSeconds * 1_000)
        expect((yield* get(publicKeysPath + ofAcme)).status).toBe(404)
        expect((yield* get(`${publicKeysPath}/${keyId}${ofAcme}`)).status).toBe(200)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §13: an organization without a key is not told from one that does not exist",
    () =>
      Effect.gen(function* () {
        yield* createOrganizationKey("acme")
        for (const path of [publicKeyPath, publicKeysPath]) {
          const [some, other] = [
            yield* send(`${path}?organization=some`),
            yield* send(`${path}?organization=none`),
          ]
          expect([some.status, errorsOf(some)[0]?.code]).toEqual([404, "organization_key_not_found"])
          expect(some.text.replaceAll("some", "none")).toBe(other.text)
        }
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §13: unauthenticated requests read the store once in 30 s for each organization with keys, whatever they ask",
    () => {
      const reads: Array<string> = []
      const counting = Layer.effect(
        SigningKeyStore,
        Effect.map(SigningKeyStoreMemory.make, (store) =>
          SigningKeyStore.of({
            ...store,
            list: (owner) =>
              Effect.andThen(
                Effect.sync(() => reads.push(`list ${owner}`)),
                store.list(owner),
              ),
            listPublicKeys: (owner) =>
              Effect.andThen(
                Effect.sync(() => reads.push(`public ${owner}`)),
                store.listPublicKeys(owner),
              ),
            listOrganizations: Effect.andThen(
              Effect.sync(() => reads.push("organizations")),
              store.listOrganizations,
            ),
          }),
        ),
      )
      const server = NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
        Layer.provideMerge(
          apiPortsWith(WebhookTransportRecording.make().layer, Layer.merge(MemoryStores.layer, counting)),
        ),
      )
      return Effect.gen(function* () {
        const { keyId } = yield* createOrganizationKey("acme")
        yield* send(publicKeyPath)
        yield* TestClock.adjust(SigningKeyCache.signingKeyCacheMs)
        for (const round of [1, 2]) {
          reads.length = 0
          yield* Effect.forEach(
            Array.from({ length: 60 }, (_, index) => [
              `${publicKeyPath}?organization=o-${round}-${index}`,
              `${publicKeysPath}?organization=o-${round}-${index}`,
              `${publicKeysPath}/k-${round}-${index}`,
              `${publicKeysPath}/k-${round}-${index}${ofAcme}`,
              `${publicKeysPath}/${keyId}${ofAcme}`,
              publicKeysPath + ofAcme,
              publicKeyPath,
            ]).flat(),
            (path) => send(path),
            { concurrency: 20 },
          )
          expect(reads.toSorted()).toEqual(["list ", "list acme", "organizations", "public ", "public acme"])
          yield* TestClock.adjust(SigningKeyCache.signingKeyCacheMs)
        }
      }).pipe(Effect.provide(server))
    },
  )
})
