import { inParts, type Parts } from "../work/Parts.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { severities } from "../alert-policy/AlertPolicy.ts"
import type { Alert } from "../alerting/Alert.ts"
import { AlertStore } from "../alerting/AlertStore.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { IndicatorStore, type IndicatorProblem } from "../data-source/IndicatorStore.ts"
import { methodState, type methodStates } from "../delivery/AlertMethodHealth.ts"
import { DeliveryQueue } from "../delivery/DeliveryQueue.ts"
import { EndpointStore } from "../delivery/EndpointStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { isCalendarWindow } from "../slo/WindowLength.ts"
import { makeCalendarRanges, windowAt } from "../slo/WindowAt.ts"
import { FleetPlane, type FleetTable } from "../status/FleetPlane.ts"
import { fleetTable } from "../status/FleetPlanes.ts"
import { findSloForecasts } from "../status/Forecast.ts"
import {
  countStates,
  type ObjectiveState,
  objectiveState,
  type StateCounts,
  worseState,
} from "../slo/ObjectiveState.ts"
import type { NamedObject, SloRecord } from "../status/SloRecord.ts"
import { SloStore } from "../status/SloStore.ts"
import { sloOutline } from "../slo/SloOutline.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { type ReachedPolicy, readPolicyReach } from "./AlertCoverage.ts"
import { byNumbers, First } from "./First.ts"
import { type FleetObjective, summarizeFleet } from "./FleetSummary.ts"
import { displayNameOf, type SloSnapshot, sloState, type TrackStatus, tracksOf } from "./SloSnapshot.ts"

/** Most items of each list of an overview. */
export const overviewItemsMax = 6

/** Most indicators and alert methods that are looked at for problems; there may be more. */
export const overviewProblemsMax = 500

/** A calendar-aligned window is about to close in its last tenth, and at most this time before its end. */
const closingMsMax = 7 * dayMs

/** One objective of an SLO that needs attention. */
export interface OverviewObjective extends TrackStatus {
  /** The SLO that the objective belongs to. */
  readonly slo: ProjectKey
  /** The name of the SLO if it has no display name. */
  readonly sloDisplayName: string
  /** Derived from the error budget remaining. */
  readonly state: ObjectiveState
}

/** An open alert with the names of what it is about. */
export interface OverviewAlert {
  /** An alert in the `triggered` status. */
  readonly alert: Alert
  /** The name of the SLO if it has no display name or is not in the snapshot. */
  readonly sloDisplayName: string
  /** Absent if the alert is not about an objective. */
  readonly objectiveDisplayName?: string
}

/** A service with the state of its SLOs. */
export interface OverviewService {
  /** The project; one without a definition has its name only. */
  readonly project: NamedObject
  /** The service; one without a definition has its name only. */
  readonly service: NamedObject
  /** The number of its SLOs in each state. */
  readonly states: StateCounts
  /** The most urgent of them. */
  readonly state: ObjectiveState
  /** How many alerts of its SLOs are open. */
  readonly openAlerts: number
}

/** What is read from one server or data source, for which indicators have problems. */
export interface FailedSource {
  /** As in `FailedIndicator`. */
  readonly server: string
  readonly slos: number
  readonly firstSlo: ProjectKey
  readonly problem: IndicatorProblem
  readonly isUnavailable: boolean
}

/** What needs attention in an organization now; each list has the most urgent first and at most `overviewItemsMax`. */
export interface Overview {
  /**
   * The number of SLOs in each state; absent if there are more SLOs than the snapshot has, and the latest figures of all of them would take
   * too much memory. Then everything else is about the SLOs of the snapshot.
   */
  readonly states?: StateCounts
  /** Whether there are more SLOs than the snapshot has. */
  readonly hasMoreSlos: boolean
  /** The lowest error budgets, of objectives that are at risk or breached. */
  readonly lowestBudgets: ReadonlyArray<OverviewObjective>
  /** The highest burn rates of at least `fastBurnMin`. */
  readonly fastestBurns: ReadonlyArray<OverviewObjective>
  /** What is forecast to be exhausted within its time window, soonest first. */
  readonly exhausting: ReadonlyArray<OverviewObjective & { readonly exhaustedAt: number }>
  /** Calendar-aligned windows about to close, soonest first; of each SLO the objective with the lowest budget. */
  readonly closing: ReadonlyArray<OverviewObjective & { readonly endsAt: number }>
  /** The number of open and of acknowledged alerts, and the newest open alerts. */
  readonly alerts: {
    readonly open: number
    readonly acknowledged: number
    /** Triggered last first. */
    readonly newest: ReadonlyArray<OverviewAlert>
  }
  /** Alert methods that are disabled, failing or paused, in this order. */
  readonly alertMethods: ReadonlyArray<{
    readonly alertMethod: ProjectKey
    readonly state: (typeof methodStates)[number]
    /** Failed attempts since the latest success. */
    readonly failures: number
  }>
  /** Alert policies that SLOs use and that notify nobody, the most severe first. */
  readonly silentPolicies: ReadonlyArray<ReachedPolicy>
  /** How many alert methods are disabled, paused or failing, up to `overviewProblemsMax`. */
  readonly troubledMethods: number
  /** Data sources that cannot be queried, then indicators with invalid values; within both, those with the most SLOs first. */
  readonly sources: ReadonlyArray<FailedSource>
  /** The first SLOs without data in their time window. */
  readonly withoutData: ReadonlyArray<{ readonly slo: ProjectKey; readonly displayName: string }>
  /** By project and name. */
  readonly services: ReadonlyArray<OverviewService>
}

