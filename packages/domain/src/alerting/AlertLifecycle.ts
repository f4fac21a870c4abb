import * as Schema from "effect/Schema"
import { plain, stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object, record } from "../codec/Containers.ts"
import { anyString, boolean, literals, number } from "../codec/Leaves.ts"
import type { CancelReason } from "./Alert.ts"
import {
  type DueEscalation,
  dueEscalation,
  escalatesAt,
  escalation,
  type EscalationRules,
  hasEscalation,
  startEscalation,
} from "./Escalation.ts"
import { alertFingerprint, type AlertFingerprint } from "./AlertFingerprint.ts"
import type { HoldReason } from "./HoldReason.ts"

const unbounded = { max: Number.MAX_SAFE_INTEGER }

const time = number({})

const timeOrNull = plain<number | null>(
  () => Schema.NullOr(Schema.Finite),
  (value, path, issues) => (value === null ? null : time.read(value, path, issues, {})),
)

const openAlert = object({
  alertId: anyString,
  /** Whether no notification was sent so far because of a silence. */
  isSilenced: boolean,
  /** Where its policy has `renotify` or `then`, from the first notification on. */
  escalation: exactOptional(escalation),
})

type OpenAlert = TypeOf<typeof openAlert>

const alertLifecycle = object({
  fingerprint: alertFingerprint,
  /** For each condition that has to last: since when it has been met, also while an alert is open. */
  metSince: exactOptional(list(timeOrNull, unbounded)),
  open: exactOptional(openAlert),
  /** For each condition: since when it has not been met; only while an alert is open and a condition is not met. */
  unmetSince: exactOptional(list(timeOrNull, unbounded)),
  /** The positions of the groups that changes of the past alone made met. */
  heldGroups: exactOptional(list(number({}), unbounded)),
  /** Why a group that is met triggers no alert, where changes of the past are not the reason. */
  heldBy: exactOptional(literals(["counts_old", "source_behind"])),
  /** Since when any group is held, for whatever reason. */
  heldSince: exactOptional(time),
  /** IDs of alerts that were notified and closed under a silence: their resolution is sent when the silence ends. */
  pendingResolutions: exactOptional(list(anyString, unbounded)),
})

/**
 * The state of one alert policy and objective between two evaluations.
 *
 * Absent while no lasting condition is met, no alert is open and no resolution is pending.
 */
export type AlertLifecycle = TypeOf<typeof alertLifecycle>

/** The stored form of an SLO's lifecycles, by `AlertCandidate.key`. */
export const storedLifecycles = stored(record(anyString, alertLifecycle, unbounded), [])

/** The stored form contains this text exactly if a group is held: within a string, the quotation mark would be escaped. */
export const heldLifecycleText = `"heldSince":`

/** What one evaluation measured for one alert policy and objective. All times are in Unix milliseconds. */
export interface AlertFacts {
  readonly now: number
  /** The end of what was measured, at most `now`: conditions last in its time, so that a gap in the counts does not count. */
  readonly measuredAt: number
  /**
   * What conditions cannot do: `trigger` while the latest counts are old, `all` while the history of a data source is not
   * read to the present, when an open alert stays open.
   */
  readonly held?: "trigger" | "all"
  /** `undefined` when the policy or the objective no longer belongs to the SLO. */
  readonly fingerprint: AlertFingerprint | undefined
  /** All conditions of one group must be met. */
  readonly groups: ReadonlyArray<ReadonlyArray<ConditionState>>
  readonly coolDownMs: number
  /** Whether the past has changed within the last hour: groups are compared with what they were before. */
  readonly isPastRecent?: boolean
  /** Those of the policy; absent without one. */
  readonly escalation?: EscalationRules
  /** When the active silences end; absent without an active silence. */
  readonly silencedUntil?: number
}

interface ConditionState {
  readonly isMet: boolean
  /** For how long it must be met. */
  readonly lastsForMs: number
  /** Whether it would be met if the past had not changed; absent if it has not. */
  readonly wasMet?: boolean
  /** When it will be met if nothing else changes, where that is known. */
  readonly metAt?: number
}

interface AlertClosing {
  /** Whether its resolution is sent now. */
  readonly isNotified: boolean
  readonly lifecycle: AlertLifecycle | undefined
}

