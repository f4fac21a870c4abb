import {
  boolean,
  type Codec,
  isGiven,
  type IssueList,
  list,
  nameMaxCharacters,
  number,
  type ObjectPlace,
  oneOf,
  optional,
  string,
} from "@tocsin/domain/codec"
import { type BudgetingMethod, budgetingMethods, indicator } from "@tocsin/domain/definitions"
import { anyAddress } from "@tocsin/domain/delivery"
import { description, displayName } from "@tocsin/domain/kernel"
import { anything, foreign, foreignObject, lost, noteLost } from "./Foreign.ts"
import { readOpenSloDuration, toCalendarUnit, toRollingWindow } from "./OpenSloDuration.ts"
import { writtenName } from "./OpenSloMetadata.ts"
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

interface IndicatorCounts {
  readonly counts: OpenSloCounts | undefined
}

/** An objective as it is written, with the counts of its own indicator. */
export interface ConvertedObjective extends IndicatorCounts {
  readonly objective: object
  readonly hasIndicator: boolean
}

/** Reads the parts of an SLO, inline or by reference. */
export interface SloParts {
  readonly indicator: Codec<IndicatorCounts>
  readonly indicatorRef: Codec<IndicatorCounts>
  readonly alertPolicy: Codec<PolicyOfSlo>
}

export const anyNumber = number({})

export const convertedMethod = foreign<BudgetingMethod>((value, path, issues) =>
  value === "RatioTimeslices"
    ? issues.add(
        path,
        "not_allowed_value",
        "is not supported, so the SLO is omitted; use Occurrences or Timeslices, which count differently",
      )
    : oneOf(budgetingMethods)(value, path, issues),
)

const convertedWindow = foreignObject({
  duration: string({ max: nameMaxCharacters }),
  isRolling: optional(boolean),
  calendar: optional(anything),
}).to((whole, place): object | undefined => {
  if (whole === undefined) return undefined
  const { issues, at } = place
  const duration = readOpenSloDuration(whole.duration)
  if (duration === undefined) {
    const message = "must be a whole number and one of m, h, d, w, M, Q and Y, such as 28d"
    return issues.add(at("duration"), "invalid_format", message)
  }
  if (whole.isRolling !== true) {
    const unit = toCalendarUnit(duration)
    if (unit !== undefined) return { ...unit, ...(place.has("calendar") && { calendar: whole.calendar }) }
    const message = "must be at least one day for a calendar-aligned window"
    return issues.add(at("duration"), "out_of_range", message)
  }
  noteLost(place, ["calendar"], "is omitted: the window is rolling")
  const rolling = toRollingWindow(duration)
  if (rolling !== undefined) return { ...rolling, isRolling: true }
  if (duration.unit === "M" && duration.count === 1) {
    issues.add(at("duration"), "not_allowed_value", "becomes 30 days: rolling windows have no months")
    return { unit: "Day", count: 30, isRolling: true }
  }
  const message =
    "has no length of its own: a rolling window is written in m, h, d or w; use days, or a calendar-aligned window"
  return issues.add(at("duration"), "out_of_range", message)
})

