import type * as Result from "effect/Result"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Definition, DefinitionOf } from "./Definition.ts"
import type { Labels } from "../metadata/Metadata.ts"
import type { DefinitionKey, Kind, OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"

/** Objects that name one object which a store reads: more than one request can delete. */
export const referrersReadMax = 2_000

/** A definition as the store keeps it. */
export interface StoredDefinition<D extends Definition = Definition> {
  readonly definition: D
  /** Changes with every write of this definition; equal versions mean equal content. */
  readonly version: string
  /** When the object was created and last replaced, in Unix milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a change may look at, all read in the change's own transaction. */
export interface DefinitionsRead {
  /** The stored definition of a key that was asked for. */
  readonly find: (key: DefinitionKey) => StoredDefinition | undefined
  /** The keys of the definitions that name this one, of those that were asked for. */
  readonly referrers: (key: DefinitionKey) => ReadonlyArray<DefinitionKey>
}

/** What to write; keys absent from both are left alone. */
export interface DefinitionChange {
  readonly put: ReadonlyArray<{
    readonly definition: Definition
    /** Every definition that this one names. */
    readonly references: ReadonlyArray<DefinitionKey>
  }>
  readonly remove: ReadonlyArray<DefinitionKey>
}

/** Which definitions of a kind to list. */
export interface DefinitionQuery<K extends Kind = Kind> {
  readonly kind: K
  /** Absent: all projects. */
  readonly project?: string
  /** Absent: all names. */
  readonly names?: ReadonlyArray<string>
  /** Every key must be there, with one of the values named if there are any. */
  readonly labels?: Labels
}

/**
 * Keeps the definitions of every organization.
 *
 * `change` reads what is named, lets the pure `decide` say what to write, and writes all of it or nothing; two
 * changes of one organization never interleave. When a definition is written or removed, everything derived from
 * it (the SLO's record, the method's endpoint health) follows in the same transaction: a new SLO is due for its
 * status at once, a removed one takes its counts with it.
 *
 * The project `default` always exists, but a store holds it only once it has been applied: `ListDefinitions` and
 * `ApplyDefinitions` know the other one.
 */
export class DefinitionStore extends Context.Service<
  DefinitionStore,
  {
    /** Answers what `decide` said, once it is written; `decide` may be asked again when a transaction is repeated. */
    readonly change: <C extends DefinitionChange, E>(
      organization: OrganizationId,
      reads: ReadonlyArray<DefinitionKey>,
      decide: (found: DefinitionsRead) => Result.Result<C, E>,
    ) => Effect.Effect<C, E | DefinitionStoreIsUnavailable>
    readonly find: <K extends Kind>(
      organization: OrganizationId,
      kind: K,
      key: ProjectKey,
    ) => Effect.Effect<Option.Option<StoredDefinition<DefinitionOf<K>>>, DefinitionStoreIsUnavailable>
    /** Those of these keys that exist, each once, in no particular order. */
    readonly findAll: <K extends Kind>(
      organization: OrganizationId,
      kind: K,
      keys: ReadonlyArray<ProjectKey>,
    ) => Effect.Effect<ReadonlyArray<StoredDefinition<DefinitionOf<K>>>, DefinitionStoreIsUnavailable>
    /** In the order of project, then name, by code point. */
    readonly list: <K extends Kind>(
      organization: OrganizationId,
      query: DefinitionQuery<K>,
      page: PageRequest<ProjectKey>,
    ) => Effect.Effect<Page<StoredDefinition<DefinitionOf<K>>>, DefinitionStoreIsUnavailable>
  }
>()("@tocsin/domain/definition/DefinitionStore") {}

/** The store could not be reached or did not answer. */
export class DefinitionStoreIsUnavailable extends Data.TaggedError("DefinitionStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
