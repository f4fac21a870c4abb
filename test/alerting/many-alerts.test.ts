import { expect, it } from "@effect/vitest"
import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import { CountStore } from "@tocsin/domain/slo/CountStore"
import { refreshStatus } from "@tocsin/domain/slo/RefreshStatus"
import { Effect, TestClock } from "effect"
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

it.effect("looking at hundreds of open alerts costs much less than opening them", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at(0))
    const names = Array.from({ length: 20 }, (_, index) => `policy-${index}`)
    const objectives = Array.from({ length: 24 }, (_, index) => ({ name: `objective-${index}`, target: 0.9 }))
    yield* putDefinitions(organization, [
      aMethod(hook),
      aMethod(pager),
      ...names.map((name) => aPolicy([{ measurement: "averageBurnRate", op: "gte", value: 2 }], {}, name)),
      anHour({ objectives, alertPolicies: names }),
    ])
    const counts = objectives.map(({ name }) => ({ objective: name, at: at(0), good: 0, total: 10 }))
    yield* (yield* CountStore).record(organization, [{ slo: sloKey, counts }])
    const opened = yield* timeOf(refreshStatus(organization, sloKey))
    expect(yield* alertsOf("policy-19")).toEqual(objectives.map(() => ["triggered", 0]))
    expect(yield* timeOf(refreshStatus(organization, sloKey))).toBeLessThan(opened)
  }).pipe(Effect.provide(MemoryStores.layer)),
)
