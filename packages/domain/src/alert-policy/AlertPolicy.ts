import { described, mapped, type TypeOf } from "../codec/Codec.ts"
import { choose, eitherOf, list, notAllowed, object, optional, withProperty } from "../codec/Containers.ts"
import { type Duration, durationOf } from "../codec/Duration.ts"
import { duration } from "../codec/DurationCodec.ts"
import { entryPath } from "../codec/Issue.ts"
import { literals, number } from "../codec/Leaves.ts"
import { hourMs, minuteMs } from "../codec/MinuteInstant.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import { description, objectName, ownedKey, projectMetadata } from "../metadata/Metadata.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import {
  conditionGroupsMax,
  conditionsPerPolicyMax,
  coolDownMinMs,
  escalationStepsMax,
  renotificationsMax,
} from "./AlertPolicyLimits.ts"
import { alertingWindowMaxMs, alertingWindowMinMs, sreWorkbookPresets } from "./RecommendedBurnRates.ts"

/** Shortest time between two notifications of an alert, and before an escalation step, in milliseconds. */
const escalationTimeMinMs = 60_000

/** Longest time between two notifications of an alert, and before an escalation step, in milliseconds. */
const escalationTimeMaxMs = 7 * 86_400_000

/** From the least to the most severe. */
export const severities = ["Low", "Medium", "High"] as const

/** How severe the alerts of a policy are. */
export type Severity = (typeof severities)[number]

const operators = ["gt", "gte", "lt", "lte"] as const

export type Operator = (typeof operators)[number]

const rate = number({ min: 0 })

const time = duration((ms) => ms > 0, "must be more than 0")

const coolDown = duration((ms) => ms >= coolDownMinMs, `must be at least ${coolDownMinMs / minuteMs} minutes`)

const alertingWindow = duration(
  (ms) => ms >= alertingWindowMinMs && ms <= alertingWindowMaxMs && ms % minuteMs === 0,
  `must be a whole number of minutes, at least ${alertingWindowMinMs / minuteMs} minutes and at most ${alertingWindowMaxMs / hourMs} hours`,
)

const lastsFor = duration((ms) => ms >= 0, "must be at least 0")

/** Events in the range that a condition measures, without which it is not met. */
const leastEvents = number({ min: 1, isInteger: true })

const least = {
  minEvents: optional(described(leastEvents, "Minimum number of events in the measured range")),
  minBadEvents: optional(described(leastEvents, "Minimum number of bad events in the measured range")),
}

/** An operator without alternatives, which can be omitted. */
const only = <const O extends Operator>(op: O) => optional(literals([op]), { default: () => op })

/** Maximum number of weeks whose events a condition compares with. */
const usualWeeksMax = 8

/** The usual number of events, if it has to be known. */
const usualFields = {
  weeks: optional(
    described(
      number({ min: 1, max: usualWeeksMax, isInteger: true }),
      "The number of past weeks, with ofUsual. Default: 4",
    ),
  ),
  minUsual: optional(
    described(
      leastEvents,
      "Minimum usual number of events: below it, the condition is not met. With ofUsual. Default: 20",
    ),
  ),
}

const writtenFewerThan = object({
  fewerThan: described(
    object(
      {
        events: optional(described(leastEvents, "The number of events. Or ofUsual")),
        ofUsual: optional(
          described(
            number({ above: 0, max: 1 }),
            "A share of the usual number of events: the median of the same time in past weeks. Or events",
          ),
        ),
        per: described(alertingWindow, "The range in which events are counted"),
        ...usualFields,
      },
      {
        rules: (place) => {
          eitherOf("events", "ofUsual")(place)
          for (const name of ["weeks", "minUsual"] as const) {
            if (!place.has(name) || !place.has("events")) continue
            place.issues.add(place.at(name), "not_allowed_value", "is supported only with ofUsual")
          }
        },
      },
    ),
    "Met with fewer events than this. Minutes without counts have no events; a range without any has no data",
  ),
  lastsFor: optional(lastsFor),
})

/** Fewer events than a number or, with `usual`, than a share of the events in the same range of past weeks. */
export interface FewerThan {
  /** What is measured: events. */
  readonly measurement: "fewerThan"
  /** Below the value. */
  readonly op: "lt"
  /** A number of events, or a share from 0 to 1 with `usual`. */
  readonly value: number
  /** Where events are counted: so far back. */
  readonly alertingWindow: Duration
  /** How many past weeks are compared, and the fewest events that they must have had. */
  readonly usual?: { readonly weeks: number; readonly minEvents: number }
  /** For how long it must be so; absent: at once. */
  readonly lastsFor?: Duration
  /** Of other conditions. */
  readonly minEvents?: undefined
  /** Of other conditions. */
  readonly minBadEvents?: undefined
}

const isFewerThan = (condition: object): condition is FewerThan =>
  "measurement" in condition && condition.measurement === "fewerThan"

const fewerThan = {
  isOf: isFewerThan,
  ...mapped(writtenFewerThan, {
    decode: ({ fewerThan: { events, ofUsual, per, weeks = 4, minUsual = 20 }, lastsFor }): FewerThan => ({
      measurement: "fewerThan",
      op: "lt",
      // One of them is given.
      value: events ?? ofUsual ?? 0,
      alertingWindow: per,
      ...(ofUsual !== undefined && { usual: { weeks, minEvents: minUsual } }),
      ...(lastsFor !== undefined && { lastsFor }),
    }),
    encode: ({ value, alertingWindow: per, usual, lastsFor }) => ({
      fewerThan:
        usual === undefined
          ? { events: value, per }
          : { ofUsual: value, per, weeks: usual.weeks, minUsual: usual.minEvents },
      ...(lastsFor !== undefined && { lastsFor }),
    }),
  }),
}

