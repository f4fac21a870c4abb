import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import { type Alert, alertSubjectToKey, type CancelReason } from "../alerting/Alert.ts"
import { type AlertLookupResult, AlertStore } from "../alerting/AlertStore.ts"
import { evaluateAlerts } from "../alerting/EvaluateAlerts.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { CountStore } from "../counts/CountStore.ts"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import { definitionKeyText, type OrganizationId, projectKeyText } from "../metadata/ObjectKey.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import type { Slo } from "../slo/Slo.ts"
import { tidyDifference } from "../status/ErrorBudget.ts"
import { readSlos } from "../status/ReadSlos.ts"
import { sloStatus } from "../status/CountsPlan.ts"
import type { SloStatuses } from "../status/SloRecord.ts"
import { inParts } from "../work/Parts.ts"
import { changingMinutes } from "./ChangingMinutes.ts"
import type { CountHistory } from "./CountHistory.ts"

export interface BacktestInput {
  readonly organization: OrganizationId
  readonly slo: StoredDefinition<Slo>
  readonly policy: StoredDefinition<AlertPolicy>
  /** The SLOs of components. */
  readonly components: ReadonlyArray<StoredDefinition<Slo>>
  /** At least those of the SLO and its components, as they are now. */
  readonly adjustments: ReadonlyArray<BudgetAdjustment>
  /** Of the SLO and its components, by `projectKeyText`, over everything that the range measures. */
  readonly histories: ReadonlyMap<string, CountHistory>
  /** Whole minutes. */
  readonly range: MinuteRange
}

/** An alert that the policy would have opened. Times are in Unix milliseconds. */
interface BacktestAlert {
  /** Absent for the legacy composite. */
  readonly objective?: string
  readonly triggeredAt: number
  /** Absent if it is open at the end of the range. */
  readonly closedAt?: number
  /** Of a canceled alert; a resolved one has none. */
  readonly reason?: CancelReason
  /** The share of the error budget that was burned when it triggered, and when it closed or the range ended. */
  readonly burnedAtTrigger?: number
  readonly burnedAtEnd?: number
}

export interface BacktestResult {
  /** The start of the first minute of the range that has counts, of the SLO or a component; absent without one. */
  readonly countsFrom?: number
  /** The earliest first. */
  readonly alerts: ReadonlyArray<BacktestAlert>
  /** At the end of the range. */
  readonly statuses: SloStatuses
}

/**
 * Evaluates an alert policy in each minute that can change something, as a server would have that got the counts of each minute at
 * its end: with `readSlos` and `evaluateAlerts`, over stores that know the counts up to then and keep the alerts of the policy.
 *
 * No alert is open at the start of the range. Silences and missing data are left out. Lets other fibers run, and can be
 * interrupted, every few milliseconds.
 */
