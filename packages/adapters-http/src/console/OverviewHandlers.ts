import {
  alertCoverage,
  overview,
  type overviewAlert,
  type overviewObjective,
  overviewReads,
  policyReachList,
  recentDays,
  urgentRowsMax,
} from "@tocsin/api"
import { findSloTrends, type Series, type SloTrend } from "@tocsin/domain"
import { inParts, overallTrack, type Parts } from "@tocsin/domain/adapter"
import { ParameterIsInvalid } from "@tocsin/domain/codec"
import {
  type AlertCoverage,
  type FleetObjective,
  type Overview,
  type OverviewAlert,
  readAlertCoverage as readDomainCoverage,
  readFleetSummary,
  readOpenAlerts,
  readPolicyReach as readDomainReach,
  readOverview as readDomainOverview,
  readSloPage,
  roundedBudget,
  roundedDown,
} from "@tocsin/domain/features/overview"
import { findRecentReliability } from "@tocsin/domain/features/report"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import { readCursor, writeCursor } from "@tocsin/domain/pagination"
import { costly, costlyListUnits, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { joinBytes } from "../slos/SloJson.ts"
import { keptResponses } from "./KeptResponses.ts"
import { sharedJson } from "./SharedJson.ts"
import { named, objectiveRowOf, sloRowsJson } from "./SloRows.ts"
import { serve } from "../serve/Serve.ts"

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
  if (cursor === "") return yield* firstRowsOf(organization)
  const [project = "", name = ""] = yield* Effect.fromResult(readCursor(list, 2, cursor))
  // Not kept: a client chooses how many cursors there are.
  return yield* readRows(organization, cursor, { project, name }).pipe(
    costly(organization, costlyReadsPolicy, costlyListUnits),
  )
})

interface RowsAsked {
  readonly organization: OrganizationId
  readonly part?: string
  readonly cursor?: string
}

const readRows = Effect.fnUntraced(function* (
  organization: OrganizationId,
  cursor: string,
  after?: ProjectKey,
) {
  const page = yield* readSloPage(organization, after)
  const last = page.hasMore ? page.slos.at(-1) : undefined
  const linkTo = (to: string) => `/api/console/rows?cursor=${to}`
  const links = {
    self: linkTo(cursor),
    ...(last !== undefined && { next: linkTo(writeCursor(list, [last.project, last.name])) }),
  }
  return sharedJson(yield* inParts(() => sloRowsJson(page, links)))
})

const firstRowsOf = keptResponses({
  kind: "rows",
  maxBytes: 67_108_864,
  read: (organization) => readRows(organization, ""),
})

/** Each takes some 20 kB. */
const urgentRowsOf = keptResponses({
  kind: "urgent rows",
  maxBytes: 16_777_216,
  read: Effect.fnUntraced(function* (organization) {
    const openAlerts = yield* readOpenAlerts(organization)
    const { table, states, urgent } = yield* readFleetSummary(organization, {
      now: yield* Clock.currentTimeMillis,
      openAlerts,
      urgentMax: urgentRowsMax,
      itemsMax: 0,
      servicesMax: 0,
    })
    const keys = new Set(urgent.map(projectKeyText))
    const page = {
      table,
      slos: urgent,
      openAlerts: new Map([...openAlerts].filter(([key]) => keys.has(key))),
    }
    const links = { self: "/api/console/rows?part=urgent" }
    return sharedJson(yield* inParts(() => sloRowsJson(page, links, table.hasMore ? undefined : states)))
  }),
})

const overviewBytes = keptResponses({
  kind: "overview",
  maxBytes: 16_777_216,
  read: (organization) =>
    Effect.flatMap(readDomainOverview(organization), (found) =>
      Effect.map(
        inParts(() => overviewJson(found)),
        sharedJson,
      ),
    ),
})

const readOverview = ({ organization }: Pick<RowsAsked, "organization">) => overviewBytes(organization)

/** Services that are written in one part. */
const servicesAtOnce = 100

function* overviewJson(found: Overview): Parts<Uint8Array> {
  const encoder = new TextEncoder()
  const { services: _services, ...rest } = encodeOverview(overviewOf({ ...found, services: [] }))
  const parts: Array<Uint8Array> = []
  for (let first = 0; first < found.services.length; first += servicesAtOnce) {
    if (first > 0) yield
    const some = found.services.slice(first, first + servicesAtOnce).map(serviceOf)
    parts.push(encoder.encode(JSON.stringify(encodeServices(some)).slice(1, -1)))
  }
  return joinBytes(`${JSON.stringify(rest).slice(0, -1)},"services":[`, parts, "]}")
}

const alertCoverageOf = keptResponses({
  kind: "alert coverage",
  maxBytes: 16_777_216,
  read: (organization) =>
    Effect.map(readDomainCoverage(organization), (found) =>
      sharedJson(new TextEncoder().encode(JSON.stringify(encodeCoverage(coverageOf(found))))),
    ).pipe(costly(organization, costlyReadsPolicy, coverageUnits)),
})

const readAlertCoverage = ({ organization }: Pick<RowsAsked, "organization">) => alertCoverageOf(organization)

/** Units of costly requests for which a coverage counts: the alerts of 30 days and the counts of dozens of SLOs are read. */
const coverageUnits = 20

const policyReachOf = keptResponses({
  kind: "policy reach",
  maxBytes: 16_777_216,
  read: (organization) =>
    Effect.map(readDomainReach(organization), ({ policies, hasMore }) =>
      sharedJson(
        new TextEncoder().encode(JSON.stringify(encodeReach({ policies, hasMorePolicies: hasMore }))),
      ),
    ).pipe(costly(organization, costlyReadsPolicy, 1)),
})

const readPolicyReach = ({ organization }: Pick<RowsAsked, "organization">) => policyReachOf(organization)

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
const encodeServices = Schema.encodeSync(overview.fields.services)

const overviewOf = (found: Overview): typeof overview.Type => ({
  ...found,
  lowestBudgets: found.lowestBudgets.map(objectiveOf),
  fastestBurns: found.fastestBurns.map(objectiveOf),
  exhausting: found.exhausting.map((each) => ({ ...objectiveOf(each), exhaustedAt: each.exhaustedAt })),
  closing: found.closing.map((each) => ({ ...objectiveOf(each), endsAt: each.endsAt })),
  alerts: { ...found.alerts, newest: found.alerts.newest.map(alertOf) },
  sources: found.sources.map(({ problem, ...source }) => ({ ...source, ...problem })),
  services: found.services.map(serviceOf),
})

const serviceOf = ({ project, service, ...rest }: Overview["services"][number]) => ({
  project: named(project),
  service: named(service),
  ...rest,
})

const objectiveOf = (each: FleetObjective): typeof overviewObjective.Type => ({
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
