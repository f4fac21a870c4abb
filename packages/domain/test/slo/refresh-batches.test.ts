import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import { CountStore, SloStore } from "@tocsin/domain/ports"
import { refreshStatus } from "../../src/refresh/RefreshStatus.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { aPolicy, organization, sloKey } from "../../../../test/alerting/Incident.ts"

/** How many SLOs the counts were read of in each query, when `count` SLOs are refreshed at the same time. */
const readTogether = (count: number, objectives: number) =>
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
})
