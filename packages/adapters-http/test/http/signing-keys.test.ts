import {
  publicKeyPath,
  publicKeysPath,
  retiredKeysMax,
  signingKeyOverlapSeconds,
  signingKeyRetiredListedSeconds,
} from "@tocsin/domain/limits"
import { revokeKeyPerWindow } from "@tocsin/domain/rate-limit"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  apiServer,
  type ReceivedResponse,
  errorsOf,
  headersOf,
  send,
} from "../../../../test/http/api-client.ts"

interface Key {
  readonly keyId: string
  readonly state: string
  readonly activeFrom: string
  readonly activeUntil?: string
}

interface Keys {
  readonly signedBy: string
  readonly keys: ReadonlyArray<Key>
  readonly serverKeys: ReadonlyArray<Key>
}

type HeaderFields = Readonly<Record<string, string>>

const path = "/api/signingkeys"
const create = (headers: HeaderFields) => send(path, { method: "POST", headers })
const rotate = (headers: HeaderFields) => send(`${path}/rotate`, { method: "POST", headers })
const revoke = (headers: HeaderFields, keyId: string) =>
  send(`${path}/${keyId}/revoke`, { method: "POST", headers })
const remove = (headers: HeaderFields) => send(path, { method: "DELETE", headers })

const keyOf = (response: ReceivedResponse) => JSON.parse(response.text) as Key
const rejectionOf = (response: ReceivedResponse) => [response.status, errorsOf(response)[0]?.code]
const keysOf = (headers: HeaderFields) =>
  Effect.map(send(path, { headers }), ({ text }) => JSON.parse(text) as Keys)

const overlapMs = signingKeyOverlapSeconds * 1_000
const listedMs = signingKeyRetiredListedSeconds * 1_000

/** An active key, and the next one that was just created by a rotation. */
const twoKeys = Effect.gen(function* () {
  const first = keyOf(yield* create(yield* headersOf("acme")))
  yield* TestClock.adjust(overlapMs)
  return [first, keyOf(yield* rotate(yield* headersOf("acme")))] as const
})