export type AlertTransition =
  | { readonly kind: "none"; readonly lifecycle: AlertLifecycle | undefined; readonly nextCheckAt?: number }
  /** Open an alert and notify unless silenced; where the subject has an open alert already, adopt that one. */
  | {
      readonly kind: "trigger"
      readonly isSilenced: boolean
      /** The groups of conditions that hold, by their position. */
      readonly holding: ReadonlyArray<number>
      /** Since when each condition of each group that has to last has been met, in Unix milliseconds. */
      readonly metSince: ReadonlyArray<ReadonlyArray<number | undefined>>
      readonly lifecycleOf: (open: OpenAlert) => AlertLifecycle
    }
  /** Send the notifications of an open alert that a silence suppressed. */
  | { readonly kind: "notify"; readonly alertId: string; readonly lifecycle: AlertLifecycle }
  /**
   * Close an alert: canceled with a reason, resolved without one. Where it was resolved externally and the subject has
   * another open alert, that one is closed.
   */
  | {
      readonly kind: "close"
      readonly alertId: string
      readonly reason?: CancelReason
      /** Its argument is `undefined` when an external report has resolved the alert. */
      readonly closingOf: (open: OpenAlert | undefined) => AlertClosing
    }
  /** Send an open alert again, or to other alert methods, unless it is acknowledged. */
  | {
      readonly kind: "escalate"
      readonly alertId: string
      readonly due: DueEscalation
      readonly lifecycleOf: (isStopped: boolean) => AlertLifecycle
    }
  /** Send the resolution of an alert that closed under a silence. */
  | {
      readonly kind: "notifyResolution"
      readonly alertId: string
      readonly lifecycle: AlertLifecycle | undefined
    }

/**
 * The next transition of one alert policy and objective. Call it again with the lifecycle that follows, until it is
 * `none`.
 *
 * - An alert triggers when all conditions of a group are met, each for as long as it has to last.
 * - Changes of the past trigger nothing: within an hour of one, and while a group is held because of it, a condition counts as met
 *   while it is met both with and without the change.
 * - It resolves when, of each group, any one condition has not been met for the cool-down.
 * - It is canceled when its fingerprint changes or its policy is detached from the SLO; a new one can trigger at once.
 * - A silence delays notifications until it ends: an alert that is still open then is notified, and the resolution of
 *   one that was notified before is sent. An alert that triggers and closes under silences is never notified.
 *
 * - While it is open and not silenced, it is sent again and to other alert methods as the policy says.
 *
 * `nextCheckAt` is when time alone changes something: a condition has lasted, the cool-down or the silence ends, or the alert
 * is sent again.
 */
export const nextTransition = (before: AlertLifecycle | undefined, facts: AlertFacts): AlertTransition => {
  const [pendingResolution, ...otherResolutions] = before?.pendingResolutions ?? []
  if (before !== undefined && pendingResolution !== undefined && facts.silencedUntil === undefined) {
    const { pendingResolutions: _, ...lifecycle } = before
    return {
      kind: "notifyResolution",
      alertId: pendingResolution,
      lifecycle: atRest({ ...lifecycle, ...pending(otherResolutions) }),
    }
  }
  if (before?.open === undefined) return transitionWhileClosed(before, facts)
  const reason = cancelReasonOf(before.fingerprint, facts.fingerprint)
  return reason === undefined
    ? transitionWhileOpen(before, before.open, facts)
    : close(before, before.open, facts, reason)
}

