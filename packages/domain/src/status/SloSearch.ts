import type { Slo } from "../slo/Slo.ts"

/** Which SLOs to list; what is absent lets all through. Source: decision 0707. */
export interface SloFilter {
  readonly project?: string
  readonly service?: string
  /** A part of what `sloSearchText` makes of them; as `foldedText` makes it. */
  readonly text?: string
}

/** The text of an SLO that is searched: its name and its display name. Source: decision 0707. */
export const sloSearchText = ({ metadata: { name, displayName } }: Slo): string =>
  foldedText(displayName === undefined ? name : `${name}\n${displayName}`)

/** A text without what makes no difference to people: letter case, and how characters are composed. */
export const foldedText = (text: string): string => text.normalize("NFKC").toLowerCase()
