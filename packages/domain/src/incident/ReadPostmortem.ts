import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Alert } from "../alerting/Alert.ts"
import { dayMs, hourMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { Delivery } from "../delivery/Delivery.ts"
import { DeliveryLog, type LoggedDelivery } from "../delivery/DeliveryLog.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { overallTrack, targetsOf } from "../slo/SliceRules.ts"
import { windowAt } from "../slo/WindowAt.ts"
import { historyRangeMaxDays } from "../status/DataRange.ts"
import { budgetShare, burnRateOf, type GoodTotal } from "../status/ErrorBudget.ts"
import { readCounts } from "../status/ReadSlos.ts"
import { type DueSlo, SloStore } from "../status/SloStore.ts"
import { readAlerts } from "./ChangeIncidents.ts"
import { type Incident, incidentEntriesMax, type IncidentEntry } from "./Incident.ts"
import { IncidentStore } from "./IncidentStore.ts"
import { findIncident } from "./ListIncidents.ts"

/** Maximum number of alerts that a post-mortem describes: the first ones that were added. */
export const postmortemAlertsMax = 100

/** Maximum number of SLOs whose used error budget a post-mortem contains. */
export const postmortemSlosMax = 25

/** Maximum number of deliveries that a post-mortem contains: the first ones. */
export const postmortemDeliveriesMax = 100

/** Maximum number of steps of the chart of a post-mortem. */
const postmortemStepsMax = 60

/** How long before the start of an incident its chart begins. */
const chartLeadMs = hourMs

/** The steps of a chart: whole minutes from `from`. */
export interface ChartSteps {
  /** In Unix milliseconds. */
  readonly from: number
  /** Length of a step in milliseconds. */
  readonly stepMs: number
  /** Number of steps. */
  readonly count: number
}

/** How much of the error budget of an objective an incident used. */
export interface UsedBudget {
  /** An SLO of the alerts of the incident. */
  readonly slo: ProjectKey
  /** Absent for the legacy composite. */
  readonly objective?: string
  /** From 0 to 1. */
  readonly target: number
  /** Of the range of the incident: events with Occurrences, minutes with Timeslices and of composites. */
  readonly counted: GoodTotal
  /** Share of the error budget of the time window that ends with the incident; absent without a budget. */
  readonly share?: number
  /** The burn rate in each step of the chart; `undefined` without events or an error budget. */
  readonly burnRates: ReadonlyArray<number | undefined>
}

/** What a post-mortem is written from. */
export interface Postmortem {
  /** As it is now. */
  readonly incident: Incident
  /** When it was read, in Unix milliseconds. */
  readonly now: number
  /** Oldest first. */
  readonly entries: ReadonlyArray<IncidentEntry>
  /** In the order in which they were added, with their evidence; without those whose retention has ended. */
  readonly alerts: ReadonlyArray<Alert>
  /** By SLO and objective. */
  readonly budgets: ReadonlyArray<UsedBudget>
  /** From an hour before the incident to its end, of which budgets have burn rates. */
  readonly chart: ChartSteps
  /** Oldest first. */
  readonly deliveries: ReadonlyArray<LoggedDelivery>
  /** Whether there are more deliveries. */
  readonly hasMoreDeliveries: boolean
}

/** Reads what a post-mortem is written from; fails with `IncidentNotFound`. */
export const readPostmortem = Effect.fn("readPostmortem")(function* (
  organization: OrganizationId,
  id: string,
) {
  const incident = yield* findIncident(organization, id)
  const now = yield* Clock.currentTimeMillis
  const alerts = yield* readAlerts(organization, incident.alerts.slice(0, postmortemAlertsMax))
  const { deliveries, hasMoreDeliveries } = yield* readDeliveries(organization, alerts)
  const range = rangeOf(incident, now)
  const chart = chartOf(range)
  const postmortem: Postmortem = {
    incident,
    now,
    entries: yield* readTimeline(organization, id),
    alerts,
    budgets: yield* readBudgets(organization, range, chart, alerts, now),
    chart,
    deliveries,
    hasMoreDeliveries,
  }
  return postmortem
})

/** All entries of a timeline, oldest first. */
const readTimeline = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const store = yield* IncidentStore
  const entries: Array<IncidentEntry> = []
  let after: number | undefined
  for (let read = 0; read < 2 * incidentEntriesMax; read += entriesAtOnce) {
    const page = { limit: entriesAtOnce, ...(after !== undefined && { after }) }
    const { items, hasMore } = yield* store.entries(organization, id, undefined, page)
    entries.push(...items)
    after = Number(items.at(-1)?.id)
    if (!hasMore) break
    yield* Effect.yieldNow
  }
  return entries.toReversed()
})

