import { workFor } from "@tocsin/domain"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { enforceRateLimit } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { costlyReadsPolicy, inTurn, makeTurns } from "@tocsin/domain/rate-limit"
import type { ReducedSeries } from "@tocsin/promql/evaluate"
import {
  type InParts,
  type Labels,
  labelsValues,
  makeInParts,
  type Matcher,
  type Parts,
  QueryIsInvalid,
  type Value,
  type Work,
} from "@tocsin/promql/series"
import { jsonResponse, type JsonResponse } from "./JsonResponse.ts"
import { prometheusErrorForm, queryErrors, QueryTimedOut } from "./PrometheusErrors.ts"
import {
  alertsJson,
  instantJson,
  labelsJson,
  rangeJson,
  seriesAtOnce,
  seriesJson,
  successJson,
} from "./QueryJson.ts"
import {
  durationOf,
  formMaxBytes,
  limitOf,
  lookbackDefaultMs,
  lookbackMaxMs,
  queryTimeoutMs,
  rangeOf,
  timeOf,
} from "./QueryParameters.ts"
import { reduceByFleet } from "./FleetQuery.ts"
import { planSamples } from "./ReadSamples.ts"
import { listedSeries } from "./ListSeries.ts"
import { selectAlertSeries } from "./SelectSeries.ts"
import { alertsMetric, sloMetrics } from "./SloMetrics.ts"

/** Minutes of SLOs that are computed for a query which count as one unit of costly reads. */
const minutesPerUnit = 5_000

/** Characters of a query, or of the selectors of a request, that count as one more unit of costly reads. */
const queryCharactersPerUnit = 500

/** Most selectors `match[]` of a request. */
const matchesMax = 30

/** Most queries of one organization that a process executes at the same time; others wait for their turn. */
const queriesPerOrganization = 2

/** Most queries of all organizations that a process executes at the same time. */
const queriesAtOnce = 16

/** Most queries of one organization that are executed or wait. */
const queriesWaitingPerOrganizationMax = 64

/** Most queries of all organizations that are executed or wait. */
const queriesWaitingMax = 256

/** Shared by all servers of a process, since its processor is. */
const QueryTurns = Context.Reference("@tocsin/adapters-prometheus/QueryTurns", {
  defaultValue: () =>
    makeTurns({
      perOrganization: queriesPerOrganization,
      total: queriesAtOnce,
      waitingPerOrganization: queriesWaitingPerOrganizationMax,
      waiting: queriesWaitingMax,
    }),
})

/** What a query is read from. */
export interface PrometheusRequest {
  /** Whose SLOs are queried. */
  readonly access: { readonly organization: OrganizationId }
  /** Of the form in the body, then of the query. */
  readonly parameters: URLSearchParams
  /** The path parameters of the route, decoded. */
  readonly pathParams: Readonly<Record<string, string>>
  /** The version of the API that the query API is part of. */
  readonly version: { readonly api: string }
}

/** Where the API is: the paths of a Prometheus server at `/api/prometheus`, and where the public clients look for it. */
const prefixes = ["/api/prometheus", "/api/prometheus/v1"] as const

const queryInstant = Effect.fnUntraced(function* (request: PrometheusRequest) {
  const { parameters } = request
  const { organization } = request.access
  const now = yield* Clock.currentTimeMillis
  const time = yield* timeOf(parameters, "time", now)
  const at = { times: Float64Array.of(time), end: time }
  return yield* evaluated(organization, parameters, at, (value, limit, work) =>
    instantJson(value, time, limit, work),
  )
})

const queryRange = Effect.fnUntraced(function* (request: PrometheusRequest) {
  const { parameters } = request
  const { organization } = request.access
  const at = yield* rangeOf(parameters)
  return yield* evaluated(
    organization,
    parameters,
    at,
    (value, limit, work) => rangeJson(value, at.times, limit, work),
    (value) =>
      value.kind === "scalar" || value.kind === "vector"
        ? undefined
        : `invalid expression type "${value.kind === "range" ? "range vector" : "string"}" for range query, must be Scalar or instant Vector`,
  )
})

const queryLanguage = Effect.promise(() => import("@tocsin/promql/evaluate"))

/** Charges the organization for each part of the work that is done for it, and lets other requests take their turn. */
const inPartsOf = (organization: OrganizationId) =>
  makeInParts((units) =>
    units === 0
      ? Effect.yieldNow
      : Effect.andThen(enforceRateLimit(organization, costlyReadsPolicy, "", units), Effect.yieldNow),
  )

/** Executes what was asked for once it is the turn of the organization, and stops it after a time. */
const executed = Effect.fnUntraced(function* <A, E, R>(
  organization: OrganizationId,
  timeoutMs: number,
  work: Effect.Effect<A, E, R>,
) {
  return yield* work.pipe(
    inTurn(yield* QueryTurns, organization),
    Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(new QueryTimedOut()) }),
  )
})

const unitsOfText = (characters: number): number => 1 + Math.floor(characters / queryCharactersPerUnit)

