import { HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import { recordCounts } from "@tocsin/domain"
import type { AlertPolicy } from "@tocsin/domain/alerting"
import { durationOf } from "@tocsin/domain/codec"
import { explainPolicy } from "@tocsin/domain/features/backtest"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { anSlo, instantOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { alertsOf, aPolicy, at, organization, policyKey, sloKey } from "../../../../test/alerting/Incident.ts"

const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer)

const burns = (value: number, alertingWindow: string): Condition => ({
  measurement: "averageBurnRate",
  op: "gte",
  value,
  alertingWindow: durationOf(alertingWindow),
})

const slowBurn = [burns(6, "6h"), burns(6, "30m")]

/** A minute since the start of an outage, and its bad events of 1,000. */
type Minute = readonly [minute: number, bad: number | undefined, total?: number]

const post = (...minutes: ReadonlyArray<Minute>) =>
  recordCounts(organization, {
    ...sloKey,
    body: minutes.flatMap(([minute, bad, total = 1_000]) =>
      bad === undefined ? [] : [{ objective: "good", at: new Date(at(minute)).toISOString(), bad, total }],
    ),
  })

/** Six hours at a burn rate of 5.9, and then an outage with 30% errors for an hour. */
const badIn = (minute: number): number => (minute < 0 ? 59 : 300)

const slo = anSlo(sloKey, {
  timeWindow: { unit: "Day", count: 28 },
  objectives: [{ name: "good", target: 0.99 }],
  alertPolicies: [policyKey.name],
})

/** What happens beside the counts on time, by minute. */
interface Late {
  /** Posted together with the counts of the minute. */
  readonly counts?: (minute: number) => ReadonlyArray<Minute>
  /** Happens before them. */
  readonly act?: (minute: number) => Effect.Effect<unknown, unknown, Layer.Success<typeof stores>>
}

const outage = (late: Late, policy: AlertPolicy = aPolicy(slowBurn)) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at(-420))
    yield* putDefinitions(organization, [policy, slo])
    yield* TestClock.setTime(at(-10))
    yield* post(...Array.from({ length: 350 }, (_, index): Minute => [index - 360, 59]))
    for (let minute = -10; minute < 30; minute++) {
      yield* TestClock.setTime(at(minute + 0.5))
      yield* late.act?.(minute) ?? Effect.void
      yield* post([minute, badIn(minute)], ...(late.counts?.(minute) ?? []))
    }
    return yield* alertsOf()
  }).pipe(Effect.provide(stores))

/** At the minute of the outage in which the control alerts. */
const late = (minute: number, bad: number, total?: number): Late => ({
  counts: (now) => (now === 1 ? [total === undefined ? [minute, bad] : [minute, bad, total]] : []),
})

const adjust = (from: number, to: number) =>
  putDefinitions(organization, [
    {
      kind: "BudgetAdjustment",
      metadata: { project: sloKey.project, name: "maintenance" },
      spec: {
        reason: "maintenance",
        slos: [sloKey],
        period: {
          startTime: instantOf(new Date(at(from)).toISOString()),
          endTime: instantOf(new Date(at(to)).toISOString()),
        },
      },
    },
  ])

describe("an outage on top of a slow burn", () => {
  const harmless: Readonly<Record<string, Late>> = {
    "with counts on time alone": {},
    "with an old minute that is posted again unchanged": late(-200, 59),
    "with the last hours that are posted again every minute": {
      counts: (minute) =>
        Array.from(
          { length: 240 },
          (_, index) => [minute - 240 + index, badIn(minute - 240 + index)] as const,
        ).filter(([each]) => each >= -360),
    },
    "with an old minute that is corrected": late(-200, 61),
    "with an old minute that is corrected to a few errors less": late(-200, 50),
    "with an old minute of good events only": late(-361, 0, 10),
    "with a minute that is corrected in a request of its own": {
      act: (minute) => (minute === 1 ? post([-200, 61]) : Effect.void),
    },
    "with a budget adjustment of an old minute": {
      act: (minute) => (minute === 1 ? adjust(-200, -199) : Effect.void),
    },
  }
  for (const [what, lateCounts] of Object.entries(harmless)) {
    it.effect(`spec/alerting §12: alerts after 2 minutes ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* outage(lateCounts)).toEqual([["triggered", 1.5]])
      }),
    )
  }
})

describe("history that is changed", () => {
  /** Two hours of errors, five to three hours before the outage. */
  const imported = Array.from({ length: 120 }, (_, index): Minute => [index - 300, 500])

  /** Posts counts on time, with 0.1% errors but in the minutes of an outage from minute 40 on. */
  const live = (from: number, to: number) =>
    Effect.gen(function* () {
      for (let minute = from; minute < to; minute++) {
        yield* TestClock.setTime(at(minute + 0.5))
        yield* post([minute, minute >= 40 ? 300 : 1])
      }
    })

  const explained = (minute: number) =>
    Effect.map(
      explainPolicy(organization, {
        ...sloKey,
        alertPolicy: policyKey.name,
        from: new Date(at(minute)).toISOString(),
        to: new Date(at(minute + 1)).toISOString(),
      }),
      ({ minutes }) => minutes[0]?.objectives[0],
    )

  const prepared = (policy: AlertPolicy, history: ReadonlyArray<Minute> = []) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at(-10.5))
      yield* putDefinitions(organization, [policy, slo])
      yield* post(...history, ...Array.from({ length: 170 }, (_, index): Minute => [index - 180, 1]))
    })

  const changes: Readonly<
    Record<
      string,
      readonly [
        history: ReadonlyArray<Minute>,
        change: Effect.Effect<unknown, unknown, Layer.Success<typeof stores>>,
      ]
    >
  > = {
    "by an import in one request": [[], post(...imported)],
    "by an import in a request for each minute": [
      [],
      Effect.forEach(imported, (each) => Effect.andThen(TestClock.adjust(200), post(each))),
    ],
    "by a correction": [imported.map(([minute]) => [minute, 1]), post(...imported)],
    "by an adjustment that excludes its good minutes": [
      [...imported, ...Array.from({ length: 700 }, (_, index): Minute => [index - 1_000, 0])],
      adjust(-1_000, -300),
    ],
  }
  for (const [what, [history, change]] of Object.entries(changes)) {
    it.effect(
      `spec/alerting §12, spec/alerting §24: holds its alert ${what}, and later minutes alone trigger one`,
      () =>
        Effect.gen(function* () {
          // Over six hours, the changed history alone burns the budget fast enough; of the last minutes, nothing is required.
          const policy = aPolicy([what.includes("adjustment") ? burns(8, "24h") : burns(6, "6h")])
          yield* prepared(policy, history)
          yield* live(-10, 0)
          expect(yield* alertsOf()).toEqual([])
          yield* change
          yield* live(0, 30)
          expect(yield* alertsOf()).toEqual([])
          expect(yield* explained(28)).toMatchObject({
            held: { reason: "past_changed", detail: expect.stringContaining("Without the change") },
          })
          yield* live(30, 230)
          const [alert] = yield* alertsOf()
          expect(alert?.[1]).toBeGreaterThan(40)
          expect((yield* explained(228))?.held).toBeUndefined()
        }).pipe(Effect.provide(stores)),
    )
  }
})
