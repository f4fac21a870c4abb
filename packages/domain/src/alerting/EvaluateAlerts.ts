import { Effect, Option } from "effect"
import type { ProjectKey } from "../definition/Definition.ts"
import { DefinitionStore, type DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import { Limits } from "../Limits.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { err, ok, type Result } from "../Result.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import type { SloDue } from "../slo/SloStore.ts"
import { type Alert, canceledAsDeleted } from "./Alert.ts"
import { type AlertLife, type LifeStep, nextStep } from "./AlertLife.ts"
import {
  type AlertChange,
  type AlertsFound,
  AlertStore,
  type AlertStoreIsUnavailable,
  StatusHasChanged,
} from "./AlertStore.ts"
import { conditionText, durationText } from "./ConditionText.ts"
import { type AlertContext, hearersOfEnd, readAsksForEnd, ringing, unchanged } from "./RingAlert.ts"
import { livesBefore, type SloSeen, type WatchedAlert, watchedAlerts } from "./WatchedAlert.ts"

/** An SLO whose alerts are evaluated, as `SloStore.writeStatuses` needs it. */
export interface AlertsEvaluated {
  readonly revision: string
  /** Absent: nothing is going on. */
  readonly evaluation?: string
  /** When the passing of time alone changes something, in Unix milliseconds. */
  readonly lookAt?: number
}

/**
 * Carries out what follows from an SLO's budgets, policies and silences: alerts trigger, ring, resolve and are canceled.
 *
 * Changes are written with their deliveries and with what the next evaluation must know, those of up to
 * `Limits.alertChangesAtOnceMax` alerts in one transaction: whoever evaluates the same SLO beside or after this finds it done. Mostly nothing changes; then nothing is read or written.
 *
 * Fails with `StatusHasChanged` when the SLO has changed since it was read: it is to be read and evaluated again.
 *
 * Source: decisions 0610 to 0613.
 */
export const evaluateAlerts = (
  seen: SloSeen,
): Effect.Effect<
  AlertsEvaluated,
  StatusHasChanged | AlertStoreIsUnavailable | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore
> =>
  Effect.gen(function* () {
    const { due } = seen
    const before = livesBefore(due)
    const lives = new Map(Object.entries(before))
    let revision = due.revision
    let lookAt = Infinity
    let waiting = watchedAlerts(seen, before)
    for (;;) {
      const steps: Array<{ readonly watched: WatchedAlert; readonly step: StepToDo }> = []
      for (const watched of waiting) {
        const step = nextStep(lives.get(watched.key), watched.facts)
        if (step.kind !== "none") steps.push({ watched, step })
        else {
          setLife(lives, watched.key, step.life)
          lookAt = Math.min(lookAt, step.lookAt ?? Infinity)
        }
      }
      if (steps.length === 0) break
      const serviceOf = yield* Effect.cached(readService(due))
      for (let first = 0; first < steps.length; first += Limits.alertChangesAtOnceMax) {
        const some = steps.slice(first, first + Limits.alertChangesAtOnceMax)
        const plans = yield* Effect.forEach(some, ({ watched, step }) =>
          plan({ seen, watched, serviceOf }, step),
        )
        revision = yield* change(due, revision, plans, lives)
      }
      // What is done may be followed by more.
      waiting = steps.map(({ watched }) => watched)
    }
    const evaluation = livesToText(lives)
    return {
      revision,
      ...(evaluation !== undefined && { evaluation }),
      ...(lookAt < Infinity && { lookAt }),
    }
  })

/** An alert for which something is to be done. */
interface Standing {
  readonly seen: SloSeen
  readonly watched: WatchedAlert
  /** Reads the service of the SLO, once for many alerts. */
  readonly serviceOf: ReturnType<typeof readService>
}

/** What is to be done for an alert: what it looks at, and what follows from that for it and its life. */
interface Plan<E = never> {
  readonly watched: WatchedAlert
  readonly alertId: string | undefined
  readonly decide: (
    found: AlertsFound,
  ) => Result<{ readonly change: AlertChange; readonly life: AlertLife | undefined }, E>
}

type StepToDo = Exclude<LifeStep, { readonly kind: "none" }>

type StepOf<K> = Extract<LifeStep, { readonly kind: K }>

const plan = (
  standing: Standing,
  step: StepToDo,
): Effect.Effect<
  Plan<StatusHasChanged>,
  AlertStoreIsUnavailable | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore
> => {
  switch (step.kind) {
    case "trigger":
      return trigger(standing, step)
    case "ring":
      return ring(standing, step)
    case "end":
      return end(standing, step)
    case "tellEnd":
      return tellEnd(standing, step)
  }
}

/** Opens an alert, or takes over the one that is open: from outside, or of an evaluation whose SLO was replaced. */
const trigger = (standing: Standing, step: StepOf<"trigger">) =>
  Effect.gen(function* () {
    const { seen, watched } = standing
    const { due } = seen
    const { isHeldBack } = step
    const alertMethods = isHeldBack ? [] : methodsOf(due, watched)
    const metricAt = seen.told.latestAt(watched.subject.objective ?? overallTrack)
    const id = yield* uuidV7
    const alert: Alert = {
      id,
      subject: watched.subject,
      status: "triggered",
      ...judgedBy(due, watched),
      definedAt: Math.max(due.slo.createdAt, watched.policy?.createdAt ?? 0),
      alertMethods,
      ...(isHeldBack && { isHeldBack }),
      triggeredAt: seen.now,
      ...(metricAt !== undefined && { triggeredMetricAt: metricAt }),
    }
    const context = yield* readContext(standing)
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, alertMethods.length)
    return planOf(watched, undefined, ({ latest }) => {
      const open = latest?.status === "triggered" ? latest : undefined
      if (open !== undefined && open.definedAt === alert.definedAt) {
        const life = step.lifeOf({ alertId: open.id, isHeldBack: open.isHeldBack ?? false })
        return ok({ change: unchanged(open.id), life })
      }
      return ok({
        change: {
          ...ringing(context, alert, alertMethods, deliveryIds),
          ...(open !== undefined && { ended: canceledAsDeleted(open, seen.now) }),
        },
        life: step.lifeOf({ alertId: id, isHeldBack }),
      })
    })
  })

