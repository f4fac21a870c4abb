import { mapped, type TypeOf } from "../codec/Codec.ts"
import { choose, list, notAllowed, object, type ObjectPlace, optional } from "../codec/Containers.ts"
import { type Duration, duration, durationOf } from "../codec/Duration.ts"
import { literals, number } from "../codec/Leaves.ts"
import { hourMs, minuteMs } from "../codec/MinuteInstant.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import { description, objectName, ownedKey, projectMetadata } from "../metadata/Metadata.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"

/** Shortest cool-down of an alert policy and its default, in milliseconds. */
export const coolDownMinMs = 300_000

/** Shortest alerting window of a condition, in milliseconds. */
export const alertingWindowMinMs = 300_000

/** Longest alerting window of a condition, in milliseconds. */
export const alertingWindowMaxMs = 7 * 86_400_000

/** Most conditions of one alert policy. */
export const conditionsPerPolicyMax = 10

/** From the least to the most severe. */
export const severities = ["Low", "Medium", "High"] as const

export type Severity = (typeof severities)[number]

export const operators = ["gt", "gte", "lt", "lte"] as const

export type Operator = (typeof operators)[number]

const rate = number({ min: 0 })

const time = duration((ms) => ms > 0, "must be more than 0")

const coolDown = duration((ms) => ms >= coolDownMinMs, `must be at least ${coolDownMinMs / minuteMs} minutes`)

const alertingWindow = duration(
  (ms) => ms >= alertingWindowMinMs && ms <= alertingWindowMaxMs && ms % minuteMs === 0,
  `must be a whole number of minutes, at least ${alertingWindowMinMs / minuteMs} minutes and at most ${alertingWindowMaxMs / hourMs} hours`,
)

const lastsFor = duration((ms) => ms >= 0, "must be at least 0")

const eitherTime = {
  rules: ({
    has,
    path,
    issues,
  }: ObjectPlace<{ alertingWindow?: Duration; lastsFor?: Duration }, unknown>) => {
    if (!has("alertingWindow") || !has("lastsFor")) return
    issues.add(path, "mutually_exclusive", "must have either alertingWindow or lastsFor, not both")
  },
}

/** An operator without alternatives, which can be omitted. */
const only = <const O extends Operator>(op: O) => optional(literals([op]), { default: () => op })

/** At most one of `alertingWindow` and `lastsFor` is given; with neither, the condition is met at once. */
const condition = choose("measurement", {
  averageBurnRate: object(
    {
      measurement: literals(["averageBurnRate"]),
      value: rate,
      op: only("gte"),
      alertingWindow: optional(alertingWindow),
      lastsFor: optional(lastsFor),
    },
    eitherTime,
  ),
  burnedBudget: object({
    measurement: literals(["burnedBudget"]),
    value: rate,
    op: optional(literals(operators), { default: () => "gte" as const }),
    alertingWindow: notAllowed("is not supported for burnedBudget, which takes lastsFor"),
    lastsFor: optional(lastsFor),
  }),
  timeToBurnBudget: object(
    {
      measurement: literals(["timeToBurnBudget"]),
      value: time,
      op: only("lt"),
      alertingWindow: optional(alertingWindow),
      lastsFor: optional(lastsFor),
    },
    eitherTime,
  ),
  timeToBurnEntireBudget: object(
    {
      measurement: literals(["timeToBurnEntireBudget"]),
      value: time,
      op: only("lte"),
      alertingWindow: optional(alertingWindow),
      lastsFor: optional(lastsFor),
    },
    eitherTime,
  ),
  budgetDrop: object({
    measurement: literals(["budgetDrop"]),
    value: rate,
    op: only("gte"),
    alertingWindow,
    lastsFor: notAllowed("is not supported for budgetDrop, which takes alertingWindow"),
  }),
})

export type Condition = TypeOf<typeof condition>

export type Measurement = Condition["measurement"]

const alertMethod = mapped(object({ metadata: ownedKey(objectName) }), {
  decode: ({ metadata }) => metadata,
  encode: (metadata) => ({ metadata }),
})

/** When SLOs that reference the policy alert, and which alert methods are notified. */
export const alertPolicy = definitionOf("AlertPolicy", {
  identifier: "AlertPolicyDefinition",
  metadata: projectMetadata(objectName),
  spec: object({
    description: optional(description),
    severity: literals(severities),
    /** How long the conditions must not be met before the alert resolves. */
    coolDown: optional(coolDown, { default: () => durationOf("5m") }),
    /** All must be met. */
    conditions: list(condition, { min: 1, max: conditionsPerPolicyMax }),
    /** Unique, possibly of other projects. */
    alertMethods: optional(list(alertMethod, { distinct: { by: projectKeyText, at: "metadata.name" } }), {
      default: () => [],
    }),
  }),
})

export type AlertPolicy = TypeOf<typeof alertPolicy>
