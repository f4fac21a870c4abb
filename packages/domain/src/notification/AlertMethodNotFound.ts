import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"

/** There is no alert method of this name in this project of the organization. */
export class AlertMethodNotFound extends Data.TaggedError("AlertMethodNotFound")<{
  readonly project: string
  readonly name: string
}> {}

/** Finds an alert method as it is stored; fails with `AlertMethodNotFound`. */
export const findAlertMethod = (organization: OrganizationId, key: ProjectKey) =>
  Effect.gen(function* () {
    const found = yield* (yield* DefinitionStore).find(organization, "AlertMethod", key)
    if (Option.isNone(found)) return yield* new AlertMethodNotFound({ project: key.project, name: key.name })
    return found.value.definition
  })