/** Derives what needs attention from a snapshot, and reads the rest of it. */
export const readOverview = Effect.fnUntraced(function* (
  organization: OrganizationId,
  snapshot: SloSnapshot,
) {
  const now = yield* Clock.currentTimeMillis
  const { records, hasMore, openAlerts } = snapshot
  const ofRecords = yield* inParts(() => summarize(snapshot, now))
  const latest = yield* latestFigures(organization, snapshot)
  const open = [...openAlerts.values()]
  const newest = yield* (yield* AlertStore).list(
    organization,
    { statuses: ["triggered"] },
    { limit: overviewItemsMax },
  )
  const failed = yield* (yield* IndicatorStore).failed(organization, overviewProblemsMax)
  const methods = yield* troubledMethods(organization)
  const overview: Overview = {
    ...latest,
    hasMoreSlos: hasMore,
    exhausting: yield* exhaustingSoon(organization, ofRecords.soonest),
    closing: ofRecords.closing,
    alerts: {
      open: open.reduce((sum, alerts) => sum + alerts.open, 0),
      acknowledged: open.reduce((sum, alerts) => sum + alerts.acknowledged, 0),
      newest: namedAlerts(newest.items, records),
    },
    alertMethods: methods.slice(0, overviewItemsMax),
    troubledMethods: methods.length,
    silentPolicies: yield* silentPolicies(organization, snapshot),
    sources: sourcesOf(failed),
    services: ofRecords.services,
  }
  return overview
})

/** What the latest figures of all SLOs show; if they would take too much memory, those of the SLOs of the snapshot. */
const latestFigures = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { records: ofSnapshot, hasMore, openAlerts }: SloSnapshot,
) {
  const ofAll = yield* fleetTable(organization)
  const table = ofAll ?? (yield* inParts(() => tableOf(ofSnapshot)))
  const options = { urgentMax: 0, itemsMax: overviewItemsMax, openAlerts }
  const summary = yield* inParts(() => summarizeFleet(table, options))
  const { states, lowestBudgets, fastestBurns, withoutData } = summary
  const objectives = [...lowestBudgets, ...fastestBurns].map(({ slo }) => slo)
  const keys = new Map([...objectives, ...withoutData].map((key) => [projectKeyText(key), key]))
  const records = yield* (yield* SloStore).findAll(organization, [...keys.values()])
  const byKey = new Map(records.map((record) => [projectKeyText(record.slo.metadata), record]))
  const named = (found: ReadonlyArray<FleetObjective>): ReadonlyArray<OverviewObjective> =>
    found.flatMap(({ slo, track }) => {
      const record = byKey.get(projectKeyText(slo))
      const ofTrack = record && tracksOf(record).find((each) => each.track === track)
      return record === undefined || ofTrack === undefined ? [] : [overviewObjective(record, ofTrack)]
    })
  return {
    ...((ofAll !== undefined || !hasMore) && { states }),
    lowestBudgets: named(lowestBudgets),
    fastestBurns: named(fastestBurns),
    withoutData: withoutData.flatMap((slo) => {
      const record = byKey.get(projectKeyText(slo))
      return record === undefined ? [] : [{ slo, displayName: displayNameOf(record.slo) }]
    }),
  }
})

/** The figures of some records. */
function* tableOf(records: ReadonlyArray<SloRecord>): Parts<FleetTable> {
  const plane = new FleetPlane()
  for (const [index, { slo, statuses }] of records.entries()) {
    if ((index + 1) % recordsAtOnce === 0) yield
    const version = { definition: 0, status: 0 }
    plane.apply({ ...keyOf(slo.metadata), version, outline: sloOutline(slo), statuses })
  }
  return plane.table
}

