import { makeKept } from "../../src/work/Kept.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "@tocsin/testing/vitest"

/** Values that grow to what `sizes` has of their key, once they have made room for it and their gate is open. */
const gated = (max: number, sizes: Record<string, number>) => {
  const begun = Deferred.makeUnsafe<void>()
  const gates = new Map<string, Deferred.Deferred<void>>()
  const kept = makeKept({
    max,
    sizeOf: ({ size }) => size,
    make: () => ({ size: 0 }),
    refresh: (key: string, value: { size: number }, makeRoom) =>
      Effect.gen(function* () {
        const size = sizes[key] ?? 0
        makeRoom(size - value.size)
        const gate = gates.get(key)
        if (gate !== undefined) {
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(gate)
        }
        value.size = size
        return value
      }),
  })
  return { kept, gates, begun }
}

describe("values that are kept", () => {
  it.effect("drop those that were used longest ago before a refresh takes their place", () =>
    Effect.gen(function* () {
      const { kept, gates, begun } = gated(10, { a: 4, b: 4, c: 5, d: 100 })
      yield* kept.get("a")
      yield* kept.get("b")
      yield* kept.get("a")
      gates.set("c", yield* Deferred.make<void>())
      const getting = yield* Effect.forkChild(kept.get("c"))
      yield* Deferred.await(begun)
      expect(["a", "b"].map((key) => kept.peek(key)?.size)).toEqual([4, undefined])
      yield* Deferred.succeed(gates.get("c") ?? expect.fail(), undefined)
      expect((yield* Fiber.join(getting)).size).toBe(5)
      expect(["a", "b", "c"].map((key) => kept.peek(key)?.size)).toEqual([4, undefined, 5])
      // One that never fits is not kept, and nor is any other.
      expect((yield* kept.get("d")).size).toBe(100)
      expect(["a", "c", "d"].map((key) => kept.peek(key)?.size)).toEqual([undefined, undefined, undefined])
    }),
  )
})
