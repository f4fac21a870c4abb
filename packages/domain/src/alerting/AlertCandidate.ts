import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import { silencedUntil } from "../alert-policy/SilencePeriods.ts"
import { type ConditionGroups, groupsOf } from "../alert-policy/ConditionGroups.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import { overallTrack, targetsOf } from "../slo/SliceRules.ts"
import type { Slo } from "../slo/Slo.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { isCompositeObjective } from "../slo/Objectives.ts"
import { isCalendarWindow } from "../slo/WindowLength.ts"
import { burnRateRange, type WindowAt } from "../slo/WindowAt.ts"
import type { CountsReading } from "../status/CountsPlan.ts"
import { badShare, type GoodTotal, objectiveStatus } from "../status/ErrorBudget.ts"
import { type BudgetAt, checkCondition, measuredFrom } from "../status/MeasureCondition.ts"
import type { PastChanges } from "../status/StoredPastChanges.ts"
import { alertedDelayMaxMs, hasChangedRecently, neededChanges } from "../status/PastChanges.ts"
import { countsEmptyMinutes, type MeasuredAt, type SloReading } from "../status/ReadSlos.ts"
import { latestReadTo } from "../status/SloStore.ts"
import type { AlertSubject } from "./Alert.ts"
import { type AlertFingerprint, policyFingerprint, sloFingerprint } from "./AlertFingerprint.ts"
import { type AlertLifecycle, type AlertFacts, holdReasonOf } from "./AlertLifecycle.ts"
import type { HoldReason } from "./HoldReason.ts"

/**
 * Shortest time for which every check must find data missing before a no-data alert fires, in milliseconds.
 */
const noDataConfirmationMs = 60_000

/** The lifecycles of an SLO's alerts that are in progress, by `AlertCandidate.key`. */
export type AlertLifecycles = Readonly<Record<string, AlertLifecycle>>

/** One alert that an SLO can have, with what this evaluation measured for it. */
export interface AlertCandidate {
  readonly key: string
  readonly subject: AlertSubject
  /** The alert's policy; `undefined` for an alert about missing data, and where the policy was detached from the SLO. */
  readonly policy: StoredDefinition<AlertPolicy> | undefined
  /** The conditions of the policy for this SLO. */
  readonly groups: ConditionGroups
  /** What the conditions are measured by; absent without any. */
  readonly budget?: BudgetAt
  readonly facts: AlertFacts
}

/**
 * Lists every alert that an SLO can have: for each policy and objective, for each objective watched for missing data,
 * and those in progress whose policy or objective was detached.
 */
export const alertCandidates = (
  evaluated: SloReading,
  before: AlertLifecycles,
): ReadonlyArray<AlertCandidate> => {
  const candidates = [...policyCandidates(evaluated), ...missingDataCandidates(evaluated, before)]
  const keys = new Set(candidates.map(({ key }) => key))
  const detached = Object.keys(before).filter((key) => !keys.has(key))
  return [...detached.map((key) => detachedCandidate(evaluated, key)), ...candidates]
}

