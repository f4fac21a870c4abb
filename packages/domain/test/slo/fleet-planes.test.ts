import { MemoryStores } from "@tocsin/adapters-memory"
import { fleetTable } from "@tocsin/domain"
import { type DefinitionStore, SloStore } from "@tocsin/domain/ports"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** A store with as many SLOs of each organization as `slos` has, whose lists wait for a gate each. */
const gatedStore = (slos: Readonly<Record<string, number>>) =>
  Effect.gen(function* () {
    const store = yield* SloStore
    const asked: Array<string> = []
    const reading: Array<string> = []
    const gates = new Map<string, Deferred.Deferred<void>>()
    for (const organization of Object.keys(slos)) gates.set(organization, yield* Deferred.make<void>())
    const gated = SloStore.of({
      ...store,
      projectVersions: (organization) =>
        Effect.sync(() => {
          asked.push(organization)
          return [{ project: "shop", slos: slos[organization] ?? 0, definition: 1, status: 1, names: "" }]
        }),
      changedSlos: (organization) =>
        Effect.gen(function* () {
          reading.push(organization)
          yield* Deferred.await(gates.get(organization) ?? expect.fail())
          return { items: [], hasMore: false }
        }),
    })
    /** Begins a request, which then waits for its turn or for the gate. */
    const read = (organization: string) =>
      Effect.gen(function* () {
        const request = yield* Effect.forkChild(
          Effect.provideService(fleetTable(organization), SloStore, gated),
        )
        while (!asked.includes(organization)) yield* pass
        yield* pass
        return request
      })
    const open = (organization: string) =>
      Deferred.succeed(gates.get(organization) ?? expect.fail(), undefined)
    return { reading, read, open }
  })

const test = (what: string, effect: Effect.Effect<void, unknown, DefinitionStore | SloStore>): void => {
  it.effect(what, () => Effect.provide(effect, MemoryStores.layer))
}

const pass = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

describe("reading the figures of all objectives for the first time", () => {
  test(
    "is done of two organizations with many SLOs at once, in the order of their requests, beside those with few",
    Effect.gen(function* () {
      const names = ["a", "b", "c", "d"]
      const { reading, read, open } = yield* gatedStore({ a: 5_000, b: 5_000, c: 5_000, d: 5_000, few: 10 })
      const requests = yield* Effect.forEach([...names, "a", "few"], read)
      const settled = (expected: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          // Each waits for its turn of the processor, too.
          while (reading.length < expected.length) yield* pass
          yield* pass
          expect(reading).toEqual(expected)
        })
      yield* settled(["a", "b", "few"])
      yield* open("b")
      yield* settled(["a", "b", "few", "c"])
      yield* open("a")
      yield* settled(["a", "b", "few", "c", "d"])
      yield* Effect.forEach(["c", "d", "few"], open)
      const tables = yield* Effect.forEach(requests, Fiber.join)
      expect(tables.map(({ rows }) => rows)).toEqual(requests.map(() => 0))
    }),
  )
})