/** With `lastsFor`, it must be met at every evaluation for that long. */
const rateCondition = choose("measurement", {
  averageBurnRate: object({
    measurement: literals(["averageBurnRate"]),
    value: rate,
    op: only("gte"),
    alertingWindow: optional(alertingWindow),
    lastsFor: optional(lastsFor),
    ...least,
  }),
  burnedBudget: object({
    measurement: literals(["burnedBudget"]),
    value: rate,
    op: optional(literals(operators), { default: () => "gte" as const }),
    alertingWindow: notAllowed("is not supported for burnedBudget, which measures the whole window"),
    lastsFor: optional(lastsFor),
    ...least,
  }),
  timeToBurnBudget: object({
    measurement: literals(["timeToBurnBudget"]),
    value: time,
    op: only("lt"),
    alertingWindow: optional(alertingWindow),
    lastsFor: optional(lastsFor),
    ...least,
  }),
  timeToBurnEntireBudget: object({
    measurement: literals(["timeToBurnEntireBudget"]),
    value: time,
    op: only("lte"),
    alertingWindow: optional(alertingWindow),
    lastsFor: optional(lastsFor),
    ...least,
  }),
  budgetDrop: object({
    measurement: literals(["budgetDrop"]),
    value: rate,
    op: only("gte"),
    alertingWindow,
    lastsFor: optional(lastsFor),
    ...least,
  }),
})

const condition = withProperty("fewerThan", fewerThan, rateCondition)

/** A condition of an alert policy. */
export type Condition = TypeOf<typeof condition>

const conditions = list(condition, { min: 1, max: conditionsPerPolicyMax })

const alertMethod = mapped(
  object({ metadata: ownedKey(objectName) }, { example: "{ metadata: { name: on-call } }" }),
  {
    decode: ({ metadata }) => metadata,
    encode: (metadata) => ({ metadata }),
  },
)

/** Unique, possibly of other projects. */
const distinctMethods = { distinct: { by: projectKeyText, at: "metadata.name" } } as const

const escalationTime = duration(
  (ms) => ms >= escalationTimeMinMs && ms <= escalationTimeMaxMs,
  `must be at least ${escalationTimeMinMs / minuteMs} minute and at most ${escalationTimeMaxMs / hourMs} hours`,
)

/** Sends an alert again while it is open and nobody has acknowledged it. */
const renotify = object({
  every: escalationTime,
  atMost: number({ min: 1, max: renotificationsMax, isInteger: true }),
})

/** Notifies other alert methods once nobody has acknowledged the alert for some time after it was first sent. */
const escalationSteps = list(
  object({ after: escalationTime, alertMethods: list(alertMethod, { min: 1, ...distinctMethods }) }),
  { min: 1, max: escalationStepsMax, distinct: { by: ({ after }) => `${after.ms}`, at: "after" } },
)

/** When SLOs that reference the policy alert, and which alert methods are notified. */
export const alertPolicy = definitionOf("AlertPolicy", {
  identifier: "AlertPolicyDefinition",
  metadata: projectMetadata(objectName),
  spec: object(
    {
      description: optional(description),
      severity: literals(severities),
      /** How long the conditions must not be met before the alert resolves. */
      coolDown: optional(coolDown, { default: () => durationOf("5m") }),
      conditions: optional(described(conditions, "All must be met. Or conditionGroups or sreWorkbook")),
      conditionGroups: optional(
        described(
          list(object({ conditions }), { min: 1, max: conditionGroupsMax }),
          "Groups of conditions: all conditions of one group must be met",
        ),
      ),
      sreWorkbook: optional(
        described(
          literals(sreWorkbookPresets),
          "The conditions that the SRE Workbook recommends for the time window of the SLO",
        ),
      ),
      alertMethods: optional(list(alertMethod, distinctMethods), { default: () => [] }),
      renotify: optional(
        described(
          renotify,
          "Sends the alert again while it is open and not acknowledged, with this interval and maximum",
        ),
      ),
      then: optional(
        described(
          escalationSteps,
          "Notifies other alert methods once the alert was sent and not acknowledged for this long",
        ),
      ),
    },
    {
      rules: ({ has, at, path, issues }) => {
        const given = (["conditions", "conditionGroups", "sreWorkbook"] as const).filter(has)
        if (given.length === 0) {
          issues.add(
            at("conditions"),
            "required",
            "is required, unless conditionGroups or sreWorkbook is given",
          )
        } else if (given.length > 1) {
          issues.add(
            path,
            "mutually_exclusive",
            "must have one of conditions, conditionGroups and sreWorkbook",
          )
        }
      },
    },
  ),
})

/** The definition of an alert policy; exactly one of `conditions`, `conditionGroups` and `sreWorkbook` is present. */
export type AlertPolicy = TypeOf<typeof alertPolicy>

export const alertPolicyKind = {
  kind: "AlertPolicy",
  shortName: "ap",
  words: "an alert policy",
  home: "project",
  codec: alertPolicy,
  name: objectName,
  references: ({ spec: { alertMethods, then = [] } }) => [
    ...methodReferences(alertMethods, "spec.alertMethods"),
    ...then.flatMap((step, index) =>
      methodReferences(step.alertMethods, `${entryPath("spec.then", index)}.alertMethods`),
    ),
  ],
} as const satisfies KindDescription<AlertPolicy, AlertPolicy, "AlertMethod">

const methodReferences = (methods: ReadonlyArray<ProjectKey>, path: string) =>
  methods.map((method, index) => ({
    kind: "AlertMethod" as const,
    ...method,
    path: `${entryPath(path, index)}.metadata.name`,
  }))
