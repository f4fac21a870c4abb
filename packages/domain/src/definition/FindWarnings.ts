import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DefinitionsNotFound } from "./DeleteDefinitions.ts"
import { DefinitionStore } from "./DefinitionStore.ts"
import type { DefinitionKey, OrganizationId } from "../metadata/ObjectKey.ts"
import { readWarnings, type WarningOptions } from "./ReadWarnings.ts"

/** The warnings of a stored definition, as applying it again would return them. Fails with `DefinitionsNotFound`. */
export const findWarnings = Effect.fn("findWarnings")(function* (
  organization: OrganizationId,
  key: DefinitionKey,
  options: WarningOptions,
) {
  const found = yield* (yield* DefinitionStore).find(organization, key.kind, key)
  if (Option.isSome(found)) return yield* readWarnings(organization, found.value.definition, options)
  const issue = { path: "name", code: "not_found", message: `no ${key.kind} has this name` } as const
  return yield* new DefinitionsNotFound({ issues: [issue] })
})
