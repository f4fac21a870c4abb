import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import { findSlo, refreshStatuses } from "@tocsin/domain"
import { minuteOf } from "@tocsin/domain/codec"
import { CountStore, SloStore, StoreIsUnavailable } from "@tocsin/domain/ports"
import { statusLeaseMs, makeFailedStatuses } from "../../src/refresh/FailedStatuses.ts"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

const organization = "acme"
const start = Date.UTC(2026, 0, 30, 12, 0, 30)
const bad = { project: "shop", name: "slo-50" }
const keys = Array.from({ length: 250 }, (_, index) => ({ project: "shop", name: `slo-${index}` }))
const others = keys.filter(({ name }) => name !== bad.name)
const failure = { operation: "any", isRetryable: true, cause: "a time-out" }

type Context = Layer.Success<typeof MemoryStores.layer>

interface Line {
  readonly text: string
  readonly retryAfterSeconds: unknown
  readonly slo: unknown
  readonly organization: unknown
}

/** A test of SLOs with a count each, that is given the log it makes. */
const test = (what: string, effect: (lines: ReadonlyArray<Line>) => Effect.Effect<void, unknown, Context>) =>
  it.effect(what, () => {
    const lines: Array<Line> = []
    const logger = Logger.make(({ message, fiber }) => {
      const { slo, organization, retryAfterSeconds } = fiber.getRef(References.CurrentLogAnnotations)
      lines.push({ text: String([message].flat()[0]), slo, organization, retryAfterSeconds })
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(
        organization,
        keys.map((key) => anSlo(key)),
      )
      const counts = [{ objective: "good", at: minuteOf(start), good: 1, total: 2 }]
      yield* (yield* CountStore).record(
        organization,
        keys.map((slo) => ({ slo, counts })),
      )
      yield* effect(lines)
    }).pipe(Effect.provide(Layer.merge(MemoryStores.layer, Logger.layer([logger]))))
  })

const reliabilityOf = (key: { readonly project: string; readonly name: string }) =>
  Effect.map(findSlo(organization, key), ({ record }) => record.statuses.get("good")?.reliability)

const computed = Effect.map(
  Effect.forEach(others, reliabilityOf),
  (found) => found.filter((reliability) => reliability === 0.5).length,
)

/** A store of counts that makes reads of one SLO wait, and then fail; `readAt` says when it was asked. */
const withoutOne = Effect.map(CountStore, (counts) => {
  const readAt: Array<number> = []
  const state = { isBad: true }
  const sums: (typeof counts)["sums"] = (reads) =>
    Effect.suspend(() => {
      if (!state.isBad || !reads.some(({ slo }) => slo.name === bad.name)) return counts.sums(reads)
      return Effect.clockWith((clock) => {
        readAt.push((clock.currentTimeMillisUnsafe() - start) / 1_000)
        return Effect.andThen(
          Effect.sleep("10 seconds"),
          Effect.fail(new StoreIsUnavailable({ store: "CountStore", ...failure })),
        )
      })
    })
  return { state, readAt, store: CountStore.of({ ...counts, sums }) }
})

