import { HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { findSloForecast, findSloSeries } from "@tocsin/domain"
import { durationOf } from "@tocsin/domain/codec"
import type { BudgetAdjustment } from "@tocsin/domain/definitions"
import { SloStore } from "@tocsin/domain/ports"
import type { SloSeries } from "../../src/status/SloSeries.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { changeDefinitions, instantOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  alertsOf,
  anHour,
  aPolicy,
  at,
  badFrom,
  before,
  organization,
  pass,
  policyKey,
  sloKey,
  watch,
} from "../../../../test/alerting/Incident.ts"

const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer)

type Context = Layer.Success<typeof stores> | Scope.Scope

const test = (what: string, effect: Effect.Effect<void, unknown, Context>): void =>
  it.effect(what, () => Effect.provide(effect, stores))

const fast: Condition = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 5,
  alertingWindow: durationOf("5m"),
}
const burned: Condition = { measurement: "burnedBudget", op: "gte", value: 1 }

const slo = anHour({
  timeWindow: { unit: "Hour", count: 4 },
  objectives: [{ name: "good", target: 0.9 }],
  alertPolicies: [policyKey.name],
})

const adjustment = (from: number, to: number, name = "maintenance"): BudgetAdjustment => ({
  kind: "BudgetAdjustment",
  metadata: { project: sloKey.project, name },
  spec: {
    reason: "maintenance",
    slos: [sloKey],
    period: {
      startTime: instantOf(new Date(at(from)).toISOString()),
      endTime: instantOf(new Date(at(to)).toISOString()),
    },
  },
})

const put = (...adjustments: ReadonlyArray<BudgetAdjustment>) => putDefinitions(organization, adjustments)

const remove = (name = "maintenance") =>
  changeDefinitions(organization, [], [{ kind: "BudgetAdjustment", project: sloKey.project, name }])

const reliability = Effect.flatMap(SloStore, (store) =>
  Effect.map(
    store.find(organization, sloKey),
    (found) => Option.getOrThrow(found).statuses.get("good")?.reliability,
  ),
)

const series = Effect.gen(function* () {
  const query = {
    ...sloKey,
    from: new Date(at(-60)).toISOString(),
    to: new Date(at(180)).toISOString(),
    step: "1m",
  }
  return yield* findSloSeries(organization, query)
})

/** The error budget at the end of each minute from 0 to 100. */
const leftUntil100 = ({ objectives }: SloSeries): ReadonlyArray<number> =>
  (objectives[0]?.errorBudgetRemainingPercentage ?? []).slice(60, 160).map((each) => each ?? Number.NaN)

describe("budget adjustments", () => {
  test(
    "spec/budget-adjustments §5: that exclude an outage beforehand raise no alert",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([fast]), adjustment(10, 30))
      yield* watch
      yield* pass(slo, badFrom(10, 30), 0, 60)
      expect(yield* alertsOf()).toEqual([])
      expect(yield* reliability).toBe(1)
      // What goes on after the period does.
      yield* pass(slo, badFrom(60, 80), 60, 100)
      expect(yield* alertsOf()).toEqual([["resolved", 62, 87.5]])
    }),
  )

  test(
    "spec/budget-adjustments §5: that exclude the outage of an open alert end it after its cool-down",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([burned]))
      yield* watch
      yield* pass(slo, badFrom(10, 70), 0, 90, { 80: put(adjustment(10, 70)) })
      const [alert, ...others] = yield* alertsOf()
      expect(others).toEqual([])
      expect(alert?.[0]).toBe("resolved")
      expect(alert?.[2]).toBeGreaterThan(80)
    }),
  )

  test(
    "spec/budget-adjustments §4 and §6: change every figure at once, restore it exactly, and page nobody for the past",
    Effect.gen(function* () {
      yield* before(slo, aPolicy([burned]), adjustment(10, 70))
      yield* watch
      yield* pass(slo, badFrom(10, 70), 0, 100)
      expect(yield* alertsOf()).toEqual([])
      expect(yield* reliability).toBe(1)
      const adjusted = yield* series
      expect(Math.min(...leftUntil100(adjusted))).toBe(1)
      expect((yield* findSloForecast(organization, sloKey)).objectives[0]?.outlook).toBe("Sufficient")

      yield* remove()
      yield* pass(slo, badFrom(1_000, 1_000), 100, 110)
      expect(yield* alertsOf()).toEqual([])
      const bad = yield* reliability
      expect(bad).toBeLessThan(0.9)
      const plain = yield* series
      expect(Math.min(...leftUntil100(plain))).toBeLessThan(0)
      expect((yield* findSloForecast(organization, sloKey)).objectives[0]?.outlook).toBe("Exhausted")

      yield* put(adjustment(10, 70))
      expect(leftUntil100(yield* series)).toEqual(leftUntil100(adjusted))
      yield* remove()
      expect(yield* series).toEqual(plain)
    }),
  )
})
