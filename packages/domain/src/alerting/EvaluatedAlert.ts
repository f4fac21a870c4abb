import { durationToMs } from "../codec/Duration.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import { Limits } from "../Limits.ts"
import { badShare, type ObjectiveStatus } from "../status/ErrorBudget.ts"
import type { SloReading } from "../status/ReadSlos.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import type { SloDue } from "../status/SloStore.ts"
import { isCalendarWindow, plainObjectivesOf, type Slo } from "../slo/Slo.ts"
import type { AlertSubject } from "./Alert.ts"
import type { AlertFingerprint, AlertLifecycle, AlertFacts } from "./AlertLifecycle.ts"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import { silencedUntil } from "../alert-policy/AlertSilence.ts"
import { policyFingerprint, sloFingerprint } from "./AlertFingerprint.ts"
import { type BudgetAt, isMet } from "../status/ConditionMeasurement.ts"

/** The lives of an SLO's alerts that are not at rest, by `EvaluatedAlert.key`; plain JSON. */
export type AlertLives = Readonly<Record<string, AlertLifecycle>>

/** Reads lives as they were written. */
export const livesBefore = ({ evaluation }: SloDue): AlertLives =>
  evaluation === undefined ? {} : (JSON.parse(evaluation) as AlertLives)

/** What an evaluation sees of an SLO. */
export interface EvaluatedSlo extends SloReading {
  /** The metrics of its tracks (`sloStatus`). */
  readonly statuses: ReadonlyMap<string, ObjectiveStatus>
}

/** One alert that an SLO can have, and what an evaluation sees of it. */
export interface EvaluatedAlert {
  readonly key: string
  readonly subject: AlertSubject
  /** The policy that the alert is of; absent for an alert about missing data, and for one that is no longer the SLO's. */
  readonly policy: StoredDefinition<AlertPolicy> | undefined
  readonly facts: AlertFacts
}

/**
 * Lists every alert that an SLO can have: one for each policy and objective, one for each objective whose counts may
 * stay away, and those of before that it can have no longer.
 *
 * Source: decisions 0612, 0613, 0619 and 0620.
 */
export const evaluatedAlerts = (seen: EvaluatedSlo, before: AlertLives): ReadonlyArray<EvaluatedAlert> => {
  const watched = [...ofPolicies(seen), ...ofMissingData(seen, before)]
  const known = new Set(watched.map(({ key }) => key))
  const detached = Object.keys(before).filter((key) => !known.has(key))
  return [...detached.map((key) => ofNothing(seen, key)), ...watched]
}

const ofPolicies = (seen: EvaluatedSlo): ReadonlyArray<EvaluatedAlert> => {
  const { due, now } = seen
  if (due.policies.length === 0) return []
  const slo = due.slo.definition
  const budgets = Array.from(budgetsOf(seen), ([objective, budget]) => ({
    objective,
    budget,
    basis: sloBasis(slo, objective, budget),
  }))
  return due.policies.flatMap((policy) => {
    const { metadata, spec } = policy.definition
    const until = silencedUntil(due.silences, metadata, now)
    const basisOfPolicy = policyFingerprint(policy.definition)
    return budgets.map(({ objective, budget, basis }): EvaluatedAlert => ({
      key: keyOf(metadata.name, objective),
      subject: subjectOf(slo, metadata.name, objective),
      policy,
      facts: {
        now,
        basis: { policy: basisOfPolicy, ...basis },
        conditions: spec.conditions.map((condition) => ({
          isMet: isMet(condition, budget),
          lastsForMs: durationToMs(condition.lastsFor ?? "0") ?? 0,
        })),
        coolDownMs: durationToMs(spec.coolDown) ?? 0,
        ...(until !== undefined && { silencedUntil: until }),
      },
    }))
  })
}

const budgetsOf = ({ due, at, told, statuses }: EvaluatedSlo): ReadonlyMap<string, BudgetAt> => {
  const { objectives, composite } = due.slo.definition.spec
  const targets = new Map(objectives.map(({ name, target }) => [name, target]))
  if (composite !== undefined) targets.set(overallTrack, composite.target)
  const budgetOf = ([track, target]: readonly [string, number]): readonly [string, BudgetAt] => [
    track,
    {
      target,
      at,
      status: statuses.get(track) ?? {},
      badShareIn: (range, lengthMs) => badShare(told.goodTotal(track, range, lengthMs)),
    },
  ]
  return new Map(Array.from(targets, budgetOf))
}

const ofMissingData = (
  { due, now, told }: EvaluatedSlo,
  before: AlertLives,
): ReadonlyArray<EvaluatedAlert> => {
  const noData = due.slo.definition.spec.anomalyConfig?.noData
  if (noData === undefined) return []
  const until = silencedUntil(due.silences, undefined, now)
  return plainObjectivesOf(due.slo.definition).map(({ name }): EvaluatedAlert => {
    const key = keyOf(noPolicy, name)
    const latestAt = told.latestAt(name) ?? -Infinity
    // Counts of long ago, as a new indicator begins with, ring nobody. Once an alert is open, nothing but counts ends it.
    const isOpen = before[key]?.open !== undefined
    const since = isOpen ? latestAt : Math.max(latestAt, due.slo.updatedAt)
    const lastsForMs = isOpen ? 0 : Limits.noDataSeenMs
    const missesAt = since + (durationToMs(noData.alertAfter) ?? 0) - lastsForMs
    return {
      key,
      subject: subjectOf(due.slo.definition, noPolicy, name),
      policy: undefined,
      facts: {
        now,
        basis: { policy: "", slo: "", windowStart: 0 },
        conditions: [{ isMet: now >= missesAt, lastsForMs, metAt: missesAt }],
        coolDownMs: 0,
        ...(until !== undefined && { silencedUntil: until }),
      },
    }
  })
}

/** An alert that the SLO can no longer have; its key says whose it was. */
const ofNothing = ({ due, now }: EvaluatedSlo, key: string): EvaluatedAlert => {
  const [policy = noPolicy, objective = ""] = key.split(" ")
  const subject = subjectOf(due.slo.definition, policy, objective)
  const until = silencedUntil(due.silences, subject.alertPolicy, now)
  return {
    key,
    subject,
    policy: undefined,
    facts: {
      now,
      basis: undefined,
      conditions: [],
      coolDownMs: 0,
      ...(until !== undefined && { silencedUntil: until }),
    },
  }
}

/** Stands for the policy that an alert about missing data has none of. */
const noPolicy = ""

/** Names have no blanks. */
const keyOf = (policy: string, objective: string): string => `${policy} ${objective}`

const subjectOf = ({ metadata }: Slo, policy: string, objective: string): AlertSubject => ({
  slo: { project: metadata.project, name: metadata.name },
  ...(objective !== overallTrack && { objective }),
  ...(policy === noPolicy
    ? { anomaly: "NoData" as const }
    : { alertPolicy: { project: metadata.project, name: policy } }),
})

const sloBasis = (slo: Slo, objective: string, { at }: BudgetAt): Omit<AlertFingerprint, "policy"> => ({
  slo: sloFingerprint(slo, objective),
  windowStart: isCalendarWindow(slo.spec.timeWindow) ? at.range.from : 0,
})
