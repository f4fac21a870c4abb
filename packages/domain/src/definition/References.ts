import { defaultProjectName } from "../slo/Project.ts"
import { type Definition, type DefinitionDraft, definitionKey } from "./Definition.ts"
import { filterTokens } from "../metadata/LabelFilter.ts"
import {
  type DefinitionKey,
  definitionKeyText,
  keyOfProject,
  type ProjectKey,
} from "../metadata/ObjectKey.ts"
import { entryPath, type Issue, IssueList } from "../codec/Issue.ts"
import { objectivesOf, plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Component } from "../slo/CompositeObjective.ts"
import { isCompositeObjective, type Slo } from "../slo/Slo.ts"
import { storedIndicatorName } from "../slo/SourceMetrics.ts"
import type { DefinitionsRead } from "./DefinitionStore.ts"

/** A reference to another object, and its path. */
export interface Reference {
  readonly key: DefinitionKey
  readonly path: string
}

/** The references of a definition, its project first. */
export const referencesOf = (definition: Definition | DefinitionDraft): ReadonlyArray<Reference> => {
  // What a report selects need not exist.
  if (definition.kind === "Project" || definition.kind === "Report") return []
  const { project } = definition.metadata
  const owner: Reference = { key: keyOfProject(project), path: "metadata.project" }
  switch (definition.kind) {
    case "Service":
    case "AlertMethod":
    case "DataSource":
    case "Agent":
    case "Direct":
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
        ...dataSourcesOf(definition),
      ]
    case "AlertPolicy":
      return [
        owner,
        ...definition.spec.alertMethods.map((method, index): Reference => ({
          key: { kind: "AlertMethod", ...method },
          path: `${entryPath("spec.alertMethods", index)}.metadata.name`,
        })),
        ...(definition.spec.then ?? []).flatMap(({ alertMethods }, step) =>
          alertMethods.map((method, index): Reference => ({
            key: { kind: "AlertMethod", ...method },
            path: `${entryPath(`${entryPath("spec.then", step)}.alertMethods`, index)}.metadata.name`,
          })),
        ),
      ]
    case "AlertSilence": {
      const { slo, alertPolicy, notifyBeforeEnd } = definition.spec
      return [
        owner,
        ...(slo === undefined
          ? []
          : [{ key: { kind: "SLO", project, name: slo }, path: "spec.slo" } as const]),
        ...(alertPolicy === undefined
          ? []
          : [{ key: { kind: "AlertPolicy", ...alertPolicy }, path: "spec.alertPolicy.name" } as const]),
        ...(notifyBeforeEnd?.alertMethods ?? []).map((method, index): Reference => ({
          key: { kind: "AlertMethod", ...method },
          path: `${entryPath("spec.notifyBeforeEnd.alertMethods", index)}.name`,
        })),
      ]
    }
    case "BudgetAdjustment":
      return [
        owner,
        ...(definition.spec.slos ?? []).map((slo, index): Reference => ({
          key: { kind: "SLO", ...slo },
          path: `${entryPath("spec.slos", index)}.name`,
        })),
      ]
  }
}

/**
 * An issue for each reference of a definition to an object that does not exist. In a project that does not exist, only the
 * project is reported.
 */
export const missingReferences = (
  definition: DefinitionDraft,
  exists: (key: DefinitionKey) => boolean,
): ReadonlyArray<Issue> => {
  const references = referencesOf(definition)
  const missing = references.filter(({ key }) => !isDefaultProject(key) && !exists(key))
  const owner = references[0]?.key.name
  const isHomeless = missing.some(({ path }) => path === "metadata.project")
  const issues = new IssueList()
  for (const { key, path } of missing) {
    if (key.kind === "Project")
      issues.add(path, "not_found", `names a project that does not exist: ${key.name}`)
    else if (!(isHomeless && key.project === owner)) {
      const message = `names ${/^[AS]/.test(key.kind) && key.kind !== "Service" ? "an" : "a"} ${key.kind} that does not exist: ${key.name} in project ${key.project}`
      issues.add(path, "not_found", message)
    }
  }
  return issues.sorted()
}

/** The key that refers to the SLOs of a project with a label; names of SLOs are no tokens. */
const labelReference = (project: string, token: string): DefinitionKey => ({
  kind: "SLO",
  project,
  name: token,
})

/**
 * The keys that a definition is found by as a referrer: those of its references and, where it selects SLOs by labels, one for
 * each of `filterTokens`, with the token in place of the name.
 */