/** Evaluates the parameter `query`; `reject` says what is wrong with the kind of its value. */
const evaluated = Effect.fnUntraced(function* (
  organization: OrganizationId,
  parameters: URLSearchParams,
  at: { readonly times: Float64Array; readonly end: number },
  toJson: (value: Value, limit: number, work: Work) => Parts<string>,
  reject: (value: Value) => string | undefined = () => undefined,
) {
  const timeoutMs = Math.min(yield* durationOf(parameters, "timeout", queryTimeoutMs), queryTimeoutMs)
  const lookbackMs = Math.min(
    yield* durationOf(parameters, "lookback_delta", lookbackDefaultMs),
    lookbackMaxMs,
  )
  const limit = yield* limitOf(parameters)
  const text = parameters.get("query") ?? ""
  const inParts = inPartsOf(organization)
  const work = Effect.gen(function* () {
    yield* enforceRateLimit(organization, costlyReadsPolicy, "", unitsOfText(text.length))
    const { evaluate, readQuery, selectionsOf } = yield* queryLanguage
    const query = yield* Effect.fromResult(readQuery(text)).pipe(
      Effect.mapError(({ detail }) => new QueryIsInvalid({ detail: `invalid parameter "query": ${detail}` })),
    )
    const evaluation = { ...at, lookbackMs }
    const fleet = yield* reduceByFleet(organization, query, evaluation, inParts)
    if (fleet.whole !== undefined)
      return yield* writeSeries(organization, fleet.whole, at.end, limit, inParts)
    const selections = yield* selectionsOf(fleet.query, evaluation, inParts)
    const unread = selections.filter(({ selector }) => !fleet.samples.has(selector))
    const { minutes, read } = yield* planSamples(organization, unread, inParts)
    const units = Math.floor(minutes / minutesPerUnit)
    if (units > 0) yield* enforceRateLimit(organization, costlyReadsPolicy, "", units)
    const samples = new Map([...fleet.samples, ...(yield* read)])
    const value = yield* evaluate(fleet.query, evaluation, samples, inParts)
    const rejected = reject(value)
    if (rejected !== undefined) {
      return yield* new QueryIsInvalid({ detail: `invalid parameter "query": ${rejected}` })
    }
    return jsonResponse(200, yield* inParts((parts) => toJson(value, limit, parts)))
  })
  return yield* executed(organization, timeoutMs, work)
})

/** Responds with series in parts, which are written at the client's pace and are all charged before. */
const writeSeries = Effect.fnUntraced(function* <E, R>(
  organization: OrganizationId,
  series: ReducedSeries,
  time: number,
  limit: number,
  inParts: InParts<E, R>,
) {
  yield* inParts(function* (work) {
    if (work.spend(labelsValues * Math.min(series.length, limit))) yield
  })
  const parts = seriesJson(series, time, limit)
  const response = jsonResponse(200, parts.next().value ?? "")
  if (series.length <= seriesAtOnce) return response
  const rest = Stream.unfold(parts, (parts) =>
    Effect.map(Effect.yieldNow, () => {
      const { done, value } = parts.next()
      return done === true ? undefined : ([value, parts] as const)
    }),
  )
  return { ...response, rest: yield* workFor(organization)(Stream.toAsyncIterableEffect(rest)) }
})

/** The selectors of `match[]`. */
const selectorsOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const { readSelector, regexesInstructionsMax } = yield* queryLanguage
  const invalid = (detail: string) => new QueryIsInvalid({ detail: `invalid parameter "match[]": ${detail}` })
  if (texts.length > matchesMax) return yield* invalid(`there are more than ${matchesMax} selectors`)
  const selectors: Array<ReadonlyArray<Matcher>> = []
  let instructions = 0
  for (const text of texts) {
    const matchers = yield* Effect.fromResult(readSelector(text)).pipe(
      Effect.mapError(({ detail }) => invalid(detail)),
    )
    selectors.push(matchers)
    for (const { regex } of matchers) instructions += regex?.size ?? 0
    if (instructions > regexesInstructionsMax) {
      return yield* invalid("the regular expressions of the selectors are too large")
    }
    yield* Effect.yieldNow
  }
  return selectors
})

/** Responds with something about the labels of the series that `match[]` selects. */
const listed = Effect.fnUntraced(function* (
  request: PrometheusRequest,
  needsSelector: boolean,
  toResponse: (series: ReadonlyArray<Labels>, limit: number, work: Work) => Parts<JsonResponse>,
) {
  const { parameters } = request
  const { organization } = request.access
  const now = yield* Clock.currentTimeMillis
  const to = yield* timeOf(parameters, "end", now)
  const from = yield* timeOf(parameters, "start", Math.min(now, to) - 3_600_000)
  const limit = yield* limitOf(parameters)
  const texts = parameters.getAll("match[]")
  if (needsSelector && texts.length === 0) {
    return yield* new QueryIsInvalid({ detail: "no match[] parameter provided" })
  }
  const inParts = inPartsOf(organization)
  const work = Effect.gen(function* () {
    yield* enforceRateLimit(organization, costlyReadsPolicy, "", unitsOfText(texts.join("").length))
    const selectors = yield* selectorsOf(texts)
    const series = yield* listedSeries(organization, selectors, { from, to }, inParts)
    return yield* inParts((parts) => toResponse(series, limit, parts))
  })
  return yield* executed(organization, queryTimeoutMs, work)
})

