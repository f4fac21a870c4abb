import { HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { durationOf } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  alertsOf,
  anHour,
  aPolicy,
  badFrom,
  before,
  pass,
  policyKey,
  record,
  watch,
} from "../../../../test/alerting/Incident.ts"

const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer)

type Context = Layer.Success<typeof stores> | Scope.Scope

const test = (what: string, effect: Effect.Effect<void, unknown, Context>): void =>
  it.effect(what, () => Effect.provide(effect, stores))

/** An SLO over four hours, of which a fifth may be bad. */
const aWindow = (policies: ReadonlyArray<string> = [policyKey.name]) =>
  anHour({
    timeWindow: { unit: "Hour", count: 4 },
    objectives: [{ name: "good", target: 0.8 }],
    alertPolicies: policies,
  })

const burned = (value: number): Condition => ({ measurement: "burnedBudget", op: "gte", value })

const burns = (value: number, alertingWindow: string): Condition => ({
  measurement: "averageBurnRate",
  op: "gte",
  value,
  alertingWindow: durationOf(alertingWindow),
})

/** An hour of bad minutes, which ended long ago. */
const badHour = Array.from({ length: 60 }, (_, index) => [index - 120, 0] as const)

describe("counts in the past", () => {
  test(
    "spec/alerting §12: trigger nothing that they alone make met, and a new alert once that has ended",
    Effect.gen(function* () {
      const slo = aWindow()
      yield* before(slo, aPolicy([burned(1)]))
      yield* watch
      yield* pass(slo, badFrom(1_000, 1_000), 0, 10)
      // 60 of 130 minutes are bad, until the bad hour leaves the window of 4 hours.
      yield* record(slo, badHour)
      yield* pass(slo, badFrom(1_000, 1_000), 10, 170)
      expect(yield* alertsOf()).toEqual([])
      // Then 60 of the 240 minutes of the window are bad again.
      yield* pass(slo, badFrom(170, 230), 170, 230)
      expect(yield* alertsOf()).toHaveLength(1)
    }),
  )

  test(
    "spec/alerting §12: hold no condition that they do not reach: an outage during an import alerts in time",
    Effect.gen(function* () {
      const slo = aWindow([policyKey.name, "burned"])
      yield* before(slo, aPolicy([burns(2.5, "30m"), burns(2.5, "5m")]), aPolicy([burned(1)], {}, "burned"))
      yield* watch
      yield* pass(slo, badFrom(10, 60), 0, 40, {
        20.5: record(slo, badHour.slice(0, 30)),
        24: record(slo, [...badHour.slice(30), [24, 0]]),
      })
      // 15 of 30 minutes are a burn rate of 2.5, in the evaluation that also has the import.
      expect(yield* alertsOf()).toEqual([["triggered", 24]])
      expect(yield* alertsOf("burned")).toEqual([])
    }),
  )

  test(
    "spec/alerting §12: are those more than an hour before the latest counts; later ones trigger as usual",
    Effect.gen(function* () {
      const slo = aWindow()
      yield* before(slo, aPolicy([burned(1)]))
      yield* watch
      yield* record(
        slo,
        Array.from({ length: 58 }, (_, index) => [index - 59, 0] as const),
      )
      expect(yield* alertsOf()).toHaveLength(1)
    }),
  )
})
