import type { PolicyOfSlo, OpenSloSlo } from "./OpenSloSlo.ts"
import { boolean, nameMaxCharacters, number, oneOf, string } from "@tocsin/domain/codec"
import { calendarUnits, promqlMaxCharacters, rollingUnits } from "@tocsin/domain/definitions"
import { description, displayName } from "@tocsin/domain/kernel"
import { lenientObjectOf, listOf, objectOf, type Rule } from "./ObjectRule.ts"
import { logLost, writtenName } from "./OpenSloMetadata.ts"
import type { ConversionOptions } from "./Conversion.ts"
import { eventCounts } from "./EventQueries.ts"
import { metricValue, minuteQuery, type OpenSloCounts } from "./OpenSloSli.ts"
import { anyNumber, assembled, convertedMethod, readThreshold, windowsOrDefault } from "./OpenSloSlo.ts"
import type { PromQlParser } from "./PromQlNode.ts"

/**
 * The specification of an SLO of OpenSLO v1alpha, in which each objective has its own queries.
 *
 * Source: OpenSLO v1alpha, SLO.
 */
export const alphaSloSpecOf = (
  alertPolicy: Rule<PolicyOfSlo>,
  options: Pick<ConversionOptions, "promql" | "slothWindow">,
): Rule<OpenSloSlo> =>
  objectOf((reader) => {
    const said = reader.optional("description", description.read)
    const service = reader.required("service", writtenName)
    const budgetingMethod = reader.required("budgetingMethod", convertedMethod)
    const timeWindows = windowsOrDefault(reader, "timeWindows", alphaWindow, options)
    const metric = reader.optional("indicator", alphaIndicator(options.promql))
    const objective = alphaObjective(metric !== undefined, options.promql)
    const objectives = reader.required("objectives", listOf(objective, { min: 1 }))
    const alertPolicies = reader.optional("alertPolicies", listOf(alertPolicy))
    const [timeWindow] = timeWindows ?? []
    const measured = objectives?.filter(({ hasIndicator }) => hasIndicator) ?? []
    const shared = sharedCounts(measured.map((each) => each.counts))
    const counts = metric === undefined ? shared : { url: undefined, ...metric }
    if (measured.length > 1 && counts === undefined) {
      const message =
        "must have the same queries: all objectives of an SLO share its counts; create one SLO for each"
      reader.issues.add(reader.at("objectives"), "not_allowed_value", message)
    }
    return assembled({
      description: said,
      service,
      budgetingMethod,
      timeWindow,
      objectives: objectives?.map(({ objective }) => objective),
      counts,
      hasIndicator: measured.length > 0 || reader.has("indicator"),
      alertPolicies,
    })
  })

/** The counts of all objectives, if they are the same. */
const sharedCounts = (all: ReadonlyArray<OpenSloCounts | undefined>): OpenSloCounts | undefined => {
  const [first] = all
  return all.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : undefined
}

/** Almost the window of a definition, which validates it. */
const alphaWindow: Rule<object> = objectOf((reader) => {
  const unit = reader.required("unit", oneOf([...new Set([...rollingUnits, ...calendarUnits])]))
  const count = reader.required("count", number({ min: 1, isInteger: true }).read)
  const isRolling = reader.optional("isRolling", boolean.read)
  const calendar = reader.optional("calendar", (value) => ({ value }))
  if (unit === undefined || count === undefined) return undefined
  if (calendar !== undefined) {
    return { unit, count, ...(isRolling !== undefined && { isRolling }), calendar: calendar.value }
  }
  if (isRolling !== true) {
    const message = "is not true, but the window has no calendar; it becomes a rolling window"
    reader.issues.add(reader.at("isRolling"), "required", message)
  }
  return { unit, count, isRolling: true }
})

interface AlphaObjective {
  readonly objective: object
  readonly counts: OpenSloCounts | undefined
  readonly hasIndicator: boolean
}

/** The query of a threshold metric. */
const alphaIndicator = (promql: PromQlParser): Rule<NonNullable<ReturnType<typeof metricValue>>> =>
  objectOf((reader) => {
    const query = reader.required("thresholdMetric", alphaMetric)
    return query === undefined
      ? undefined
      : metricValue(query, reader.at("thresholdMetric"), promql, reader.issues)
  })

const alphaObjective = (isCompared: boolean, promql: PromQlParser): Rule<AlphaObjective> =>
  objectOf((reader) => {
    const shown = reader.optional("displayName", displayName.read)
    const target = reader.required("target", anyNumber)
    const timeSliceTarget = reader.optional("timeSliceTarget", anyNumber)
    const threshold = isCompared ? readThreshold(reader) : undefined
    if (!isCompared) logLost(reader, ["op", "value"], "is omitted: the good events are counted, not compared")
    const name = reader.has("ratioMetric") ? "ratioMetric" : "ratioMetrics"
    if (isCompared) logLost(reader, [name], "is omitted: indicator is already set")
    const counts = isCompared ? undefined : reader.optional(name, ratioMetrics(promql))
    if (target === undefined) return undefined
    const objective = {
      ...(shown !== undefined && { displayName: shown }),
      target,
      ...threshold,
      ...(timeSliceTarget !== undefined && { timeSliceTarget }),
    }
    return { objective, counts, hasIndicator: !isCompared && reader.has(name) }
  })

const ratioMetrics = (promql: PromQlParser): Rule<OpenSloCounts> =>
  objectOf((reader) => {
    const isCounter = reader.optional("incremental", boolean.read) ?? false
    const isBad = reader.has("bad") && !reader.has("good")
    if (!isBad) logLost(reader, ["bad"], "is omitted: good is already set")
    const [part, total] = [isBad ? "bad" : "good", "total"].map((name) => {
      const query = reader.required(name, alphaMetric)
      return query === undefined
        ? undefined
        : minuteQuery(query, isCounter, reader.at(name), promql, reader.issues)
    })
    const counts = part && total && eventCounts({ part, isBad, total }, reader.issues)
    return counts && { url: undefined, ...counts }
  })

/** Sloth calls the source by its own name. */
const alphaMetric: Rule<string> = lenientObjectOf((reader) => {
  const source = reader.required("source", string({ max: nameMaxCharacters }).read)
  const query = reader.required("query", string({ max: promqlMaxCharacters }).read)
  if (source === undefined || /^(prometheus|sloth)$/i.test(source)) return query
  return reader.issues.add(
    reader.at("source"),
    "not_allowed_value",
    "is omitted: only Prometheus is supported",
  )
})
