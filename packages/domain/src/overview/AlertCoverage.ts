/** Which SLOs and alert policies notify nobody, and what policies were worth: how often they alerted, and what they caught. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { alertPolicyKind, type Severity } from "../alert-policy/AlertPolicy.ts"
import { methodsOfPolicy, methodsReach, type PolicyReach } from "../alert-policy/PolicyReach.ts"
import type { Alert } from "../alerting/Alert.ts"
import { AlertStore, type PolicyAlerts } from "../alerting/AlertStore.ts"
import { dayMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { readStoppedMethods } from "../delivery/AlertMethodHealth.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { mergeRanges } from "../status/AdjustedMinutes.ts"
import { readCounts } from "../status/ReadSlos.ts"
import type { FleetSlo } from "../status/FleetPlane.ts"
import { fleetTable } from "../status/FleetPlanes.ts"
import { SloStore } from "../status/SloStore.ts"
import { inParts, type Parts } from "../work/Parts.ts"

/** How many days before now the alerts of an alert coverage triggered in. */
export const coverageDays = 30

/** Maximum number of alert policies of an alert coverage: the first, by project and name. */
export const coveragePoliciesMax = 500

/** Maximum number of SLOs that an alert coverage lists of each kind. */
export const coverageSlosMax = 100

/** Maximum number of alerts whose share of burned budget is computed: the latest. */
const caughtAlertsMax = 200

/** Maximum number of SLOs whose counts are read for it. */
const caughtSlosMax = 50

/** Maximum number of alerts of an SLO whose counts are read for it: the latest. */
const caughtAlertsPerSloMax = 14

/** SLOs that have no one who is notified. */
export interface UncoveredSlos {
  /** How many there are. */
  readonly count: number
  /** The first `coverageSlosMax`, by project and name. */
  readonly slos: ReadonlyArray<{ readonly slo: ProjectKey; readonly displayName: string }>
}

/** An alert policy, and what it was worth. */
export interface CoveredPolicy extends PolicyAlerts {
  /** The alert policy. */
  readonly policy: ProjectKey
  /** The name of the policy if it has no display name. */
  readonly displayName: string
  /** How severe its alerts are. */
  readonly severity: Severity
  /** Whether its alerts notify anyone. */
  readonly reach: PolicyReach
  /** How many SLOs use it. */
  readonly slos: number
  /**
   * Of the bad events or minutes of the objectives that it alerted on, the share that came while its alerts were open, from 0 to 1.
   * Absent if that was not computed, or nothing was bad.
   */
  readonly budgetCaught?: number
}

/** Which SLOs and alert policies notify nobody, over the SLOs whose latest status is in memory. */
export interface AlertCoverage {
  /** Alerts that triggered in this time are counted. */
  readonly period: MinuteRange
  /** How many SLOs there are. */
  readonly slos: number
  /** Whether there are more SLOs. */
  readonly hasMoreSlos: boolean
  /** SLOs without an alert policy. */
  readonly withoutPolicy: UncoveredSlos
  /** SLOs with alert policies, none of which notifies anyone. */
  readonly withoutMethod: UncoveredSlos
  /** By project and name. */
  readonly policies: ReadonlyArray<CoveredPolicy>
  /** Whether there are more policies than `coveragePoliciesMax`. */
  readonly hasMorePolicies: boolean
}

/** An alert policy with whom it notifies, and how many SLOs use it. */
export type ReachedPolicy = Pick<CoveredPolicy, "policy" | "displayName" | "severity" | "reach" | "slos">

/** The first alert policies of an organization, by project and name, and how many SLOs use each. */
export const readPolicyReach = Effect.fnUntraced(function* (organization: OrganizationId) {
  const { slos } = yield* fleetTable(organization)
  const definitions = yield* DefinitionStore
  const { items, hasMore } = yield* definitions.list(
    organization,
    { kind: alertPolicyKind.kind },
    { limit: coveragePoliciesMax },
  )
  const stored = items.map(({ definition }) => definition)
  const stopped = yield* readStoppedMethods(organization, stored.flatMap(methodsOfPolicy))
  const users = yield* inParts(() => countUsers(slos))
  const policies = stored.map((policy): ReachedPolicy => {
    const { project, name, displayName = name } = policy.metadata
    return {
      policy: { project, name },
      displayName,
      severity: policy.spec.severity,
      reach: methodsReach(methodsOfPolicy(policy), (method) => stopped.has(projectKeyText(method))),
      slos: users.get(projectKeyText({ project, name })) ?? 0,
    }
  })
  return { policies, hasMore }
})

/** SLOs that are gone through in one part. */
const slosAtOnce = 500

const policiesOf = ({ project, alertPolicies }: FleetSlo): ReadonlyArray<string> =>
  alertPolicies.map((name) => projectKeyText({ project, name }))

function* countUsers(slos: ReadonlyArray<FleetSlo>): Parts<ReadonlyMap<string, number>> {
  const users = new Map<string, number>()
  for (const [index, slo] of slos.entries()) {
    if ((index + 1) % slosAtOnce === 0) yield
    for (const policy of policiesOf(slo)) users.set(policy, (users.get(policy) ?? 0) + 1)
  }
  return users
}