const transitionWhileClosed = (before: AlertLifecycle | undefined, facts: AlertFacts): AlertTransition => {
  const { now, measuredAt, held, fingerprint, groups, silencedUntil } = facts
  const unsent = before?.pendingResolutions ?? []
  const resolutionsDueAt = unsent.length > 0 ? silencedUntil : undefined
  if (fingerprint === undefined) {
    const lifecycle = before && atRest({ fingerprint: before.fingerprint, ...pending(unsent) })
    return { kind: "none", lifecycle, ...soonest(now, [resolutionsDueAt]) }
  }
  const isSame = before !== undefined && cancelReasonOf(before.fingerprint, fingerprint) === undefined
  const counting = countingGroups(before, facts)
  const metSince = metSinceOf(isSame ? before.metSince : undefined, facts, counting)
  const heldGroups = groups.flatMap((group, index) =>
    isMet(group) && !isMet(counting[index] ?? []) ? [index] : [],
  )
  const hasLasted = ({ isMet, lastsForMs }: ConditionState, start: number | null | undefined): boolean =>
    isMet && measuredAt - (start ?? measuredAt) >= lastsForMs
  const holding = byGroup(counting, metSince).flatMap((group, index) =>
    group.every(([condition, start]) => hasLasted(condition, start)) ? [index] : [],
  )
  if (held === undefined && holding.length > 0) {
    const lifecycleOf = (open: OpenAlert): AlertLifecycle => ({
      fingerprint,
      open: withEscalation(open, facts),
      ...lasting(metSince),
      ...pending(unsent),
    })
    return {
      kind: "trigger",
      isSilenced: silencedUntil !== undefined,
      holding,
      metSince: byGroup(groups, metSince).map((group) => group.map(([, start]) => start ?? undefined)),
      lifecycleOf,
    }
  }
  const heldBy = counting.some(isMet) && held !== undefined ? heldReasons[held] : undefined
  const lifecycle = atRest({
    fingerprint,
    ...lasting(metSince),
    ...(heldGroups.length > 0 && { heldGroups }),
    ...(heldBy !== undefined && { heldBy }),
    ...((heldGroups.length > 0 || heldBy !== undefined) && {
      heldSince: since(before?.heldSince ?? now, now),
    }),
    ...pending(unsent),
  })
  const changeAt = groups.flat().map(({ lastsForMs, metAt }, index) => {
    const start = metSince[index]
    return typeof start === "number" ? start + lastsForMs : metAt
  })
  return {
    kind: "none",
    lifecycle,
    ...soonest(now, [...changeAt, resolutionsDueAt]),
  }
}

/**
 * Why conditions that are met trigger no alert at all, whether or not they have lasted; `undefined` where a group triggers one, and
 * where none is met.
 */
export const holdReasonOf = (
  before: AlertLifecycle | undefined,
  facts: AlertFacts,
): HoldReason | undefined => {
  if (!facts.groups.some(isMet)) return undefined
  if (!countingGroups(before, facts).some(isMet)) return "past_changed"
  return facts.held === undefined ? undefined : heldReasons[facts.held]
}

/** Why an alert is held as of its latest evaluation, which left this lifecycle; `undefined`: it is not. */
export const storedHoldReason = ({ heldBy, heldSince }: AlertLifecycle): HoldReason | undefined =>
  heldSince === undefined ? undefined : (heldBy ?? "past_changed")

const heldReasons = { trigger: "counts_old", all: "source_behind" } as const

const isMet = (group: ReadonlyArray<ConditionState>): boolean => group.every(({ isMet }) => isMet)

/**
 * The groups as they count for a new alert. Within an hour of a change of the past, and of groups that are held because of one, a
 * condition counts as met while it is met with and without the change.
 */
const countingGroups = (
  before: AlertLifecycle | undefined,
  { fingerprint, groups, isPastRecent = false }: AlertFacts,
): AlertFacts["groups"] => {
  const heldBefore = before?.heldGroups ?? []
  const isSame = before !== undefined && cancelReasonOf(before.fingerprint, fingerprint) === undefined
  const isCompared = (index: number): boolean =>
    isPastRecent || (isSame ? heldBefore.includes(index) : heldBefore.length > 0)
  return groups.map((group, index) =>
    isCompared(index)
      ? group.map((each) => (each.wasMet === false ? { ...each, isMet: false } : each))
      : group,
  )
}

const transitionWhileOpen = (before: AlertLifecycle, open: OpenAlert, facts: AlertFacts): AlertTransition => {
  const { now, held, groups, coolDownMs, silencedUntil } = facts
  const { alertId, isSilenced } = open
  const { unmetSince: unmetBefore, metSince: metBefore, ...others } = before
  const metSince = metSinceOf(metBefore, facts, countingGroups(before, facts))
  const rest = { ...others, ...lasting(metSince) }
  const unmetSince = groups
    .flat()
    .map(({ isMet }, index) => (isMet || held === "all" ? null : since(unmetBefore?.[index] ?? now, now)))
  // A group ends with the first of its conditions that does, the alert with the last of its groups.
  const ends = byGroup(groups, unmetSince).map((group) =>
    Math.min(...group.map(([, start]) => (start ?? Infinity) + coolDownMs)),
  )
  const endsAt = Math.max(...ends)
  const resolvesAt = Number.isFinite(endsAt) ? endsAt : undefined
  if (resolvesAt !== undefined && now >= resolvesAt) return close(before, open, facts, undefined, metSince)
  const lifecycle: AlertLifecycle = {
    ...rest,
    ...(unmetSince.some((start) => start !== null) && { unmetSince }),
  }
  if (isSilenced && silencedUntil === undefined) {
    const notified = withEscalation({ alertId, isSilenced: false }, facts)
    return { kind: "notify", alertId, lifecycle: { ...lifecycle, open: notified } }
  }
  const { escalation: state, ...opened } = withEscalation(open, facts)
  const rules = facts.escalation
  const sentAt = state && rules && escalatesAt(rules, state, now)
  const isDue = sentAt !== undefined && sentAt <= now
  if (isDue && state !== undefined && rules !== undefined && silencedUntil === undefined) {
    const due = dueEscalation(rules, state, now)
    const lifecycleOf = (isStopped: boolean): AlertLifecycle => ({
      ...lifecycle,
      open: { ...opened, escalation: isStopped ? { ...state, isStopped } : due.after },
    })
    return { kind: "escalate", alertId, due, lifecycleOf }
  }
  const isNotificationPending = isSilenced || before.pendingResolutions !== undefined || isDue
  return {
    kind: "none",
    lifecycle: { ...lifecycle, open: { ...opened, ...(state !== undefined && { escalation: state }) } },
    ...soonest(now, [resolvesAt, sentAt, isNotificationPending ? silencedUntil : undefined]),
  }
}

