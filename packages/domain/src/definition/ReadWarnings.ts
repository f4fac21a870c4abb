import * as Effect from "effect/Effect"
import { groupBy } from "../collections/GroupBy.ts"
import { type DefinitionDraft, definitionKey } from "./Definition.ts"
import { DefinitionStore } from "./DefinitionStore.ts"
import { referencesOf, uniqueKeys } from "./References.ts"
import { definitionKeyText, type Kind, type OrganizationId, type ProjectKey } from "../metadata/ObjectKey.ts"
import { sortedWarnings, type Warning, warningsBelow } from "../codec/Warning.ts"
import type { PromQlContext } from "../slo/PromQlCheck.ts"
import { warningsOf } from "./WarningRules.ts"
import type { DefinitionToWarnOf, WarningContext } from "./WarningRule.ts"

/** What warnings are found with, beside definitions. */
export type WarningOptions = Pick<PromQlContext, "promqlAdvisor"> & Pick<WarningContext, "minutesWithEvents">

/** What rules see: `definitions`, of which the last one of a key counts. */
export const warningContext = (
  definitions: Iterable<DefinitionToWarnOf>,
  { promqlAdvisor, minutesWithEvents }: WarningOptions,
): WarningContext => {
  const byKey = new Map<string, DefinitionToWarnOf>()
  for (const each of definitions) byKey.set(definitionKeyText(definitionKey(each)), each)
  return {
    ...(promqlAdvisor !== undefined && { promqlAdvisor }),
    ...(minutesWithEvents !== undefined && { minutesWithEvents }),
    find: <K extends Kind>(kind: K, { project, name }: ProjectKey) =>
      byKey.get(definitionKeyText({ kind, project, name })) as DefinitionToWarnOf<K> | undefined,
  }
}

/** The warnings of a definition that is proposed, with what it refers to as it is stored; `path` is where it is in the request. */
export const readWarnings = Effect.fnUntraced(function* (
  organization: OrganizationId,
  definition: DefinitionDraft,
  options: WarningOptions,
  path = "",
) {
  const { findAll } = yield* DefinitionStore
  const byKind = groupBy(uniqueKeys(referencesOf(definition).map(({ key }) => key)), ({ kind }) => kind)
  const found = yield* Effect.forEach(byKind, ([kind, keys]) => findAll(organization, kind, keys))
  const referenced = found.flat().map((stored): DefinitionToWarnOf => stored.definition)
  return warningsBelow(path, warningsOf(definition, warningContext([...referenced, definition], options)))
})

/** The warnings of several results in one list, with the paths of issues of such a list. */
export const listedWarnings = (
  results: ReadonlyArray<{ readonly warnings: ReadonlyArray<Warning> }>,
): ReadonlyArray<Warning> =>
  sortedWarnings(
    results.flatMap(({ warnings }, index) => warningsBelow(results.length > 1 ? `[${index}]` : "", warnings)),
  )
