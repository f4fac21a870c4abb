import type { CancelReason } from "./Alert.ts"

/**
 * What an evaluation must know of the ones before it, of one alert policy and objective; plain JSON.
 *
 * There is none as long as nothing is going on: no condition that has to last is met, no alert is open, and nobody has
 * to be told anything.
 */
export interface AlertLifecycle {
  readonly basis: AlertFingerprint
  /** For each condition: since when it is met without interruption, if it has to last; of meaning while none is open. */
  readonly metSince?: ReadonlyArray<number | null>
  /** The open alert. */
  readonly open?: OpenAlert
  /** Since when no condition is met, while an alert is open. */
  readonly clearSince?: number
  /** Alerts that rang and ended under a silence: their end is told when it is over. */
  readonly pendingResolutions?: ReadonlyArray<string>
}

/** An alert that is open. */
export interface OpenAlert {
  readonly alertId: string
  /** Whether it has rung nobody yet, because of a silence. */
  readonly isSilenced: boolean
}

/**
 * What an alert is judged by: when any of it changes, the alert is over, and what follows is another one.
 *
 * Source: decision 0612.
 */
export interface AlertFingerprint {
  /** The fingerprint of the policy's conditions, cool-down and severity. */
  readonly policy: string
  /** That of the objective and how its SLO counts. */
  readonly slo: string
  /** The start of the calendar window; 0 for a rolling one. */
  readonly windowStart: number
}

/** What an evaluation sees of one alert policy and objective. All times are in Unix milliseconds. */
export interface AlertFacts {
  readonly now: number
  /** `undefined` when the policy or the objective is no longer the SLO's; nothing is met then. */
  readonly basis: AlertFingerprint | undefined
  readonly conditions: ReadonlyArray<ConditionMeasurement>
  readonly coolDownMs: number
  /** When the silences that hold now are over; absent: none holds. */
  readonly silencedUntil?: number
}

/** What an evaluation sees of one condition. */
export interface ConditionMeasurement {
  readonly isMet: boolean
  /** For how long it has to be. */
  readonly lastsForMs: number
  /** When it will be met unless something else changes, if that is known. */
  readonly metAt?: number
}

/** What follows from the end of an alert. */
export interface AlertEnding {
  /** Whether its end is told now. */
  readonly isTold: boolean
  readonly life: AlertLifecycle | undefined
}

/** What is to be done, and what is known once it is. */
export type AlertTransition =
  | { readonly kind: "none"; readonly life: AlertLifecycle | undefined; readonly nextCheckAt?: number }
  /** Open an alert, which rings unless it is held back; adopt the one that is open already. */
  | {
      readonly kind: "trigger"
      readonly isSilenced: boolean
      readonly lifeOf: (open: OpenAlert) => AlertLifecycle
    }
  /** Ring for an open alert that was held back. */
  | { readonly kind: "ring"; readonly alertId: string; readonly life: AlertLifecycle }
  /**
   * End an alert: it is canceled with a reason, resolved without one. Where it was ended from outside and another one of
   * its subject is open, that one is ended.
   */
  | {
      readonly kind: "end"
      readonly alertId: string
      readonly reason?: CancelReason
      /** What follows from the end of the alert that is open; `undefined`: it was ended from outside, and its end told. */
      readonly endingOf: (open: OpenAlert | undefined) => AlertEnding
    }
  /** Tell the end of an alert that ended under a silence. */
  | { readonly kind: "notifyResolution"; readonly alertId: string; readonly life: AlertLifecycle | undefined }

/**
 * Says the next thing to do for one alert policy and objective; asked again with what is known then, until it is
 * `none`.
 *
 * - An alert triggers when all conditions are met, each for as long as it has to last.
 * - It resolves when no condition has been met for the cool-down.
 * - It is canceled when what it is judged by changes or is no longer the SLO's; a new one can trigger at once.
 * - A silence holds back what would be told until it is over: an alert that is still open then rings, and the end of
 *   one that had rung is told. Of an alert that began and ended under silences nothing is told.
 *
 * `nextCheckAt` is when the passing of time alone changes something: a condition has lasted, the cool-down or the silence
 * is over.
 *
 * Source: decisions 0610 and 0612.
 */
export const nextStep = (before: AlertLifecycle | undefined, facts: AlertFacts): AlertTransition => {
  const [pendingResolution, ...otherEnds] = before?.pendingResolutions ?? []
  if (before !== undefined && pendingResolution !== undefined && facts.silencedUntil === undefined) {
    const { pendingResolutions: _, ...life } = before
    return {
      kind: "notifyResolution",
      alertId: pendingResolution,
      life: atRest({ ...life, ...untold(otherEnds) }),
    }
  }
  if (before?.open === undefined) return stepWhileClosed(before, facts)
  const reason = changeOf(before.basis, facts.basis)
  return reason === undefined
    ? stepWhileOpen(before, before.open, facts)
    : endOf(before, before.open, facts, reason)
}

