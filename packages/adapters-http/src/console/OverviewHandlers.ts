import {
  alertCoverage,
  overview,
  type overviewAlert,
  type overviewObjective,
  overviewReads,
  policyReachList,
  recentDays,
} from "@tocsin/api"
import { findSloTrends, recordKey, type Series, type SloTrend, workFor } from "@tocsin/domain"
import { inParts, overallTrack } from "@tocsin/domain/adapter"
import { ParameterIsInvalid } from "@tocsin/domain/codec"
import {
  type AlertCoverage,
  type Overview,
  type OverviewAlert,
  type OverviewObjective,
  readAlertCoverage as readDomainCoverage,
  readPolicyReach as readDomainReach,
  readOverview as readDomainOverview,
  readSloSnapshot,
  roundedBudget,
  roundedDown,
  type SloSnapshot,
} from "@tocsin/domain/features/overview"
import { findRecentReliability } from "@tocsin/domain/features/report"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { readCursor, writeCursor } from "@tocsin/domain/pagination"
import { costly, costlyListUnits, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sharedJson } from "./SharedJson.ts"
import { named, objectiveRowOf, sloRowsJson } from "./SloRows.ts"
import { serve } from "../serve/Serve.ts"
import { responseOf, sloSnapshotOf } from "./SloSnapshots.ts"
import { urgentRowsOf } from "./UrgentRows.ts"

const list = "console/rows"

const listSloRows = Effect.fnUntraced(function* ({ organization, part, cursor = "" }: RowsAsked) {
  if (part === "urgent") return yield* urgentRowsOf(organization)
  if (part !== undefined) {
    const detail = "part must be urgent, or omitted"
    return yield* new ParameterIsInvalid({
      code: "part_invalid",
      propertyName: "part",
      propertyValue: part,
      detail,
    })
  }
  if (cursor !== "") {
    const [project = "", name = ""] = yield* Effect.fromResult(readCursor(list, 2, cursor))
    // Not kept: a client chooses how many cursors there are.
    return yield* readSloSnapshot(organization, { project, name }).pipe(
      Effect.flatMap((snapshot) => sloRowsPage(snapshot, cursor)),
      costly(organization, costlyReadsPolicy, costlyListUnits),
    )
  }
  const kept = yield* sloSnapshotOf(organization)
  return yield* responseOf(kept, "rows", sloRowsPage(kept.snapshot, cursor)).pipe(workFor(organization))
})

interface RowsAsked {
  readonly organization: OrganizationId
  readonly part?: string
  readonly cursor?: string
}

const sloRowsPage = Effect.fnUntraced(function* (snapshot: SloSnapshot, cursor: string) {
  const last = snapshot.hasMore ? snapshot.records.at(-1) : undefined
  const linkTo = (to: string) => `/api/console/rows?cursor=${to}`
  const next = last === undefined ? undefined : recordKey(last)
  const links = {
    self: linkTo(cursor),
    ...(next !== undefined && { next: linkTo(writeCursor(list, [next.project, next.name])) }),
  }
  return sharedJson(yield* inParts(() => sloRowsJson(snapshot, links)))
})

const readOverview = Effect.fnUntraced(function* ({ organization }: Pick<RowsAsked, "organization">) {
  const kept = yield* sloSnapshotOf(organization)
  const make = Effect.map(readDomainOverview(organization, kept.snapshot), (found) =>
    sharedJson(new TextEncoder().encode(JSON.stringify(encodeOverview(overviewOf(found))))),
  )
  return yield* responseOf(kept, "overview", make).pipe(workFor(organization))
})

const readAlertCoverage = Effect.fnUntraced(function* ({ organization }: Pick<RowsAsked, "organization">) {
  const kept = yield* sloSnapshotOf(organization)
  const make = Effect.map(readDomainCoverage(organization, kept.snapshot), (found) =>
    sharedJson(new TextEncoder().encode(JSON.stringify(encodeCoverage(coverageOf(found))))),
  ).pipe(costly(organization, costlyReadsPolicy, coverageUnits))
  return yield* responseOf(kept, "alert-coverage", make)
})

/** Units of costly requests for which a coverage counts: the alerts of 30 days and the counts of dozens of SLOs are read. */
const coverageUnits = 20

const readPolicyReach = Effect.fnUntraced(function* ({ organization }: Pick<RowsAsked, "organization">) {
  const kept = yield* sloSnapshotOf(organization)
  const make = Effect.map(readDomainReach(organization, kept.snapshot), ({ policies, hasMore }) =>
    sharedJson(new TextEncoder().encode(JSON.stringify(encodeReach({ policies, hasMorePolicies: hasMore })))),
  ).pipe(costly(organization, costlyReadsPolicy, 1))
  return yield* responseOf(kept, "policy-reach", make)
})

const encodeReach = Schema.encodeSync(policyReachList)

const encodeCoverage = Schema.encodeSync(alertCoverage)

