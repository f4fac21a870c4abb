import type * as Result from "effect/Result"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { HistoryChange } from "./Revision.ts"
import type { Labels } from "../metadata/Metadata.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { type ObjectKey, part, type Part, type PartChange } from "./Part.ts"
import type { KeptDocument, KeptQuery } from "./KeptDocument.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { Definition, DefinitionKey, DefinitionOf, Kind } from "./Kinds.ts"

/** Most referrers of one object that a store reads; more than one request can delete. */
export const referrersReadMax = 2_000

/** A definition with when it was written. */
export interface StoredDefinition<D extends Definition = Definition> {
  /** As it was decoded, with hidden values still sealed. */
  readonly definition: D
  /** Changes with every write: the number of the change in the history of its organization. */
  readonly version: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Unix milliseconds. */
  readonly updatedAt: number
}

/** What a change can read, in its own transaction. */
export interface DefinitionsRead {
  /** Only of the requested keys. */
  readonly find: (key: DefinitionKey) => StoredDefinition | undefined
  /** The definitions that refer to a requested key. */
  readonly referrers: (key: DefinitionKey) => ReadonlyArray<DefinitionKey>
  /** The number of definitions of the organization, with the documents that are kept as given. */
  readonly count: () => number
  /** The answer to a question of a part, from the store's participant in that part. */
  readonly ask: <W, Q, A>(part: Part<W, Q, A>, question: Q) => A
}

/** Other definitions do not change. */
export interface DefinitionChange {
  /** Definitions to create or replace, with what each refers to. */
  readonly put: ReadonlyArray<{
    readonly definition: Definition
    readonly references: ReadonlyArray<DefinitionKey>
    /** Of a change that the service makes by itself: when it was last written before, which stays, in Unix milliseconds. */
    readonly updatedAt?: number
  }>
  /** Definitions to delete; those that do not exist are passed over. */
  readonly remove: ReadonlyArray<DefinitionKey>
  /** SLOs of `put` that were of another project until now: everything that is stored of them moves with them. */
  readonly moves?: ReadonlyArray<SloMove>
  /** What the participants write with the definitions. The store must have a participant in each of the parts. */
  readonly parts?: ReadonlyArray<PartChange>
  /** Revisions to keep, which `DefinitionHistory` reads. */
  readonly history?: HistoryChange
}

/** An SLO that gets another project. There is none of its name in the project `to`. */
export interface SloMove {
  /** The name of the SLO, which stays the same. */
  readonly name: string
  /** The project of the SLO before the move. */
  readonly from: string
  /** The project of the SLO after the move. */
  readonly to: string
}

/** What is kept of a change of definitions, in whatever form its writer reads. */
export interface ChangeRecord {
  /** Unique within the organization; IDs of later changes are greater. */
  readonly id: string
  /** JSON. */
  readonly text: string
  /** The definitions that it is about, at least one, each once. */
  readonly keys: ReadonlyArray<DefinitionKey>
}

/** Records of changes, which `DefinitionStore.records` reads. */
export const changeRecordPart = part<ChangeRecord>("change records")

/** Which definitions are listed: those that match all of its properties. */
export interface DefinitionQuery<K extends Kind = Kind> {
  /** The kind of definition. */
  readonly kind: K
  /** Default: all projects. */
  readonly project?: string
  /** Default: all names. */
  readonly names?: ReadonlyArray<string>
  /** See `labelsMatch`. */
  readonly labels?: Labels
}

/**
 * Port: stores the definitions of all organizations.
 *
 * `change` reads `reads`, calls the pure `decide`, and writes everything or nothing; changes of one
 * organization are serialized. Derived data (the record of an SLO, the endpoint health of an alert method)
 * changes in the same transaction: the status of a new SLO is due at once, and a deleted SLO loses its
 * counts.
 *
 * The project `default` always exists, but is stored only after it has been applied.
 */
export class DefinitionStore extends Context.Service<
  DefinitionStore,
  {
    /** Returns the result of `decide` once it is written; a repeated transaction calls `decide` again. */
    readonly change: <C extends DefinitionChange, E>(
      organization: OrganizationId,
      reads: ReadonlyArray<DefinitionKey>,
      decide: (found: DefinitionsRead) => Result.Result<C, E>,
    ) => Effect.Effect<C, E | StoreIsUnavailable>
    readonly find: <K extends Kind>(
      organization: OrganizationId,
      kind: K,
      key: ProjectKey,
    ) => Effect.Effect<Option.Option<StoredDefinition<DefinitionOf<K>>>, StoreIsUnavailable>
    /** The existing ones, unordered. */
    readonly findAll: <K extends Kind>(
      organization: OrganizationId,
      kind: K,
      keys: ReadonlyArray<ProjectKey>,
    ) => Effect.Effect<ReadonlyArray<StoredDefinition<DefinitionOf<K>>>, StoreIsUnavailable>
    /**
     * The definitions of a kind that refer to any of these, each once, unordered: of each of these, the first `limit` by project and
     * name, by code point. Default: `referrersReadMax`.
     */
    readonly referrers: (
      organization: OrganizationId,
      kind: Kind,
      keys: ReadonlyArray<DefinitionKey>,
      limit?: number,
    ) => Effect.Effect<ReadonlyArray<DefinitionKey>, StoreIsUnavailable>
    /** The project that has had the status page of this slug for longest, of any organization. */
    readonly findStatusPage: (
      slug: string,
    ) => Effect.Effect<
      Option.Option<{ readonly organization: OrganizationId; readonly project: string }>,
      StoreIsUnavailable
    >
    /** The records of changes of a definition, or of all of a kind; newest first, by ID, which is the page's key. */
    readonly records: (
      organization: OrganizationId,
      of: DefinitionKey | Kind,
      page: PageRequest<string>,
    ) => Effect.Effect<Page<Pick<ChangeRecord, "id" | "text">>, StoreIsUnavailable>
    /** Documents that are kept as they were given, sorted by kind, project and name, by code point. */
    readonly listKept: (
      organization: OrganizationId,
      query: KeptQuery,
      page: PageRequest<ObjectKey>,
    ) => Effect.Effect<Page<KeptDocument>, StoreIsUnavailable>
    /** Sorted by project, then name, by code point. */
    readonly list: <K extends Kind>(
      organization: OrganizationId,
      query: DefinitionQuery<K>,
      page: PageRequest<ProjectKey>,
    ) => Effect.Effect<Page<StoredDefinition<DefinitionOf<K>>>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/definition/DefinitionStore") {}