/** Reads which SLOs and which alert policies notify nobody, and how often each policy has alerted. */
export const readAlertCoverage = Effect.fn("readAlertCoverage")(function* (organization: OrganizationId) {
  const now = yield* Clock.currentTimeMillis
  const period = { from: minuteOf(now - coverageDays * dayMs), to: minuteOf(now) }
  const { policies, hasMore } = yield* readPolicyReach(organization)
  const { slos, hasMore: hasMoreSlos } = yield* fleetTable(organization)
  const counts = yield* (yield* AlertStore).countByPolicy(
    organization,
    policies.map(({ policy }) => policy),
    period.from,
  )
  const caught = yield* budgetCaught(organization, period)
  const reach = new Map(policies.map(({ policy, reach }) => [projectKeyText(policy), reach]))
  const coverage: AlertCoverage = {
    period,
    slos: slos.length,
    hasMoreSlos,
    ...(yield* inParts(() => uncoveredSlos(slos, reach, hasMore))),
    policies: policies.map((each, index): CoveredPolicy => {
      const share = caught.get(projectKeyText(each.policy))
      return {
        ...each,
        ...(counts[index] ?? { alerts: 0, open: 0 }),
        ...(share !== undefined && { budgetCaught: share }),
      }
    }),
    hasMorePolicies: hasMore,
  }
  return coverage
})

/** The SLOs without a policy, and those whose policies notify nobody; if there are more policies, an unknown one may notify. */
function* uncoveredSlos(
  slos: ReadonlyArray<FleetSlo>,
  reach: ReadonlyMap<string, PolicyReach>,
  hasMore: boolean,
): Parts<Pick<AlertCoverage, "withoutPolicy" | "withoutMethod">> {
  const withoutPolicy: Array<FleetSlo> = []
  const withoutMethod: Array<FleetSlo> = []
  for (const [index, slo] of slos.entries()) {
    if ((index + 1) % slosAtOnce === 0) yield
    const policies = policiesOf(slo)
    if (policies.length === 0) withoutPolicy.push(slo)
    else if (policies.every((key) => (reach.get(key) ?? (hasMore ? "notifies" : "stopped")) !== "notifies"))
      withoutMethod.push(slo)
  }
  return { withoutPolicy: uncovered(withoutPolicy), withoutMethod: uncovered(withoutMethod) }
}

const uncovered = (slos: ReadonlyArray<FleetSlo>): UncoveredSlos => ({
  count: slos.length,
  slos: slos.slice(0, coverageSlosMax).map(({ project, name, displayName }) => ({
    slo: { project, name },
    displayName,
  })),
})

/** By alert policy: the share of what was bad in the period that came while its alerts were open, from their trigger on. */
const budgetCaught = Effect.fnUntraced(function* (organization: OrganizationId, period: MinuteRange) {
  const { items, hasMore } = yield* (yield* AlertStore).list(
    organization,
    { from: period.from },
    { limit: caughtAlertsMax },
  )
  const bySlo = groupBy(items.filter(isMeasured), ({ subject }) => projectKeyText(subject.slo))
  const found = yield* (yield* SloStore).findAllForStatus(
    organization,
    [...bySlo.values()]
      .slice(0, caughtSlosMax)
      .flatMap(([first]) => (first === undefined ? [] : [first.subject.slo])),
  )
  const measured = found.map(({ slo, adjustments, readTo }) => {
    const all = bySlo.get(projectKeyText(slo.definition.metadata)) ?? []
    const alerts = all.slice(0, caughtAlertsPerSloMax)
    const tracks = [...groupBy(alerts, trackOf).values()].flatMap((ofTrack) => {
      const [first] = ofTrack
      return first === undefined ? [] : [{ first, open: openRanges(ofTrack, period) }]
    })
    // Of what is bad before the first of these alerts, others may have caught some.
    const isCut = hasMore || alerts.length < all.length
    const oldest = Math.min(...alerts.map(({ triggeredAt }) => minuteOf(triggeredAt)))
    const range = { from: isCut ? Math.max(period.from, oldest) : period.from, to: period.to }
    const ranges = [range, ...tracks.flatMap(({ open }) => open)]
    return { tracks, range, wanted: { organization, slo, adjustments, ranges, readTo } }
  })
  const counts = yield* Effect.forEach(measured, ({ wanted }) =>
    Effect.map(readCounts([wanted], period.to), ([read]) => read),
  )
  const byPolicy = new Map<string, { bad: number; caught: number }>()
  for (const [index, { tracks, range: whole }] of measured.entries()) {
    for (const { first, open } of tracks) {
      const { slo, objective = "", alertPolicy } = first.subject
      const badIn = (range: MinuteRange): number => {
        const { good, total } = counts[index]?.events(objective, range) ?? { good: 0, total: 0 }
        return total - good
      }
      const key = projectKeyText({ project: slo.project, name: alertPolicy?.name ?? "" })
      const sum = byPolicy.get(key) ?? { bad: 0, caught: 0 }
      byPolicy.set(key, {
        bad: sum.bad + badIn(whole),
        caught: sum.caught + open.reduce((all, range) => all + badIn(range), 0),
      })
    }
  }
  return new Map(
    [...byPolicy].flatMap(([key, { bad, caught }]) =>
      bad > 0 ? [[key, Math.min(1, caught / bad)] as const] : [],
    ),
  )
})

const isMeasured = ({ subject, anomaly }: Alert): boolean =>
  anomaly === undefined && subject.objective !== undefined && subject.alertPolicy !== undefined

const trackOf = ({ subject }: Alert): string => `${subject.objective} ${subject.alertPolicy?.name}`

/** The minutes of the period in which alerts were open. */
const openRanges = (alerts: ReadonlyArray<Alert>, period: MinuteRange): ReadonlyArray<MinuteRange> =>
  mergeRanges(
    alerts
      .map(({ triggeredAt, resolvedAt = period.to }) => ({
        from: Math.max(minuteOf(triggeredAt), period.from),
        to: Math.min(minuteOf(resolvedAt), period.to),
      }))
      .filter(({ from, to }) => from < to),
  )
