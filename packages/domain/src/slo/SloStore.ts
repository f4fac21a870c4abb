import { Context, Data, type Effect, type Option } from "effect"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../definition/Definition.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Slo } from "./Slo.ts"

/**
 * The record of an SLO as ready fragments of JSON, each encoded once when what it says changes.
 *
 * A v2 record is `{"project":` + projectJson + `,"service":` + serviceJson + `,` + tailJson, a v1 record has the
 * two names in their place. `tailJson` starts with a property and ends with the closing brace.
 *
 * Source: contract sections 2.2 and 4.4; decision 0505.
 */
export interface SloRow {
  readonly project: string
  readonly name: string
  readonly service: string
  readonly projectJson: string
  readonly serviceJson: string
  readonly tailJson: string
}

/** An SLO whose status is to be computed. */
export interface SloDue {
  readonly organization: OrganizationId
  readonly slo: StoredDefinition<Slo>
}

/** Reads SLO records, and keeps the status in them current. */
export class SloStore extends Context.Tag("@tocsin/domain/slo/SloStore")<
  SloStore,
  {
    /** In the order of project, then name, by code point. */
    readonly page: (
      organization: OrganizationId,
      page: PageRequest<ProjectKey>,
    ) => Effect.Effect<Page<SloRow>, SloStoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      key: ProjectKey,
    ) => Effect.Effect<Option.Option<SloRow>, SloStoreIsUnavailable>
    /**
     * The SLOs of all organizations whose status is due at `now` (Unix milliseconds), the longest due first.
     * Several processes may be handed the same SLO: computing a status twice does no harm.
     */
    readonly dueForStatus: (
      now: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<SloDue>, SloStoreIsUnavailable>
    /**
     * Replaces the record's tail, unless the definition has changed since `version` was read or the counts since
     * `countsRevision` was (the status is then still due); tells whether it did. `dueAt` is when the status must be
     * computed again, in Unix milliseconds; absent: with the next counts.
     */
    readonly writeStatus: (
      organization: OrganizationId,
      key: ProjectKey,
      status: {
        readonly version: string
        readonly countsRevision: string
        readonly tailJson: string
        readonly dueAt?: number
      },
    ) => Effect.Effect<boolean, SloStoreIsUnavailable>
  }
>() {}

/** The store could not be reached or did not answer. */
export class SloStoreIsUnavailable extends Data.TaggedError("SloStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
