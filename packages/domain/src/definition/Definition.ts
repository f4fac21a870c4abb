import type { AlertMethod, AlertMethodDraft } from "../alert-method/AlertMethod.ts"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import type { AlertSilence } from "../alert-policy/AlertSilence.ts"
import type { Project } from "../slo/Project.ts"
import type { Service } from "../slo/Service.ts"
import type { Slo } from "../slo/Slo.ts"

import type { DefinitionKey, Kind } from "../metadata/ObjectKey.ts"

/** Any definition, decoded: every rule of its kind holds. */
export type Definition = Project | Service | Slo | AlertPolicy | AlertMethod | AlertSilence

/** The definition of one kind. */
export type DefinitionOf<K extends Kind> = Extract<Definition, { readonly kind: K }>

/** The key of a definition, of one with hidden values too. */
export const definitionKey = (definition: Definition | AlertMethodDraft): DefinitionKey => ({
  kind: definition.kind,
  project: definition.kind === "Project" ? "" : definition.metadata.project,
  name: definition.metadata.name,
})