/** Rings for an alert that was held back, unless it was ended or rung from outside meanwhile. */
const ring = (standing: Standing, { alertId, life }: StepOf<"ring">) =>
  Effect.gen(function* () {
    const { watched } = standing
    const { due } = standing.seen
    const alertMethods = methodsOf(due, watched)
    const context = yield* readContext(standing)
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, alertMethods.length)
    return planOf(watched, alertId, ({ withId }) => {
      if (withId?.status !== "triggered" || withId.isHeldBack !== true) {
        return ok({ change: unchanged(alertId), life })
      }
      const { isHeldBack: _, ...open } = withId
      return ok({ change: ringing(context, { ...open, alertMethods }, alertMethods, deliveryIds), life })
    })
  })

/**
 * Ends the alert that is open: the one that was, or one that came from outside after that had been ended from outside;
 * where none is open any more, nobody is told again.
 */
const end = (standing: Standing, { alertId, reason, endingOf }: StepOf<"end">) =>
  Effect.gen(function* () {
    const { seen, watched } = standing
    const reads = { subject: watched.subject, id: alertId }
    const known = openOf(yield* (yield* AlertStore).find(seen.due.organization, reads))
    const { context, asksForEnd, deliveryIds } = yield* readForEnd(standing, known)
    const metricAt = seen.told.latestAt(watched.subject.objective ?? overallTrack)
    return planOf(watched, alertId, (found) => {
      const open = openOf(found)
      if (open === undefined) return ok({ change: unchanged(alertId), life: endingOf(undefined).life })
      const hearers = hearersOfEnd(open, asksForEnd)
      if (hearers === undefined) return err(new StatusHasChanged())
      const { isTold, life } = endingOf({ alertId: open.id, isHeldBack: open.isHeldBack ?? false })
      const ended: Alert = {
        ...open,
        status: reason === undefined ? "resolved" : "canceled",
        ...(reason !== undefined && { reason }),
        resolvedAt: Math.max(seen.now, open.triggeredAt),
        ...(metricAt !== undefined && { resolvedMetricAt: metricAt }),
      }
      return ok({ change: ringing(context, ended, isTold ? hearers : [], deliveryIds), life })
    })
  })

