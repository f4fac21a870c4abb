import { described, type TypeOf } from "../codec/Codec.ts"
import { eitherOf, list, object, optional } from "../codec/Containers.ts"
import { duration } from "../codec/Duration.ts"
import { number } from "../codec/Leaves.ts"
import { instant } from "../codec/MinuteInstant.ts"
import { recurrence } from "../codec/Recurrence.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import { labelSelector, labelsMatch } from "../metadata/LabelFilter.ts"
import { description, type Labels, ownedKey, sloName, unlabelledMetadata } from "../metadata/Metadata.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"

/** Most budget adjustments that select the same SLO, or the same label of SLOs. */
export const adjustmentsPerSloMax = 100

const period = object(
  {
    startTime: instant,
    endTime: optional(instant),
    duration: optional(duration((ms) => ms > 0, "must be more than 0")),
  },
  {
    rules: (place) => {
      eitherOf("endTime", "duration")(place)
      const { startTime, endTime } = place.value
      if (startTime !== undefined && endTime !== undefined && endTime.ms <= startTime.ms) {
        place.issues.add(place.at("endTime"), "out_of_range", "must be after startTime")
      }
    },
  },
)

const setMinute = object(
  { good: number({ min: 0 }), total: number({ min: 0 }) },
  {
    rules: ({ value: { good, total }, at, issues }) => {
      if (good !== undefined && total !== undefined && good > total) {
        issues.add(at("good"), "out_of_range", "must be at most total")
      }
    },
  },
)

/** Excludes minutes of SLOs from everything that is computed of their counts, or sets what was counted in them. */
export const budgetAdjustment = definitionOf("BudgetAdjustment", {
  identifier: "BudgetAdjustmentDefinition",
  metadata: unlabelledMetadata,
  spec: object(
    {
      reason: described(description, "Why the minutes are adjusted"),
      slos: optional(
        described(
          list(ownedKey(sloName), { min: 1, distinct: { by: projectKeyText } }),
          "The SLOs; each has the project of the adjustment unless it names one. Or sloLabels",
        ),
      ),
      sloLabels: optional(
        described(
          labelSelector,
          "All SLOs of the same project with these labels: comma-separated key:value pairs, or keys alone",
        ),
      ),
      period: optional(
        described(period, "Either endTime or duration is required. Every minute that it touches is adjusted"),
      ),
      recurrence: optional(
        described(recurrence, "The period recurs by an RFC 5545 rule in a time zone, instead of period"),
      ),
      set: optional(
        described(
          setMinute,
          "The good and total events of each minute and objective, instead of those counted. Default: the minutes are excluded",
        ),
      ),
    },
    {
      rules: (place) => {
        eitherOf("slos", "sloLabels")(place)
        eitherOf("period", "recurrence")(place)
      },
    },
  ),
})

/** Excludes minutes of SLOs from everything that is computed of their counts, or sets what was counted in them. */
export type BudgetAdjustment = TypeOf<typeof budgetAdjustment>

/** Whether an adjustment adjusts the SLO. */
export const adjustsSlo = (
  { metadata, spec }: BudgetAdjustment,
  slo: ProjectKey & { readonly labels?: Labels },
): boolean =>
  spec.sloLabels === undefined
    ? isNamed(spec.slos, slo)
    : metadata.project === slo.project && labelsMatch(slo.labels, spec.sloLabels.filter)

const isNamed = (slos: ReadonlyArray<ProjectKey> = [], { project, name }: ProjectKey): boolean =>
  slos.some((each) => each.name === name && each.project === project)
