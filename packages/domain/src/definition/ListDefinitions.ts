import * as Effect from "effect/Effect"
import { pageSizeMax, type Page } from "../pagination/Page.ts"
import { defaultProject, defaultProjectName, projectKind } from "../slo/Project.ts"
import { unstoredRevision } from "../metadata/Envelope.ts"
import { definitionKey } from "./Definition.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { type DefinitionQuery, DefinitionStore } from "./DefinitionStore.ts"
import { type Definition, type DefinitionOf, isOrganizationKind, type Kind } from "./Kinds.ts"

/**
 * A page of definitions of one kind, sorted by project, then name, by code point.
 *
 * The project `default` is always included, so a page can have one more than `pageSizeMax`. `listPosition`
 * of the last definition is the next `after`.
 */
export const listDefinitions = Effect.fn("listDefinitions")(function* <K extends Kind>(
  organization: OrganizationId,
  query: DefinitionQuery<K>,
  after?: ProjectKey,
) {
  const { items, hasMore } = yield* listTimedDefinitions(organization, query, after)
  const page: Page<DefinitionOf<K>> = { items: items.map(({ definition }) => definition), hasMore }
  return page
})

/** A definition, and when it was written; absent of the project `default` while it is not stored. In Unix milliseconds. */
export interface TimedDefinition<D extends Definition = Definition> {
  /** The definition, with its secrets sealed. */
  readonly definition: D
  /** Changes with every write of it, and with nothing else: digits; `0` while it is not stored. */
  readonly revision: string
  /** When it was first applied, in Unix milliseconds. */
  readonly createdAt?: number
  /** When it was last changed, in Unix milliseconds. */
  readonly updatedAt?: number
}

/** As `listDefinitions`, with when each was written. */
export const listTimedDefinitions = Effect.fnUntraced(function* <K extends Kind>(
  organization: OrganizationId,
  query: DefinitionQuery<K>,
  after?: ProjectKey,
) {
  const store = yield* DefinitionStore
  const { project, ...anyProject } = query
  const { items, hasMore } = yield* store.list<K>(
    organization,
    isOrganizationKind(query.kind) || project === undefined ? anyProject : query,
    { limit: pageSizeMax, ...(after !== undefined && { after }) },
  )
  const page: Page<TimedDefinition<DefinitionOf<K>>> = {
    items: items.map(({ version, ...item }) => ({ ...item, revision: version })),
    hasMore,
  }
  return includesDefaultProject(query) ? withDefaultProject(page, after) : page
})

/** The project and name of a definition, as `after` of the next page. The project of kinds without one is `""`. */
export const listPosition = (definition: Definition): ProjectKey => {
  const { project, name } = definitionKey(definition)
  return { project, name }
}

/** Whether the query includes the project `default`, which always exists and has no labels. */
const includesDefaultProject = ({ kind, names, labels = {} }: DefinitionQuery): boolean =>
  kind === projectKind.kind &&
  (names?.includes(defaultProjectName) ?? true) &&
  Object.keys(labels).length === 0

/** Inserts the default project if it belongs on this page and has not been applied. */
const withDefaultProject = <D extends Definition>(
  page: Page<TimedDefinition<D>>,
  after: ProjectKey | undefined,
): Page<TimedDefinition<D>> => {
  const nameAt = (index: number): string | undefined => page.items[index]?.definition.metadata.name
  const place = page.items.findIndex(({ definition }) => definition.metadata.name >= defaultProjectName)
  const isBefore = after !== undefined && after.name >= defaultProjectName
  const isBehind = place === -1 && page.hasMore
  if (isBefore || isBehind || nameAt(place) === defaultProjectName) return page
  // The page is one of projects, which its type cannot say.
  const project = defaultProject as Definition as D
  const at = place === -1 ? page.items.length : place
  return { ...page, items: page.items.toSpliced(at, 0, { definition: project, revision: unstoredRevision }) }
}
