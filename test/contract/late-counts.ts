import { RateLimiterMemory } from "@tocsin/adapters-memory"
import { recordCounts, refreshStatus } from "@tocsin/domain"
import type { BudgetAdjustment } from "@tocsin/domain/definitions"
import { backtestPolicy } from "@tocsin/domain/features/backtest"
import { AlertStore, type CountStore, type DefinitionStore, type SloStore } from "@tocsin/domain/ports"
import { aMethod, anSlo, instantOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import {
  type ModelAdjustment,
  type ModelAlert,
  type ModelArrival,
  type ModelPolicy,
  predictAlerts,
} from "../alerting/AlertingModel.ts"
import { hook, organization, pager, policyKey } from "../alerting/Incident.ts"
import { minutesText, modelAlertOf, policyOf, randomPolicy, relative } from "../alerting/RandomPolicies.ts"
import { decodeOptions } from "../definition/valid-definitions.ts"

const runMinutes = 80
const historyMinutes = 300
const perMinute = 1_000
const target = 990
const window = { rollingMinutes: 28 * 1_440 }

/** When a run begins, in minutes since the Unix epoch. Minutes are relative to it unless said otherwise. */
const origin = Date.UTC(2026, 0, 30, 12) / 60_000

/** The bad events of a minute, of 1,000; `undefined`: the minute has no counts. */
type Incident = (minute: number) => number | undefined

/** An incident on top of errors that burn the budget slowly, or not. */
const incidents: fc.Arbitrary<{ readonly text: string; readonly bad: Incident }> = fc
  .record({
    slow: fc.constantFrom(0, 5, 50, 55, 120),
    from: fc.integer({ min: -10, max: 50 }),
    length: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 20, max: 90 })),
    bad: fc.constantFrom(30, 150, 300, 300, 1_000),
    shape: fc.constantFrom("step", "step", "leak", "flapping", "gap" as const),
  })
  .map(({ slow, from, length, bad, shape }) => ({
    text: `${slow} bad events of 1,000, and ${bad} in a ${shape} of ${length} minutes from minute ${from} on`,
    bad: (minute) => {
      if (minute < from || minute >= from + length) return slow
      switch (shape) {
        case "step":
          return Math.max(bad, slow)
        case "leak":
          return Math.max(slow, Math.round((bad * (minute - from + 1)) / length))
        case "flapping":
          return minute % 7 < 3 ? bad : slow
        case "gap":
          return undefined
      }
    },
  }))

interface Late {
  readonly arrivals: ReadonlyArray<ModelArrival>
  readonly adjustments: ReadonlyArray<ModelAdjustment>
}

/** Which part of the past changes, and when; a part of the last hour counts as usual. */
interface Change {
  readonly at: number
  /** The minutes from the latest minute with counts back to the changed minutes. */
  readonly age: number
  readonly length: number
  readonly bad: number
}

const changes: fc.Arbitrary<Change> = fc.record({
  at: fc.integer({ min: 2, max: runMinutes - 10 }),
  age: fc.integer({ min: 62, max: 200 }),
  length: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 100 })),
  bad: fc.constantFrom(0, 50, 62, 300, 1_000),
})

const counted = (minute: number, bad: number) => ({
  minute,
  good: perMinute - bad,
  total: perMinute,
})

/** Each minute at its end; the history when the run begins. */
const onTime = (bad: Incident, after: (minute: number) => number = () => 0): ReadonlyArray<ModelArrival> =>
  Array.from({ length: historyMinutes + runMinutes }, (_, index) => index - historyMinutes).flatMap(
    (minute) => {
      const events = bad(minute)
      const at = Math.max(0, minute + 1 + after(minute))
      return events === undefined || at > runMinutes ? [] : [{ at, ...counted(minute, events) }]
    },
  )

const minutesFrom = (from: number, length: number) => Array.from({ length }, (_, index) => from + index)

const unadjusted = (arrivals: ReadonlyArray<ModelArrival>): Late => ({ arrivals, adjustments: [] })

/** How counts arrive, and what becomes of them. */
const patterns: Readonly<Record<string, (bad: Incident, change: Change) => Late>> = {
  "on-time": (bad) => unadjusted(onTime(bad)),
  // Every five minutes, the last hours once more, as exporters that catch up do.
  reposted: (bad, { length }) => {
    const arrivals = onTime(bad)
    const again = Array.from({ length: runMinutes / 5 }, (_, index) => 5 * index + 5).flatMap((at) =>
      arrivals
        .filter(({ minute }) => minute < at - 1 && minute >= at - 65 - length)
        .map((each) => ({ ...each, at })),
    )
    return unadjusted([...arrivals, ...again])
  },
  delayed: (bad, { length }) => unadjusted(onTime(bad, () => length % 5)),
  // Some minutes arrive together, up to more than an hour after they were due.
  late: (bad, { at, age, length }) => {
    const from = at - length
    return unadjusted(
      onTime(bad, (minute) => (minute >= from && minute < at ? at - minute + ((age - 62) % 75) : 0)),
    )
  },
  corrected: (bad, { at, age, length, bad: now }) =>
    unadjusted([
      ...onTime(bad),
      ...minutesFrom(at - 2 - (age % 60) - length, length).map((minute) => ({ at, ...counted(minute, now) })),
    ]),
  rewritten: (bad, { at, age, length, bad: now }) =>
    unadjusted([
      ...onTime(bad),
      ...minutesFrom(at - age - length, length).map((minute) => ({ at, ...counted(minute, now) })),
    ]),
  added: (bad, { at, length, bad: now }) =>
    unadjusted([
      ...onTime(bad),
      ...minutesFrom(-historyMinutes - length, length).map((minute) => ({ at, ...counted(minute, now) })),
    ]),
  adjusted: (bad, { at, age, length, bad: now }) => ({
    arrivals: onTime(bad),
    adjustments: [
      {
        at,
        from: at - age,
        to: at - age + length,
        set: now === 62 ? { good: 900, total: perMinute } : undefined,
      },
    ],
  }),
}