/** Their texts can be long. */
const entriesAtOnce = 100

/** The deliveries of alerts with their attempts, oldest first. */
const readDeliveries = Effect.fnUntraced(function* (
  organization: OrganizationId,
  alerts: ReadonlyArray<Alert>,
) {
  const log = yield* DeliveryLog
  const found: Array<Delivery> = []
  for (const { id } of alerts) {
    const { items } = yield* log.list(organization, { alertId: id }, { limit: pageSizeMax })
    found.push(...items)
    if (found.length > postmortemDeliveriesMax) break
  }
  const first = found
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.notification.id < b.notification.id ? -1 : 1))
    .slice(0, postmortemDeliveriesMax)
  const logged = yield* Effect.forEach(first, ({ notification }) => log.find(organization, notification.id))
  return {
    deliveries: logged.flatMap(Option.toArray),
    hasMoreDeliveries: found.length > postmortemDeliveriesMax,
  }
})

/** The minutes of an incident until now, at most those that have a history; one that a clock ahead has started has none. */
const rangeOf = ({ startedAt, resolvedAt }: Incident, now: number): MinuteRange => {
  const to = minuteOf(Math.min(resolvedAt ?? now, now)) + minuteMs
  const from = Math.max(minuteOf(startedAt), to - historyRangeMaxDays * dayMs)
  return { from: Math.min(from, to), to }
}

/** Steps that end with a range. */
const chartOf = ({ from, to }: MinuteRange): ChartSteps => {
  const minutes = Math.max(1, (to - from + chartLeadMs) / minuteMs)
  const stepMs = Math.ceil(minutes / postmortemStepsMax) * minuteMs
  const count = Math.ceil((minutes * minuteMs) / stepMs)
  return { from: to - count * stepMs, stepMs, count }
}

/** What the SLOs of alerts used of their error budgets from the start to the end of an incident. */
const readBudgets = Effect.fnUntraced(function* (
  organization: OrganizationId,
  range: MinuteRange,
  chart: ChartSteps,
  alerts: ReadonlyArray<Alert>,
  now: number,
) {
  const steps = Array.from({ length: chart.count }, (_, index): MinuteRange => {
    const from = chart.from + index * chart.stepMs
    return { from, to: from + chart.stepMs }
  })
  const keys = new Map(alerts.map(({ subject }) => [projectKeyText(subject.slo), subject.slo]))
  const slos = yield* (yield* SloStore).findAllForStatus(
    organization,
    [...keys.values()].slice(0, postmortemSlosMax),
  )
  const ofSlo = Effect.fnUntraced(function* ({ slo, adjustments, readTo }: DueSlo) {
    const { metadata, spec } = slo.definition
    const window = windowAt(spec.timeWindow, Math.min(range.to - 1, now))
    const ranges = [range, window.range, ...steps]
    const [counts] = yield* readCounts([{ organization, slo, adjustments, ranges, readTo }], now)
    const targets = targetsOf(slo.definition)
    const tracks = [
      ...objectivesOf(slo.definition).map(({ name }) => name),
      ...(spec.composite === undefined ? [] : [overallTrack]),
    ]
    return tracks.map((track): UsedBudget => {
      const target = targets.get(track) ?? 0
      const counted = counts?.goodTotal(track, range) ?? { good: 0, total: 0 }
      const whole = counts?.goodTotal(track, window.range, window.lengthMs)
      const budget = budgetShare(target) * (whole?.total ?? 0)
      return {
        slo: { project: metadata.project, name: metadata.name },
        ...(track !== overallTrack && { objective: track }),
        target,
        counted,
        burnRates: steps.map((step) => burnRateOf(budgetShare(target), counts?.goodTotal(track, step))),
        ...(budget > 0 && { share: (counted.total - counted.good) / budget }),
      }
    })
  })
  return (yield* Effect.forEach(slos, ofSlo)).flat()
})
