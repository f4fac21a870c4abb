import type { ConvertedObjective, OpenSloSlo, PolicyOfSlo } from "./OpenSloSlo.ts"
import {
  boolean,
  type Codec,
  list,
  literals,
  nameMaxCharacters,
  number,
  optional,
  string,
} from "@tocsin/domain/codec"
import { calendarUnits, promqlMaxCharacters, rollingUnits } from "@tocsin/domain/definitions"
import { description, displayName } from "@tocsin/domain/kernel"
import { anything, foreignObject, lost, noteLost, withProperty } from "./Foreign.ts"
import { writtenName } from "./OpenSloMetadata.ts"
import type { ConversionOptions } from "./Conversion.ts"
import { eventCounts } from "./EventQueries.ts"
import { metricValue, minuteQuery, type OpenSloCounts } from "./OpenSloSli.ts"
import { anyNumber, convertedMethod, thresholdOf, windowOrDefault } from "./OpenSloSlo.ts"
import type { PromQlParser } from "./PromQlNode.ts"

/**
 * The specification of an SLO of OpenSLO v1alpha, in which each objective has its own queries.
 *
 * Source: OpenSLO v1alpha, SLO.
 */
export const alphaSloSpecOf = (
  alertPolicy: Codec<PolicyOfSlo>,
  options: Pick<ConversionOptions, "promql" | "slothWindow">,
): Codec<OpenSloSlo> =>
  foreignObject({
    description: optional(description),
    service: writtenName,
    budgetingMethod: convertedMethod,
    timeWindows: windowOrDefault(alphaWindow, options),
    indicator: optional(alphaIndicator(options.promql)),
    objectives: anything,
    alertPolicies: optional(list(alertPolicy)),
  }).to(
    (whole, { value: { indicator: metric }, has, at, given, issues, context }): OpenSloSlo | undefined => {
      const objective = alphaObjective(metric !== undefined, options.promql)
      const objectives = has("objectives")
        ? list(objective, { min: 1 }).read(given("objectives"), at("objectives"), issues, context)
        : undefined
      const measured = objectives?.filter(({ hasIndicator }) => hasIndicator) ?? []
      const shared = sharedCounts(measured.map((each) => each.counts))
      const counts = metric === undefined ? shared : { url: undefined, ...metric }
      if (measured.length > 1 && counts === undefined) {
        const message =
          "must have the same queries: all objectives of an SLO share its counts; create one SLO for each"
        issues.add(at("objectives"), "not_allowed_value", message)
      }
      if (whole === undefined || objectives === undefined) return undefined
      const { indicator: _, timeWindows: timeWindow, alertPolicies = [], ...rest } = whole
      return {
        ...rest,
        timeWindow,
        objectives: objectives.map((each) => each.objective),
        ...(counts !== undefined && { counts }),
        hasIndicator: measured.length > 0 || has("indicator"),
        alertPolicies,
      }
    },
  )

/** The counts of all objectives, if they are the same. */
const sharedCounts = (all: ReadonlyArray<OpenSloCounts | undefined>): OpenSloCounts | undefined => {
  const [first] = all
  return all.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : undefined
}

/** Almost the window of a definition, which validates it. */
const alphaWindow = foreignObject({
  unit: literals([...new Set([...rollingUnits, ...calendarUnits])]),
  count: number({ min: 1, isInteger: true }),
  isRolling: optional(boolean),
  calendar: optional(anything),
}).to((whole, { has, at, issues }): object | undefined => {
  if (whole === undefined || has("calendar")) return whole
  if (whole.isRolling !== true) {
    const message = "is not true, but the window has no calendar; it becomes a rolling window"
    issues.add(at("isRolling"), "required", message)
  }
  return { ...whole, isRolling: true }
})

/** Sloth calls the source by its own name. */
const alphaMetric = foreignObject(
  { source: string({ max: nameMaxCharacters }), query: string({ max: promqlMaxCharacters }) },
  { isOpen: true },
).to((_, { value: { source, query }, at, issues }) =>
  source === undefined || /^(prometheus|sloth)$/i.test(source)
    ? query
    : issues.add(at("source"), "not_allowed_value", "is omitted: only Prometheus is supported"),
)

/** The query of a threshold metric. */
const alphaIndicator = (promql: PromQlParser) =>
  foreignObject({ thresholdMetric: alphaMetric }).to(
    (whole, { at, issues }) =>
      whole && metricValue(whole.thresholdMetric, at("thresholdMetric"), promql, issues),
  )

const alphaObjective = (isCompared: boolean, promql: PromQlParser): Codec<ConvertedObjective> => {
  const ratio = isCompared ? lost("is omitted: indicator is already set") : optional(ratioMetrics(promql))
  const fields = {
    displayName: optional(displayName),
    target: anyNumber,
    timeSliceTarget: optional(anyNumber),
    op: optional(anything),
    value: optional(anything),
    ratioMetric: ratio,
  }
  const objectiveWith = (name: "ratioMetric" | "ratioMetrics") =>
    foreignObject({ ...fields, [name]: ratio } as typeof fields & { ratioMetrics: typeof ratio }).to(
      (whole, place): ConvertedObjective | undefined => {
        const message = "is omitted: the good events are counted, not compared"
        if (!isCompared) noteLost(place, ["op", "value"], message)
        if (whole === undefined) return undefined
        const { op, value, ratioMetric: _, ratioMetrics: __, ...rest } = whole
        return {
          objective: { ...rest, ...(isCompared && thresholdOf({ op, value })) },
          counts: whole[name],
          hasIndicator: !isCompared && place.has(name),
        }
      },
    )
  return withProperty("ratioMetric", objectiveWith("ratioMetric"), objectiveWith("ratioMetrics"))
}

const ratioMetrics = (promql: PromQlParser): Codec<OpenSloCounts> => {
  const ratioOf = (isBad: boolean) =>
    foreignObject({
      incremental: optional(boolean),
      bad: isBad ? optional(alphaMetric) : lost("is omitted: good is already set"),
      good: isBad ? optional(alphaMetric) : alphaMetric,
      total: alphaMetric,
    }).to((_, { value, at, issues }): OpenSloCounts | undefined => {
      const [part, total] = ([isBad ? "bad" : "good", "total"] as const).map((name) => {
        const query = value[name]
        return query && minuteQuery(query, value.incremental ?? false, at(name), promql, issues)
      })
      const counts = part && total && eventCounts({ part, isBad, total }, issues)
      return counts && { url: undefined, ...counts }
    })
  return withProperty("good", ratioOf(false), withProperty("bad", ratioOf(true), ratioOf(false)))
}
