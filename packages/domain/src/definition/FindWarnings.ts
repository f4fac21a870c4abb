import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DefinitionStore } from "./DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { readMinutesWithEvents } from "./SparseTimeSlices.ts"
import { readWarnings, type StoppedMethodsReader, type WarningOptions } from "./WarningRules.ts"
import type { DefinitionKey } from "./Kinds.ts"
import { DefinitionsNotFound } from "./DefinitionErrors.ts"

/** The warnings of a stored definition, as applying it again would return them. Fails with `DefinitionsNotFound`. */
export const findWarnings = Effect.fn("findWarnings")(function* (
  organization: OrganizationId,
  key: DefinitionKey,
  options: WarningOptions & StoppedMethodsReader,
) {
  const found = yield* (yield* DefinitionStore).find(organization, key.kind, key)
  if (Option.isSome(found)) {
    const { definition } = found.value
    const counted = yield* readMinutesWithEvents(organization, [definition])
    return yield* readWarnings(organization, definition, { ...options, ...counted })
  }
  const issue = { path: "name", code: "not_found", message: `no ${key.kind} has this name` } as const
  return yield* new DefinitionsNotFound({ issues: [issue] })
})