const findSeries = (request: PrometheusRequest) =>
  listed(request, true, function* (series, limit, work) {
    const items: Array<string> = []
    for (const labels of series.slice(0, limit)) {
      if (work.spend(labelsValues)) yield
      items.push(labelsJson(labels))
    }
    return jsonResponse(200, successJson(`[${items.join(",")}]`, series.length > limit))
  })

const listLabels = (request: PrometheusRequest) =>
  listed(request, false, (series, limit, work) =>
    textsResponse(series, (labels) => labels.keys(), limit, work),
  )

const listLabelValues = (request: PrometheusRequest) => {
  const label = request.pathParams["name"] ?? ""
  return listed(request, false, (series, limit, work) =>
    textsResponse(series, (labels) => [labels.get(label) ?? ""].filter((text) => text !== ""), limit, work),
  )
}

function* textsResponse(
  series: ReadonlyArray<Labels>,
  textsOf: (labels: Labels) => Iterable<string>,
  limit: number,
  work: Work,
): Parts<JsonResponse> {
  const texts = new Set<string>()
  for (const labels of series) {
    if (work.spend(labelsValues)) yield
    for (const text of textsOf(labels)) texts.add(text)
  }
  const sorted = [...texts].toSorted()
  return jsonResponse(200, successJson(JSON.stringify(sorted.slice(0, limit)), sorted.length > limit))
}

const listMetadata = Effect.fnUntraced(function* (request: PrometheusRequest) {
  const { parameters } = request
  const limit = yield* limitOf(parameters)
  const wanted = parameters.get("metric") ?? ""
  const all = [{ name: alertsMetric, help: "1 while an alert is open.", unit: "" }, ...sloMetrics].filter(
    ({ name }) => wanted === "" || name === wanted,
  )
  const metadata = all.slice(0, limit).map(({ name, help, unit }) => [name, [{ type: "gauge", help, unit }]])
  return jsonResponse(200, successJson(JSON.stringify(Object.fromEntries(metadata))))
})

const buildInfo = ({ version }: PrometheusRequest) =>
  Effect.succeed(
    jsonResponse(
      200,
      successJson(
        JSON.stringify({
          // Of the Prometheus whose semantics queries have, as clients adapt to it.
          version: "3.0.0",
          revision: `tocsin-api-${version.api}`,
          branch: "tocsin",
          buildUser: "",
          buildDate: "",
          goVersion: "none",
        }),
      ),
    ),
  )

/** Rules are not served: alerts come from alert policies, whose expressions are not PromQL. */
const listNothing = (data: string) => () => Effect.succeed(jsonResponse(200, successJson(data)))

/** The open alerts, each once, as the series `ALERTS` has them. */
const listAlerts = Effect.fnUntraced(function* (request: PrometheusRequest) {
  const { organization } = request.access
  const now = yield* Clock.currentTimeMillis
  const inParts = inPartsOf(organization)
  const work = Effect.gen(function* () {
    yield* enforceRateLimit(organization, costlyReadsPolicy, "", 1)
    const [open = []] = yield* selectAlertSeries(organization, [[]], { from: now, to: now }, inParts)
    return yield* inParts((parts) => alertsJson(open, parts))
  })
  return jsonResponse(200, yield* executed(organization, queryTimeoutMs, work))
})

/** Clients that check the address of a Prometheus server ask for its start page. */
const startPage = () =>
  Effect.succeed<JsonResponse>({
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: "The query API of Prometheus over SLOs. Its paths begin with api/v1/, as in api/v1/query.\n",
  })

const handlers = [
  ["GET", "query", queryInstant],
  ["POST", "query", queryInstant],
  ["GET", "query_range", queryRange],
  ["POST", "query_range", queryRange],
  ["GET", "query_exemplars", listNothing("[]")],
  ["POST", "query_exemplars", listNothing("[]")],
  ["GET", "series", findSeries],
  ["POST", "series", findSeries],
  ["GET", "labels", listLabels],
  ["POST", "labels", listLabels],
  ["GET", "label/:name/values", listLabelValues],
  ["GET", "metadata", listMetadata],
  ["GET", "rules", listNothing('{"groups":[]}')],
  ["GET", "alerts", listAlerts],
  ["GET", "status/buildinfo", buildInfo],
] as const

/**
 * The query API of Prometheus over the series of SLOs (spec/promql), for Grafana, `promtool` and the public clients: a feature
 * of the HTTP API.
 */
export const prometheusApi = {
  routes: prefixes.flatMap((prefix) => [
    ...["", "/"].map((end) => ({
      method: "GET",
      path: `${prefix}${end}`,
      access: "public" as const,
      handler: startPage,
    })),
    ...handlers.map(([method, path, handler]) => ({
      method,
      path: `${prefix}/api/v1/${path}`,
      access: "nameless" as const,
      ...(method === "POST" && { body: { formMaxBytes } }),
      handler,
    })),
  ]),
  errors: queryErrors,
  errorForm: prometheusErrorForm,
}