/** The names that people read; of an SLO that is not in the snapshot, those of the alert. */
const namedAlerts = (
  alerts: ReadonlyArray<Alert>,
  records: ReadonlyArray<SloRecord>,
): ReadonlyArray<OverviewAlert> => {
  const keys = new Set(alerts.map(({ subject }) => projectKeyText(subject.slo)))
  const byKey = new Map<string, SloRecord>()
  for (const record of records) {
    const key = projectKeyText(record.slo.metadata)
    if (keys.has(key)) byKey.set(key, record)
  }
  return alerts.map((alert) => {
    const { slo, objective } = alert.subject
    const record = byKey.get(projectKeyText(slo))
    const track = record && tracksOf(record).find((each) => each.track === objective)
    return {
      alert,
      sloDisplayName: record === undefined ? slo.name : displayNameOf(record.slo),
      ...(objective !== undefined && { objectiveDisplayName: track?.displayName ?? objective }),
    }
  })
}

/** Records that are gone through in one part. */
const recordsAtOnce = 100

/** Goes through the records of a snapshot once. */
function* summarize(snapshot: SloSnapshot, now: number) {
  const calendarRanges = makeCalendarRanges()
  const closing = new First(
    overviewItemsMax,
    byNumbers<Overview["closing"][number]>(({ endsAt }) => endsAt, budgetOf),
  )
  const soonest = new First<LastingRecord>(
    forecastsMax,
    byNumbers(({ lastsMs }) => lastsMs),
  )
  for (const [index, record] of snapshot.records.entries()) {
    if ((index + 1) % recordsAtOnce === 0) yield
    const closes = closingWindow(record, now, calendarRanges)
    if (closes !== undefined) closing.add(closes)
    const lasts = lastingRecord(record, now, calendarRanges)
    if (lasts !== undefined) soonest.add(lasts)
  }
  return {
    closing: closing.items,
    soonest: soonest.items,
    services: yield* servicesOf(snapshot),
  }
}

const keyOf = ({ project, name }: ProjectKey): ProjectKey => ({ project, name })

const objectivesOfRecord = (record: SloRecord): ReadonlyArray<OverviewObjective> =>
  tracksOf(record).map((track) => overviewObjective(record, track))

const overviewObjective = ({ slo }: SloRecord, track: TrackStatus): OverviewObjective => ({
  ...track,
  slo: keyOf(slo.metadata),
  sloDisplayName: displayNameOf(slo),
  state: objectiveState(track),
})

const budgetOf = ({ errorBudgetRemainingPercentage = 1 }: TrackStatus): number =>
  errorBudgetRemainingPercentage

/** How many SLOs have their forecast computed: those whose budget seems to be exhausted the soonest. */
const forecastsMax = 2 * overviewItemsMax

/** A record whose error budget would last for this long at its present burn rate. */
interface LastingRecord {
  readonly record: SloRecord
  readonly lastsMs: number
}

/** `undefined` if the budget would outlast its time window twice, as the present burn rate alone is not the forecast. */
const lastingRecord = (
  record: SloRecord,
  now: number,
  calendarRanges: ReturnType<typeof makeCalendarRanges>,
): LastingRecord | undefined => {
  const lasting = tracksOf(record).flatMap(({ burnRate = 0, errorBudgetRemainingPercentage = 0 }) =>
    burnRate > 0 && errorBudgetRemainingPercentage > 0 ? [errorBudgetRemainingPercentage / burnRate] : [],
  )
  if (lasting.length === 0) return undefined
  const { lengthMs, endsAt = now + lengthMs } = windowAt(record.slo.spec.timeWindow, now, calendarRanges)
  const lastsMs = Math.min(...lasting) * lengthMs
  return now + lastsMs <= endsAt + lengthMs ? { record, lastsMs } : undefined
}

/**
 * The forecasts of `findSloForecasts` for the SLOs whose budget would last shortest at their present burn rate, which decides
 * only which SLOs are looked at.
 */
const exhaustingSoon = Effect.fnUntraced(function* (
  organization: OrganizationId,
  soonest: ReadonlyArray<LastingRecord>,
) {
  const forecasts = yield* findSloForecasts(
    organization,
    soonest.map(({ record }) => record.slo.metadata),
  )
  const recordByKey = new Map(soonest.map(({ record }) => [projectKeyText(record.slo.metadata), record]))
  return forecasts
    .flatMap(({ slo, objectives, composite }) => {
      const record = recordByKey.get(projectKeyText(slo))
      const tracks = record === undefined ? [] : objectivesOfRecord(record)
      return [
        ...objectives,
        ...(composite === undefined ? [] : [{ name: overallTrack, ...composite }]),
      ].flatMap(({ name, exhaustedAt }) => {
        const found = tracks.find(({ track }) => track === name)
        return found === undefined || exhaustedAt === undefined ? [] : [{ ...found, exhaustedAt }]
      })
    })
    .toSorted((a, b) => a.exhaustedAt - b.exhaustedAt)
    .slice(0, overviewItemsMax)
})

