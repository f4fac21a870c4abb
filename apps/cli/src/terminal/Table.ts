import stringWidth from "string-width"
import { terminalText, textToSeconds } from "./TerminalText.ts"

/** Text in a column of a table. */
export interface Cell {
  readonly text: string
  /** Wraps the text in what colors it; it takes no space. */
  readonly color?: (text: string) => string
}

/**
 * A table with a header, as wide as its longest cells. In a terminal of a width, the last column is cut to fit. Control
 * characters and line breaks of cells are replaced.
 */
export const tableText = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell | string>>,
  width = Number.POSITIVE_INFINITY,
): string => {
  const lines = [header, ...rows].map((cells) => cells.map(safeCell))
  const widths = header.map((_, column) =>
    Math.max(...lines.map((cells) => stringWidth(cells[column]?.text ?? ""))),
  )
  return lines
    .map((cells) => {
      let line = ""
      let used = 0
      for (const [column, { text, color = (plain: string) => plain }] of cells.entries()) {
        const isLast = column === cells.length - 1
        const shown = isLast ? cut(text, Math.max(1, width - used)) : text
        const padding = isLast ? 0 : (widths[column] ?? 0) - stringWidth(shown) + gap
        line += color(shown) + " ".repeat(padding)
        used += stringWidth(shown) + padding
      }
      return `${line.trimEnd()}\n`
    })
    .join("")
}

const gap = 2

const safeCell = (cell: Cell | string): Cell => {
  const { text, ...rest } = typeof cell === "string" ? { text: cell } : cell
  return { ...rest, text: textToSeconds(terminalText(text)).replaceAll(/[\n\t]/g, " ") }
}

/** Text truncated to a number of columns. */
export const cut = (text: string, width: number): string => {
  if (stringWidth(text) <= width) return text
  let kept = ""
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

const graphemes = new Intl.Segmenter()

/** Comma-separated values with a header (RFC 4180). */
export const csvText = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell | string>>,
): string =>
  [header, ...rows]
    .map(
      (cells) => `${cells.map((cell) => csvCell(typeof cell === "string" ? cell : cell.text)).join(",")}\r\n`,
    )
    .join("")

/** Text that a spreadsheet would take for a formula is preceded by an apostrophe. */
const csvCell = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
