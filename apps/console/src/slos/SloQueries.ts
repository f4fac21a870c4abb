import type { SloRecord } from "@tocsin/api"
import { queryOptions } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { type DefinitionKey, documentsQuery } from "../api/Definitions.ts"
import { api, firstReadMs, poll, pollMs, queryClient } from "../api/Queries.ts"
import { objectiveStatuses } from "./ObjectiveStatus.ts"
import { rangeOfParameters, seriesQuery, type TimeRange } from "./TimeRange.ts"

/** How often charts are refreshed: their shortest step is a minute. */
export const seriesRefreshMs = 30_000

/** The status of an SLO. */
export const statusOptions = ({ project, name }: DefinitionKey) =>
  api.queryOptions(
    "get",
    "/api/v2/slos/{sloName}",
    { params: { path: { sloName: name }, header: { project } } },
    {
      refetchInterval: (query) => poll(statusMs(`${project}/${name}`, query.state.data))(query),
      staleTime: firstReadMs,
    },
  )

/** How often a status is read whose figures are outdated: at first, and if they are not computed for long. */
const [computingMs, computingMaxMs] = [1_000, 30_000]

/** Since when the figures of an SLO are seen to be outdated, and when they last were. */
const outdated = new Map<string, { readonly since: number; readonly seenAt: number }>()

const statusMs = (key: string, slo: SloRecord | undefined): number => {
  if (!isComputing(slo)) {
    outdated.delete(key)
    return pollMs
  }
  const now = Date.now()
  const before = outdated.get(key)
  // From an earlier visit of the page.
  const isOver = before === undefined || now - before.seenAt > 2 * computingMaxMs
  const since = isOver ? now : before.since
  outdated.set(key, { since, seenAt: now })
  return Math.min(computingMaxMs, Math.max(computingMs, (now - since) / 10))
}

const isComputing = (slo: SloRecord | undefined): boolean =>
  slo !== undefined && objectiveStatuses(slo).some(({ isOutdated }) => isOutdated === true)

/** Burn rates of an objective over windows such as 5m. */
export interface BurnRates {
  readonly objective: string
  readonly window: Array<string>
}

/** The series of an SLO over a range. */
export const seriesOptions = ({ project, name }: DefinitionKey, range: TimeRange, burnRates?: BurnRates) =>
  queryOptions({
    queryKey: ["series", project, name, range, burnRates],
    queryFn: ({ signal }) => readSeries({ project, name }, { ...seriesQuery(range), ...burnRates }, signal),
    refetchInterval: poll(range.kind === "custom" ? undefined : seriesRefreshMs),
    staleTime: firstReadMs,
  })

/** Reads a series of an SLO; without a step, in steps that suit the range. */
export const readSeries = (
  { project, name }: DefinitionKey,
  query: Partial<BurnRates> & {
    readonly from?: string
    readonly to?: string
    readonly range?: "window"
    readonly step?: "1d"
  },
  signal: AbortSignal,
) =>
  bodyOf(
    client.GET("/api/slos/{sloName}/series", {
      params: { path: { sloName: name }, header: { project }, query },
      signal,
    }),
  )

/** Requests what the page of an SLO shows first. */
export const prefetchSlo = async ({ project, name }: DefinitionKey): Promise<void> => {
  const key = { project, name }
  const parameters = new URLSearchParams(location.search)
  const [range = "", from = "", to = ""] = ["range", "from", "to"].map((each) => parameters.get(each) ?? "")
  await Promise.all([
    queryClient.prefetchQuery(statusOptions(key)),
    queryClient.prefetchQuery(documentsQuery("slos", key)),
    queryClient.prefetchQuery(seriesOptions(key, rangeOfParameters({ range, from, to }))),
  ])
}