const closingWindow = (
  record: SloRecord,
  now: number,
  calendarRanges: ReturnType<typeof makeCalendarRanges>,
): Overview["closing"][number] | undefined => {
  if (!isCalendarWindow(record.slo.spec.timeWindow)) return undefined
  const { lengthMs, endsAt } = windowAt(record.slo.spec.timeWindow, now, calendarRanges)
  if (endsAt === undefined || endsAt - now > Math.min(lengthMs / 10, closingMsMax)) return undefined
  const [lowest] = objectivesOfRecord(record).toSorted((a, b) => budgetOf(a) - budgetOf(b))
  return lowest === undefined ? undefined : { ...lowest, endsAt }
}

const stateOrder: ReadonlyArray<(typeof methodStates)[number]> = ["disabled", "failing", "paused"]

const troubledMethods = Effect.fnUntraced(function* (organization: OrganizationId) {
  const troubled = yield* (yield* EndpointStore).troubled(organization, overviewProblemsMax)
  const isAllPaused = yield* (yield* DeliveryQueue).isPaused
  // An endpoint may outlive its alert method.
  const existing = yield* (yield* DefinitionStore).findAll(
    organization,
    "AlertMethod",
    troubled.map(({ alertMethod }) => alertMethod),
  )
  const keys = new Set(existing.map(({ definition }) => projectKeyText(definition.metadata)))
  return troubled
    .filter(({ alertMethod }) => keys.has(projectKeyText(alertMethod)))
    .map(({ alertMethod, health, isPaused }) => ({
      alertMethod,
      state: methodState({ health, pause: { isPaused, inFlight: 0 }, isAllPaused }),
      failures: health.failures,
    }))
    .toSorted((a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state))
})

const silentPolicies = Effect.fnUntraced(function* (organization: OrganizationId, snapshot: SloSnapshot) {
  const { policies } = yield* readPolicyReach(organization, snapshot)
  return policies
    .filter(({ reach, slos }) => reach !== "notifies" && slos > 0)
    .toSorted((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity) || b.slos - a.slos)
    .slice(0, overviewItemsMax)
})

const sourcesOf = (
  failed: ReadonlyArray<{
    readonly slo: ProjectKey
    readonly server: string
    readonly problem: IndicatorProblem
    readonly isUnavailable: boolean
  }>,
): ReadonlyArray<FailedSource> => {
  const byServer = new Map<string, FailedSource>()
  for (const { slo, server, problem, isUnavailable } of failed) {
    // What cannot be read concerns all SLOs of a server; a value that cannot be counted concerns one.
    const key = isUnavailable ? server : `${server} ${projectKeyText(slo)}`
    const known = byServer.get(key)
    const latest = known === undefined || known.problem.at < problem.at ? problem : known.problem
    byServer.set(key, {
      server,
      firstSlo: known?.firstSlo ?? slo,
      slos: (known?.slos ?? 0) + 1,
      problem: latest,
      isUnavailable,
    })
  }
  return [...byServer.values()]
    .toSorted((a, b) => Number(b.isUnavailable) - Number(a.isUnavailable) || b.slos - a.slos)
    .slice(0, overviewItemsMax)
}

function* servicesOf({ records, openAlerts }: SloSnapshot): Parts<ReadonlyArray<OverviewService>> {
  const byService = groupBy(records, ({ project, service }) =>
    projectKeyText({ project: project.name, name: service.name }),
  )
  const services: Array<OverviewService> = []
  let steps = 0
  for (const ofService of byService.values()) {
    const [first] = ofService
    if (first === undefined) continue
    const states: Array<ObjectiveState> = []
    let ofAlerts = 0
    for (const record of ofService) {
      if (++steps % recordsAtOnce === 0) yield
      states.push(sloState(record))
      ofAlerts += openAlerts.get(projectKeyText(record.slo.metadata))?.open ?? 0
    }
    services.push({
      project: first.project,
      service: first.service,
      states: countStates(states),
      state: states.reduce(worseState, "noData"),
      openAlerts: ofAlerts,
    })
  }
  return services
}
