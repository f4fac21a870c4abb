import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { definitionKeyText, type OrganizationId } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Revision } from "./Revision.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { DefinitionKey, Kind } from "./Kinds.ts"
import { askingPart } from "./Part.ts"

/** A revision with what it changed, as JSON in the form of `NewRevision.text`. */
export interface FoundRevision {
  /** Who made it, when and how. */
  readonly revision: Revision
  /** The definition after the change, or as it was deleted. */
  readonly text: string
  /** The definition before the change; absent if there was none, or its revision is no longer kept. */
  readonly previous?: string
}

/** The last revision of a definition that does not exist any more. */
export interface DeletedDefinition {
  /** What was deleted. */
  readonly key: DefinitionKey
  /** Its deletion. */
  readonly revision: Revision
}

/** Asks for the number of the latest revision of a definition; `undefined` if none is kept. */
export const latestRevisionPart = askingPart<never, DefinitionKey, number | undefined>({
  name: "latest revisions",
  unread: undefined,
  textOf: definitionKeyText,
})

/** The position of a deleted definition in their list. */
export interface DeletedPlace extends DefinitionKey {
  /** That of the revision. */
  readonly number: number
}

/** Which deleted definitions to list; what is absent lets all through. */
export interface DeletedFilter {
  /** Those of this kind. */
  readonly kind?: Kind
  /** Those of this project; `""` is that of projects and reports. */
  readonly project?: string
}

/**
 * Port: reads the revisions that `DefinitionStore.change` keeps of each change, in its own transaction.
 *
 * Of each definition the latest `revisionsMax` are kept, also after it was deleted. A deletion and everything before it are
 * dropped after `deletedRevisionsDays`. The revisions of a moved SLO move with it, and replace those of a deleted SLO of
 * that name.
 */
export class DefinitionHistory extends Context.Service<
  DefinitionHistory,
  {
    /** Newest first; the page's key is the number. */
    readonly list: (
      organization: OrganizationId,
      of: DefinitionKey,
      page: PageRequest<number>,
    ) => Effect.Effect<Page<Revision>, StoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      of: DefinitionKey,
      number: number,
    ) => Effect.Effect<Option.Option<FoundRevision>, StoreIsUnavailable>
    /** Who created these definitions, by `definitionKeyText`, as far as the revision is kept and was made with a credential. */
    readonly creators: (
      organization: OrganizationId,
      keys: ReadonlyArray<DefinitionKey>,
    ) => Effect.Effect<ReadonlyMap<string, string>, StoreIsUnavailable>
    /** Definitions that were deleted and not created again, latest first, and within a change by key backwards. */
    readonly listDeleted: (
      organization: OrganizationId,
      filter: DeletedFilter,
      page: PageRequest<DeletedPlace>,
    ) => Effect.Effect<Page<DeletedDefinition>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/definition/DefinitionHistory") {}
