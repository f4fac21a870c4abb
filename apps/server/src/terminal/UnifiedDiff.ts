/** Unchanged lines around each change. */
const contextLines = 3

/** Most edits of which the smallest set is searched, which takes their square in time and memory. */
const editsMax = 2_000

interface DiffLine {
  readonly sign: " " | "-" | "+"
  readonly text: string
}

/** The hunks of a unified diff of two texts, as lines without line breaks; none if the texts are the same. */
export const unifiedDiff = (before: string, after: string): ReadonlyArray<string> => {
  const lines = diffLines(linesOf(before), linesOf(after))
  const changed = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]))
  const hunks: Array<{ readonly start: number; end: number }> = []
  for (const index of changed) {
    const last = hunks.at(-1)
    const start = Math.max(0, index - contextLines)
    const end = Math.min(lines.length, index + contextLines + 1)
    if (last !== undefined && start <= last.end) last.end = end
    else hunks.push({ start, end })
  }
  let at = 0
  const position = { "-": 1, "+": 1 }
  const advance = (end: number): void => {
    for (; at < end; at++) {
      if (lines[at]?.sign !== "+") position["-"]++
      if (lines[at]?.sign !== "-") position["+"]++
    }
  }
  return hunks.flatMap(({ start, end }) => {
    advance(start)
    const shown = lines.slice(start, end)
    const range = (sign: "-" | "+"): string => {
      const count = shown.filter((line) => line.sign === " " || line.sign === sign).length
      const first = count === 0 ? position[sign] - 1 : position[sign]
      return `${sign}${first}${count === 1 ? "" : `,${count}`}`
    }
    return [`@@ ${range("-")} ${range("+")} @@`, ...shown.map(({ sign, text }) => sign + text)]
  })
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text === "" ? [] : text.replace(/\n$/, "").split("\n")

const diffLines = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<DiffLine> => {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const same = (text: string): DiffLine => ({ sign: " ", text })
  return [
    ...before.slice(0, head).map(same),
    ...shortestEdits(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ]
}

/** Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), section 4. */
const shortestEdits = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>,
): ReadonlyArray<DiffLine> => {
  const replaced = [
    ...before.map((text): DiffLine => ({ sign: "-", text })),
    ...after.map((text): DiffLine => ({ sign: "+", text })),
  ]
  /** Of each number of edits, the furthest line of `before` on each diagonal. */
  const trace: Array<Map<number, number>> = []
  const isInsertion = (furthest: Map<number, number>, diagonal: number, edits: number): boolean =>
    diagonal === -edits ||
    (diagonal !== edits && (furthest.get(diagonal - 1) ?? 0) < (furthest.get(diagonal + 1) ?? 0))
  let furthest = new Map([[1, 0]])
  for (let edits = 0; edits <= Math.min(before.length + after.length, editsMax); edits++) {
    trace.push(furthest)
    const next = new Map<number, number>()
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = isInsertion(furthest, diagonal, edits)
        ? (furthest.get(diagonal + 1) ?? 0)
        : (furthest.get(diagonal - 1) ?? 0) + 1
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++
      next.set(diagonal, x)
      if (x >= before.length && x - diagonal >= after.length)
        return pathBack(trace, before, after, isInsertion)
    }
    furthest = next
  }
  return replaced
}

const pathBack = (
  trace: ReadonlyArray<Map<number, number>>,
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>,
  isInsertion: (furthest: Map<number, number>, diagonal: number, edits: number) => boolean,
): ReadonlyArray<DiffLine> => {
  const lines: Array<DiffLine> = []
  let x = before.length
  let y = after.length
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const furthest = trace[edits] ?? new Map<number, number>()
    const inserts = isInsertion(furthest, x - y, edits)
    const diagonal = inserts ? x - y + 1 : x - y - 1
    const fromX = edits === 0 ? 0 : (furthest.get(diagonal) ?? 0)
    const fromY = edits === 0 ? 0 : fromX - diagonal
    while (x > fromX && y > fromY) {
      lines.push({ sign: " ", text: before[--x] ?? "" })
      y--
    }
    if (edits === 0) break
    if (inserts) lines.push({ sign: "+", text: after[--y] ?? "" })
    else lines.push({ sign: "-", text: before[--x] ?? "" })
  }
  return lines.toReversed()
}
