import { described, mapped, type TypeOf } from "../codec/Codec.ts"
import { hasNoEntries, list, object, optional, single, storedOnly } from "../codec/Containers.ts"
import { durationOf } from "../codec/Duration.ts"
import { duration } from "../codec/DurationCodec.ts"
import { definitionEntriesMax, entryPath } from "../codec/Issue.ts"
import { boolean, isObject, literals, number } from "../codec/Leaves.ts"
import { dayMs, minuteMs } from "../codec/MinuteInstant.ts"
import { nameFromDisplayName } from "../codec/NameFromDisplayName.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import {
  description,
  displayName,
  objectName,
  ownedKey,
  projectMetadata,
  sloName,
} from "../metadata/Metadata.ts"
import { sloNameMaxCharacters } from "../metadata/MetadataLimits.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import { attachments } from "./Attachment.ts"
import { budgetingMethods } from "./BudgetingMethod.ts"
import { compositeOfObjective } from "./CompositeObjective.ts"
import { indicator } from "./Indicator.ts"
import { isCompositeObjective, plainOf } from "./Objectives.ts"
import { groupList } from "./GroupValues.ts"
import {
  checkAbsent,
  checkCompositeMethod,
  checkObjectiveMethod,
  checkOneSourceType,
  checkPrimary,
  checkThresholds,
} from "./ObjectiveRules.ts"
import { countMetrics, rawMetric } from "./SourceMetrics.ts"
import { timeWindow } from "./TimeWindow.ts"

/** Largest burn rate in the `burnRateCondition` of an SLO's composite. */
const burnRateConditionMax = 1_000

/** Shortest `alertAfter` of a no-data alert, in milliseconds. */
export const noDataAlertAfterMinMs = 300_000

/** Longest `alertAfter` of a no-data alert, in milliseconds. */
export const noDataAlertAfterMaxMs = 31 * 86_400_000

/** Most components of all composite objectives of one SLO together. */
export const componentsMax = 300

/** Most alert policies of one SLO. */
export const alertPoliciesPerSloMax = 30

/** A clause about a share that was written as a percentage, `99.9` for `0.999`; none if no share allowed would result. */
const percentageHint =
  (isShare: (share: number) => boolean) =>
  (value: number): string => {
    const share = Number((value / 100).toPrecision(12))
    return value > 1 && isShare(share) ? `; it is a share, so write ${value}% as ${share}` : ""
  }

const percentage = percentageHint((share) => share < 1)

const target = number({
  min: 0,
  below: 1,
  hint: (value) =>
    value === 1 || value === 100
      ? "; a target of 100% leaves no error budget: write 99.9% as 0.999"
      : percentage(value),
})

/** How a minute without data counts. */
const absentMinutes = ["ignored", "good", "bad"] as const

/** With Timeslices, how a minute without events counts. */
const emptyTimeSlices = ["good", "ignored", "lastState"] as const

export const thresholdOps = ["lt", "lte", "gt", "gte"] as const

const writtenObjective = object({
  name: optional(sloName),
  displayName: optional(displayName),
  target,
  timeSliceTarget: optional(
    described(
      number({ above: 0, max: 1, hint: percentageHint((share) => share <= 1) }),
      "Minimum share of good events of a good minute. Required for Timeslices, not allowed for Occurrences",
    ),
  ),
  op: optional(
    described(
      literals(thresholdOps),
      "How the metric compares with value at a good point. Only with rawMetric or indicator.prometheus.metric, and required then",
    ),
  ),
  value: optional(
    described(
      number({}),
      "What the metric is compared with, or the bound of a histogram's bucket. Required with rawMetric, and with a metric or histogram of indicator.prometheus; allowed with countMetrics",
    ),
  ),
  countMetrics: optional(
    described(countMetrics, "Queries for the events of this objective. Only with indicator.metricSource"),
  ),
  rawMetric: optional(
    described(
      rawMetric,
      "Query for a value that this objective compares. Only with indicator.metricSource, instead of countMetrics",
    ),
  ),
  absent: optional(
    described(
      literals(absentMinutes),
      "How a minute without data counts. Default: ignored. good and bad: not for composite objectives, nor with composite, indicator.prometheus.groupBy or emptyTimeSlices lastState",
    ),
  ),
  primary: optional(described(boolean, "Whether this is the main objective; at most one is")),
  composite: optional(
    described(
      compositeOfObjective,
      `Combines objectives of other SLOs. At most ${componentsMax} components per SLO. Only for Occurrences`,
    ),
  ),
})