test("spec/slos §9: one whose counts take too long keeps no other from its turn, and is asked for ever more seldom", (lines) =>
  Effect.gen(function* () {
    const { state, readAt, store } = yield* withoutOne
    yield* Effect.forkChild(Effect.provideService(refreshStatuses, CountStore, store))
    yield* TestClock.adjust("1 second")
    // Those of its batch wait with it at first.
    expect(yield* computed).toBe(150)
    yield* TestClock.adjust("20 seconds")
    expect(yield* computed).toBeGreaterThanOrEqual(240)
    yield* TestClock.adjust("10 seconds")
    expect(yield* computed).toBe(249)
    const ofBad = lines.filter(({ slo }) => slo === "shop/slo-50")
    expect(ofBad).toEqual([
      { organization, slo: "shop/slo-50", text: "Computing a status failed", retryAfterSeconds: 10 },
    ])
    const together = readAt.length
    yield* TestClock.adjust("12 minutes")
    // It takes 10 s each time; then it is left alone for 20 s, 40 s, and so on.
    const alone = readAt.slice(together)
    const waits = alone.map((at, index) => at - (alone[index - 1] ?? at) - 10).slice(1)
    expect(waits.length).toBeGreaterThan(3)
    for (const [index, wait] of waits.entries()) {
      const atLeast = 20 * 2 ** index
      expect(wait, `before try ${index + 2}`).toBeGreaterThanOrEqual(atLeast)
      expect(wait, `before try ${index + 2}`).toBeLessThanOrEqual(atLeast + statusLeaseMs / 1_000 + 1)
    }
    expect(lines.every(({ slo }) => slo === "shop/slo-50")).toBe(true)

    state.isBad = false
    yield* putDefinitions(organization, [anSlo(bad, { description: "fixed" })])
    yield* TestClock.adjust("2 seconds")
    expect(yield* reliabilityOf(bad)).toBe(0.5)
  }))

test("spec/slos §9: while the store is unavailable a batch is not taken apart", (lines) =>
  Effect.gen(function* () {
    const [counts, slos] = [yield* CountStore, yield* SloStore]
    let isAway = true
    let asked = 0
    const sums: (typeof counts)["sums"] = (reads) =>
      Effect.suspend(() => {
        asked++
        return isAway
          ? Effect.fail(new StoreIsUnavailable({ store: "CountStore", ...failure }))
          : counts.sums(reads)
      })
    const find: (typeof slos)["find"] = (...call) =>
      Effect.suspend(() =>
        isAway ? Effect.fail(new StoreIsUnavailable({ store: "SloStore", ...failure })) : slos.find(...call),
      )
    yield* refreshStatuses.pipe(
      Effect.provideService(CountStore, { ...counts, sums }),
      Effect.provideService(SloStore, { ...slos, find }),
      Effect.forkChild,
    )
    yield* TestClock.adjust("5 seconds")
    expect(asked).toBe(3)
    expect(lines.map(({ text }) => text)).toEqual(["Reading due statuses failed"])
    isAway = false
    yield* TestClock.adjust("6 seconds")
    expect(yield* computed).toBe(249)
  }))

test("one that fails again and again is tried again every 10 minutes, and as new when its definition changes", () =>
  Effect.gen(function* () {
    const due = Option.getOrThrow(yield* (yield* SloStore).findForStatus(organization, bad))
    const failed = makeFailedStatuses()
    const waits = Array.from({ length: 9 }, (_, index) => failed.add(due, index))
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600].map((seconds) => seconds * 1_000))
    expect([failed.turnOf(due, 600_007), failed.turnOf(due, 600_008)]).toEqual(["later", "alone"])
    // The clock was set back since.
    expect([failed.turnOf(due, 8), failed.turnOf(due, 7)]).toEqual(["later", "alone"])
    expect(failed.turnOf({ ...due, slo: { ...due.slo, version: "changed" } }, 9)).toBe("now")
    failed.remove(due)
    expect(failed.turnOf(due, 9)).toBe("now")
  }))

test("an SLO whose stored evaluation cannot be decoded does not delay the others", (lines) =>
  Effect.gen(function* () {
    const slos = yield* SloStore
    const { revision } = Option.getOrThrow(yield* slos.findForStatus(organization, bad))
    const broken = { organization, slo: bad, revision, statuses: new Map(), evaluation: "{}", dueAt: start }
    expect(yield* slos.writeStatuses([broken])).toEqual([true])
    yield* Effect.forkChild(refreshStatuses)
    yield* TestClock.adjust("5 seconds")
    expect(yield* computed).toBe(249)
    expect(lines.map(({ text, slo }) => `${text} ${String(slo)}`)).toEqual([
      "Computing a status failed shop/slo-50",
    ])
  }))
