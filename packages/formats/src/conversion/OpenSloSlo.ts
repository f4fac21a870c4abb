import { boolean, type IssueList, nameMaxCharacters, number, oneOf, string } from "@tocsin/domain/codec"
import { type BudgetingMethod, budgetingMethods, indicator } from "@tocsin/domain/definitions"
import { anyAddress } from "@tocsin/domain/delivery"
import { description, displayName } from "@tocsin/domain/kernel"
import { listOf, objectOf, type ObjectReader, type Rule } from "./ObjectRule.ts"
import { readOpenSloDuration, toCalendarUnit, toRollingWindow } from "./OpenSloDuration.ts"
import { logLost, writtenName } from "./OpenSloMetadata.ts"
import { type ConversionOptions, defaultWindowOf } from "./Conversion.ts"
import type { OpenSloCounts, OpenSloExpressions } from "./OpenSloSli.ts"

/** Windows and targets are validated later, with the definition. */
export interface OpenSloSlo {
  readonly description?: string
  readonly service: string
  readonly budgetingMethod: BudgetingMethod
  readonly timeWindow: object
  readonly objectives: ReadonlyArray<object>
  readonly counts?: OpenSloCounts
  /** Whether the document has an indicator, converted or not. */
  readonly hasIndicator: boolean
  readonly alertPolicies: ReadonlyArray<PolicyOfSlo>
}

/** The name is absent if the policy was omitted; the methods are notified of missing data. */
export interface PolicyOfSlo {
  readonly name?: string
  readonly noDataMethods: ReadonlyArray<string>
}

/** Reads the parts of an SLO, inline or by reference. */
export interface SloParts {
  readonly indicator: Rule<{ readonly counts: OpenSloCounts | undefined }>
  readonly indicatorRef: Rule<{ readonly counts: OpenSloCounts | undefined }>
  readonly alertPolicy: Rule<PolicyOfSlo>
}

/** The SLO with the parts that were read; `undefined` if one that it needs is missing. */
export const assembled = ({
  description,
  service,
  budgetingMethod,
  timeWindow,
  objectives,
  counts,
  hasIndicator,
  alertPolicies = [],
}: ReadParts): OpenSloSlo | undefined =>
  service === undefined ||
  budgetingMethod === undefined ||
  timeWindow === undefined ||
  objectives === undefined
    ? undefined
    : {
        ...(description !== undefined && { description }),
        service,
        budgetingMethod,
        timeWindow,
        objectives,
        ...(counts !== undefined && { counts }),
        hasIndicator,
        alertPolicies,
      }

type ReadParts = { readonly [K in keyof OpenSloSlo]: OpenSloSlo[K] | undefined } & Pick<
  OpenSloSlo,
  "hasIndicator"
>

export const sloSpecOf = (
  parts: SloParts,
  options: Pick<ConversionOptions, "slothWindow">,
): Rule<OpenSloSlo> =>
  objectOf((reader) => {
    const said = reader.optional("description", description.read)
    const service = reader.required("service", writtenName)
    const budgetingMethod = reader.required("budgetingMethod", convertedMethod)
    const timeWindows = windowsOrDefault(reader, "timeWindow", convertedWindow, options)
    const isComposed = isComposite(reader.valueOf("objectives"))
    const own = readIndicator(reader, parts)
    const objectives = reader.required(
      "objectives",
      listOf(convertedObjective(parts, budgetingMethod, isComposed, own?.metric !== undefined), { min: 1 }),
    )
    const [only] = objectives?.length === 1 ? objectives : []
    const counts = own ?? only?.counts
    const alertPolicies = reader.optional("alertPolicies", listOf(parts.alertPolicy))
    const [timeWindow] = timeWindows ?? []
    return assembled({
      description: said,
      service,
      budgetingMethod,
      timeWindow,
      objectives: objectives?.map(({ objective }) => objective),
      counts,
      hasIndicator: hasIndicator(reader) || objectives?.some((each) => each.hasIndicator) === true,
      alertPolicies,
    })
  })