/** Tells the end of an alert, unless it was triggered again meanwhile. */
const tellEnd = (standing: Standing, { alertId, life }: StepOf<"tellEnd">) =>
  Effect.gen(function* () {
    const { seen, watched } = standing
    const reads = { subject: watched.subject, id: alertId }
    const { withId: known } = yield* (yield* AlertStore).find(seen.due.organization, reads)
    const { context, asksForEnd, deliveryIds } = yield* readForEnd(standing, known)
    return planOf(watched, alertId, ({ withId }) => {
      if (withId === undefined || withId.status === "triggered") {
        return ok({ change: unchanged(alertId), life })
      }
      const hearers = hearersOfEnd(withId, asksForEnd)
      if (hearers === undefined) return err(new StatusHasChanged())
      const { put: _, ...rings } = ringing(context, withId, hearers, deliveryIds)
      return ok({ change: rings, life })
    })
  })

/** The open alert of the subject; there is at most one. */
const openOf = ({ withId, latest }: AlertsFound): Alert | undefined =>
  [withId, latest].find((alert) => alert?.status === "triggered")

/** What is needed to tell the end of an alert. */
const readForEnd = (standing: Standing, alert: Alert | undefined) =>
  Effect.gen(function* () {
    const context = yield* readContext(standing)
    const asksForEnd = yield* readAsksForEnd(standing.seen.due.organization, alert?.alertMethods ?? [])
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, asksForEnd.size)
    return { context, asksForEnd, deliveryIds }
  })

const planOf = <E>(
  watched: WatchedAlert,
  alertId: string | undefined,
  decide: Plan<E>["decide"],
): Plan<E> => ({ watched, alertId, decide })

/** Writes changes, and puts the lives as they are then; answers the revision. */
const change = (
  { organization, slo }: SloDue,
  revision: string,
  plans: ReadonlyArray<Plan<StatusHasChanged>>,
  lives: Map<string, AlertLife>,
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
        if (!decided.ok) return decided
        changes.push(decided.value.change)
        setLife(after, watched.key, decided.value.life)
      }
      return ok({ changes, evaluation: livesToText(after), after })
    })
    for (const { watched } of plans) setLife(lives, watched.key, done.changed.after.get(watched.key))
    return done.revision
  })

const readService = ({ organization, slo }: SloDue) =>
  Effect.flatMap(DefinitionStore, (store) => {
    const { metadata, spec } = slo.definition
    return store.find(organization, "Service", { project: metadata.project, name: spec.service })
  })

/** What the alert's notifications tell beside it; the policy of an alert that is no longer the SLO's may still exist. */
const readContext = ({ seen, watched: { policy, subject }, serviceOf }: Standing) =>
  Effect.gen(function* () {
    const { organization, slo } = seen.due
    const store = yield* DefinitionStore
    const service = yield* serviceOf
    const stored =
      policy === undefined && subject.alertPolicy !== undefined
        ? yield* store.find(organization, "AlertPolicy", subject.alertPolicy)
        : Option.fromNullable(policy)
    return {
      organization,
      slo: slo.definition,
      service: Option.getOrUndefined(service)?.definition,
      policy: Option.getOrUndefined(stored)?.definition,
    } satisfies AlertContext
  })

const methodsOf = ({ slo }: SloDue, { policy }: WatchedAlert): ReadonlyArray<ProjectKey> =>
  policy?.definition.spec.alertMethods ?? slo.definition.spec.anomalyConfig?.noData.alertMethods ?? []

const judgedBy = (
  { slo }: SloDue,
  { policy }: WatchedAlert,
): Pick<Alert, "severity" | "conditions" | "anomaly"> => {
  if (policy !== undefined) {
    const { severity, conditions } = policy.definition.spec
    return { severity, conditions: conditions.map(conditionText) }
  }
  const alertAfter = slo.definition.spec.anomalyConfig?.noData.alertAfter ?? ""
  return {
    conditions: [`No data for ${durationText(alertAfter)}`],
    anomaly: { type: "NoData", alertAfter },
  }
}

const setLife = (lives: Map<string, AlertLife>, key: string, life: AlertLife | undefined): void => {
  if (life === undefined) lives.delete(key)
  else lives.set(key, life)
}

/** As `AlertLives`. Of many lives some change at a time, so that the text of each is made once. */
const livesToText = (lives: ReadonlyMap<string, AlertLife>): string | undefined =>
  lives.size === 0
    ? undefined
    : `{${Array.from(lives, ([key, life]) => `${JSON.stringify(key)}:${lifeToText(life)}`).join()}}`

const lifeToText = (life: AlertLife): string => {
  const known = textByLife.get(life)
  if (known !== undefined) return known
  const text = JSON.stringify(life)
  textByLife.set(life, text)
  return text
}

const textByLife = new WeakMap<AlertLife, string>()
