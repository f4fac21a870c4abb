import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { PastChanges } from "../status/StoredPastChanges.ts"
import type { SloReading } from "../status/ReadSlos.ts"
import type { DueSlo } from "../status/SloStore.ts"
import {
  type AlertCandidate,
  alertCandidates,
  type AlertLifecycles,
  changesToKeep,
} from "./AlertCandidate.ts"
import { type AlertLifecycle, nextTransition, storedHoldReason, storedLifecycles } from "./AlertLifecycle.ts"
import { type AlertChange, AlertStore, type StatusHasChanged } from "./AlertStore.ts"
import { countAlertChanges, withTraceparent } from "./AlertChanges.ts"
import { currentTraceparent } from "../telemetry/Tracing.ts"
import { count } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import { type AlertPlan, planTransition, readService, type DueTransition } from "./PlanTransition.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Most alerts that one transaction of an evaluation changes. */
const alertChangesAtOnceMax = 100

/** The outcome of an evaluation, as `SloStore.writeStatuses` needs it. */
export interface EvaluatedAlerts {
  readonly revision: string
  /** The lifecycles of the alerts in progress; absent without any. */
  readonly evaluation?: string
  /** When time alone changes something, in Unix milliseconds. */
  readonly nextCheckAt?: number
  /** The changes of the past that the next evaluation needs. */
  readonly pastChanges?: PastChanges
}

/**
 * Evaluates the alerts of an SLO and carries out what follows: alerts trigger, notify, resolve and are canceled.
 *
 * 1. `lifecyclesBefore` reads where the previous evaluation left each alert.
 * 2. `alertCandidates` lists every alert that the SLO can have, with what was measured for it.
 * 3. `nextTransition` decides for each what happens next; mostly nothing, and then nothing is read or written.
 * 4. `planTransition` reads what the transition needs.
 * 5. The changes of up to `alertChangesAtOnceMax` alerts are written in one transaction, with their deliveries and
 *    lifecycles, so that a concurrent or later evaluation sees all of it.
 *
 * Fails with `StatusHasChanged` when the SLO has changed since it was read: read and evaluate it again.
 */
export const evaluateAlerts: (
  evaluated: SloReading,
) => Effect.Effect<EvaluatedAlerts, StatusHasChanged | StoreIsUnavailable, AlertStore | DefinitionStore> =
  Effect.fnUntraced(function* (evaluated) {
    yield* count(metrics.alertEvaluations.of())
    const before = yield* lifecyclesBefore(evaluated.due)
    const lifecycles = new Map(Object.entries(before))
    let revision = evaluated.due.revision
    let nextCheckAt = Infinity
    let candidates = alertCandidates(evaluated, before)
    for (;;) {
      const due: Array<{ readonly candidate: AlertCandidate; readonly transition: DueTransition }> = []
      for (const candidate of candidates) {
        const transition = nextTransition(lifecycles.get(candidate.key), candidate.facts)
        if (transition.kind !== "none") due.push({ candidate, transition })
        else {
          setLifecycle(lifecycles, candidate.key, transition.lifecycle)
          nextCheckAt = Math.min(nextCheckAt, transition.nextCheckAt ?? Infinity)
        }
      }
      if (due.length === 0) break
      const serviceOf = yield* Effect.cached(readService(evaluated.due))
      for (let first = 0; first < due.length; first += alertChangesAtOnceMax) {
        const some = due.slice(first, first + alertChangesAtOnceMax)
        const plans = yield* Effect.forEach(some, ({ candidate, transition }) =>
          planTransition({ evaluated, candidate, serviceOf }, transition),
        )
        revision = yield* writeChanges(evaluated.due, revision, plans, lifecycles)
      }
      // One transition may be followed by another.
      candidates = due.map(({ candidate }) => candidate)
    }
    const evaluation = lifecyclesToText(lifecycles)
    for (const [key, lifecycle] of lifecycles) {
      const reason = storedHoldReason(lifecycle)
      const reasonBefore = before[key] && storedHoldReason(before[key])
      if (reason !== undefined && reason !== reasonBefore) yield* count(metrics.alertsHeld.of(reason))
    }
    const heldByPast = [...lifecycles].filter(([, { heldGroups }]) => heldGroups !== undefined)
    const pastChanges = changesToKeep(
      evaluated,
      heldByPast.map(([key]) => key),
    )
    return {
      revision,
      ...(evaluation !== undefined && { evaluation }),
      ...(nextCheckAt < Infinity && { nextCheckAt }),
      ...(pastChanges !== undefined && { pastChanges }),
    }
  })

const writeChanges = (
  { organization, slo, traceparent: ofCounts }: DueSlo,
  revision: string,
  plans: ReadonlyArray<AlertPlan>,
  lifecycles: Map<string, AlertLifecycle>,
) =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const { project, name } = slo.definition.metadata
    const traceparent = ofCounts ?? (yield* currentTraceparent)
    const lookups = plans.map(({ candidate, alertId }) => ({ subject: candidate.subject, id: alertId }))
    const done = yield* store.changeEvaluated(
      organization,
      { project, name },
      revision,
      lookups,
      (lookedUp) => {
        const after = new Map(lifecycles)
        const changes: Array<AlertChange> = []
        for (const [index, { candidate, decide }] of plans.entries()) {
          const decided = decide(lookedUp[index] ?? { latest: undefined, withId: undefined })
          if (Result.isFailure(decided)) return Result.fail(decided.failure)
          changes.push(withTraceparent(decided.success.change, traceparent))
          setLifecycle(after, candidate.key, decided.success.lifecycle)
        }
        return Result.succeed({ changes, evaluation: lifecyclesToText(after), after })
      },
    )
    for (const { candidate } of plans)
      setLifecycle(lifecycles, candidate.key, done.changed.after.get(candidate.key))
    yield* countAlertChanges(done.changed.changes, "policy")
    return done.revision
  })

const setLifecycle = (
  lifecycles: Map<string, AlertLifecycle>,
  key: string,
  lifecycle: AlertLifecycle | undefined,
): void => {
  if (lifecycle === undefined) lifecycles.delete(key)
  else lifecycles.set(key, lifecycle)
}

/** A stored evaluation that cannot be decoded is a defect, which concerns this SLO alone. */
export const lifecyclesBefore = ({
  evaluation,
}: Pick<DueSlo, "evaluation">): Effect.Effect<AlertLifecycles> =>
  evaluation === undefined
    ? Effect.succeed({})
    : Effect.orDie(Effect.fromResult(storedLifecycles.read(evaluation, {})))

const lifecyclesToText = (lifecycles: ReadonlyMap<string, AlertLifecycle>): string | undefined =>
  lifecycles.size === 0 ? undefined : storedLifecycles.write(Object.fromEntries(lifecycles)).json
