import { isDefaultProject, keyOfProject } from "../slo/Project.ts"
import { definitionKey } from "./Definition.ts"
import { filterTokens } from "../metadata/LabelFilter.ts"
import { definitionKeyText, type ProjectKey } from "../metadata/ObjectKey.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { objectiveNameRule } from "../slo/ObjectiveNameRule.ts"
import { objectivesOf, plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { isCompositeObjective } from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import { componentsOf, sloKind } from "../slo/SloKind.ts"
import type { DefinitionsRead } from "./DefinitionStore.ts"
import {
  type Definition,
  type DefinitionDraft,
  type DefinitionKey,
  describedKind,
  kindWithArticle,
} from "./Kinds.ts"

/** A reference to another object, and its path. */
export interface Reference {
  readonly key: DefinitionKey
  readonly path: string
}

/** The references of a definition, its project first. */
export const referencesOf = (definition: Definition | DefinitionDraft): ReadonlyArray<Reference> => {
  const { home, references } = describedKind(definition.kind)
  if (home === "organization") return []
  const { project } = definitionKey(definition)
  return [
    { key: keyOfProject(project), path: "metadata.project" },
    ...(references?.(definition) ?? []).map(({ path, ...key }) => ({ key: { project, ...key }, path })),
  ]
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
    const { home, words } = describedKind(key.kind)
    if (home === "organization")
      issues.add(path, "not_found", `references ${words} that does not exist: ${key.name}`)
    else if (!(isHomeless && key.project === owner)) {
      const message = `references ${kindWithArticle(key.kind)} that does not exist: ${key.name} in project ${key.project}`
      issues.add(path, "not_found", message)
    }
  }
  return issues.sorted()
}

/**
 * The keys that a definition is found by as a referrer: those of its references and, where it selects SLOs by labels, one for
 * each of `filterTokens`, with the token in place of the name. Names of SLOs are no tokens.
 */
export const indexedReferences = (definition: DefinitionDraft): ReadonlyArray<DefinitionKey> => {
  const selected = describedKind(definition.kind).selects?.(definition)
  const { project } = definitionKey(definition)
  return uniqueKeys([
    ...referencesOf(definition).map(({ key }) => key),
    ...(selected === undefined ? [] : filterTokens(selected)).map((token) => ({
      kind: sloKind.kind,
      project,
      name: token,
    })),
  ])
}

/** Removes duplicates; each key stays where it is first. */
export const uniqueKeys = (keys: ReadonlyArray<DefinitionKey>): ReadonlyArray<DefinitionKey> => [
  ...new Map(keys.map((key) => [definitionKeyText(key), key])).values(),
]

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
      const rule = objectiveNameRule(objectivesOf(named).map(({ name }) => name))
      issues.add(`${path}.objective`, "not_found", rule)
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
    : found.referrers(definitionKey(slo)).filter(({ kind }) => kind === sloKind.kind)

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
  if (before?.kind !== sloKind.kind) return new Set()
  const kept = new Set(plainObjectivesOf(slo).map(({ name }) => name))
  return new Set(
    plainObjectivesOf(before)
      .map(({ name }) => name)
      .filter((name) => !kept.has(name)),
  )
}
