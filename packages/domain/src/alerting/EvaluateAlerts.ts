import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import type { DefinitionStore, DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import { Limits } from "../Limits.ts"
import type { SloDue } from "../status/SloStore.ts"
import { type AlertLifecycle, nextStep } from "./AlertLifecycle.ts"
import { type AlertPlan, planStep, readService, type StepToDo } from "./AlertPlan.ts"
import {
  type AlertChange,
  AlertStore,
  type AlertStoreIsUnavailable,
  type StatusHasChanged,
} from "./AlertStore.ts"
import { livesBefore, type EvaluatedSlo, type EvaluatedAlert, evaluatedAlerts } from "./EvaluatedAlert.ts"

/** An SLO whose alerts are evaluated, as `SloStore.writeStatuses` needs it. */
export interface AlertsEvaluated {
  readonly revision: string
  /** Absent: nothing is going on. */
  readonly evaluation?: string
  /** When the passing of time alone changes something, in Unix milliseconds. */
  readonly nextCheckAt?: number
}

/**
 * Carries out what follows from an SLO's budgets, policies and silences: alerts trigger, ring, resolve and are canceled.
 *
 * Changes are written with their deliveries and with what the next evaluation must know, those of up to
 * `Limits.alertChangesAtOnceMax` alerts in one transaction: whoever evaluates the same SLO beside or after this finds it
 * done. Mostly nothing changes; then nothing is read or written.
 *
 * Fails with `StatusHasChanged` when the SLO has changed since it was read: it is to be read and evaluated again.
 *
 * Source: decisions 0610 to 0613.
 */
export const evaluateAlerts = (
  seen: EvaluatedSlo,
): Effect.Effect<
  AlertsEvaluated,
  StatusHasChanged | AlertStoreIsUnavailable | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore
> =>
  Effect.gen(function* () {
    const { due } = seen
    const before = livesBefore(due)
    const lives = new Map(Object.entries(before))
    const livesToText = makeLivesToText()
    let revision = due.revision
    let nextCheckAt = Infinity
    let waiting = evaluatedAlerts(seen, before)
    for (;;) {
      const steps: Array<{ readonly watched: EvaluatedAlert; readonly step: StepToDo }> = []
      for (const watched of waiting) {
        const step = nextStep(lives.get(watched.key), watched.facts)
        if (step.kind !== "none") steps.push({ watched, step })
        else {
          setLifecycle(lives, watched.key, step.life)
          nextCheckAt = Math.min(nextCheckAt, step.nextCheckAt ?? Infinity)
        }
      }
      if (steps.length === 0) break
      const serviceOf = yield* Effect.cached(readService(due))
      for (let first = 0; first < steps.length; first += Limits.alertChangesAtOnceMax) {
        const some = steps.slice(first, first + Limits.alertChangesAtOnceMax)
        const plans = yield* Effect.forEach(some, ({ watched, step }) =>
          planStep({ seen, watched, serviceOf }, step),
        )
        revision = yield* change(due, revision, plans, lives, livesToText)
      }
      // What is done may be followed by more.
      waiting = steps.map(({ watched }) => watched)
    }
    const evaluation = livesToText(lives)
    return {
      revision,
      ...(evaluation !== undefined && { evaluation }),
      ...(nextCheckAt < Infinity && { nextCheckAt }),
    }
  })

/** Writes changes, and puts the lives as they are then; answers the revision. */
const change = (
  { organization, slo }: SloDue,
  revision: string,
  plans: ReadonlyArray<AlertPlan>,
  lives: Map<string, AlertLifecycle>,
  livesToText: ReturnType<typeof makeLivesToText>,
) =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const { project, name } = slo.definition.metadata
    const reads = plans.map(({ watched, alertId }) => ({ subject: watched.subject, id: alertId }))
    const done = yield* store.changeEvaluated(organization, { project, name }, revision, reads, (found) => {
      const after = new Map(lives)
      const changes: Array<AlertChange> = []
      for (const [index, { watched, decide }] of plans.entries()) {
        const decided = decide(found[index] ?? { latest: undefined, withId: undefined })
        if (Result.isFailure(decided)) return Result.fail(decided.failure)
        changes.push(decided.success.change)
        setLifecycle(after, watched.key, decided.success.life)
      }
      return Result.succeed({ changes, evaluation: livesToText(after), after })
    })
    for (const { watched } of plans) setLifecycle(lives, watched.key, done.changed.after.get(watched.key))
    return done.revision
  })

const setLifecycle = (
  lives: Map<string, AlertLifecycle>,
  key: string,
  life: AlertLifecycle | undefined,
): void => {
  if (life === undefined) lives.delete(key)
  else lives.set(key, life)
}

/** Writes `AlertLives`. Of many lifecycles a few change between two writes, so each is encoded once. */
const makeLivesToText = () => {
  const textByLifecycle = new Map<AlertLifecycle, string>()
  const lifeToText = (life: AlertLifecycle): string => {
    const known = textByLifecycle.get(life)
    if (known !== undefined) return known
    const text = JSON.stringify(life)
    textByLifecycle.set(life, text)
    return text
  }
  return (lives: ReadonlyMap<string, AlertLifecycle>): string | undefined =>
    lives.size === 0
      ? undefined
      : `{${Array.from(lives, ([key, life]) => `${JSON.stringify(key)}:${lifeToText(life)}`).join()}}`
}
