import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { severities } from "../alert-policy/AlertPolicy.ts"
import type { Alert } from "../alerting/Alert.ts"
import { AlertStore } from "../alerting/AlertStore.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { IndicatorStore, type IndicatorProblem } from "../data-source/IndicatorStore.ts"
import { methodState, type methodStates } from "../delivery/AlertMethodHealth.ts"
import { DeliveryQueue } from "../delivery/DeliveryQueue.ts"
import { EndpointStore } from "../delivery/EndpointStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { FleetNamed, FleetSlo, FleetTable } from "../status/FleetPlane.ts"
import { findSloForecasts } from "../status/Forecast.ts"
import { type ObjectiveState, objectiveState, type StateCounts } from "../slo/ObjectiveState.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { type ReachedPolicy, readPolicyReach } from "./AlertCoverage.ts"
import { type FleetObjective, readFleetSummary } from "./FleetSummary.ts"
import { readOpenAlerts } from "./SloPage.ts"

/** Most items of each list of an overview. */
export const overviewItemsMax = 6

/** Most indicators and alert methods that are looked at for problems; there may be more. */
export const overviewProblemsMax = 500

/** Most services of an overview. */
export const overviewServicesMax = 20_000

/** An open alert with the names of what it is about. */
export interface OverviewAlert {
  /** An alert in the `triggered` status. */
  readonly alert: Alert
  /** The name of the SLO if it has no display name or its status is not in memory. */
  readonly sloDisplayName: string
  /** Absent if the alert is not about an objective. */
  readonly objectiveDisplayName?: string
}

/** A service with the state of its SLOs. */
export interface OverviewService {
  /** The project; one without a definition has its name only. */
  readonly project: FleetNamed
  /** The service; one without a definition has its name only. */
  readonly service: FleetNamed
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
   * The number of SLOs in each state; absent if the latest figures of all SLOs would take too much memory. Then everything else is about
   * the first `fleetPartSlosMax` SLOs.
   */
  readonly states?: StateCounts
  /** Whether there are SLOs that `services` does not cover. */
  readonly hasMoreSlos: boolean
  /** The lowest error budgets, of objectives that are at risk or breached. */
  readonly lowestBudgets: ReadonlyArray<FleetObjective>
  /** The highest burn rates of at least `fastBurnMin`. */
  readonly fastestBurns: ReadonlyArray<FleetObjective>
  /** What is forecast to be exhausted within its time window, soonest first. */
  readonly exhausting: ReadonlyArray<FleetObjective & { readonly exhaustedAt: number }>
  /** Calendar-aligned windows about to close, soonest first; of each SLO the objective with the lowest budget. */
  readonly closing: ReadonlyArray<FleetObjective & { readonly endsAt: number }>
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

/** Reads what needs attention. */
export const readOverview = Effect.fnUntraced(function* (organization: OrganizationId) {
  const now = yield* Clock.currentTimeMillis
  const openAlerts = yield* readOpenAlerts(organization)
  const { table, ...summary } = yield* readFleetSummary(organization, {
    now,
    openAlerts,
    urgentMax: 0,
    itemsMax: overviewItemsMax,
    servicesMax: overviewServicesMax,
  })
  const open = [...openAlerts.values()]
  const newest = yield* (yield* AlertStore).list(
    organization,
    { statuses: ["triggered"] },
    { limit: overviewItemsMax },
  )
  const failed = yield* (yield* IndicatorStore).failed(organization, overviewProblemsMax)
  const methods = yield* troubledMethods(organization)
  const overview: Overview = {
    ...(!table.hasMore && { states: summary.states }),
    hasMoreSlos: table.hasMore || !summary.hasAllServices,
    lowestBudgets: summary.lowestBudgets,
    fastestBurns: summary.fastestBurns,
    exhausting: yield* exhaustingSoon(organization, table, summary.soonest),
    closing: summary.closing,
    alerts: {
      open: open.reduce((sum, alerts) => sum + alerts.open, 0),
      acknowledged: open.reduce((sum, alerts) => sum + alerts.acknowledged, 0),
      newest: newest.items.map((alert) => namedAlert(alert, table)),
    },
    alertMethods: methods.slice(0, overviewItemsMax),
    troubledMethods: methods.length,
    silentPolicies: yield* silentPolicies(organization),
    sources: sourcesOf(failed),
    withoutData: summary.withoutData.map(({ project, name, displayName }) => ({
      slo: { project, name },
      displayName,
    })),
    services: summary.services.map(({ service, ...rest }) => ({
      project: service.project,
      service,
      ...rest,
    })),
  }
  return overview
})

/** The names that people read; of an SLO that is not in the table, those of the alert. */
const namedAlert = (alert: Alert, { find, tracksOf }: FleetTable): OverviewAlert => {
  const { slo, objective } = alert.subject
  const found = find(slo)
  const track = found && tracksOf(found).find((each) => each.track === objective)
  return {
    alert,
    sloDisplayName: found?.displayName ?? slo.name,
    ...(objective !== undefined && { objectiveDisplayName: track?.displayName ?? objective }),
  }
}

/**
 * The forecasts of `findSloForecasts` for the SLOs whose budget would last shortest at their present burn rate, which decides
 * only which SLOs are looked at.
 */
const exhaustingSoon = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { find, tracksOf }: FleetTable,
  soonest: ReadonlyArray<FleetSlo>,
) {
  const forecasts = yield* findSloForecasts(organization, soonest)
  return forecasts
    .flatMap(({ slo, objectives, composite }) => {
      const found = find(slo)
      const tracks = found === undefined ? [] : tracksOf(found)
      return [
        ...objectives,
        ...(composite === undefined ? [] : [{ name: overallTrack, ...composite }]),
      ].flatMap(({ name, exhaustedAt }) => {
        const track = tracks.find((each) => each.track === name)
        if (found === undefined || track === undefined || exhaustedAt === undefined) return []
        const state = objectiveState(track)
        return [{ ...track, slo, sloDisplayName: found.displayName, state, exhaustedAt }]
      })
    })
    .toSorted((a, b) => a.exhaustedAt - b.exhaustedAt)
    .slice(0, overviewItemsMax)
})

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

const silentPolicies = Effect.fnUntraced(function* (organization: OrganizationId) {
  const { policies } = yield* readPolicyReach(organization)
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