/** How a metric compares with the value of an objective: less than, at most, more than, at least. */
export type ThresholdOp = (typeof thresholdOps)[number]

type WrittenObjective = TypeOf<typeof writtenObjective>

/** An objective with its own counts. */
export interface PlainObjective extends Omit<WrittenObjective, "name" | "composite"> {
  /** Unique within the SLO. */
  readonly name: string
}

/** An objective over objectives of other SLOs. */
interface CompositeObjective extends Omit<
  WrittenObjective,
  "name" | "composite" | "timeSliceTarget" | "op" | "value" | "countMetrics" | "rawMetric" | "absent"
> {
  readonly name: string
  readonly composite: TypeOf<typeof compositeOfObjective>
}

/** One target of an SLO. */
export type Objective = PlainObjective | CompositeObjective

/** An objective without a name takes it from its display name, or from its place. */
const nameAt = (
  { name, displayName }: Pick<WrittenObjective, "name" | "displayName">,
  index: number,
): string => {
  if (name !== undefined) return name
  const derived = nameFromDisplayName(displayName ?? "", sloNameMaxCharacters)
  return derived === "" ? `objective-${index + 1}` : derived
}

const objectiveList = mapped(list(writtenObjective, { min: 1 }), {
  decode: (written, path, issues) => {
    const components = written.reduce((sum, { composite }) => sum + (composite?.components.length ?? 0), 0)
    if (components > componentsMax) {
      issues.add(path, "too_many", `must have at most ${componentsMax} components in all`)
    }
    return written.map(({ composite, ...objective }, index): Objective => {
      const named = { ...objective, name: nameAt(objective, index) }
      return composite === undefined ? named : { ...named, composite }
    })
  },
  encode: (objectives) => objectives,
})

/** The objectives of an SLO. Names are compared as written: an objective with another issue still takes its name. */
const objectives: typeof objectiveList = {
  ...objectiveList,
  read: (input, path, issues, context) => {
    const read = objectiveList.read(input, path, issues, context)
    if (!Array.isArray(input) || input.length > definitionEntriesMax) return read
    const names = new Set<string>()
    for (const [index, entry] of input.entries()) {
      const { name, displayName } = isObject(entry) ? entry : {}
      const taken = nameAt(
        {
          ...(typeof name === "string" && name !== "" && { name }),
          ...(typeof displayName === "string" && { displayName }),
        },
        index,
      )
      if (names.has(taken)) {
        issues.add(
          `${entryPath(path, index)}.name`,
          "duplicate",
          "must be unique: an earlier entry is the same",
        )
      }
      names.add(taken)
    }
    return read
  },
}

const compositeOverObjectives = object({
  /** The share of minutes that is to be good. */
  target,
  /** The burn rate of one minute of an objective that makes the minute bad; with Occurrences, and only then. */
  burnRateCondition: optional(
    object({
      value: number({ min: 0, max: burnRateConditionMax }),
      op: literals(["gt", "gte"]),
    }),
  ),
})

/** The older form of a composite. */
export type CompositeOverObjectives = TypeOf<typeof compositeOverObjectives>

const alertAfter = duration(
  (ms) => ms >= noDataAlertAfterMinMs && ms <= noDataAlertAfterMaxMs,
  `must be at least ${noDataAlertAfterMinMs / minuteMs} minutes and at most ${noDataAlertAfterMaxMs / dayMs} days`,
)

/** What to do when no counts arrive. */
const noData = object({
  /** Possibly of other projects; each once, since each entry would be notified. */
  alertMethods: described(
    list(ownedKey(objectName), { distinct: { by: projectKeyText, at: "name" } }),
    "If empty, the alert notifies nobody",
  ),
  /** How long an objective may be without counts. */
  alertAfter: optional(alertAfter, { default: () => durationOf("15m") }),
  treatZeroAsNoData: optional(
    described(
      boolean,
      "Whether a minute with a total of 0 has no data, for these alerts and for absent of the objectives. Default: false",
    ),
  ),
})