/** Starts the escalation of an alert that has been sent; an alert whose policy has none does not keep any. */
const withEscalation = (open: OpenAlert, { now, escalation: rules }: AlertFacts): OpenAlert => {
  const { escalation: state, ...others } = open
  if (open.isSilenced || rules === undefined || !hasEscalation(rules)) return others
  return { ...others, escalation: state ?? startEscalation(now) }
}

type MetSince = ReadonlyArray<number | null>

/** The conditions of each group with their times, which are stored in one list. */
const byGroup = (
  groups: AlertFacts["groups"],
  times: MetSince,
): ReadonlyArray<ReadonlyArray<readonly [ConditionState, number | null | undefined]>> => {
  let index = 0
  return groups.map((group) => group.map((condition) => [condition, times[index++]] as const))
}

const metSinceOf = (
  before: MetSince | undefined,
  { measuredAt, held }: AlertFacts,
  counting: AlertFacts["groups"],
): MetSince =>
  counting
    .flat()
    .map(({ isMet, lastsForMs }, index) =>
      isMet && lastsForMs > 0 && held !== "all" ? since(before?.[index] ?? measuredAt, measuredAt) : null,
    )

const lasting = (metSince: MetSince): Pick<AlertLifecycle, "metSince"> =>
  metSince.some((start) => start !== null) ? { metSince } : {}

/** A start that is later than `now` was stored before the clock was set back: the time counts from now on. */
const since = (start: number, now: number): number => Math.min(start, now)

/** Notified alert methods get the resolution at once, or when the silence ends. */
const close = (
  { fingerprint, pendingResolutions = [] }: AlertLifecycle,
  { alertId }: OpenAlert,
  { silencedUntil }: AlertFacts,
  reason: CancelReason | undefined,
  metSince: MetSince = [],
): AlertTransition => {
  const closingOf = (open: OpenAlert | undefined): AlertClosing => {
    const wasNotified = open !== undefined && !open.isSilenced
    const isNotified = wasNotified && silencedUntil === undefined
    const unsent = wasNotified && !isNotified ? [...pendingResolutions, open.alertId] : pendingResolutions
    return { isNotified, lifecycle: atRest({ fingerprint, ...lasting(metSince), ...pending(unsent) }) }
  }
  return { kind: "close", alertId, ...(reason !== undefined && { reason }), closingOf }
}

const cancelReasonOf = (
  before: AlertFingerprint,
  now: AlertFingerprint | undefined,
): CancelReason | undefined => {
  if (now === undefined) return "detached"
  if (before.policy !== now.policy) return "policy_changed"
  if (before.slo !== now.slo) return "slo_changed"
  return before.windowStart === now.windowStart ? undefined : "window_ended"
}

const pending = (pendingResolutions: ReadonlyArray<string>): Pick<AlertLifecycle, "pendingResolutions"> =>
  pendingResolutions.length > 0 ? { pendingResolutions } : {}

/** A fingerprint alone is not stored. */
const atRest = (lifecycle: AlertLifecycle): AlertLifecycle | undefined =>
  Object.keys(lifecycle).length === 1 ? undefined : lifecycle

const soonest = (
  now: number,
  times: ReadonlyArray<number | undefined>,
): { readonly nextCheckAt?: number } => {
  const nextCheckAt = Math.min(...times.map((time) => (time !== undefined && time > now ? time : Infinity)))
  return nextCheckAt === Infinity ? {} : { nextCheckAt }
}
