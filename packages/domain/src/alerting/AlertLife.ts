import type { CancelReason } from "./Alert.ts"

/**
 * What an evaluation must know of the ones before it, of one alert policy and objective; plain JSON.
 *
 * There is none as long as nothing is going on: no condition that has to last is met, no alert is open, and nobody has
 * to be told anything.
 */
export interface AlertLife {
  readonly basis: AlertBasis
  /** For each condition: since when it is met without interruption, if it has to last; of meaning while none is open. */
  readonly metSince?: ReadonlyArray<number | null>
  /** The open alert. */
  readonly open?: OpenAlert
  /** Since when no condition is met, while an alert is open. */
  readonly clearSince?: number
  /** Alerts that rang and ended under a silence: their end is told when it is over. */
  readonly untoldEnds?: ReadonlyArray<string>
}

/** An alert that is open. */
export interface OpenAlert {
  readonly alertId: string
  /** Whether it has rung nobody yet, because of a silence. */
  readonly isHeldBack: boolean
}

/**
 * What an alert is judged by: when any of it changes, the alert is over, and what follows is another one.
 *
 * Source: decision 0612.
 */
export interface AlertBasis {
  /** The fingerprint of the policy's conditions, cool-down and severity. */
  readonly policy: string
  /** That of the objective and how its SLO counts. */
  readonly slo: string
  /** The start of the calendar window; 0 for a rolling one. */
  readonly windowStart: number
}

/** What an evaluation sees of one alert policy and objective. All times are in Unix milliseconds. */
export interface LifeFacts {
  readonly now: number
  /** `undefined` when the policy or the objective is no longer the SLO's; nothing is met then. */
  readonly basis: AlertBasis | undefined
  readonly conditions: ReadonlyArray<ConditionSeen>
  readonly coolDownMs: number
  /** When the silences that hold now are over; absent: none holds. */
  readonly silencedUntil?: number
}

/** What an evaluation sees of one condition. */
export interface ConditionSeen {
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
  readonly life: AlertLife | undefined
}

/** What is to be done, and what is known once it is. */
export type LifeStep =
  | { readonly kind: "none"; readonly life: AlertLife | undefined; readonly lookAt?: number }
  /** Open an alert, which rings unless it is held back; adopt the one that is open already. */
  | {
      readonly kind: "trigger"
      readonly isHeldBack: boolean
      readonly lifeOf: (open: OpenAlert) => AlertLife
    }
  /** Ring for an open alert that was held back. */
  | { readonly kind: "ring"; readonly alertId: string; readonly life: AlertLife }
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
  | { readonly kind: "tellEnd"; readonly alertId: string; readonly life: AlertLife | undefined }

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
 * `lookAt` is when the passing of time alone changes something: a condition has lasted, the cool-down or the silence
 * is over.
 *
 * Source: decisions 0610 and 0612.
 */
export const nextStep = (before: AlertLife | undefined, facts: LifeFacts): LifeStep => {
  const [untoldEnd, ...otherEnds] = before?.untoldEnds ?? []
  if (before !== undefined && untoldEnd !== undefined && facts.silencedUntil === undefined) {
    const { untoldEnds: _, ...life } = before
    return { kind: "tellEnd", alertId: untoldEnd, life: atRest({ ...life, ...untold(otherEnds) }) }
  }
  if (before?.open === undefined) return stepWhileClosed(before, facts)
  const reason = changeOf(before.basis, facts.basis)
  return reason === undefined
    ? stepWhileOpen(before, before.open, facts)
    : endOf(before, before.open, facts, reason)
}

const stepWhileClosed = (before: AlertLife | undefined, facts: LifeFacts): LifeStep => {
  const { now, basis, conditions, silencedUntil } = facts
  const ends = before?.untoldEnds ?? []
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
    const lifeOf = (open: OpenAlert): AlertLife => ({ basis, open, ...untold(ends) })
    return { kind: "trigger", isHeldBack: silencedUntil !== undefined, lifeOf }
  }
  const isLasting = metSince.some((since) => since !== null)
  const life = atRest({ basis, ...(isLasting && { metSince }), ...untold(ends) })
  const changeAt = conditions.map(({ lastsForMs, metAt }, index) => {
    const since = metSince[index]
    return typeof since === "number" ? since + lastsForMs : metAt
  })
  return { kind: "none", life, ...soonest(now, [...changeAt, endsToldAt]) }
}

const stepWhileOpen = (before: AlertLife, open: OpenAlert, facts: LifeFacts): LifeStep => {
  const { now, conditions, coolDownMs, silencedUntil } = facts
  const { alertId, isHeldBack } = open
  const { clearSince: clearBefore, ...rest } = before
  const clearSince = conditions.some(({ isMet }) => isMet) ? undefined : (clearBefore ?? now)
  const resolvesAt = clearSince === undefined ? undefined : clearSince + coolDownMs
  if (resolvesAt !== undefined && now >= resolvesAt) return endOf(before, open, facts, undefined)
  const life: AlertLife = { ...rest, ...(clearSince !== undefined && { clearSince }) }
  if (isHeldBack && silencedUntil === undefined) {
    return { kind: "ring", alertId, life: { ...life, open: { alertId, isHeldBack: false } } }
  }
  const isToTell = isHeldBack || before.untoldEnds !== undefined
  return { kind: "none", life, ...soonest(now, [resolvesAt, isToTell ? silencedUntil : undefined]) }
}

/** The alert is over; who was rung is told at once, or when the silence is over. */
const endOf = (
  { basis, untoldEnds = [] }: AlertLife,
  { alertId }: OpenAlert,
  { silencedUntil }: LifeFacts,
  reason: CancelReason | undefined,
): LifeStep => {
  const endingOf = (open: OpenAlert | undefined): AlertEnding => {
    const hasRung = open !== undefined && !open.isHeldBack
    const isTold = hasRung && silencedUntil === undefined
    const ends = hasRung && !isTold ? [...untoldEnds, open.alertId] : untoldEnds
    return { isTold, life: atRest({ basis, ...untold(ends) }) }
  }
  return { kind: "end", alertId, ...(reason !== undefined && { reason }), endingOf }
}

const changeOf = (before: AlertBasis, now: AlertBasis | undefined): CancelReason | undefined => {
  if (now === undefined) return "detached"
  if (before.policy !== now.policy) return "policy_changed"
  if (before.slo !== now.slo) return "slo_changed"
  return before.windowStart === now.windowStart ? undefined : "window_ended"
}

const untold = (untoldEnds: ReadonlyArray<string>): Pick<AlertLife, "untoldEnds"> =>
  untoldEnds.length > 0 ? { untoldEnds } : {}

/** Where only the basis is left, nothing has to be known. */
const atRest = (life: AlertLife): AlertLife | undefined => (Object.keys(life).length === 1 ? undefined : life)

const soonest = (now: number, times: ReadonlyArray<number | undefined>): { readonly lookAt?: number } => {
  const lookAt = Math.min(...times.map((time) => (time !== undefined && time > now ? time : Infinity)))
  return lookAt === Infinity ? {} : { lookAt }
}