describe("the signing key of an organization", () => {
  it.effect(
    "spec/signatures §13: an editor creates it, and gets it again; it signs 10 minutes later, for this organization only",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
        const headers = yield* headersOf("acme")
        const { signedBy, keys, serverKeys } = yield* keysOf(headers)
        expect([signedBy, keys]).toEqual(["server", []])
        expect(serverKeys).toMatchObject([{ state: "active", activeFrom: "2026-01-30T12:00:00.000Z" }])
        const created = yield* create(headers)
        expect(created.status).toBe(200)
        expect(keyOf(created)).toMatchObject({ state: "next", activeFrom: "2026-01-30T12:10:00.000Z" })
        expect((yield* create(headers)).text).toBe(created.text)
        expect(yield* keysOf(headers)).toEqual({ signedBy: "server", keys: [keyOf(created)], serverKeys })
        yield* TestClock.adjust(overlapMs)
        const active = { ...keyOf(created), state: "active" }
        const viewer = yield* headersOf("acme", "viewer")
        expect(yield* keysOf(viewer)).toEqual({ signedBy: "organization", keys: [active], serverKeys })
        expect(yield* keysOf(yield* headersOf("other"))).toEqual({ signedBy: "server", keys: [], serverKeys })
        expect(keyOf(yield* create(yield* headersOf("acme")))).toEqual(active)
        expect(JSON.parse((yield* send(publicKeysPath)).text).keys).toHaveLength(1)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §8: an editor rotates the organization's key, never the server's; without one, the call is 404",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("acme")
        const server = (yield* send(publicKeyPath)).text
        expect(rejectionOf(yield* rotate(headers))).toEqual([404, "organization_key_not_found"])
        const { keyId } = keyOf(yield* create(headers))
        // The one that is published already is the next key.
        expect(keyOf(yield* rotate(headers)).keyId).toBe(keyId)
        yield* TestClock.adjust(overlapMs)
        const fresh = yield* headersOf("acme")
        const rotated = keyOf(yield* rotate(fresh))
        expect(rotated).toMatchObject({ state: "next", activeFrom: new Date(2 * overlapMs).toISOString() })
        expect(rotated.keyId).not.toBe(keyId)
        expect((yield* keysOf(fresh)).keys.map(({ state }) => state)).toEqual(["active", "next"])
        yield* TestClock.adjust(overlapMs)
        expect((yield* keysOf(fresh)).keys.map(({ state }) => state)).toEqual(["retired", "active"])
        expect((yield* send(publicKeyPath)).text).toBe(server)
        expect((yield* keysOf(fresh)).serverKeys).toHaveLength(1)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/signatures §8: at most 8 retired keys are listed: then rotation waits for the oldest", () =>
    Effect.gen(function* () {
      yield* create(yield* headersOf("acme"))
      yield* TestClock.adjust(overlapMs)
      for (let n = 0; n < retiredKeysMax; n++) {
        expect((yield* rotate(yield* headersOf("acme"))).status).toBe(200)
        yield* TestClock.adjust(overlapMs)
      }
      const rejected = yield* rotate(yield* headersOf("acme"))
      expect(rejectionOf(rejected)).toEqual([409, "rotation_too_soon"])
      // The first key retired when the second became active.
      const until = 2 * overlapMs + listedMs
      expect(errorsOf(rejected)[0]?.detail).toContain(new Date(until).toISOString())
      yield* TestClock.setTime(until - 1)
      expect((yield* rotate(yield* headersOf("acme"))).status).toBe(409)
      yield* TestClock.adjust(1)
      const headers = yield* headersOf("acme")
      expect((yield* rotate(headers)).status).toBe(200)
      expect((yield* keysOf(headers)).keys).toHaveLength(retiredKeysMax + 1)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §14: an editor deletes it: it signs for 10 minutes more, is listed for a day, and can be kept until then",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("acme")
        expect(rejectionOf(yield* remove(headers))).toEqual([404, "organization_key_not_found"])
        const { keyId } = keyOf(yield* create(headers))
        yield* TestClock.adjust(overlapMs)
        const fresh = yield* headersOf("acme")
        const removed = yield* remove(fresh)
        const activeUntil = new Date(2 * overlapMs).toISOString()
        expect(keyOf(removed)).toMatchObject({ keyId, state: "active", activeUntil })
        yield* TestClock.adjust(1)
        expect((yield* remove(fresh)).text).toBe(removed.text)
        const rejected = yield* rotate(fresh)
        expect(rejectionOf(rejected)).toEqual([409, "organization_key_ends"])
        expect(errorsOf(rejected)[0]?.detail).toContain(activeUntil)

        // Kept, and deleted again.
        expect(keyOf(yield* create(fresh))).not.toHaveProperty("activeUntil")
        yield* TestClock.adjust(overlapMs)
        expect(yield* keysOf(fresh)).toMatchObject({ signedBy: "organization", keys: [{ keyId }] })
        yield* remove(fresh)
        yield* TestClock.adjust(overlapMs - 1)
        expect((yield* keysOf(fresh)).signedBy).toBe("organization")
        yield* TestClock.adjust(1)
        expect(yield* keysOf(fresh)).toMatchObject({
          signedBy: "server",
          keys: [{ keyId, state: "retired" }],
        })
        expect(rejectionOf(yield* remove(fresh))).toEqual([404, "organization_key_not_found"])
        const again = keyOf(yield* create(fresh))
        expect([again.state, again.keyId === keyId]).toEqual(["next", false])
        yield* TestClock.adjust(overlapMs)
        expect((yield* keysOf(fresh)).signedBy).toBe("organization")
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §18: an admin revokes the key that signs: it is listed nowhere, and a new one signs at once",
    () =>
      Effect.gen(function* () {
        const { keyId } = keyOf(yield* create(yield* headersOf("acme")))
        yield* TestClock.adjust(overlapMs)
        const pending = keyOf(yield* rotate(yield* headersOf("acme")))
        const admin = yield* headersOf("acme", "admin")
        const revoked = yield* revoke(admin, keyId)
        expect(revoked.status).toBe(200)
        const { signedBy, keys } = JSON.parse(revoked.text) as Keys
        expect([signedBy, keys]).toMatchObject([
          "organization",
          [{ state: "active", activeFrom: new Date(overlapMs).toISOString() }],
        ])
        expect([keyId, pending.keyId]).not.toContain(keys[0]?.keyId)
        const jwks = yield* send("/.well-known/jwks.json?organization=acme")
        expect(JSON.parse(jwks.text).keys).toMatchObject([{ kid: keys[0]?.keyId }])
        expect(rejectionOf(yield* revoke(admin, keyId))).toEqual([404, "public_key_not_found"])
        // What it signed before can still be checked.
        expect((yield* send(`${publicKeysPath}/${keyId}?organization=acme`)).status).toBe(200)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/signatures §18: a new key can be revoked, too, 20 in 24 hours", () =>
    Effect.gen(function* () {
      let { keyId } = keyOf(yield* create(yield* headersOf("acme")))
      const admin = yield* headersOf("acme", "admin")
      // A key that is not listed does not count.
      expect((yield* revoke(admin, "other")).status).toBe(404)
      for (let n = 0; n < revokeKeyPerWindow; n++) {
        const revoked = yield* revoke(admin, keyId)
        expect(revoked.status).toBe(200)
        const { keys } = JSON.parse(revoked.text) as Keys
        expect(keys).toMatchObject([{ state: "next", activeFrom: new Date(overlapMs).toISOString() }])
        expect(keys[0]?.keyId).not.toBe(keyId)
        keyId = keys[0]?.keyId ?? ""
      }
      expect((yield* revoke(admin, keyId)).status).toBe(429)
      yield* TestClock.adjust(24 * 3_600_000)
      expect((yield* revoke(yield* headersOf("acme", "admin"), keyId)).status).toBe(200)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §18: the key before a revoked one is listed for a day after it stopped signing, and no longer",
    () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoKeys
        yield* TestClock.adjust(overlapMs + listedMs / 2)
        const revoked = yield* revoke(yield* headersOf("acme", "admin"), second.keyId)
        expect((JSON.parse(revoked.text) as Keys).keys).toMatchObject([
          { keyId: first.keyId, state: "retired" },
          { state: "active", activeFrom: new Date(2 * overlapMs + listedMs / 2).toISOString() },
        ])
        const states = Effect.map(Effect.flatMap(headersOf("acme"), keysOf), ({ keys }) =>
          keys.map(({ state }) => state),
        )
        yield* TestClock.adjust(listedMs / 2 - 1)
        expect(yield* states).toEqual(["retired", "active"])
        yield* TestClock.adjust(1)
        expect(yield* states).toEqual(["active"])
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §18: a retired key is listed for a day after it stopped signing when the retired key after it is revoked",
    () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoKeys
        yield* TestClock.adjust(listedMs / 2)
        const third = keyOf(yield* rotate(yield* headersOf("acme")))
        yield* TestClock.adjust(overlapMs)
        yield* revoke(yield* headersOf("acme", "admin"), second.keyId)
        const listed = Effect.map(Effect.flatMap(headersOf("acme"), keysOf), ({ keys }) =>
          keys.map(({ keyId, state }) => [keyId, state]),
        )
        expect((yield* listed).slice(0, 2)).toEqual([
          [first.keyId, "retired"],
          [third.keyId, "active"],
        ])
        // The first key retired 10 minutes after the second was created.
        yield* TestClock.setTime(2 * overlapMs + listedMs - 1)
        expect(yield* listed).toContainEqual([first.keyId, "retired"])
        yield* TestClock.adjust(1)
        expect((yield* listed).map(([keyId]) => keyId)).not.toContain(first.keyId)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §18: a retired key does not sign again when the key after it is revoked, while the next key of the organization is published",
    () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoKeys
        yield* TestClock.adjust(overlapMs)
        yield* remove(yield* headersOf("acme"))
        yield* TestClock.adjust(overlapMs)
        yield* create(yield* headersOf("acme"))
        const { signedBy, keys } = JSON.parse(
          (yield* revoke(yield* headersOf("acme", "admin"), second.keyId)).text,
        ) as Keys
        expect(signedBy).toBe("server")
        expect(keys).toMatchObject([{ keyId: first.keyId, state: "retired" }, { state: "next" }])
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §18: without a key of its own after a deletion, the server's key signs at once",
    () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoKeys
        yield* TestClock.adjust(overlapMs)
        yield* remove(yield* headersOf("acme"))
        const admin = yield* headersOf("acme", "admin")
        const left = JSON.parse((yield* revoke(admin, second.keyId)).text) as Keys
        expect(left).toMatchObject({ signedBy: "server", keys: [{ keyId: first.keyId, state: "retired" }] })
        expect(JSON.parse((yield* revoke(admin, first.keyId)).text)).toMatchObject({
          signedBy: "server",
          keys: [],
        })
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/signatures §8: a viewer may look, and change nothing; a stranger neither", () =>
    Effect.gen(function* () {
      const viewer = yield* headersOf("acme", "viewer")
      for (const change of [create, rotate, remove]) {
        expect(rejectionOf(yield* change(viewer))).toEqual([403, "insufficient_permissions"])
        expect((yield* change({})).status).toBe(401)
      }
      const { keyId } = keyOf(yield* create(yield* headersOf("acme")))
      for (const headers of [viewer, yield* headersOf("acme", "editor")])
        expect(rejectionOf(yield* revoke(headers, keyId))).toEqual([403, "insufficient_permissions"])
      expect((yield* revoke({}, keyId)).status).toBe(401)
      expect((yield* keysOf(viewer)).keys).toHaveLength(1)
      expect((yield* send(path)).status).toBe(401)
    }).pipe(Effect.provide(apiServer)),
  )
})
