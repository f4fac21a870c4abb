import { expect, it } from "../EffectTest.ts"
import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import { AlertStore } from "@tocsin/domain/alerting/AlertStore"
import { CountStore } from "@tocsin/domain/counts/CountStore"
import { refreshStatus } from "@tocsin/domain/refresh/RefreshStatus"
import { SloStore } from "@tocsin/domain/status/SloStore"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { aMethod } from "../contract/deliveries.ts"
import { putDefinitions } from "../contract/slo-definitions.ts"
import { alertsOf, anHour, aPolicy, at, hook, organization, pager, sloKey } from "./Incident.ts"

/** How long an effect takes by the clock of the machine, in milliseconds. */
const timeOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = performance.now()
    yield* effect
    return performance.now() - before
  })

const objectives = Array.from({ length: 24 }, (_, index) => ({ name: `objective-${index}`, target: 0.9 }))

/** An SLO of which everything is bad, and 480 alerts are to open. */
const burning = Effect.gen(function* () {
  yield* TestClock.setTime(at(0))
  const names = Array.from({ length: 20 }, (_, index) => `policy-${index}`)
  yield* putDefinitions(organization, [
    aMethod(hook),
    aMethod(pager),
    ...names.map((name) => aPolicy([{ measurement: "averageBurnRate", op: "gte", value: 2 }], {}, name)),
    anHour({ objectives, alertPolicies: names }),
  ])
  const counts = objectives.map(({ name }) => ({ objective: name, at: at(0), good: 0, total: 10 }))
  yield* (yield* CountStore).record(organization, [{ slo: sloKey, counts }])
})

it.effect("looking at hundreds of open alerts costs much less than opening them", () =>
  Effect.gen(function* () {
    yield* burning
    const opened = yield* timeOf(refreshStatus(organization, sloKey))
    expect(yield* alertsOf("policy-19")).toEqual(objectives.map(() => ["triggered", 0]))
    expect(yield* timeOf(refreshStatus(organization, sloKey))).toBeLessThan(opened)
  }).pipe(Effect.provide(MemoryStores.layer)),
)

it.effect("hundreds of alerts open in a few transactions, and little is kept of each", () =>
  Effect.gen(function* () {
    yield* burning
    const alerts = yield* AlertStore
    const sizes: Array<number> = []
    const counting = AlertStore.of({
      ...alerts,
      changeEvaluated: (organization, slo, revision, reads, decide) => {
        sizes.push(reads.length)
        return alerts.changeEvaluated(organization, slo, revision, reads, decide)
      },
    })
    yield* Effect.provideService(refreshStatus(organization, sloKey), AlertStore, counting)
    expect(sizes).toEqual([100, 100, 100, 100, 80])
    expect(yield* alertsOf("policy-0")).toHaveLength(24)
    const due = yield* Effect.flatMap(
      (yield* SloStore).findForStatus(organization, sloKey),
      Effect.fromOption,
    )
    expect(due.evaluation?.length).toBeLessThan(480 * 200)
  }).pipe(Effect.provide(MemoryStores.layer)),
)