/** Returns `undefined`, with a note, if the SLO would have no data because its indicator is omitted. */
export const sloToSpec = (
  { counts, hasIndicator: isMeasured, alertPolicies, timeWindow, objectives, ...rest }: OpenSloSlo,
  { service, project, ...server }: SloSurroundings,
  issues: IssueList,
): object | undefined => {
  const read = counts && indicatorOf(counts, server, issues, "spec.indicator")
  if (isMeasured && read === undefined) {
    if (counts !== undefined) return undefined
    const message = "cannot be converted, so the SLO is omitted: it would have no data"
    return issues.add("spec.indicator", "document_invalid", message)
  }
  const policyNames = [...new Set(alertPolicies.flatMap(({ name }) => name ?? []))]
  const noDataMethods = [...new Set(alertPolicies.flatMap((each) => each.noDataMethods))]
  return {
    ...rest,
    objectives:
      counts !== undefined && "value" in counts
        ? objectives.map((each) => ({ ...each, value: counts.value }))
        : objectives,
    service,
    timeWindows: [timeWindow],
    ...(read !== undefined && { indicator: read }),
    ...(policyNames.length > 0 && { alertPolicies: policyNames }),
    ...(noDataMethods.length > 0 && {
      anomalyConfig: { noData: { alertMethods: noDataMethods.map((name) => ({ name, project })) } },
    }),
  }
}

export interface SloSurroundings extends IndicatorServer {
  readonly service: string
  readonly project: string
}

/** Where indicators are read whose document has no URL. */
interface IndicatorServer {
  readonly prometheusUrl?: string | undefined
  readonly dataSource?: string | undefined
}

/** Returns `undefined`, with a note at `path`, if no server is known. */
export const indicatorOf = (
  { url = "", ...counts }: OpenSloExpressions & { readonly url?: string | undefined },
  { prometheusUrl, dataSource }: IndicatorServer,
  issues: IssueList,
  path: string,
): object | undefined => {
  const server = url === "" ? prometheusUrl : url
  const given =
    server !== undefined
      ? { url: server }
      : dataSource !== undefined
        ? { dataSource: { name: dataSource } }
        : undefined
  if (given !== undefined) {
    const {
      value: _,
      sourceRatio: __,
      ...expressions
    } = { value: undefined, sourceRatio: undefined, ...counts }
    const written = { prometheus: { ...given, ...expressions } }
    const read = indicator.read(written, path, issues, {
      addressPolicy: anyAddress,
      owner: { project: "", name: "" },
    })
    return read && written
  }
  const message =
    "is omitted with the SLO: no document has the URL of the Prometheus server; select a data source (data_source in the API), or set --prometheus-url or prometheus_url"
  return issues.add(path, "required", message)
}

/** The time windows of an SLO, of which OpenSLO has one; without any, the default of Sloth. */
export const windowsOrDefault = (
  reader: ObjectReader,
  name: string,
  window: Rule<object>,
  options: Pick<ConversionOptions, "slothWindow">,
): ReadonlyArray<object> | undefined => {
  const written = reader.valueOf(name)
  const isGiven = reader.has(name) && !(Array.isArray(written) && written.length === 0)
  if (isGiven) return reader.required(name, listOf(window, { min: 1, max: 1 }))
  const rolling = { ...defaultWindowOf(options), isRolling: true }
  const message = `is missing; it becomes ${rolling.count} ${rolling.unit.toLowerCase()}s, rolling. Set --sloth-window to change it`
  reader.issues.add(reader.at(name), "required", message)
  return [rolling]
}

const hasIndicator = (reader: ObjectReader): boolean => reader.has("indicatorRef") || reader.has("indicator")

const readIndicator = (reader: ObjectReader, parts: SloParts): OpenSloCounts | undefined =>
  (reader.optional("indicatorRef", parts.indicatorRef) ?? reader.optional("indicator", parts.indicator))
    ?.counts

export const convertedMethod: Rule<BudgetingMethod> = (value, path, issues) =>
  value === "RatioTimeslices"
    ? issues.add(
        path,
        "not_allowed_value",
        "is not supported, so the SLO is omitted; use Occurrences or Timeslices, which count differently",
      )
    : oneOf(budgetingMethods)(value, path, issues)