const policyCandidates = (evaluated: SloReading): ReadonlyArray<AlertCandidate> => {
  const { due, now, at } = evaluated
  if (due.policies.length === 0) return []
  const slo = due.slo.definition
  const neededTo = at.range.to - alertedDelayMaxMs
  const isBehind = due.readTo !== undefined && due.readTo < neededTo
  // Minutes without counts count only up to where all are read.
  const countsEmpty = isBehind && [...targetsOf(slo).keys()].some((track) => countsEmptyMinutes(slo, track))
  const isWhollyUnread = isBehind && (due.recent === undefined || due.recent.to < neededTo || countsEmpty)
  /** Whether conditions measure minutes that are not read yet, of the SLO or of a component. */
  const isUnread = (objective: string, groups: ConditionGroups, { at }: BudgetAt): boolean => {
    if (isWhollyUnread) return true
    const isComposite = slo.spec.objectives.some(
      (each) => each.name === objective && isCompositeObjective(each),
    )
    // In an explanation of earlier minutes, all of them may be read.
    const isOfComponents =
      isComposite && due.componentsUnread !== undefined && due.componentsUnread.from < neededTo
    const readFrom = Math.max(
      (isBehind ? due.recent?.from : undefined) ?? -Infinity,
      (isOfComponents ? due.componentsUnread?.to : undefined) ?? -Infinity,
    )
    return groups.flat().some((condition) => measuredFrom(condition, at) < readFrom)
  }
  const before = budgetsBefore(evaluated)
  const budgets = Array.from(budgetsOf(evaluated), ([objective, budget]) => ({
    objective,
    budget,
    budgetBefore: before?.get(objective),
    isPastRecent: due.pastChanges !== undefined && hasChangedRecently(due.pastChanges, slo, objective, now),
    fingerprint: fingerprintOfSlo(slo, objective, at),
  }))
  return due.policies.flatMap((policy) => {
    const { metadata, spec } = policy.definition
    const until = silencedUntil(due.silences, metadata, now)
    const fingerprintOfPolicy = policyFingerprint(policy.definition)
    return budgets.map(({ objective, budget, budgetBefore, isPastRecent, fingerprint }): AlertCandidate => {
      const groups = groupsOf(spec, budget.at.lengthMs)
      return {
        key: keyOf(metadata.name, objective),
        subject: subjectOf(slo, metadata.name, objective),
        policy,
        groups,
        budget,
        facts: {
          now,
          measuredAt: Math.min(now, budget.at.range.to),
          ...(isUnread(objective, groups, budget)
            ? { held: "all" as const }
            : budget.at.range.to - minuteMs < now - alertedDelayMaxMs && { held: "trigger" as const }),
          fingerprint: { policy: fingerprintOfPolicy, ...fingerprint },
          groups: groups.map((group) =>
            group.map((condition) => ({
              isMet: checkCondition(condition, budget).unmet === undefined,
              lastsForMs: condition.lastsFor?.ms ?? 0,
              ...(budgetBefore !== undefined && {
                wasMet: checkCondition(condition, budgetBefore).unmet === undefined,
              }),
            })),
          ),
          ...(isPastRecent && { isPastRecent }),
          coolDownMs: spec.coolDown.ms,
          escalation: spec,
          ...(until !== undefined && { silencedUntil: until }),
        },
      }
    })
  })
}

/**
 * Why the conditions of policies trigger no alert although they are met, by objective; an open alert is not considered. Of several
 * policies, the last one counts.
 */
export const holdsOf = (evaluated: SloReading, before: AlertLifecycles): ReadonlyMap<string, HoldReason> =>
  new Map(
    policyCandidates(evaluated).flatMap(({ key, subject, facts }) => {
      const reason = holdReasonOf(before[key], facts)
      return reason === undefined ? [] : [[subject.objective ?? overallTrack, reason] as const]
    }),
  )

/** What the conditions of each objective, and of the legacy composite, are measured by. */
export const budgetsOf = ({ due, measured }: SloReading): ReadonlyMap<string, BudgetAt> =>
  new Map(
    Array.from(targetsOf(due.slo.definition), ([track, target]) => [
      track,
      new TrackBudget(track, target, measured(track)),
    ]),
  )

/** `budgetsOf` as if the past had not changed; `undefined` if it has not. */
const budgetsBefore = ({
  measuredBefore,
  ...reading
}: SloReading): ReadonlyMap<string, BudgetAt> | undefined =>
  measuredBefore && budgetsOf({ ...reading, measured: measuredBefore })

/** The changes of the past that the next evaluation needs, if alerts with these keys are held; only what a condition still measures. */
export const changesToKeep = (
  evaluated: SloReading,
  heldKeys: ReadonlyArray<string>,
): PastChanges | undefined => {
  const { due, now } = evaluated
  if (due.pastChanges === undefined || due.policies.length === 0) return undefined
  let from = Infinity
  for (const { at } of budgetsOf(evaluated).values()) {
    for (const { definition } of due.policies) {
      for (const condition of groupsOf(definition.spec, at.lengthMs).flat()) {
        from = Math.min(from, measuredFrom(condition, at))
      }
    }
  }
  const objectives = heldKeys.map((key) => policyAndObjective(key)[1])
  return neededChanges(due.pastChanges, due.slo.definition, objectives, { from, now })
}

// A getter of an object literal would give each object a shape of its own, which keeps it until a full garbage collection.
class TrackBudget implements BudgetAt {
  readonly target: number
  readonly at: WindowAt
  readonly gapMs: number
  readonly #track: string
  readonly #counts: CountsReading
  #status: BudgetAt["status"] | undefined

  constructor(track: string, target: number, { at, gapMs, counts }: MeasuredAt) {
    this.target = target
    this.at = at
    this.gapMs = gapMs
    this.#track = track
    this.#counts = counts
  }

