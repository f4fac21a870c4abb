import * as Result from "effect/Result"
import { type Definition, definitionKey, indexedReferences } from "@tocsin/domain/adapter"
import type { Slo } from "@tocsin/domain/definitions"
import type { DefinitionKey, ProjectKey } from "@tocsin/domain/kernel"
import { DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"

/** An SLO over 28 days with the objectives `good` (0.99) and `great` (0.999), unless said otherwise. */
export const anSlo = (key: ProjectKey, spec: Partial<Slo["spec"]> = {}): Slo => ({
  kind: "SLO",
  metadata: { project: key.project, name: key.name },
  spec: {
    service: "web",
    budgetingMethod: "Occurrences",
    timeWindow: { unit: "Day", count: 28 },
    objectives: [
      { name: "good", target: 0.99 },
      { name: "great", target: 0.999 },
    ],
    alertPolicies: [],
    ...spec,
  },
})

/** Writes definitions as they are, without the rules that `ApplyDefinitions` holds them to. */
export const putDefinitions = (organization: string, definitions: ReadonlyArray<Definition>) =>
  changeDefinitions(organization, definitions, [])

/** Removes SLOs. */
export const removeSlos = (organization: string, keys: ReadonlyArray<ProjectKey>) =>
  changeDefinitions(
    organization,
    [],
    keys.map((key) => ({ kind: "SLO" as const, ...key })),
  )

/** Writes and removes definitions, without the rules. */
export const changeDefinitions = (
  organization: string,
  put: ReadonlyArray<Definition>,
  removed: ReadonlyArray<DefinitionKey>,
) =>
  Effect.flatMap(DefinitionStore, (store) => {
    const remove = removed.map(({ kind, project, name }) => ({ kind, project, name }))
    const change = {
      put: put.map((definition) => ({
        definition,
        references: indexedReferences(definition),
      })),
      remove,
    }
    return store.change(organization, [...put.map(definitionKey), ...remove], () => Result.succeed(change))
  })
