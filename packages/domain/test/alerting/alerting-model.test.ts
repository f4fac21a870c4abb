import { MemoryStores } from "@tocsin/adapters-memory"
import { recordCounts } from "@tocsin/domain"
import type { BudgetAdjustment, Slo } from "@tocsin/domain/definitions"
import { AlertStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { aMethod, anSlo, calendarOf, instantOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  type ModelAdjustment,
  type ModelAlert,
  type ModelArrival,
  type ModelMinute,
  type ModelObjective,
  type ModelPolicy,
  type ModelWindow,
  predictAlerts,
} from "../../../../test/alerting/AlertingModel.ts"
import { hook, organization, pager, sloKey, watch } from "../../../../test/alerting/Incident.ts"
import {
  minutesText,
  modelAlertOf,
  policyOf,
  randomPolicy,
  relative,
} from "../../../../test/alerting/RandomPolicies.ts"

/** How long a run is, and the history before it, in minutes. */
const runMinutes = 160
const historyMinutes = 60

/** A part of an incident, from one minute of the run on; the parts follow one another and may overlap. */
type Part = {
  readonly from: number
  readonly minutes: number
} & (
  | { readonly kind: "bad"; readonly percent: number }
  | { readonly kind: "flapping"; readonly period: number }
  | { readonly kind: "gap" }
  | { readonly kind: "idle" }
  | { readonly kind: "late"; readonly by: number }
  | { readonly kind: "corrected"; readonly after: number; readonly isBad: boolean }
  | { readonly kind: "imported"; readonly after: number; readonly counts: ModelMinute | undefined }
)

interface Incident {
  readonly perMinute: number
  readonly hasHistory: boolean
  /** When the counts of a minute arrive: in its middle or when it is over. */
  readonly delay: 0.5 | 1
  readonly parts: ReadonlyArray<Part>
}

interface World {
  /** When the run begins, in minutes since the Unix epoch. */
  readonly origin: number
  readonly window: ModelWindow
  readonly objectives: ReadonlyArray<{ readonly objective: ModelObjective; readonly incident: Incident }>
  readonly policies: ReadonlyArray<ModelPolicy>
  /** Relative to the run. */
  readonly adjustments: ReadonlyArray<ModelAdjustment>
}

const arrivalsOf = ({ perMinute, hasHistory, delay, parts }: Incident, origin: number) => {
  const arrivals = new Map<string, ModelArrival>()
  const arrive = (minute: number, at: number, counts: ModelMinute) =>
    arrivals.set(`${minute} ${at}`, { minute: origin + minute, at: origin + at, ...counts })
  const good = { good: perMinute, total: perMinute }
  if (hasHistory) for (let minute = -historyMinutes; minute < 0; minute++) arrive(minute, -0.5, good)
  for (let minute = 0; minute < runMinutes; minute++) {
    let [counts, at, arrives] = [good, minute + delay, true]
    for (const part of parts) {
      if (minute < part.from || minute >= part.from + part.minutes) continue
      if (part.kind === "gap") arrives = false
      if (part.kind === "late") at = minute + delay + part.by
      if (part.kind === "idle") counts = { good: 0, total: 0 }
      const badPercent =
        part.kind === "bad"
          ? part.percent
          : part.kind === "flapping" && Math.floor((minute - part.from) / part.period) % 2 === 0
            ? 100
            : undefined
      if (badPercent !== undefined) {
        counts = { good: perMinute - Math.ceil((perMinute * badPercent) / 100), total: perMinute }
      }
    }
    if (arrives) arrive(minute, at, counts)
    for (const part of parts) {
      if (part.kind === "imported" && minute === part.from) {
        for (let old = minute - part.minutes; old < minute; old++) {
          if (old >= -historyMinutes) arrive(old, minute + delay + part.after, part.counts ?? good)
        }
      }
      if (part.kind !== "corrected" || minute < part.from || minute >= part.from + part.minutes) continue
      arrive(minute, minute + delay + part.after, part.isBad ? { good: 0, total: perMinute } : good)
    }
  }
  return [...arrivals.values()].filter(({ at }) => at <= origin + runMinutes)
}

const part = fc
  .record({ from: fc.integer({ min: 0, max: 140 }), minutes: fc.integer({ min: 1, max: 130 }) })
  .chain((range) =>
    fc
      .oneof(
        {
          weight: 3,
          arbitrary: fc.record({
            kind: fc.constant("bad" as const),
            percent: fc.constantFrom(100, 100, 50, 15, 2),
          }),
        },
        fc.record({ kind: fc.constant("flapping" as const), period: fc.integer({ min: 1, max: 8 }) }),
        fc.record({ kind: fc.constant("gap" as const) }),
        fc.record({ kind: fc.constant("idle" as const) }),
        fc.record({
          kind: fc.constant("late" as const),
          by: fc.integer({ min: 1, max: 200 }).map((halves) => halves / 2),
        }),
        fc.record({
          kind: fc.constant("corrected" as const),
          after: fc.integer({ min: 1, max: 200 }).map((halves) => halves / 2),
          isBad: fc.boolean(),
        }),
        // The minutes before `from`, at once: an import, a correction, or the same counts again.
        fc.record({
          kind: fc.constant("imported" as const),
          after: fc.integer({ min: 0, max: 100 }).map((halves) => halves / 2),
          counts: fc.constantFrom(undefined, { good: 0, total: 10 }, { good: 900, total: 1_000 }),
        }),
      )
      .map((kind): Part => ({ ...range, ...kind })),
  )

const incident: fc.Arbitrary<Incident> = fc.record({
  perMinute: fc.constantFrom(1, 3, 10, 100),
  hasHistory: fc.boolean(),
  delay: fc.constantFrom(0.5, 1),
  parts: fc.array(part, { minLength: 1, maxLength: 5 }),
})

const minuteOf = (text: string): number => Date.parse(text) / 60_000

/** Rolling windows, and windows of days that end while a run is under way, most where clocks change. */
const when: fc.Arbitrary<Pick<World, "origin" | "window">> = fc.oneof(
  fc.record({
    origin: fc.constant(minuteOf("2026-01-30T12:00Z")),
    window: fc.constantFrom(30, 60, 1_440, 28 * 1_440).map((rollingMinutes) => ({ rollingMinutes })),
  }),
  fc
    .record({
      days: fc.constantFrom(1, 1, 7),
      time: fc.constantFrom("01:30", "02:00", "02:30", "03:00"),
      zone: fc.constantFrom(
        ["Europe/Berlin", "2026-03-29T01:00Z"] as const,
        ["Europe/Berlin", "2026-10-25T01:00Z"] as const,
        ["America/New_York", "2026-11-01T06:00Z"] as const,
        ["America/New_York", "2026-03-08T07:00Z"] as const,
        ["UTC", "2026-02-26T02:00Z"] as const,
      ),
      before: fc.integer({ min: 0, max: 70 }),
    })
    .map(({ days, time, zone: [timeZone, around], before }) => ({
      origin: minuteOf(around) - before,
      window: { days, time, timeZone },
    })),
)

const adjustment: fc.Arbitrary<ModelAdjustment> = fc
  .record({
    from: fc.integer({ min: -20, max: 90 }),
    minutes: fc.integer({ min: 1, max: 40 }),
    set: fc.option(
      fc.record({ good: fc.nat(20), bad: fc.nat(3) }).map(({ good, bad }) => ({ good, total: good + bad })),
      { nil: undefined, freq: 2 },
    ),
  })
  .map(({ from, minutes, set }) => ({ from, to: from + minutes, set }))

const world: fc.Arbitrary<World> = fc
  .tuple(
    when,
    fc.constantFrom(undefined, 500, 900),
    fc.array(fc.record({ target: fc.constantFrom(0, 500, 900, 990, 999), incident }), {
      minLength: 2,
      maxLength: 2,
    }),
    fc.array(randomPolicy, { minLength: 6, maxLength: 6 }),
    fc.array(adjustment, { maxLength: 3 }),
  )
  .map(([{ origin, window }, sliceTarget, objectives, policies, adjustments]) => ({
    origin,
    window,
    policies,
    // Nothing alerts before the first counts have arrived, whatever minutes are set to.
    adjustments: adjustments.filter(
      ({ set }) => set === undefined || objectives.every(({ incident }) => incident.hasHistory),
    ),
    objectives: objectives.map(({ target, incident }) => ({
      objective: sliceTarget === undefined ? { target } : { target, sliceTarget },
      incident,
    })),
  }))

const sloOf = ({ window, objectives, policies }: World): Slo =>
  anSlo(sloKey, {
    budgetingMethod: objectives[0]?.objective.sliceTarget === undefined ? "Occurrences" : "Timeslices",
    timeWindow:
      "rollingMinutes" in window
        ? { unit: "Minute", count: window.rollingMinutes }
        : {
            unit: "Day",
            count: window.days,
            calendar: calendarOf({ startTime: `2026-01-01 ${window.time}:00`, timeZone: window.timeZone }),
          },
    objectives: objectives.map(({ objective: { target, sliceTarget } }, index) => ({
      name: `objective-${index}`,
      target: target / 1_000,
      ...(sliceTarget === undefined ? {} : { timeSliceTarget: sliceTarget / 1_000 }),
    })),
    alertPolicies: policies.map((_, index) => `policy-${index}`),
  })

const adjustmentOf = (
  { from, to, set }: ModelAdjustment,
  origin: number,
  index: number,
): BudgetAdjustment => ({
  kind: "BudgetAdjustment",
  metadata: { project: sloKey.project, name: `adjustment-${index}` },
  spec: {
    reason: "maintenance",
    slos: [sloKey],
    period: {
      startTime: instantOf(new Date((origin + from) * 60_000).toISOString()),
      duration: minutesText(to - from),
    },
    ...(set !== undefined && { set }),
  },
})

/** The alerts of each policy for each objective, as the live evaluation raises them. */
const liveAlerts = (world: World, arrivals: ReadonlyArray<ReadonlyArray<ModelArrival>>) =>
  Effect.gen(function* () {
    const { origin } = world
    yield* TestClock.setTime((origin - historyMinutes) * 60_000)
    yield* putDefinitions(organization, [
      aMethod(hook),
      aMethod(pager),
      ...world.policies.map(policyOf),
      sloOf(world),
      ...world.adjustments.map((each, index) => adjustmentOf(each, origin, index)),
    ])
    yield* TestClock.setTime((origin - 0.5) * 60_000)
    for (let at = origin - 0.5; at <= origin + runMinutes; at += 0.5) {
      if (at >= origin) yield* TestClock.adjust("30 seconds")
      const body = arrivals.flatMap((ofObjective, index) =>
        ofObjective
          .filter((arrival) => arrival.at === at)
          .map(({ minute, good, total }) => ({
            objective: `objective-${index}`,
            at: new Date(minute * 60_000).toISOString(),
            good,
            total,
          })),
      )
      if (body.length > 0) yield* recordCounts(organization, { ...sloKey, body })
      // With the counts of the history: minutes that an adjustment sets could alert before them.
      if (at < origin) yield* watch
    }
    const { items } = yield* (yield* AlertStore).list(organization, {}, { limit: 5_000 })
    return (objective: number, policy: number): ReadonlyArray<ModelAlert> =>
      items
        .filter(
          ({ subject }) =>
            subject.objective === `objective-${objective}` &&
            subject.alertPolicy?.name === `policy-${policy}`,
        )
        .toSorted((a, b) => a.triggeredAt - b.triggeredAt)
        .map((alert) => modelAlertOf(alert, origin))
  }).pipe(Effect.provide(MemoryStores.layer))

describe("alerts of random policies in random incidents", () => {
  it.effect.prop(
    "spec/alerting §2, spec/alerting §3, spec/alerting §12, spec/alerting §13, spec/alerting §14, spec/budget-adjustments §3: trigger and resolve as the documents say",
    [world],
    ([world]) =>
      Effect.gen(function* () {
        const { origin, window, policies, adjustments } = world
        const arrivals = world.objectives.map(({ incident }) => arrivalsOf(incident, origin))
        const live = yield* liveAlerts(world, arrivals)
        for (const [index, { objective, incident }] of world.objectives.entries()) {
          const predicted = predictAlerts(
            objective,
            window,
            policies,
            arrivals[index] ?? [],
            origin + runMinutes,
            {
              adjustments: adjustments.map(({ from, to, set }) => ({
                from: origin + from,
                to: origin + to,
                set,
              })),
            },
          )
          for (const [policy, alerts] of predicted.entries()) {
            const what = { objective, window, policy: policies[policy], incident, adjustments }
            expect({ ...what, alerts: live(index, policy) }).toEqual({
              ...what,
              alerts: alerts.map((alert) => relative(alert, origin)),
            })
          }
        }
      }),
    // Without shrinking, which would take minutes: what is compared names the objective, the policy and the incident.
    { timeout: 120_000, fastCheck: { numRuns: Number(process.env["RUNS"] ?? 2), endOnFailure: true } },
  )
})
