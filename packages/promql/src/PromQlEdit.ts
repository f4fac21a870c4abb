/** A part of a text, and what replaces it. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The text with all edits; `undefined` if two of them replace the same part differently, or overlap. */
export const edited = (text: string, edits: ReadonlyArray<Edit>): string | undefined => {
  const distinct = new Map(edits.map((edit) => [JSON.stringify(edit), edit]))
  let [written, end] = ["", 0]
  // Of two insertions at one place, the one that was given first is written first.
  for (const edit of [...distinct.values()].toSorted((a, b) => a.from - b.from)) {
    if (edit.from < end) return undefined
    written += text.slice(end, edit.from) + edit.text
    end = edit.to
  }
  return written + text.slice(end)
}