/** Those in which changes of the past are all that happens. */
const pastPatterns = ["rewritten", "added", "adjusted"]

interface World {
  readonly incident: { readonly text: string; readonly bad: Incident }
  readonly change: Change
  readonly policies: ReadonlyArray<ModelPolicy>
}

/** The policies of the guide among random ones. */
const worlds: fc.Arbitrary<World> = fc.record({
  incident: incidents,
  change: changes,
  policies: fc
    .array(randomPolicy, { minLength: 2, maxLength: 2 })
    .map((random): World["policies"] => [
      ...random,
      { coolDown: 5, groups: "page" },
      { coolDown: 5, groups: [[burns(5.6, 360), burns(5.6, 30)]] },
      { coolDown: 5, groups: [[burns(5.6, 360)]] },
    ]),
})

const burns = (value: number, alertingWindow: number) => ({
  measurement: "averageBurnRate" as const,
  op: "gte" as const,
  value,
  alertingWindow,
})

/** A good present, and hours of errors that come to be known late: only the change meets the conditions, which are held. */
const imported: World = {
  incident: { text: "no bad events", bad: () => 0 },
  change: { at: 20, age: 62, length: 90, bad: 1_000 },
  policies: [{ coolDown: 5, groups: [[burns(5.6, 360)]] }],
}

const sloKey = (name: string) => ({ project: policyKey.project, name })

const adjustmentOf = (name: string, { from, to, set }: ModelAdjustment): BudgetAdjustment => ({
  kind: "BudgetAdjustment",
  metadata: sloKey(name),
  spec: {
    reason: "maintenance",
    slos: [sloKey(name)],
    period: { startTime: instantOf(isoOf(from)), duration: minutesText(to - from) },
    ...(set !== undefined && { set }),
  },
})

const isoOf = (minute: number) => new Date((origin + minute) * 60_000).toISOString()

/** Evaluates an SLO for each way in which counts arrive, every half minute. */
const live = (
  { policies }: World,
  lates: ReadonlyMap<string, Late>,
  passTime: (ms: number) => Effect.Effect<void>,
) =>
  Effect.gen(function* () {
    yield* passTime(origin * 60_000)
    yield* putDefinitions(organization, [
      aMethod(hook),
      aMethod(pager),
      ...policies.map(policyOf),
      ...[...lates.keys()].map((name) =>
        anSlo(sloKey(name), {
          objectives: [{ name: "good", target: target / 1_000 }],
          alertPolicies: policies.map((_, index) => `policy-${index}`),
        }),
      ),
    ])
    for (let at = 0; at <= runMinutes; at += 0.5) {
      if (at > 0) yield* passTime(30_000)
      yield* Effect.forEach(
        lates,
        ([name, { arrivals, adjustments }]) =>
          Effect.gen(function* () {
            const created = adjustments.filter((each) => each.at === at)
            if (created.length > 0)
              yield* putDefinitions(
                organization,
                created.map((each) => adjustmentOf(name, each)),
              )
            const body = arrivals
              .filter((each) => each.at === at)
              .map(({ minute, good, total }) => ({ objective: "good", at: isoOf(minute), good, total }))
            yield* body.length > 0
              ? recordCounts(organization, { ...sloKey(name), body })
              : refreshStatus(organization, sloKey(name))
          }),
        { concurrency: 4 },
      )
    }
    const { items } = yield* (yield* AlertStore).list(organization, {}, { limit: 5_000 })
    return (name: string, policy: number): ReadonlyArray<ModelAlert> =>
      items
        .filter(
          ({ subject }) => subject.slo.name === name && subject.alertPolicy?.name === `policy-${policy}`,
        )
        .toSorted((a, b) => a.triggeredAt - b.triggeredAt)
        .map((alert) => modelAlertOf(alert, origin))
  })

/** When an alert begins and ends. */
type Times = readonly [triggered: number, ended: number | undefined]

const timesOf = ({ triggered, ended }: ModelAlert): Times => [triggered, ended]