export const runBacktest = (input: BacktestInput): Effect.Effect<BacktestResult> =>
  Effect.suspend(() => {
    const { organization, adjustments, range } = input
    const { spec } = input.slo.definition
    const { metadata } = input.policy.definition
    const slo = {
      ...input.slo,
      definition: { ...input.slo.definition, spec: { ...spec, alertPolicies: [metadata.name] } },
    }
    // Recipients do not change when an alert triggers.
    const policy = {
      ...input.policy,
      definition: {
        ...input.policy.definition,
        metadata: { ...metadata, project: slo.definition.metadata.project },
        spec: { ...input.policy.definition.spec, alertMethods: [] },
      },
    }
    const clock = new BacktestClock(range.from)
    const alerts = new BacktestAlerts()
    let statuses: SloStatuses = new Map()

    const evaluate = Effect.gen(function* () {
      const history = input.histories.get(projectKeyText(slo.definition.metadata))
      const changingFrom =
        history &&
        (yield* inParts(() =>
          changingMinutes(slo.definition, policy.definition, adjustments, history, range),
        ))
      let evaluation: string | undefined
      for (let step = 1; clock.now <= range.to; step++) {
        const due = {
          organization,
          slo,
          policies: [policy],
          silences: [],
          adjustments,
          evaluation,
          ignoresMissingData: true,
          revision: "0.0",
        }
        let nextAt = minuteOf(clock.now) + minuteMs
        if (changingFrom !== undefined && nextAt <= range.to) {
          // What is left at the end is measured in its last minute.
          nextAt = Math.min(changingFrom(nextAt), range.to)
        }
        for (const reading of yield* readSlos([due])) {
          const evaluated = yield* evaluateAlerts(reading)
          evaluation = evaluated.evaluation
          nextAt = Math.min(nextAt, evaluated.nextCheckAt ?? Infinity)
          if (alerts.areUnmeasured || nextAt > range.to) {
            statuses = sloStatus(slo.definition, reading.at, reading.counts)
            alerts.measure(statuses)
          }
        }
        clock.now = nextAt
        if (step % stepsWithoutYield === 0) yield* Effect.yieldNow
      }
      const firsts = [...input.histories.values()].flatMap((history) => history.firstAt(range) ?? [])
      const result: BacktestResult = {
        alerts: alerts.all(statuses),
        statuses,
        ...(firsts.length > 0 && { countsFrom: Math.min(...firsts) }),
      }
      return result
    })

    return evaluate.pipe(
      // What is only simulated does not count.
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provideService(Clock.Clock, clock.service),
      Effect.provideService(CountStore, countStoreAt(input.histories, clock)),
      Effect.provideService(DefinitionStore, definitionStoreOf([slo, policy, ...input.components])),
      Effect.provideService(AlertStore, alerts.store),
      // Neither the stores nor the evaluation over them can fail.
      Effect.orDie,
    )
  })

const stepsWithoutYield = 10

/** A clock that stands still until it is set. */
export class BacktestClock {
  now: number
  readonly service: Clock.Clock = {
    currentTimeMillisUnsafe: () => this.now,
    currentTimeMillis: Effect.sync(() => this.now),
    currentTimeNanosUnsafe: () => BigInt(this.now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(this.now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(this.now) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(this.now) * 1_000_000n),
    sleep: () => Effect.void,
  }

  constructor(now: number) {
    this.now = now
  }
}

const notUsed = (): Effect.Effect<never> => Effect.die(new Error("a backtest does not use this operation"))

/** The counts before the current minute of a clock. */
export const countStoreAt = (
  histories: ReadonlyMap<string, CountHistory>,
  clock: { readonly now: number },
): CountStore["Service"] => ({
  record: notUsed,
  hours: notUsed,
  presence: notUsed,
  sums: (reads) =>
    Effect.sync(() => {
      const knownTo = minuteOf(clock.now)
      return reads.map(({ slo, ranges, tracks }) => {
        const history = histories.get(projectKeyText(slo))
        return {
          sums: ranges.map((range) => history?.sums(range, knownTo, tracks) ?? []),
          latestAt: history?.latestAt(knownTo) ?? new Map(),
        }
      })
    }),
})

/** A store of a few definitions, to be read only. */
export const definitionStoreOf = (stored: ReadonlyArray<StoredDefinition>): DefinitionStore["Service"] => {
  const byKey = new Map(
    stored.map((each) => {
      const { kind, metadata } = each.definition
      return [
        definitionKeyText({
          kind,
          project: "project" in metadata ? metadata.project : "",
          name: metadata.name,
        }),
        each,
      ]
    }),
  )
  // The key says what the definition is.
  const find = (kind: string, key: { readonly project: string; readonly name: string }) =>
    byKey.get(`${kind}/${projectKeyText(key)}`) as never
  return {
    change: notUsed,
    list: notUsed,
    listKept: notUsed,
    referrers: notUsed,
    findStatusPage: notUsed,
    records: notUsed,
    find: (_organization, kind, key) => Effect.sync(() => Option.fromNullishOr(find(kind, key))),
    findAll: (_organization, kind, keys) => Effect.sync(() => keys.flatMap((key) => find(kind, key) ?? [])),
  }
}

interface MeasuredAlert {
  alert: Alert
  burnedAtTrigger?: number
  burnedAtEnd?: number
}

/** The alerts of a backtest; `store` is what the evaluation reads and writes. */
class BacktestAlerts {
  readonly #byId = new Map<string, MeasuredAlert>()
  readonly #latest = new Map<string, Alert>()
  #unmeasured: Array<{ readonly measured: MeasuredAlert; readonly at: "burnedAtTrigger" | "burnedAtEnd" }> =
    []

