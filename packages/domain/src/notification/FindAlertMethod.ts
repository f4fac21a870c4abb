import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"

/** Finds an alert method; fails with `AlertMethodNotFound`. */
export const findAlertMethod = Effect.fnUntraced(function* (organization: OrganizationId, key: ProjectKey) {
  const found = yield* (yield* DefinitionStore).find(organization, "AlertMethod", key)
  if (Option.isNone(found)) return yield* new AlertMethodNotFound({ project: key.project, name: key.name })
  return found.value.definition
})

/** The project of the organization has no alert method with this name. */
export class AlertMethodNotFound extends TaggedError("AlertMethodNotFound")<ProjectKey> {}
