import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import type { TypeOf } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import { boolean, number } from "../codec/Leaves.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"

const time = number({})

/** How far the escalation of an open alert has come. All times are in Unix milliseconds. */
export const escalation = object({
  /** When the alert was first sent; steps count from then. */
  since: time,
  /** When it was last sent to all its alert methods; repetitions count from then. */
  sentAt: time,
  /** How often it was sent again. */
  repeats: number({ min: 0, isInteger: true }),
  /** The latest step that was taken, by its time after `since` in milliseconds; 0 before the first. */
  steppedMs: time,
  /** Whether the alert was acknowledged, or closed by an external report. */
  isStopped: boolean,
})

export type Escalation = TypeOf<typeof escalation>

/** What an alert policy says about an alert that nobody acknowledges. */
export type EscalationRules = Pick<AlertPolicy["spec"], "alertMethods" | "renotify" | "then">

/** What is sent now, and the escalation after it. */
export interface DueEscalation {
  readonly recipients: ReadonlyArray<ProjectKey>
  readonly after: Escalation
}

export const hasEscalation = ({ renotify, then }: EscalationRules): boolean =>
  renotify !== undefined || then !== undefined

/** The escalation of an alert that is sent for the first time. */
export const startEscalation = (now: number): Escalation => ({
  since: now,
  sentAt: now,
  repeats: 0,
  steppedMs: 0,
  isStopped: false,
})

/**
 * When the alert is sent next, at most `now` if it is due, unless it is acknowledged or closed before; `undefined` if it
 * is not sent again.
 */
export const escalatesAt = (
  { renotify, then = [] }: EscalationRules,
  state: Escalation,
  now: number,
): number | undefined => {
  const { since, sentAt, repeats, steppedMs, isStopped } = notAfter(state, now)
  if (isStopped) return undefined
  const times = then.filter(({ after }) => after.ms > steppedMs).map(({ after }) => since + after.ms)
  if (renotify !== undefined && repeats < renotify.atMost) times.push(sentAt + renotify.every.ms)
  return times.length === 0 ? undefined : Math.min(...times)
}

/**
 * What is sent at `now`: a repetition notifies the alert methods of the policy and of every step that was taken, a step its
 * own. Repetitions that were missed, during a silence or while no server ran, are not made up for; steps are.
 */
export const dueEscalation = (rules: EscalationRules, before: Escalation, now: number): DueEscalation => {
  const { renotify, then = [] } = rules
  const state = notAfter(before, now)
  const steppedMs = Math.max(
    state.steppedMs,
    ...then.map(({ after }) => (state.since + after.ms <= now ? after.ms : 0)),
  )
  const isRepeated =
    renotify !== undefined && state.repeats < renotify.atMost && state.sentAt + renotify.every.ms <= now
  const steps = then.filter(
    ({ after }) => after.ms <= steppedMs && (isRepeated || after.ms > state.steppedMs),
  )
  return {
    recipients: distinct([
      ...(isRepeated ? rules.alertMethods : []),
      ...steps.flatMap(({ alertMethods }) => alertMethods),
    ]),
    after: {
      ...state,
      steppedMs,
      ...(isRepeated && { sentAt: now, repeats: state.repeats + 1 }),
    },
  }
}

/** Each alert method once, in the order of their first place. */
export const distinct = (methods: ReadonlyArray<ProjectKey>): ReadonlyArray<ProjectKey> =>
  [...new Map(methods.toReversed().map((method) => [projectKeyText(method), method])).values()].toReversed()

/** Times that are later than `now` were stored before the clock was set back: they count from now on. */
const notAfter = (state: Escalation, now: number): Escalation => ({
  ...state,
  since: Math.min(state.since, now),
  sentAt: Math.min(state.sentAt, now),
})
