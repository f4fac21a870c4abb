/** A line of a comparison: in both texts, only in the first, or only in the second. */
export interface DiffLine {
  readonly change: "same" | "removed" | "added"
  readonly text: string
}

/** Maximum number of lines of a text that are compared one by one. */
const linesMax = 1_000

/** Compares two texts line by line, with their longest common subsequence. */
export const lineDiff = (before: string, after: string): ReadonlyArray<DiffLine> => {
  const [a, b] = [linesOf(before), linesOf(after)]
  if (a.length > linesMax || b.length > linesMax) {
    return [
      ...a.map((text): DiffLine => ({ change: "removed", text })),
      ...b.map((text): DiffLine => ({ change: "added", text })),
    ]
  }
  // The length of the longest common sequence of the lines from i and from j on.
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: Array<DiffLine> = []
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ change: "same", text: a[i] ?? "" })
      i++
      j++
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ change: "removed", text: a[i++] ?? "" })
    } else lines.push({ change: "added", text: b[j++] ?? "" })
  }
  return lines
}

const linesOf = (text: string): ReadonlyArray<string> => text.replace(/\n$/, "").split("\n")

/** Lines of a comparison that are the same and far from every change. */
export interface FoldedLines {
  readonly change: "folded"
  readonly count: number
}

/** Folds lines that are the same, except some around each change, where that makes the comparison shorter. */
export const foldSame = (lines: ReadonlyArray<DiffLine>): ReadonlyArray<DiffLine | FoldedLines> => {
  const isFar = (at: number): boolean =>
    at < lines.length &&
    lines.slice(Math.max(0, at - linesAround), at + linesAround + 1).every(({ change }) => change === "same")
  const folded: Array<DiffLine | FoldedLines> = []
  for (let at = 0; at < lines.length;) {
    let count = 0
    while (isFar(at + count)) count++
    if (count > linesAround) folded.push({ change: "folded", count })
    else {
      count = Math.max(count, 1)
      folded.push(...lines.slice(at, at + count))
    }
    at += count
  }
  return folded
}

/** Lines before and after a change that stay for orientation, and how many are too few to fold. */
const linesAround = 3
