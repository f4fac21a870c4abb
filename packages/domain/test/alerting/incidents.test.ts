import { calendarOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { MemoryStores } from "@tocsin/adapters-memory"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import * as Effect from "effect/Effect"
import {
  alertsOf,
  anHour,
  aPolicy,
  badFrom,
  before,
  pass,
  sentBy,
  sentFor,
  watch,
} from "../../../../test/alerting/Incident.ts"

/** When an alert of a condition triggers and resolves, worked out by hand. */
interface Incident {
  readonly condition: Condition
  readonly triggers: number
  /** Absent: not before the end. */
  readonly resolves?: number
}

const methods: ReadonlyArray<readonly [string, Partial<Slo["spec"]>]> = [
  ["Occurrences", { budgetingMethod: "Occurrences", objectives: [{ name: "good", target: 0.9 }] }],
  [
    "Timeslices",
    { budgetingMethod: "Timeslices", objectives: [{ name: "good", target: 0.9, timeSliceTarget: 0.5 }] },
  ],
]

const overAnHour = { unit: "Minute", count: 60 } as const

/** A window of a day that began at 11:00, an hour before the start. */
const ofTheDay = {
  unit: "Day",
  count: 1,
  calendar: calendarOf({ startTime: "2026-01-01 11:00:00", timeZone: "UTC" }),
} as const

const fast: Condition = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 5,
  alertingWindow: durationOf("5m"),
}
const spent = (value: number): Condition => ({ measurement: "burnedBudget", op: "gte", value })
const nearlyExhausted = (value: string): Condition => ({
  measurement: "timeToBurnBudget",
  op: "lt",
  value: durationOf(value),
  alertingWindow: durationOf("5m"),
})
const entirely = (value: string): Condition => ({
  measurement: "timeToBurnEntireBudget",
  op: "lte",
  value: durationOf(value),
  lastsFor: durationOf("2m"),
})
const drop = (value: number): Condition => ({
  measurement: "budgetDrop",
  op: "gte",
  value,
  alertingWindow: durationOf("5m"),
})

// Let `k` be the bad minutes in the window. The minute under way has its counts from its middle on.
const incidents: Readonly<Record<string, ReadonlyArray<Incident>>> = {
  // 60 minutes of 10 events, 60 may be bad: `k / 6` of the budget is burned in the middle of a minute, `10 k / 59` at
  // its start. The bad minutes leave the window from 70 on.
  "Occurrences over a rolling hour": [
    // In the last 5 minutes: `2 × bad` in the middle of a minute, `2.5 × bad` of 4 at its start. Below 5 at 22.5.
    { condition: fast, triggers: 12, resolves: 27.5 },
    // Burned: 2/5.9 at 12, 3/6 at 12.5; 3/6 at 76.5, 2/5.9 at 77.
    { condition: spent(0.5), triggers: 12.5, resolves: 82 },
    // 4/6 × 60 min / 4 is 10 min at 11.5, 39/59 × 60 min / 5 less at 12; spent until 73.5, and nothing burns at 74.
    { condition: nearlyExhausted("10m"), triggers: 12, resolves: 79 },
    // The rate of the hour is 1 with 6 bad minutes, from 15.5 to 73.5; it has to last for 2 minutes.
    { condition: entirely("1h"), triggers: 17.5, resolves: 79 },
    // 2/6 less than 5 minutes before at 11.5; at 23 the drop is from -3/6 to -41/59.
    { condition: drop(0.3), triggers: 11.5, resolves: 28 },
  ],
  // 6 of 60 minutes may be bad, whether or not they have counts: `k / 6` is burned.
  "Timeslices over a rolling hour": [
    // `2 × bad`: 6 at 12.5, 4 at 22.
    { condition: fast, triggers: 12.5, resolves: 27 },
    { condition: spent(0.5), triggers: 12.5, resolves: 82 },
    // 4/6 × 60 min / 4 is 10 min at 11.5 and 12, 3/6 × 60 min / 6 at 12.5.
    { condition: nearlyExhausted("10m"), triggers: 12.5, resolves: 79 },
    { condition: entirely("1h"), triggers: 17.5, resolves: 79 },
    // (10 - 8)/6 at 22.5, (10 - 9)/6 at 23.
    { condition: drop(0.3), triggers: 11.5, resolves: 28 },
  ],
  // At minute n, n + 61 minutes have counts, and one less at its start: `10 k / (n + 61)` is burned.
  "Occurrences over a day of the calendar": [
    { condition: fast, triggers: 12, resolves: 27.5 },
    // 70/77 at 17, 80/78 at 17.5; 100/100 at 40, 100/101 at 40.5.
    { condition: spent(1), triggers: 17.5, resolves: 45.5 },
    // 52/72 × 1,440 min / 5 is 208 min at 12, 43/73 × 1,440 min / 6 is 141 min at 12.5; spent until 40.
    { condition: nearlyExhausted("3h"), triggers: 12.5, resolves: 45.5 },
    // The rate is that of the last hour, as it is with the rolling one.
    { condition: entirely("24h"), triggers: 17.5, resolves: 79 },
    // 20/72 at 12, 30/73 at 12.5; 100/82 - 70/77 at 21.5, 100/82 - 80/78 at 22.
    { condition: drop(0.3), triggers: 12.5, resolves: 27 },
  ],
  // 144 of 1,440 minutes may be bad: `k / 144` is burned.
  "Timeslices over a day of the calendar": [
    { condition: fast, triggers: 12.5, resolves: 27 },
    // 7/144 is less than 0.05, 8/144 more; so it stays.
    { condition: spent(0.05), triggers: 17.5 },
    // 142/144 × 1,440 min / 4 is 355 min at 12, 141/144 × 1,440 min / 6 is 235 min at 12.5; 134/144 × 1,440 min / 4 at
    // 22 is 335 min, / 2 at 23 is 670 min.
    { condition: nearlyExhausted("340m"), triggers: 12.5, resolves: 28 },
    { condition: entirely("24h"), triggers: 17.5, resolves: 79 },
    // 3/144 at 12.5; 3/144 at 21.5, 2/144 at 22.
    { condition: drop(0.02), triggers: 12.5, resolves: 27 },
  ],
}

describe("an incident of 10 bad minutes", () => {
  for (const [window, timeWindow] of [
    ["over a rolling hour", overAnHour],
    ["over a day of the calendar", ofTheDay],
  ] as const) {
    for (const [method, spec] of methods) {
      it.effect(
        `spec/alerting §2, spec/alerting §3: notifies once and resolves once for each measurement, ${method} ${window}`,
        () =>
          Effect.gen(function* () {
            const expected = incidents[`${method} ${window}`] ?? []
            const policies = expected.map(({ condition }) =>
              aPolicy([condition], {}, condition.measurement.toLowerCase()),
            )
            const alertPolicies = policies.map(({ metadata }) => metadata.name)
            const slo = anHour({ ...spec, timeWindow, alertPolicies })
            yield* before(slo, ...policies)
            yield* watch
            yield* pass(slo, badFrom(10, 20), 0, 90)
            for (const { condition, triggers, resolves } of expected) {
              const name = condition.measurement.toLowerCase()
              expect([name, yield* alertsOf(name)]).toEqual([
                name,
                [resolves === undefined ? ["triggered", triggers] : ["resolved", triggers, resolves]],
              ])
              expect([name, yield* sentBy(name)]).toEqual([name, sentFor(triggers, resolves)])
            }
            expect(expected).toHaveLength(5)
          }).pipe(Effect.provide(MemoryStores.layer)),
      )
    }
  }
})
