/**
 * What the revision of an SLO is made of; as a text the two with a dot between.
 *
 * Source: decision 0523.
 */
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
