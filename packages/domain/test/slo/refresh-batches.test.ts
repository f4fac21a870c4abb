import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import { CountStore, SloStore } from "@tocsin/domain/ports"
import { minuteMs } from "../../src/codec/MinuteInstant.ts"
import { refreshStatus } from "../../src/refresh/RefreshStatus.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { aPolicy, organization, sloKey } from "../../../../test/alerting/Incident.ts"

/**
 * How many SLOs the counts were read of in each query, when `count` SLOs are refreshed at the same time; `ends` is in how many
 * different minutes of the past the counts of their objectives end, 0 for none.
 */
const readTogether = (count: number, objectives: number, ends = 0) =>
  Effect.gen(function* () {
    const slos = Array.from({ length: count }, (_, index) => ({
      project: sloKey.project,
      name: `slo-${index}`,
    }))
    const spec = {
      objectives: Array.from({ length: objectives }, (_, index) => ({ name: `o-${index}`, target: 0.9 })),
      alertPolicies: ["policy"],
    }
    yield* putDefinitions(organization, [
      aPolicy(
        [2, 3].map((value) => ({ measurement: "averageBurnRate", op: "gte", value })),
        {},
        "policy",
      ),
      ...slos.map((slo) => anSlo(slo, spec)),
    ])
    const counts = yield* CountStore
    yield* TestClock.adjust("30 days")
    const now = yield* Clock.currentTimeMillis
    const latest = spec.objectives.map(({ name }, index) => ({
      objective: name,
      at: now - (10 + (index % Math.max(1, ends))) * minuteMs,
      good: 1,
      total: 1,
    }))
    if (ends > 0) {
      yield* counts.record(
        organization,
        slos.map((slo) => ({ slo, counts: latest })),
      )
    }
    const sizes: Array<number> = []
    const counting = CountStore.of({
      ...counts,
      sums: (reads) => {
        sizes.push(reads.length)
        return counts.sums(reads)
      },
    })
    yield* Effect.forEach(slos, (slo) => refreshStatus(organization, slo), {
      concurrency: "unbounded",
      discard: true,
    }).pipe(Effect.provideService(CountStore, counting))
    const store = yield* SloStore
    for (const slo of slos) {
      const { statuses } = Option.getOrThrow(yield* store.find(organization, slo))
      expect(statuses.size).toBe(objectives)
    }
    return sizes
  }).pipe(Effect.provide(MemoryStores.layer))

describe("statuses that are refreshed at the same time", () => {
  it.effect("are computed from counts that are read together", () =>
    Effect.gen(function* () {
      expect(yield* readTogether(30, 2)).toEqual([30])
    }),
  )

  it.effect("read at most 2,000 sums of objectives over windows together, however many SLOs these are", () =>
    Effect.gen(function* () {
      // Each objective has the time window, that of the burn rate, and those of two conditions.
      expect(yield* readTogether(12, 100)).toEqual([5, 5, 2])
      expect(yield* readTogether(3, 501)).toEqual([1, 1, 1])
    }),
  )

  it.effect("count the ranges that end where counts are missing, which may differ for each objective", () =>
    Effect.gen(function* () {
      expect(yield* readTogether(12, 100, 1)).toEqual([5, 5, 5, 5, 2, 2])
      // Both conditions measure the same range, for each of 5 and 10 ends.
      expect(yield* readTogether(4, 100, 5)).toEqual([4, 4])
      expect(yield* readTogether(3, 100, 10)).toEqual([3, 2, 1])
    }),
  )
})
