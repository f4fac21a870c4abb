import { recordCounts, refreshStatuses } from "@tocsin/domain"
import { type Definition, plainObjectivesOf } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { AlertStore, DeliveryLog } from "@tocsin/domain/ports"
import type { AlertPolicy, Condition } from "@tocsin/domain/alerting"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { aMethod, anSlo, putDefinitions } from "@tocsin/testing/fixtures"

/** The organization, the SLO and its policy in incidents; `pager` asks for the end of alerts, `hook` does not. */
export const organization = "acme"
export const sloKey = { project: "shop", name: "checkout" }
export const policyKey = { project: "shop", name: "fast-burn" }
export const hook = { project: "shop", name: "hook" }
export const pager = { project: "ops", name: "pager" }

/** When an incident's minute 0 begins. */
export const start = Date.UTC(2026, 0, 30, 12)

const minuteMs = 60_000

/** An instant in minutes since the start, as in `12.5`, in Unix milliseconds. */
export const at = (minute: number): number => start + minute * minuteMs

/** A policy of conditions that notifies both methods and cools down for 5 minutes. */
export const aPolicy = (
  conditions: ReadonlyArray<Condition>,
  spec: Partial<AlertPolicy["spec"]> = {},
  name = policyKey.name,
): AlertPolicy => ({
  kind: "AlertPolicy",
  metadata: { ...policyKey, name },
  spec: { severity: "High", coolDown: durationOf("5m"), conditions, alertMethods: [hook, pager], ...spec },
})

/** An SLO over an hour with the objective `good` and the policy. */
export const anHour = (spec: Partial<Slo["spec"]> = {}): Slo =>
  anSlo(sloKey, {
    timeWindow: { unit: "Minute", count: 60 },
    objectives: [{ name: "good", target: 0.9 }],
    alertPolicies: [policyKey.name],
    ...spec,
  })

/** The good events of 10 in a minute since the start; `undefined`: no counts come. */
export type Script = (minute: number) => number | undefined

/** Bad from one minute to before another, good before and after. */
export const badFrom =
  (from: number, to: number): Script =>
  (minute) =>
    minute >= from && minute < to ? 0 : 10

/**
 * Keeps statuses current as a server does, but looks every half minute instead of every second: a `TestClock` takes its
 * time for each.
 */
export const watch = Effect.flatMap(Clock.Clock, (clock) => {
  const slower: Clock.Clock = Object.create(clock, {
    sleep: { value: () => clock.sleep(Duration.seconds(30)) },
  })
  return Effect.forkScoped(Effect.provideService(refreshStatuses, Clock.Clock, slower))
})

/** Defines the SLO and the rest, with two hours of good counts before the start. The clock is at minute -0.5 then. */
export const before = (slo: Slo, ...definitions: ReadonlyArray<Definition>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at(-120))
    yield* putDefinitions(organization, [
      aMethod(hook),
      aMethod(pager, { sendResolution: true }),
      ...definitions,
      slo,
    ])
    yield* TestClock.setTime(at(-0.5))
    yield* record(
      slo,
      Array.from({ length: 120 }, (_, index) => [index - 120, 10] as const),
    )
  })

/**
 * Lets minutes pass: the counts of each come in its middle, so that statuses are computed at its start without them, and
 * in its middle with them. `acts` happen at their instants, after the statuses of that time.
 */
export const pass = <E = never, R = never>(
  slo: Slo,
  script: Script,
  from: number,
  to: number,
  acts: Readonly<Record<number, Effect.Effect<unknown, E, R>>> = {},
) =>
  Effect.gen(function* () {
    for (let minute = from; minute < to; minute++) {
      yield* TestClock.adjust("30 seconds")
      yield* acts[minute] ?? Effect.void
      yield* TestClock.adjust("30 seconds")
      const good = script(minute)
      if (good !== undefined) yield* record(slo, [[minute, good]])
      yield* acts[minute + 0.5] ?? Effect.void
    }
  })

/** Records the good events of 10 in some minutes, for each objective that has counts of its own. */
export const record = (slo: Slo, counts: ReadonlyArray<readonly [minute: number, good: number]>) =>
  recordCounts(organization, {
    ...sloKey,
    name: slo.metadata.name,
    body: plainObjectivesOf(slo).flatMap(({ name }) =>
      counts.map(([minute, good]) => ({
        objective: name,
        at: new Date(at(minute)).toISOString(),
        good,
        total: 10,
      })),
    ),
  })

/** An alert: its state, and when it triggered and ended, in minutes since the start. */
export type Seen = readonly [state: string, triggered: number, ended?: number]

/** The alerts of a policy, or of none, the earliest first. */
export const alertsOf = (policy: string | null = policyKey.name) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* AlertStore).list(organization, {}, { limit: 500 })
    return items
      .filter(({ subject }) => (subject.alertPolicy?.name ?? null) === policy)
      .toSorted((a, b) => a.triggeredAt - b.triggeredAt)
      .map(({ status, reason, triggeredAt, resolvedAt }): Seen => {
        const seen = [reason ?? status, minuteOf(triggeredAt)] as const
        return resolvedAt === undefined ? seen : [...seen, minuteOf(resolvedAt)]
      })
  })

/** A notification: when it was made, in minutes since the start, its event and its alert method. */
export type SentNotification = readonly [at: number, event: string, method: string]

/** The notifications of a policy's alerts, or of those of none; the earliest first, at the same time by method and event. */
export const sentBy = (policy: string | null = policyKey.name) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* DeliveryLog).list(organization, {}, { limit: 500 })
    return items
      .filter(({ notification }) => (notification.alertPolicy?.name ?? null) === policy)
      .map(({ createdAt, notification, alertMethod }): SentNotification => [
        minuteOf(createdAt),
        notification.event,
        alertMethod.name,
      ])
      .toSorted((a, b) => a[0] - b[0] || (`${a[2]} ${a[1]}` < `${b[2]} ${b[1]}` ? -1 : 1))
  })

/** The notifications of alerts that triggered and ended at these times. */
export const sentFor = (triggered: number, resolved?: number): ReadonlyArray<SentNotification> => [
  [triggered, "alert.triggered", "hook"],
  [triggered, "alert.triggered", "pager"],
  ...(resolved === undefined ? [] : [[resolved, "alert.resolved", "pager"] as const]),
]

const minuteOf = (instant: number): number => (instant - start) / minuteMs
