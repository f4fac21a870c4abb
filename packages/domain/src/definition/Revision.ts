import type { DefinitionKey } from "./Kinds.ts"
/** Revisions of definitions: who changed what. Source: spec/definitions §13. */

/** Most revisions of a definition that are kept; the oldest are dropped first. */
export const revisionsMax = 50

/** How long the revisions of a deleted definition are kept, in days. */
export const deletedRevisionsDays = 30

/** What a change can do to a definition; only SLOs are moved, to another project. */
export const revisionOutcomes = ["created", "updated", "moved", "deleted"] as const

/** A change of one definition. */
export interface Revision {
  /** Identifies it among the revisions of the definition; later ones are greater. A change of several definitions has one. */
  readonly number: number
  /** Unix milliseconds. */
  readonly at: number
  /** The client ID of the credential; absent if the change was not made with one. */
  readonly author?: string
  /** What it did to the definition. */
  readonly outcome: (typeof revisionOutcomes)[number]
  /** Whether secrets changed, which are hidden in the definition. */
  readonly changesSecrets: boolean
  /** The project that a moved SLO was of before. */
  readonly movedFrom?: string
}

/** A revision that a change of definitions adds. */
export interface NewRevision extends Pick<Revision, "outcome" | "changesSecrets" | "movedFrom"> {
  /** The definition, by its new project if it was moved. */
  readonly key: DefinitionKey
  /** The definition after the change, or as it was deleted: JSON as the API returns it, without `apiVersion`. */
  readonly text: string
  /** How much of the organization's quota it takes. */
  readonly bytes: number
}

/** What a change of definitions adds to the history of an organization. */
export interface HistoryChange {
  /** The client ID of the credential that makes the change. */
  readonly author?: string
  /** To be called once, by what writes the change: a decision can be made several times. */
  readonly revisions: () => ReadonlyArray<NewRevision>
  /** Most bytes of revisions that the organization keeps; the oldest changes are dropped first, each as a whole. */
  readonly maxBytes: number
}