const convertedWindow: Rule<object> = objectOf((reader) => {
  const written = reader.required("duration", string({ max: nameMaxCharacters }).read)
  const isRolling = reader.optional("isRolling", boolean.read) ?? false
  const calendar = reader.optional("calendar", (value) => ({ value }))
  if (written === undefined) return undefined
  const duration = readOpenSloDuration(written)
  const { issues } = reader
  if (duration === undefined) {
    const message = "must be a whole number and one of m, h, d, w, M, Q and Y, such as 28d"
    return issues.add(reader.at("duration"), "invalid_format", message)
  }
  if (!isRolling) {
    const unit = toCalendarUnit(duration)
    if (unit !== undefined) return { ...unit, ...(calendar && { calendar: calendar.value }) }
    const message = "must be at least one day for a calendar-aligned window"
    return issues.add(reader.at("duration"), "out_of_range", message)
  }
  logLost(reader, ["calendar"], "is omitted: the window is rolling")
  const rolling = toRollingWindow(duration)
  if (rolling !== undefined) return { ...rolling, isRolling: true }
  if (duration.unit === "M" && duration.count === 1) {
    issues.add(reader.at("duration"), "not_allowed_value", "becomes 30 days: rolling windows have no months")
    return { unit: "Day", count: 30, isRolling: true }
  }
  const message =
    "has no length of its own: a rolling window is written in m, h, d or w; use days, or a calendar-aligned window"
  return issues.add(reader.at("duration"), "out_of_range", message)
})

/** Whether several objectives share the indicator; only a single objective can have its own. */
const isComposite = (objectives: unknown): boolean => Array.isArray(objectives) && objectives.length > 1

const convertedObjective = (
  parts: SloParts,
  budgetingMethod: BudgetingMethod | undefined,
  isComposed: boolean,
  isCompared: boolean,
): Rule<{
  readonly objective: object
  readonly counts: OpenSloCounts | undefined
  readonly hasIndicator: boolean
}> =>
  objectOf((reader) => {
    const shown = reader.optional("displayName", displayName.read)
    const target = readTarget(reader)
    logLost(reader, ["compositeWeight"], "is omitted: objectives of one SLO have no weights")
    const isSliced = budgetingMethod === "Timeslices"
    const timeSliceTarget = reader.optional("timeSliceTarget", anyNumber)
    const slice = reader.optional("timeSliceWindow", (value) => String(value))
    if (budgetingMethod === "Occurrences") {
      logLost(reader, ["timeSliceTarget", "timeSliceWindow"], "is omitted: it applies to Timeslices only")
    } else if (slice !== undefined && slice !== "1m" && slice !== "1") {
      const message = "becomes 1m: time slices last one minute"
      reader.issues.add(reader.at("timeSliceWindow"), "not_allowed_value", message)
    }
    if (isComposed) {
      const message = "is omitted: all objectives of an SLO share its counts; create one SLO for each"
      logLost(reader, ["indicator", "indicatorRef"], message)
    }
    const counts = isComposed ? undefined : readIndicator(reader, parts)
    const threshold = isCompared || counts?.metric !== undefined ? readThreshold(reader) : undefined
    if (threshold === undefined) {
      logLost(reader, ["op", "value"], "is omitted: the good events are counted, not compared")
    }
    if (target === undefined) return undefined
    const objective = {
      ...(shown !== undefined && { displayName: shown }),
      target,
      ...threshold,
      ...(isSliced && timeSliceTarget !== undefined && { timeSliceTarget }),
    }
    return { objective, counts, hasIndicator: hasIndicator(reader) }
  })

/** As written: they are validated with the definition. */
export const readThreshold = (reader: ObjectReader): object => {
  const [op, value] = ["op", "value"].map((name) => reader.optional(name, (written) => ({ written })))
  return { ...(op && { op: op.written }), ...(value && { value: value.written }) }
}

const readTarget = (reader: ObjectReader): number | undefined => {
  const share = reader.optional("target", anyNumber)
  const percent = reader.optional("targetPercent", anyNumber)
  if (share !== undefined && percent !== undefined) {
    reader.issues.add(reader.at("targetPercent"), "mutually_exclusive", "is omitted: target is already set")
  }
  if (!reader.has("target") && !reader.has("targetPercent")) {
    return reader.issues.add(reader.at("target"), "required", "is required, or targetPercent")
  }
  // 99.95 / 100 is no decimal fraction of as few digits.
  return share ?? (percent === undefined ? undefined : Number((percent / 100).toPrecision(15)))
}

export const anyNumber = number({}).read
