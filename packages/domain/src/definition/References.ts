import { defaultProjectName } from "../slo/Project.ts"
import type { AlertMethodDraft } from "../alert-method/AlertMethod.ts"
import { componentsOf } from "./ComponentRules.ts"
import type { Definition } from "./Definition.ts"
import type { DefinitionKey } from "../metadata/ObjectKey.ts"
import { entryPath } from "../codec/Issue.ts"

/** A reference to another object, and its path. */
export interface Reference {
  readonly key: DefinitionKey
  readonly path: string
}

/** The references of a definition, its project first. */
export const referencesOf = (definition: Definition | AlertMethodDraft): ReadonlyArray<Reference> => {
  if (definition.kind === "Project") return []
  const { project } = definition.metadata
  const owner: Reference = { key: { kind: "Project", project: "", name: project }, path: "metadata.project" }
  switch (definition.kind) {
    case "Service":
    case "AlertMethod":
      return [owner]
    case "SLO":
      return [
        owner,
        { key: { kind: "Service", project, name: definition.spec.service }, path: "spec.service" },
        ...definition.spec.alertPolicies.map((name, index): Reference => ({
          key: { kind: "AlertPolicy", project, name },
          path: entryPath("spec.alertPolicies", index),
        })),
        ...componentsOf(definition).map(({ component, path }): Reference => ({
          key: { kind: "SLO", ...component.slo },
          path: `${path}.slo`,
        })),
        ...(definition.spec.anomalyConfig?.noData.alertMethods ?? []).map((method, index): Reference => ({
          key: { kind: "AlertMethod", ...method },
          path: `${entryPath("spec.anomalyConfig.noData.alertMethods", index)}.name`,
        })),
      ]
    case "AlertPolicy":
      return [
        owner,
        ...definition.spec.alertMethods.map((method, index): Reference => ({
          key: { kind: "AlertMethod", ...method },
          path: `${entryPath("spec.alertMethods", index)}.metadata.name`,
        })),
      ]
    case "AlertSilence": {
      const { slo, alertPolicy } = definition.spec
      return [
        owner,
        { key: { kind: "SLO", project, name: slo }, path: "spec.slo" },
        ...(alertPolicy === undefined
          ? []
          : [{ key: { kind: "AlertPolicy", ...alertPolicy }, path: "spec.alertPolicy.name" } as const]),
      ]
    }
  }
}

export const isDefaultProject = (key: DefinitionKey): boolean =>
  key.kind === "Project" && key.name === defaultProjectName
