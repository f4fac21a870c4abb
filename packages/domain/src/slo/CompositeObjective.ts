import { described, mapped, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import { duration } from "../codec/DurationCodec.ts"
import { literals, number } from "../codec/Leaves.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import { objectName, type OwnerContext, sloName } from "../metadata/Metadata.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"

const component = mapped(
  object({
    project: optional(objectName),
    slo: sloName,
    objective: sloName,
    /** Only the weights' proportions matter. */
    weight: number({ above: 0, max: Number.MAX_SAFE_INTEGER }),
    /** How minutes count whose counts are later than `maxDelay`. */
    whenDelayed: literals(["CountAsGood", "CountAsBad", "Ignore"]),
  }),
  {
    decode: ({ project, slo, ...component }, path, issues, { owner }: OwnerContext) => {
      const key = { project: project ?? owner.project, name: slo }
      return projectKeyText(key) === projectKeyText(owner)
        ? issues.add(`${path}.slo`, "not_allowed_value", "must be a different SLO")
        : { slo: key, ...component }
    },
    encode: ({ slo, ...component }) => ({ project: slo.project, slo: slo.name, ...component }),
  },
)

/** An objective of another SLO, and its weight in a composite. */
export type Component = TypeOf<typeof component>

/** The composite of an objective over objectives of other SLOs. */
export const compositeOfObjective = mapped(
  object({
    maxDelay: duration(
      (ms) => ms >= minuteMs && ms % minuteMs === 0,
      "must be a whole number of minutes, at least 1 minute",
    ),
    /** The only one there is; clients write it. */
    aggregation: optional(described(literals(["Reliability"]), "Default: Reliability")),
    components: object({
      objectives: list(component, {
        min: 1,
        distinct: { by: ({ slo, objective }) => `${projectKeyText(slo)}/${objective}`, at: "objective" },
      }),
    }),
  }),
  {
    decode: ({ maxDelay, components, aggregation }) => ({
      maxDelay,
      ...(aggregation !== undefined && { aggregation }),
      /** At least one; unique. */
      components: components.objectives,
    }),
    encode: ({ components, ...composite }) => ({ ...composite, components: { objectives: components } }),
  },
)
