import * as HashNode from "@tocsin/adapters-http/internal/crypto/HashNode"
import * as MemoryStores from "@tocsin/adapters-memory/internal/MemoryStores"
import type { AlertPolicy, Condition } from "@tocsin/domain/internal/alert-policy/AlertPolicy"
import { durationOf } from "@tocsin/domain/internal/codec/Duration"
import { recordCounts } from "@tocsin/domain/internal/refresh/RecordCounts"
import { anSlo, putDefinitions } from "@tocsin/testing/internal/contract/slo-definitions"
import { describe, expect, it } from "@tocsin/testing/internal/contract/EffectTest"
import { instantOf } from "@tocsin/testing/internal/contract/ParsedValues"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { alertsOf, aPolicy, at, organization, policyKey, sloKey } from "./Incident.ts"

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
    for (let minute = -360; minute < 30; minute++) {
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
