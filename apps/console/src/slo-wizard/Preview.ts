import type { IndicatorTest } from "@tocsin/api"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import { poll } from "../api/Queries.ts"
import { useSettled } from "../editor/Settled.ts"
import type { Wizard } from "./Wizard.ts"
import { isQueried, methodOf, type SloDefinition } from "./SloDocument.ts"

const debounceMs = 900

/** Whether there is something to read. */
export const isPreviewable = (slo: SloDefinition): boolean => {
  const { prometheus } = slo.spec.indicator ?? {}
  if (!isQueried(slo) || prometheus === undefined || prometheus.dataSource?.name === "") return false
  const { good, bad, total, metric, histogram } = prometheus
  const needed = {
    good: [good, total],
    bad: [bad, total],
    metric: [metric],
    histogram: [histogram?.series],
  }[methodOf(prometheus)]
  return needed.every((text = "") => text.trim() !== "")
}

/** An SLO that is valid but for its queries, whatever is still to be entered. */
const previewed = (slo: SloDefinition): SloDefinition => ({
  apiVersion: slo.apiVersion,
  kind: "SLO",
  metadata: { name: "preview", project: slo.metadata.project || "default" },
  spec: {
    service: "preview",
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: slo.spec.objectives
      .filter(({ composite }) => composite === undefined)
      .map(({ op, value }, at) => ({
        name: previewName(at),
        target: 0.99,
        ...(op !== undefined && { op }),
        ...(value !== undefined && { value: typeof value === "number" ? value : 0 }),
      })),
    ...(slo.spec.indicator !== undefined && { indicator: slo.spec.indicator }),
  },
})

/** The name of an objective in the preview, by its place among those that are not composite. */
export const previewName = (at: number): string => `objective-${at + 1}`

/** What the indicator would have counted over the last day, as it is typed. */
export const usePreview = ({ slo }: Wizard) => {
  const isGrouped = slo.spec.indicator?.prometheus?.groupBy !== undefined
  const settled = useSettled(
    { definition: previewed(slo), range: isGrouped ? ("hour" as const) : ("day" as const) },
    debounceMs,
  )
  return useQuery({
    queryKey: ["indicator-preview", settled],
    queryFn: ({ signal }) => issuesOr(bodyOf(client.POST("/api/indicators/test", { body: settled, signal }))),
    enabled: isPreviewable(slo),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchInterval: poll(),
  })
}

type Preview = ReturnType<typeof usePreview>

/** What is wrong with a property of the indicator. */
export const previewError = ({ data }: Preview, property: string): string | undefined => {
  if (data === undefined || !("errors" in data)) return undefined
  const path = `definition.spec.indicator.prometheus.${property}`
  const found = data.errors.filter(({ source }) => source?.propertyName?.startsWith(path))
  return found.map(({ detail, title }) => ruleText(detail ?? title)).join(" ") || undefined
}

/** The good and total events of a step of the preview. */
export interface PreviewPoint {
  readonly at: number
  readonly good: number
  readonly total: number
}

/** The counts of an objective, or of all if they do not differ. */
export const pointsOf = ({ counts }: IndicatorTest, objective: string): ReadonlyArray<PreviewPoint> =>
  counts
    .filter((each) => each.objective === undefined || each.objective === objective)
    .map(({ timestamp, good, total }) => ({ at: Date.parse(timestamp), good, total }))

/** The totals of points; the SLI is absent without events. */
export const sumOf = (points: ReadonlyArray<PreviewPoint>) => {
  const good = points.reduce((sum, each) => sum + each.good, 0)
  const total = points.reduce((sum, each) => sum + each.total, 0)
  return { good, total, ...(total > 0 && { sli: good / total }) }
}

/** The part of the error budget of a day that was used; absent if the target or the SLI is unknown. */
export const burnedOf = (sli: number | undefined, target: unknown): number | undefined =>
  sli !== undefined && typeof target === "number" && target >= 0 && target < 1
    ? (1 - sli) / (1 - target)
    : undefined
