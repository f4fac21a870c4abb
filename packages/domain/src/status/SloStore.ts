import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import type { AlertSilence } from "../alert-policy/AlertSilence.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Slo } from "../slo/Slo.ts"
import type { SloRecord, SloStatuses } from "./SloRecord.ts"

/** What the revision of an SLO is made of; as a text the two with a dot between. */
export interface SloRevision {
  /** Changes with every definition that the status is computed from, with each status and each alert that is written. */
  readonly basis: string
  /** Changes with counts, its own and those of its components. */
  readonly counts: string
}

/** Reads a revision; it ends with the counts, whose part has no dot. */
export const textToRevision = (text: string): SloRevision => {
  const dot = text.lastIndexOf(".")
  return { basis: text.slice(0, Math.max(dot, 0)), counts: text.slice(dot + 1) }
}

/** Writes a revision. */
export const revisionToText = ({ basis, counts }: SloRevision): string => `${basis}.${counts}`

/** Which SLOs to list; what is absent lets all through. */
export interface SloFilter {
  readonly project?: string
  readonly service?: string
  /** A part of what `sloSearchText` makes of them; as `foldedText` makes it. */
  readonly text?: string
}

/** The text of an SLO that is searched: its name and its display name. */
export const sloSearchText = ({ metadata: { name, displayName } }: Slo): string =>
  foldedText(displayName === undefined ? name : `${name}\n${displayName}`)

/** A text without what makes no difference to people: letter case, and how characters are composed. */
export const foldedText = (text: string): string => text.normalize("NFKC").toLowerCase()

/** An SLO whose status is due, with everything stored for it except its counts. */
export interface DueSlo {
  readonly organization: OrganizationId
  readonly slo: StoredDefinition<Slo>
  /** Those of the policies it names that exist, in the order in which it names them. */
  readonly policies: ReadonlyArray<StoredDefinition<AlertPolicy>>
  /** In the order of their names. */
  readonly silences: ReadonlyArray<StoredDefinition<AlertSilence>>
  /** As it was last written with `writeStatuses`. */
  readonly evaluation: string | undefined
  /**
   * As `SloRevision`. Changes with everything that the status is computed from: the definition, the counts, those of its
   * components and their definitions, its policies and silences; and with every status that is written. It was read
   * before all the rest, so that whatever changes afterwards is noticed when the status is written.
   */
  readonly revision: string
}

/** A status that was computed. */
export interface ComputedStatus {
  readonly organization: OrganizationId
  readonly slo: ProjectKey
  /** That of the `DueSlo` that it was computed from, or what has followed from it since. */
  readonly revision: string
  readonly statuses: SloStatuses
  /** What the next evaluation must know of this one; absent: nothing. */
  readonly evaluation?: string
  /** When the status must be computed again, in Unix milliseconds; absent: when something changes. */
  readonly dueAt?: number
}

/** Reads SLO records, and keeps the status in them current. */
export class SloStore extends Context.Service<
  SloStore,
  {
    /** In the order of project, then name, by code point. A search reads one record after the other. */
    readonly page: (
      organization: OrganizationId,
      page: PageRequest<ProjectKey>,
      filter?: SloFilter,
    ) => Effect.Effect<Page<SloRecord>, SloStoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      key: ProjectKey,
    ) => Effect.Effect<Option.Option<SloRecord>, SloStoreIsUnavailable>
    /**
     * Claims SLOs of all organizations whose status is due at `now` (Unix milliseconds), the longest due first.
     *
     * An SLO is claimed by one caller until `leaseMs` have passed or a change makes it due; then it can be claimed again,
     * so that nothing is lost if a caller does not write in time.
     */
    readonly dueForStatus: (
      now: number,
      limit: number,
      leaseMs: number,
    ) => Effect.Effect<ReadonlyArray<DueSlo>, SloStoreIsUnavailable>
    /** One SLO as `dueForStatus` hands it out, whether or not it is due; it is not claimed. */
    readonly findForStatus: (
      organization: OrganizationId,
      key: ProjectKey,
    ) => Effect.Effect<Option.Option<DueSlo>, SloStoreIsUnavailable>
    /**
     * Replaces statuses and evaluations, each unless the basis of the SLO's revision is no longer the one that
     * was read (the status is then still due). Returns for each, in order, whether it was written. No SLO is duplicated.
     *
     * Where counts have come since, the status is written, so that one whose counts come all the time has any, and is
     * due at once.
     */
    readonly writeStatuses: (
      statuses: ReadonlyArray<ComputedStatus>,
    ) => Effect.Effect<ReadonlyArray<boolean>, SloStoreIsUnavailable>
  }
>()("@tocsin/domain/status/SloStore") {}

/** The store could not be reached or did not answer. */
export class SloStoreIsUnavailable extends Data.TaggedError("SloStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