const stepWhileClosed = (before: AlertLifecycle | undefined, facts: AlertFacts): AlertTransition => {
  const { now, basis, conditions, silencedUntil } = facts
  const ends = before?.pendingResolutions ?? []
  const endsToldAt = ends.length > 0 ? silencedUntil : undefined
  if (basis === undefined) {
    const life = before && atRest({ basis: before.basis, ...untold(ends) })
    return { kind: "none", life, ...soonest(now, [endsToldAt]) }
  }
  const isSame = before !== undefined && changeOf(before.basis, basis) === undefined
  const metSince = conditions.map(({ isMet, lastsForMs }, index) =>
    isMet && lastsForMs > 0 ? ((isSame ? before.metSince?.[index] : undefined) ?? now) : null,
  )
  const hasLasted = conditions.map(
    ({ isMet, lastsForMs }, index) => isMet && now - (metSince[index] ?? now) >= lastsForMs,
  )
  if (hasLasted.every(Boolean)) {
    const lifeOf = (open: OpenAlert): AlertLifecycle => ({ basis, open, ...untold(ends) })
    return { kind: "trigger", isSilenced: silencedUntil !== undefined, lifeOf }
  }
  const isLasting = metSince.some((since) => since !== null)
  const life = atRest({ basis, ...(isLasting && { metSince }), ...untold(ends) })
  const changeAt = conditions.map(({ lastsForMs, metAt }, index) => {
    const since = metSince[index]
    return typeof since === "number" ? since + lastsForMs : metAt
  })
  return { kind: "none", life, ...soonest(now, [...changeAt, endsToldAt]) }
}

const stepWhileOpen = (before: AlertLifecycle, open: OpenAlert, facts: AlertFacts): AlertTransition => {
  const { now, conditions, coolDownMs, silencedUntil } = facts
  const { alertId, isSilenced } = open
  const { clearSince: clearBefore, ...rest } = before
  const clearSince = conditions.some(({ isMet }) => isMet) ? undefined : (clearBefore ?? now)
  const resolvesAt = clearSince === undefined ? undefined : clearSince + coolDownMs
  if (resolvesAt !== undefined && now >= resolvesAt) return endOf(before, open, facts, undefined)
  const life: AlertLifecycle = { ...rest, ...(clearSince !== undefined && { clearSince }) }
  if (isSilenced && silencedUntil === undefined) {
    return { kind: "ring", alertId, life: { ...life, open: { alertId, isSilenced: false } } }
  }
  const isNotificationPending = isSilenced || before.pendingResolutions !== undefined
  return {
    kind: "none",
    life,
    ...soonest(now, [resolvesAt, isNotificationPending ? silencedUntil : undefined]),
  }
}

/** The alert is over; who was rung is told at once, or when the silence is over. */
const endOf = (
  { basis, pendingResolutions = [] }: AlertLifecycle,
  { alertId }: OpenAlert,
  { silencedUntil }: AlertFacts,
  reason: CancelReason | undefined,
): AlertTransition => {
  const endingOf = (open: OpenAlert | undefined): AlertEnding => {
    const hasRung = open !== undefined && !open.isSilenced
    const isTold = hasRung && silencedUntil === undefined
    const ends = hasRung && !isTold ? [...pendingResolutions, open.alertId] : pendingResolutions
    return { isTold, life: atRest({ basis, ...untold(ends) }) }
  }
  return { kind: "end", alertId, ...(reason !== undefined && { reason }), endingOf }
}

const changeOf = (before: AlertFingerprint, now: AlertFingerprint | undefined): CancelReason | undefined => {
  if (now === undefined) return "detached"
  if (before.policy !== now.policy) return "policy_changed"
  if (before.slo !== now.slo) return "slo_changed"
  return before.windowStart === now.windowStart ? undefined : "window_ended"
}

const untold = (pendingResolutions: ReadonlyArray<string>): Pick<AlertLifecycle, "pendingResolutions"> =>
  pendingResolutions.length > 0 ? { pendingResolutions } : {}

/** Where only the basis is left, nothing has to be known. */
const atRest = (life: AlertLifecycle): AlertLifecycle | undefined =>
  Object.keys(life).length === 1 ? undefined : life

const soonest = (
  now: number,
  times: ReadonlyArray<number | undefined>,
): { readonly nextCheckAt?: number } => {
  const nextCheckAt = Math.min(...times.map((time) => (time !== undefined && time > now ? time : Infinity)))
  return nextCheckAt === Infinity ? {} : { nextCheckAt }
}