  readonly store: AlertStore["Service"] = {
    change: notUsed,
    storedNotifications: notUsed,
    countOpen: notUsed(),
    openBySlo: notUsed,
    countByPolicy: notUsed,
    list: notUsed,
    find: (_organization, { subject, id }) => Effect.sync(() => this.#lookUp(alertSubjectToKey(subject), id)),
    changeEvaluated: (_organization, _slo, revision, lookups, decide) =>
      Effect.suspend(() => {
        const decided = decide(lookups.map(({ subject, id }) => this.#lookUp(alertSubjectToKey(subject), id)))
        if (Result.isFailure(decided)) return Effect.fail(decided.failure)
        for (const { closed, put } of decided.success.changes) {
          if (closed !== undefined) this.#put(closed)
          if (put !== undefined) this.#put(put)
        }
        return Effect.succeed({ changed: decided.success, revision })
      }),
  }

  get areUnmeasured(): boolean {
    return this.#unmeasured.length > 0
  }

  /** Says what the budgets were when the alerts changed that were written since the last call. */
  measure(statuses: SloStatuses): void {
    for (const { measured, at } of this.#unmeasured) {
      const burned = burnedOf(measured.alert, statuses)
      if (burned !== undefined) measured[at] = burned
    }
    this.#unmeasured = []
  }

  all(statuses: SloStatuses): ReadonlyArray<BacktestAlert> {
    return [...this.#byId.values()].map(({ alert, burnedAtTrigger, burnedAtEnd }) => {
      const burned = alert.status === "triggered" ? burnedOf(alert, statuses) : burnedAtEnd
      return {
        ...(alert.subject.objective !== undefined && { objective: alert.subject.objective }),
        triggeredAt: alert.triggeredAt,
        ...(alert.resolvedAt !== undefined && { closedAt: alert.resolvedAt }),
        ...(alert.reason !== undefined && { reason: alert.reason }),
        ...(burnedAtTrigger !== undefined && { burnedAtTrigger }),
        ...(burned !== undefined && { burnedAtEnd: burned }),
      }
    })
  }

  #lookUp(subject: string, id: string | undefined): AlertLookupResult {
    return {
      latest: this.#latest.get(subject),
      withId: id === undefined ? undefined : this.#byId.get(id)?.alert,
    }
  }

  #put(alert: Alert): void {
    const before = this.#byId.get(alert.id)
    const measured: MeasuredAlert = before ?? { alert }
    measured.alert = alert
    this.#byId.set(alert.id, measured)
    this.#latest.set(alertSubjectToKey(alert.subject), alert)
    if (before === undefined) this.#unmeasured.push({ measured, at: "burnedAtTrigger" })
    if (alert.status !== "triggered") this.#unmeasured.push({ measured, at: "burnedAtEnd" })
  }
}

const burnedOf = ({ subject }: Alert, statuses: SloStatuses): number | undefined =>
  burnedBudget(statuses, subject.objective ?? overallTrack)

/** The share of the error budget of a track that is burned, more than 1 when it is overspent; `undefined` without data. */
export const burnedBudget = (statuses: SloStatuses, track: string): number | undefined => {
  const remaining = statuses.get(track)?.errorBudgetRemainingPercentage
  return remaining === undefined ? undefined : tidyDifference(1, remaining)
}