const coverageOf = ({ period, ...found }: AlertCoverage): typeof alertCoverage.Type => ({
  ...found,
  from: period.from,
  to: period.to,
  policies: found.policies.map(({ budgetCaught, ...policy }) => ({
    ...policy,
    ...(budgetCaught !== undefined && { budgetCaught: roundedDown(budgetCaught, 1e4) }),
  })),
})

interface TrendsAsked {
  readonly organization: OrganizationId
  readonly slo: ReadonlyArray<string>
}

/** SLOs whose trends count as one unit of costly requests. */
const trendsPerUnit = 10

const readTrends = Effect.fnUntraced(function* ({ organization, slo }: TrendsAsked) {
  const slos = yield* sloKeysOf(slo)
  const trends = yield* findSloTrends(organization, slos).pipe(
    costly(organization, costlyReadsPolicy, 1 + Math.floor(slos.length / trendsPerUnit)),
  )
  return { data: trends.map(trendOf) }
})

/** SLOs whose reliability over one number of days counts as one unit of costly requests. */
const recentPerUnit = 10

const readReliability = Effect.fnUntraced(function* ({ organization, slo, days }: ReliabilityAsked) {
  const slos = yield* sloKeysOf(slo)
  const unknown = days.find((each) => !recentDays.includes(each))
  if (unknown !== undefined) {
    return yield* new ParameterIsInvalid({
      code: "days_invalid",
      propertyName: "days",
      propertyValue: unknown,
      detail: `days must be one of ${recentDays.join(", ")}`,
    })
  }
  const asked = [...new Set(days.length === 0 ? recentDays : days)].map(Number)
  const found = yield* findRecentReliability(organization, slos, asked).pipe(
    costly(organization, costlyReadsPolicy, 1 + Math.floor((slos.length * asked.length) / recentPerUnit)),
  )
  return {
    data: found.map(({ slo, tracks }) => {
      const composite = tracks.get(overallTrack)
      const objectives = [...tracks].filter(([track]) => track !== overallTrack)
      return {
        slo,
        objectives: objectives.map(([name, periods]) => ({ name, periods })),
        ...(composite !== undefined && { composite }),
      }
    }),
  }
})

interface ReliabilityAsked extends TrendsAsked {
  readonly days: ReadonlyArray<string>
}

const sloKeysOf = (texts: ReadonlyArray<string>) =>
  Effect.forEach(new Set(texts), (text) => {
    const [project = "", name = "", ...rest] = text.split("/")
    if (project !== "" && name !== "" && rest.length === 0) return Effect.succeed({ project, name })
    return Effect.fail(
      new ParameterIsInvalid({
        code: "slo_invalid",
        propertyName: "slo",
        propertyValue: text,
        detail: "slo must be a project and a name, as in shop/checkout",
      }),
    )
  })

const trendOf = ({ slo, objectives, composite }: SloTrend) => ({
  slo,
  objectives: objectives.map(({ name, errorBudgetRemaining }) => ({
    name,
    errorBudgetRemaining: rounded(errorBudgetRemaining),
  })),
  ...(composite !== undefined && { composite: rounded(composite) }),
})

const rounded = (series: Series): Series =>
  series.map((budget) => (budget === null ? null : roundedBudget(budget)))

const encodeOverview = Schema.encodeSync(overview)

const overviewOf = (found: Overview): typeof overview.Type => ({
  ...found,
  lowestBudgets: found.lowestBudgets.map(objectiveOf),
  fastestBurns: found.fastestBurns.map(objectiveOf),
  exhausting: found.exhausting.map((each) => ({ ...objectiveOf(each), exhaustedAt: each.exhaustedAt })),
  closing: found.closing.map((each) => ({ ...objectiveOf(each), endsAt: each.endsAt })),
  alerts: { ...found.alerts, newest: found.alerts.newest.map(alertOf) },
  sources: found.sources.map(({ problem, ...source }) => ({ ...source, ...problem })),
  services: found.services.map(({ project, service, ...rest }) => ({
    project: named(project),
    service: named(service),
    ...rest,
  })),
})

const objectiveOf = (each: OverviewObjective): typeof overviewObjective.Type => ({
  slo: each.slo,
  sloDisplayName: each.sloDisplayName,
  state: each.state,
  ...objectiveRowOf(each),
})

const alertOf = ({
  alert,
  sloDisplayName,
  objectiveDisplayName,
}: OverviewAlert): typeof overviewAlert.Type => ({
  id: alert.id,
  slo: alert.subject.slo,
  sloDisplayName,
  ...(alert.subject.objective !== undefined && { objective: alert.subject.objective }),
  ...(objectiveDisplayName !== undefined && { objectiveDisplayName }),
  ...(alert.severity !== undefined && { severity: alert.severity }),
  isNoData: alert.anomaly !== undefined,
  isSilenced: alert.isSilenced === true,
  ...(alert.acknowledgement !== undefined && { acknowledgedBy: alert.acknowledgement.by }),
  triggeredAt: alert.triggeredAt,
})

export const overviewRoutes = serve(overviewReads, {
  readOverview,
  listSloRows,
  readAlertCoverage,
  readPolicyReach,
  readReliability,
  readTrends,
})