const writtenSpec = object(
  {
    description: optional(description),
    /** The name of a service of the same project. */
    service: described(objectName, "Name of a service of the same project"),
    budgetingMethod: literals(budgetingMethods),
    emptyTimeSlices: optional(
      described(
        literals(emptyTimeSlices),
        "With Timeslices, how a minute without events counts: good (default), ignored (only minutes with events count), or lastState (as the latest minute with events, for at most 24 hours)",
      ),
    ),
    timeWindows: described(
      single(timeWindow, { example: "[{ unit: Day, count: 28, isRolling: true }]" }),
      "Exactly one time window",
    ),
    objectives: described(objectives, "Names must be unique"),
    /** The older form of a composite. */
    composite: optional(
      described(
        compositeOverObjectives,
        "Legacy composite: a budget over all objectives of this SLO. burnRateCondition is required for Occurrences and not allowed for Timeslices",
      ),
    ),
    alertPolicies: optional(
      described(
        list(objectName, { max: alertPoliciesPerSloMax, distinct: { by: (name) => name } }),
        "Names of alert policies of the same project",
      ),
      { default: () => [], isEmpty: hasNoEntries },
    ),
    /** Absent: counts arrive over the API only. */
    indicator: optional(indicator),
    attachments: optional(described(attachments, "Links to documents about the SLO"), {
      isEmpty: hasNoEntries,
    }),
    /** The groups of an indicator with `groupBy` that have been read. */
    groups: storedOnly(groupList),
    /** Clients also send it empty. */
    anomalyConfig: optional(object({ noData: optional(noData) })),
  },
  {
    // Clients send these back as they received them.
    ignored: ["createdAt", "createdBy", "tier"],
    rules: ({ value: { budgetingMethod, objectives, indicator }, has, given, at, issues }) => {
      checkThresholds(given("objectives"), given("indicator"), at("objectives"), issues)
      checkPrimary(given("objectives"), at("objectives"), issues)
      if (budgetingMethod !== undefined) {
        const written = given("objectives")
        for (const [index, objective] of Array.isArray(written) ? written.entries() : []) {
          checkObjectiveMethod(objective, budgetingMethod, entryPath(at("objectives"), index), issues)
        }
        checkCompositeMethod(given("composite"), budgetingMethod, at("composite"), issues)
        if (budgetingMethod === "Occurrences" && has("emptyTimeSlices")) {
          const message = "is supported only for the budgeting method Timeslices"
          issues.add(at("emptyTimeSlices"), "not_allowed_value", message)
        }
      }
      const isGrouped = indicator?.prometheus?.groupBy !== undefined
      checkAbsent(
        given("objectives"),
        given("emptyTimeSlices") === "lastState"
          ? "emptyTimeSlices lastState"
          : has("composite")
            ? "composite"
            : isGrouped
              ? "indicator.prometheus.groupBy"
              : undefined,
        at("objectives"),
        issues,
      )
      if (objectives === undefined) return
      checkOneSourceType(plainOf(objectives), at("objectives"), issues)
      const hasComposite = objectives.some(isCompositeObjective)
      if (has("composite") && (objectives.length < 2 || hasComposite)) {
        const message = "requires at least 2 objectives, none of them composite"
        issues.add(at("composite"), "not_allowed_value", message)
      }
      if (indicator?.prometheus?.groupBy !== undefined && (has("composite") || hasComposite)) {
        const message = "requires objectives that are not composite, and no composite"
        issues.add(`${at("indicator")}.prometheus.groupBy`, "not_allowed_value", message)
      }
      if (has("indicator") && objectives.every(isCompositeObjective)) {
        const message = "requires an objective that is not composite"
        issues.add(at("indicator"), "not_allowed_value", message)
      }
    },
  },
)

export const slo = definitionOf("SLO", {
  identifier: "SloDefinition",
  metadata: projectMetadata(sloName),
  spec: mapped(writtenSpec, {
    decode: ({ timeWindows, anomalyConfig, ...spec }) => ({
      ...spec,
      timeWindow: timeWindows,
      ...(anomalyConfig?.noData !== undefined && { anomalyConfig: { noData: anomalyConfig.noData } }),
    }),
    encode: ({ timeWindow, ...spec }) => ({ ...spec, timeWindows: timeWindow }),
  }),
})

/** The definition of an SLO, with exactly one time window and at least one objective. */
export type Slo = TypeOf<typeof slo>