export const indexedReferences = (definition: Definition): ReadonlyArray<DefinitionKey> =>
  uniqueKeys([
    ...referencesOf(definition).map(({ key }) => key),
    ...((definition.kind === "AlertSilence" || definition.kind === "BudgetAdjustment") &&
    definition.spec.sloLabels !== undefined
      ? filterTokens(definition.spec.sloLabels.filter).map((token) =>
          labelReference(definition.metadata.project, token),
        )
      : []),
  ])

/** Removes duplicates; each key stays where it is first. */
export const uniqueKeys = (keys: ReadonlyArray<DefinitionKey>): ReadonlyArray<DefinitionKey> => [
  ...new Map(keys.map((key) => [definitionKeyText(key), key])).values(),
]

const dataSourcesOf = ({ spec: { indicator } }: Slo): ReadonlyArray<Reference> => {
  const { prometheus, metricSource } = indicator ?? {}
  if (prometheus?.dataSource !== undefined) {
    const key: DefinitionKey = { kind: "DataSource", ...prometheus.dataSource }
    return [{ key, path: "spec.indicator.prometheus.dataSource.name" }]
  }
  return metricSource === undefined || metricSource.name === storedIndicatorName
    ? []
    : [{ key: metricSource, path: "spec.indicator.metricSource.name" }]
}

export const isDefaultProject = (key: DefinitionKey): boolean =>
  key.kind === "Project" && key.name === defaultProjectName

/** The components of an SLO's composite objectives, with their paths. */
export const componentsOf = (
  slo: Slo,
): ReadonlyArray<{ readonly component: Component; readonly path: string }> =>
  slo.spec.objectives.flatMap((objective, index) =>
    isCompositeObjective(objective)
      ? objective.composite.components.map((component, at) => ({
          component,
          path: entryPath(`${entryPath("spec.objectives", index)}.composite.components.objectives`, at),
        }))
      : [],
  )

/**
 * The issues of components that do not refer to a plain objective. `sloOf` returns SLOs as they will be
 * after the change; components of an unknown SLO are not checked.
 */
export const componentIssues = (
  slo: Slo,
  sloOf: (key: ProjectKey) => Slo | undefined,
): ReadonlyArray<Issue> => {
  const issues = new IssueList()
  for (const { component, path } of componentsOf(slo)) {
    const named = sloOf(component.slo)
    if (named === undefined) continue
    const objective = objectivesOf(named).find(({ name }) => name === component.objective)
    if (objective === undefined) {
      const message = `references an objective that the SLO does not have: ${component.objective}`
      issues.add(`${path}.objective`, "not_found", message)
    } else if (isCompositeObjective(objective)) {
      const message = "must be an objective that is not composite itself"
      issues.add(`${path}.objective`, "not_allowed_value", message)
    }
  }
  return issues.sorted()
}

/** The SLOs that may refer to plain objectives which the change removes. */
export const referrersOfLost = (slo: Slo, found: DefinitionsRead): ReadonlyArray<DefinitionKey> =>
  lostObjectives(slo, found).size === 0
    ? []
    : found.referrers(definitionKey(slo)).filter(({ kind }) => kind === "SLO")

/**
 * The issues of removing objectives that are components of other SLOs; `referrers` are those that do not
 * change.
 */
export const lostComponentIssues = (
  slo: Slo,
  referrers: ReadonlyArray<Slo>,
  found: DefinitionsRead,
): ReadonlyArray<Issue> => {
  const { project, name } = slo.metadata
  const lost = lostObjectives(slo, found)
  const issues = new IssueList()
  for (const referrer of referrers) {
    for (const { component } of componentsOf(referrer)) {
      if (component.slo.project !== project || component.slo.name !== name) continue
      if (!lost.has(component.objective)) continue
      const { metadata } = referrer
      const message = `must contain the objective ${component.objective}, which is a component of the SLO ${metadata.name} of project ${metadata.project}`
      issues.add("spec.objectives", "in_use", message)
    }
  }
  return issues.sorted()
}

const lostObjectives = (slo: Slo, found: DefinitionsRead): ReadonlySet<string> => {
  const before = found.find(definitionKey(slo))?.definition
  if (before?.kind !== "SLO") return new Set()
  const kept = new Set(plainObjectivesOf(slo).map(({ name }) => name))
  return new Set(
    plainObjectivesOf(before)
      .map(({ name }) => name)
      .filter((name) => !kept.has(name)),
  )
}
