import { Chunk, Effect, Option, Stream } from "effect"
import { Limits } from "../Limits.ts"
import { defaultProject, defaultProjectName } from "../slo/Project.ts"
import {
  type Definition,
  definitionKey,
  type DefinitionOf,
  type Kind,
  type OrganizationId,
  type ProjectKey,
} from "./Definition.ts"
import {
  type DefinitionQuery,
  DefinitionStore,
  type DefinitionStoreIsUnavailable,
} from "./DefinitionStore.ts"

/**
 * The definitions of a kind, in the order of project, then name, by code point; read page by page as asked for.
 *
 * The project `default` is among the projects even when nobody has applied it; no project limits projects.
 *
 * Source: decision 0600.
 */
export const listDefinitions = <K extends Kind>(
  organization: OrganizationId,
  query: DefinitionQuery<K>,
): Stream.Stream<DefinitionOf<K>, DefinitionStoreIsUnavailable, DefinitionStore> => {
  if (query.kind !== "Project") return readPages(organization, query)
  const { project: _, ...projects } = query
  const isWanted = query.names?.includes(defaultProjectName) ?? true
  const stored = readPages(organization, projects)
  return isWanted && Object.keys(query.labels ?? {}).length === 0 ? withDefaultProject(stored) : stored
}

const readPages = <K extends Kind>(
  organization: OrganizationId,
  query: DefinitionQuery<K>,
): Stream.Stream<DefinitionOf<K>, DefinitionStoreIsUnavailable, DefinitionStore> =>
  Stream.paginateChunkEffect(Option.none<ProjectKey>(), (after) =>
    Effect.gen(function* () {
      const store = yield* DefinitionStore
      const { items, hasMore } = yield* store.list(organization, query, {
        limit: Limits.pageSizeMax,
        ...(Option.isSome(after) && { after: after.value }),
      })
      const definitions = items.map(({ definition }) => definition)
      const last = definitions.at(-1)
      const next = hasMore && last !== undefined ? Option.some(Option.some(positionOf(last))) : Option.none()
      return [Chunk.unsafeFromArray(definitions), next] as const
    }),
  )

/** Where a definition stands in the order; a project belongs to no project. */
const positionOf = (definition: Definition): ProjectKey => {
  const { project, name } = definitionKey(definition)
  return { project, name }
}

/** Puts the project that always exists in its place, unless it is stored. */
const withDefaultProject = <D extends Definition, E, R>(
  stored: Stream.Stream<D, E, R>,
): Stream.Stream<D, E, R> => {
  // The stream is one of projects, which its type cannot say.
  const standIn = defaultProject as Definition as D
  return stored.pipe(
    Stream.map(Option.some),
    Stream.concat(Stream.succeed(Option.none<D>())),
    Stream.mapAccum(false, (isPlaced, next): readonly [boolean, ReadonlyArray<D>] => {
      if (Option.isNone(next)) return [true, isPlaced ? [] : [standIn]]
      const { name } = next.value.metadata
      if (isPlaced || name < defaultProjectName) return [isPlaced, [next.value]]
      return [true, name === defaultProjectName ? [next.value] : [standIn, next.value]]
    }),
    Stream.mapConcat((definitions) => definitions),
  )
}
