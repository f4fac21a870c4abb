import { definitionKey, type Definition, type ProjectKey } from "@tocsin/domain/definition/Definition"
import { DefinitionStore } from "@tocsin/domain/definition/DefinitionStore"
import { ok } from "@tocsin/domain/Result"
import type { Objective, RollingWindow, Slo } from "@tocsin/domain/slo/Slo"
import { Effect } from "effect"

/** An SLO over 28 days with the objectives `good` (0.99) and `great` (0.999), unless said otherwise. */
export const anSlo = (
  key: ProjectKey,
  spec: {
    readonly service?: string
    readonly objectives?: ReadonlyArray<Objective>
    readonly timeWindow?: RollingWindow
    readonly description?: string
  } = {},
): Slo => ({
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
  changeDefinitions(organization, [], keys)

const changeDefinitions = (
  organization: string,
  put: ReadonlyArray<Definition>,
  remove: ReadonlyArray<ProjectKey>,
) =>
  Effect.flatMap(DefinitionStore, (store) => {
    const removed = remove.map(({ project, name }) => ({ kind: "SLO" as const, project, name }))
    const change = { put: put.map((definition) => ({ definition, references: [] })), remove: removed }
    return store.change(organization, [...put.map(definitionKey), ...removed], () => ok(change))
  })
