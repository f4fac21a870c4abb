import * as Redacted from "effect/Redacted"
import { hiddenValue } from "../alert-method/HiddenValue.ts"
import { isCalendarWindow, isCompositeObjective, type Objective, type TimeWindow } from "../slo/Slo.ts"
import type { Definition } from "./Definition.ts"
import type { Metadata } from "../metadata/Metadata.ts"

/**
 * A definition as it is read back: the URL and the secret header values are hidden.
 *
 * Everything else reads back as written, in the order written; applying it again changes nothing.
 *
 * Source: contract section 2.1; decision 0104.
 */
export const definitionToJson = (
  definition: Definition,
  options: { readonly apiVersion: string },
): DefinitionJson => toJson(definition, options.apiVersion, () => hiddenValue)

/** A definition as JSON or YAML write it. Source: contract section 2.1. */
export interface DefinitionJson {
  readonly apiVersion: string
  readonly kind: Definition["kind"]
  readonly metadata: Metadata & { readonly project?: string }
  readonly spec: object
}

/** Whether two definitions say the same, secrets and order included. */
export const definitionsAreEqual = (a: Definition, b: Definition): boolean =>
  JSON.stringify(toJson(a, "", Redacted.value)) === JSON.stringify(toJson(b, "", Redacted.value))

const toJson = (
  definition: Definition,
  apiVersion: string,
  secretToText: (secret: Redacted.Redacted<string>) => string,
): DefinitionJson => ({
  apiVersion,
  kind: definition.kind,
  metadata: definition.metadata,
  spec: specToJson(definition, secretToText),
})

const specToJson = (
  definition: Definition,
  secretToText: (secret: Redacted.Redacted<string>) => string,
): object => {
  switch (definition.kind) {
    case "Project":
    case "Service":
    case "AlertSilence":
      return definition.spec
    case "SLO": {
      const { timeWindow, objectives, alertPolicies, ...spec } = definition.spec
      return {
        ...spec,
        timeWindows: [windowToJson(timeWindow)],
        objectives: objectives.map(objectiveToJson),
        ...(alertPolicies.length > 0 && { alertPolicies }),
      }
    }
    case "AlertPolicy": {
      const { alertMethods, ...spec } = definition.spec
      return { ...spec, alertMethods: alertMethods.map((each) => ({ metadata: each })) }
    }
    case "AlertMethod": {
      const { description, webhook } = definition.spec
      const { url, headers, sendResolution, ...body } = webhook
      return {
        ...(description !== undefined && { description }),
        webhook: {
          url: secretToText(url),
          ...body,
          ...(headers.length > 0 && {
            headers: headers.map(({ name, value, isSecret }) => ({
              name,
              value: isSecret ? secretToText(value) : Redacted.value(value),
              isSecret,
            })),
          }),
          ...(sendResolution && { sendResolution }),
        },
      }
    }
  }
}

const windowToJson = (window: TimeWindow): object => {
  if (!isCalendarWindow(window)) return { ...window, isRolling: true }
  const { unit, count, calendar } = window
  return { unit, count, isRolling: false, calendar }
}

const objectiveToJson = (objective: Objective): object => {
  if (!isCompositeObjective(objective)) return objective
  const { composite, ...named } = objective
  const objectives = composite.components.map(({ slo, ...component }) => ({
    project: slo.project,
    slo: slo.name,
    ...component,
  }))
  return { ...named, composite: { maxDelay: composite.maxDelay, components: { objectives } } }
}
