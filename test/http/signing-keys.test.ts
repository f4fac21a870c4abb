import {
  publicKeysPath,
  rotateSigningKey,
  signingKeyOverlapSeconds,
  signingKeyRetiredListedSeconds,
} from "@tocsin/domain/internal/signature/SigningKeys"
import { describe, expect, it } from "@tocsin/testing/internal/contract/EffectTest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, type ReceivedResponse, errorsOf, headersOf, send } from "./api-client.ts"

interface Key {
  readonly keyId: string
  readonly state: string
  readonly activeFrom: string
}

const rotate = (headers: Readonly<Record<string, string>>) =>
  send("/api/signingkeys/rotate", { method: "POST", headers })

const keyOf = (response: ReceivedResponse) => JSON.parse(response.text) as Key

const keysOf = (headers: Readonly<Record<string, string>>) =>
  Effect.map(
    send("/api/signingkeys", { headers }),
    ({ text }) => (JSON.parse(text) as { readonly keys: ReadonlyArray<Key> }).keys,
  )

const overlapMs = signingKeyOverlapSeconds * 1_000
const listedMs = signingKeyRetiredListedSeconds * 1_000

describe("rotating the signing key", () => {
  it.effect(
    "spec/signatures §8: an editor publishes a key that signs 10 minutes later, and gets it again until then",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
        const headers = yield* headersOf("acme")
        const [first] = yield* keysOf(headers)
        expect(first).toMatchObject({ state: "active", activeFrom: "2026-01-30T12:00:00.000Z" })
        const rotated = yield* rotate(headers)
        expect(rotated.status).toBe(200)
        expect(keyOf(rotated)).toMatchObject({ state: "next", activeFrom: "2026-01-30T12:10:00.000Z" })
        expect((yield* rotate(yield* headersOf("other"))).text).toBe(rotated.text)
        const keys = yield* keysOf(yield* headersOf("acme", "viewer"))
        expect(keys).toEqual([first, keyOf(rotated)])
        const published = (yield* send(publicKeysPath)).text
        expect(JSON.parse(published)).toEqual({
          keys: keys.map(({ activeFrom: _activeFrom, ...key }) => key),
        })
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §8: not again while the key that was replaced is listed, except for the operator",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("acme")
        yield* keysOf(headers)
        const { keyId } = keyOf(yield* rotate(headers))
        yield* TestClock.adjust(overlapMs)
        const fresh = yield* headersOf("other")
        const rejected = yield* rotate(fresh)
        expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([409, "rotation_too_soon"])
        expect(errorsOf(rejected)[0]?.detail).toContain(new Date(overlapMs + listedMs).toISOString())
        yield* TestClock.adjust(listedMs - 1)
        expect((yield* rotate(yield* headersOf("acme"))).status).toBe(409)
        yield* TestClock.adjust(1)
        expect(keyOf(yield* rotate(yield* headersOf("acme"))).keyId).not.toBe(keyId)
        yield* TestClock.adjust(overlapMs)
        expect((yield* rotateSigningKey).state).toBe("next")
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/signatures §8: a viewer may look, and not rotate; a stranger neither", () =>
    Effect.gen(function* () {
      const viewer = yield* headersOf("acme", "viewer")
      const rejected = yield* rotate(viewer)
      expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([403, "insufficient_permissions"])
      expect(yield* keysOf(viewer)).toHaveLength(1)
      expect((yield* rotate({})).status).toBe(401)
      expect((yield* send("/api/signingkeys")).status).toBe(401)
    }).pipe(Effect.provide(apiServer)),
  )
})
