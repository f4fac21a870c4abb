/** Anything that the palette lists. */
export interface PaletteItem {
  /** Unique among all items. */
  readonly id: string
  readonly text: string
  /** Further words that find it, such as its project. */
  readonly detail?: string | undefined
  /** Like the detail, but not shown. */
  readonly words?: string
}

/** A text without letter case and diacritics. */
const folded = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

/**
 * How well an item is what was typed: 0 is best, undefined not at all.
 *
 * Every word must occur in its text or detail. An item that begins with the words comes before one that has a word
 * beginning with them, and that before any other.
 */
const rankOf = (query: string, { text, detail = "", words: more = "" }: PaletteItem): number | undefined => {
  const words = folded(query).split(/\s+/).filter(Boolean)
  const name = folded(text)
  const all = `${name} ${folded(detail)} ${folded(more)}`
  if (!words.every((word) => all.includes(word))) return undefined
  const first = words[0] ?? ""
  if (name.startsWith(first)) return 0
  return new RegExp(`[^\\p{L}\\p{N}]${first.replace(/[^\p{L}\p{N}]/gu, "\\$&")}`, "u").test(all) ? 1 : 2
}

/** The items that match what was typed, the best first, at most `max`; of the same rank in their order. */
export const matching = <T extends PaletteItem>(
  query: string,
  items: ReadonlyArray<T>,
  max: number,
): ReadonlyArray<T> =>
  items
    .flatMap((item) => {
      const rank = rankOf(query, item)
      return rank === undefined ? [] : [{ item, rank }]
    })
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, max)
    .map(({ item }) => item)