export const sloSpecOf = (
  parts: SloParts,
  options: Pick<ConversionOptions, "slothWindow">,
): Codec<OpenSloSlo> =>
  foreignObject({
    description: optional(description),
    service: writtenName,
    budgetingMethod: convertedMethod,
    timeWindow: windowOrDefault(convertedWindow, options),
    objectives: anything,
    indicatorRef: optional(parts.indicatorRef),
    indicator: optional(parts.indicator),
    alertPolicies: optional(list(parts.alertPolicy)),
  }).to((whole, place): OpenSloSlo | undefined => {
    const { value, has, at, given, issues, context } = place
    const own = ownCounts(place)
    const written = given("objectives")
    // Several objectives share the indicator; only a single objective can have its own.
    const isComposed = Array.isArray(written) && written.length > 1
    const isCompared = own?.metric !== undefined
    const objective = convertedObjective(parts, value.budgetingMethod, isComposed, isCompared)
    const objectives = has("objectives")
      ? list(objective, { min: 1 }).read(written, at("objectives"), issues, context)
      : undefined
    const [only] = objectives?.length === 1 ? objectives : []
    const counts = own ?? only?.counts
    if (whole === undefined || objectives === undefined) return undefined
    const { indicatorRef: _, indicator: __, alertPolicies = [], ...rest } = whole
    return {
      ...rest,
      objectives: objectives.map((each) => each.objective),
      ...(counts !== undefined && { counts }),
      hasIndicator: hasIndicator(place) || objectives.some((each) => each.hasIndicator),
      alertPolicies,
    }
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

/** The time window of an SLO, of which OpenSLO has a list of one; without any, the default of Sloth. */
export const windowOrDefault = (
  window: Codec<object>,
  options: Pick<ConversionOptions, "slothWindow">,
): Codec<object> & { readonly readsAbsent: true } => ({
  ...foreign((value, path, issues, context) => {
    if (isGiven(value) && !(Array.isArray(value) && value.length === 0)) {
      return list(window, { min: 1, max: 1 }).read(value, path, issues, context)?.[0]
    }
    const rolling = { ...defaultWindowOf(options), isRolling: true }
    const message = `is missing; it becomes ${rolling.count} ${rolling.unit.toLowerCase()}s, rolling. Set --sloth-window to change it`
    issues.add(path, "required", message)
    return rolling
  }),
  readsAbsent: true,
})

type IndicatorPlace = ObjectPlace<Record<"indicatorRef" | "indicator", IndicatorCounts>, unknown>

const hasIndicator = ({ has }: Pick<IndicatorPlace, "has">): boolean =>
  has("indicatorRef") || has("indicator")

const ownCounts = (place: IndicatorPlace): OpenSloCounts | undefined => {
  const { indicatorRef, indicator: inline } = place.value
  if (indicatorRef !== undefined) noteLost(place, ["indicator"], "is omitted: indicatorRef is already set")
  return (indicatorRef ?? inline)?.counts
}

const convertedObjective = (
  parts: SloParts,
  budgetingMethod: BudgetingMethod | undefined,
  isComposed: boolean,
  isCompared: boolean,
): Codec<ConvertedObjective> => {
  const shared = lost<IndicatorCounts>(
    "is omitted: all objectives of an SLO share its counts; create one SLO for each",
  )
  return foreignObject({
    displayName: optional(displayName),
    target: optional(anyNumber),
    targetPercent: optional(anyNumber),
    compositeWeight: lost("is omitted: objectives of one SLO have no weights"),
    timeSliceTarget: optional(anyNumber),
    timeSliceWindow: optional(foreign(String)),
    indicatorRef: isComposed ? shared : optional(parts.indicatorRef),
    indicator: isComposed ? shared : optional(parts.indicator),
    op: optional(anything),
    value: optional(anything),
  }).to((_, place): ConvertedObjective | undefined => {
    const { value, at, issues } = place
    const { timeSliceTarget, timeSliceWindow: slice } = value
    const target = readTarget(place)
    if (budgetingMethod === "Occurrences") {
      const message = "is omitted: it applies to Timeslices only"
      noteLost(place, ["timeSliceTarget", "timeSliceWindow"], message)
    } else if (slice !== undefined && slice !== "1m" && slice !== "1") {
      issues.add(at("timeSliceWindow"), "not_allowed_value", "becomes 1m: time slices last one minute")
    }
    const counts = ownCounts(place)
    const isThreshold = isCompared || counts?.metric !== undefined
    if (!isThreshold)
      noteLost(place, ["op", "value"], "is omitted: the good events are counted, not compared")
    if (target === undefined) return undefined
    const objective = {
      ...(value.displayName !== undefined && { displayName: value.displayName }),
      target,
      ...(isThreshold && thresholdOf(value)),
      ...(budgetingMethod === "Timeslices" && timeSliceTarget !== undefined && { timeSliceTarget }),
    }
    return { objective, counts, hasIndicator: hasIndicator(place) }
  })
}

/** As written: they are validated with the definition. */
export const thresholdOf = ({ op, value }: { readonly op?: unknown; readonly value?: unknown }): object => ({
  ...(op !== undefined && { op }),
  ...(value !== undefined && { value }),
})

const readTarget = ({
  value: { target: share, targetPercent: percent },
  has,
  at,
  issues,
}: ObjectPlace<Record<"target" | "targetPercent", number>, unknown>): number | undefined => {
  if (share !== undefined && percent !== undefined) {
    issues.add(at("targetPercent"), "mutually_exclusive", "is omitted: target is already set")
  }
  if (!has("target") && !has("targetPercent")) {
    return issues.add(at("target"), "required", "is required, or targetPercent")
  }
  // 99.95 / 100 is no decimal fraction of as few digits.
  return share ?? (percent === undefined ? undefined : Number((percent / 100).toPrecision(15)))
}