  /** Burn rates over an alerting window do not need it. */
  get status(): BudgetAt["status"] {
    const { target, at } = this
    return (this.#status ??= objectiveStatus(
      target,
      at.lengthMs,
      this.#counts.goodTotal(this.#track, at.range, at.lengthMs),
      this.#counts.goodTotal(this.#track, burnRateRange(at)),
    ))
  }

  badShareIn(range: MinuteRange, lengthMs?: number): number | undefined {
    return badShare(this.#counts.goodTotal(this.#track, range, lengthMs))
  }

  eventsIn(range: MinuteRange): GoodTotal {
    return this.#counts.events(this.#track, range)
  }

  // Lists of ranges are filtered by it.
  readonly hasCountsIn = (range: MinuteRange): boolean => this.#counts.hasCounts(this.#track, range)
}

const missingDataCandidates = (
  { due, now, latestDataAt }: SloReading,
  before: AlertLifecycles,
): ReadonlyArray<AlertCandidate> => {
  const noData = due.slo.definition.spec.anomalyConfig?.noData
  if (noData === undefined || due.ignoresMissingData === true) return []
  const until = silencedUntil(due.silences, undefined, now)
  // What has not been read from a data source, while it is unavailable, is not missing.
  const knownTo = Math.min(now, latestReadTo(due) ?? now)
  return plainObjectivesOf(due.slo.definition).map(({ name }): AlertCandidate => {
    const key = keyOf(noPolicy, name)
    const latestAt = latestDataAt(name) ?? -Infinity
    // Old counts, such as a new indicator starts with, notify nobody, and minutes that are not read yet may have some. Once an alert
    // is open, only counts resolve it.
    const isOpen = before[key]?.open !== undefined
    const since = isOpen ? latestAt : Math.max(latestAt, due.slo.updatedAt, due.recent?.from ?? -Infinity)
    const lastsForMs = isOpen ? 0 : noDataConfirmationMs
    const missesAt = since + noData.alertAfter.ms - lastsForMs
    const metAt = due.readTo === undefined ? missesAt : Math.max(missesAt, now + minuteMs)
    return {
      key,
      subject: subjectOf(due.slo.definition, noPolicy, name),
      policy: undefined,
      groups: [],
      facts: {
        now,
        measuredAt: now,
        fingerprint: { policy: "", slo: "", windowStart: 0 },
        groups: [[{ isMet: knownTo >= missesAt, lastsForMs, metAt }]],
        coolDownMs: 0,
        ...(until !== undefined && { silencedUntil: until }),
      },
    }
  })
}

/** An alert in progress that the SLO can no longer have; its key names its policy and objective. */
const detachedCandidate = ({ due, now }: SloReading, key: string): AlertCandidate => {
  const [policy, objective] = policyAndObjective(key)
  const subject = subjectOf(due.slo.definition, policy, objective)
  const until = silencedUntil(due.silences, subject.alertPolicy, now)
  return {
    key,
    subject,
    policy: undefined,
    groups: [],
    facts: {
      now,
      measuredAt: now,
      fingerprint: undefined,
      groups: [],
      coolDownMs: 0,
      ...(until !== undefined && { silencedUntil: until }),
    },
  }
}

/** In the key of an alert about missing data, which has no policy. */
const noPolicy = ""

/** Names of policies have no blanks; objectives of groups may. */
const keyOf = (policy: string, objective: string): string => `${policy} ${objective}`

/** The parts of `AlertCandidate.key`: the name of the policy, empty without one, and of the objective. */
export const policyAndObjective = (key: string): readonly [policy: string, objective: string] => {
  const blank = key.indexOf(" ")
  return [key.slice(0, blank), key.slice(blank + 1)]
}

const subjectOf = ({ metadata }: Slo, policy: string, objective: string): AlertSubject => ({
  slo: { project: metadata.project, name: metadata.name },
  ...(objective !== overallTrack && { objective }),
  ...(policy === noPolicy
    ? { anomaly: "NoData" as const }
    : { alertPolicy: { project: metadata.project, name: policy } }),
})

const fingerprintOfSlo = (slo: Slo, objective: string, at: WindowAt): Omit<AlertFingerprint, "policy"> => ({
  slo: sloFingerprint(slo, objective),
  windowStart: isCalendarWindow(slo.spec.timeWindow) ? at.range.from : 0,
})