const backtested = (name: string, policy: number) =>
  Effect.map(
    backtestPolicy(
      organization,
      {
        ...sloKey(name),
        body: { alertPolicy: `policy-${policy}`, from: isoOf(0), to: isoOf(runMinutes) },
      },
      decodeOptions,
    ),
    ({ alerts }) =>
      alerts.map(({ triggeredAt, closedAt }): Times => [
        triggeredAt / 60_000 - origin,
        closedAt === undefined ? undefined : closedAt / 60_000 - origin,
      ]),
  )

const absolute = ({ arrivals, adjustments }: Late): Late => ({
  arrivals: arrivals.map((each) => ({ ...each, minute: origin + each.minute, at: origin + each.at })),
  adjustments: adjustments.map((each) => ({
    ...each,
    from: origin + each.from,
    to: origin + each.to,
    ...(each.at !== undefined && { at: origin + each.at }),
  })),
})

const predicted = ({ policies }: World, late: Late) => {
  const { arrivals, adjustments } = absolute(late)
  return predictAlerts({ target }, window, policies, arrivals, origin + runMinutes, {
    adjustments,
    isCountsFirst: true,
  }).map((alerts) => alerts.map((alert) => relative(alert, origin)))
}

/** What is known in the end, as if it had been known from the start. */
const known = ({ arrivals, adjustments }: Late): Late => ({
  arrivals: [
    ...new Map(arrivals.toSorted((a, b) => a.at - b.at).map((each) => [each.minute, each] as const)).values(),
  ].map((each) => ({ ...each, at: Math.max(0, each.minute + 1) })),
  adjustments: adjustments.map(({ from, to, set }) => ({ from, to, set })),
})

/**
 * That alerts trigger and resolve as a model of the documents says, however counts arrive and change, and as the backtest says;
 * `passTime` lets time pass on all clocks of the stores.
 */
export const lateCountsContract = <E>(
  name: string,
  layer: Layer.Layer<AlertStore | CountStore | DefinitionStore | SloStore, E>,
  passTime: (ms: number) => Effect.Effect<void>,
  fastCheck: { readonly numRuns: number; readonly seed: number },
): void => {
  describe(`late counts ${name}`, () => {
    // How many alerts were compared; without any, nothing was shown.
    let [alerts, unaffected] = [0, 0]
    it.effect.prop(
      "spec/alerting §12, spec/backtests §1, spec/budget-adjustments §6: alert as the documents say, and as the backtest does",
      [worlds],
      ([world]) =>
        Effect.gen(function* () {
          const { incident, change, policies } = world
          const lates = new Map(
            Object.entries(patterns).map(([name, arrive]) => [name, arrive(incident.bad, change)] as const),
          )
          const alertsOf = yield* live(world, lates, passTime)
          const backtests = new Map<string, ReadonlyArray<ReadonlyArray<Times>>>()
          for (const [pattern, late] of lates) {
            const what = { incident: incident.text, pattern, change }
            const tested = yield* Effect.forEach(policies, (_, index) => backtested(pattern, index))
            backtests.set(pattern, tested)
            const expected = predicted(world, late)
            const expectedBacktests = predicted(world, known(late))
            for (const [index, policy] of policies.entries()) {
              expect({ ...what, policy, live: alertsOf(pattern, index) }).toEqual({
                ...what,
                policy,
                live: expected[index],
              })
              expect({ ...what, policy, backtest: tested[index] }).toEqual({
                ...what,
                policy,
                backtest: expectedBacktests[index]?.map(timesOf),
              })
              alerts += expected[index]?.length ?? 0
            }
          }
          for (const [index, policy] of policies.entries()) {
            const before = backtests.get("on-time")?.[index]
            for (const pattern of ["on-time", "reposted"]) {
              const found = alertsOf(pattern, index).map(timesOf)
              expect({ incident: incident.text, pattern, change, policy, found }).toEqual({
                incident: incident.text,
                pattern,
                change,
                policy,
                found: before,
              })
            }
            // What the past was and what it became alert at the same time, and so does the live evaluation.
            if (typeof policy.groups !== "string" && policy.groups.length > 1) continue
            for (const pattern of pastPatterns) {
              const first = before?.[0]?.[0]
              if (first === undefined || backtests.get(pattern)?.[index]?.[0]?.[0] !== first) continue
              if (typeof policy.groups === "string") continue
              unaffected++
              const found = alertsOf(pattern, index)[0]?.triggered
              expect({ incident: incident.text, pattern, change, policy, found }).toEqual({
                incident: incident.text,
                pattern,
                change,
                policy,
                found: first,
              })
            }
          }
        }).pipe(Effect.provide(Layer.merge(layer, RateLimiterMemory.layer))),
      // Without shrinking, which would take minutes: what is compared names the incident, the pattern and the policy.
      {
        timeout: 600_000,
        fastCheck: {
          ...fastCheck,
          // The example is one of the runs.
          numRuns: fastCheck.numRuns + 1,
          examples: [[imported]],
          endOnFailure: true,
        },
      },
    )

    it("spec/alerting §12: were compared in incidents that alert", () => {
      expect(alerts).toBeGreaterThan(fastCheck.numRuns)
      expect(unaffected).toBeGreaterThan(0)
    })
  })
}
