import { existsSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

/**
 * Replaces the positions in `program` that a stack trace has by positions in the sources, if the source map of the program
 * is beside it. The map is read only when an error is printed, as reading it takes longer than the start of a server. A copy of the program
 * has the path at which its code was compiled, so the name of the file alone tells which positions are its own.
 */
export const withSourcePositions = (stack: string, program = import.meta.filename): string => {
  const name = basename(program).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
  const positions = new RegExp(`(?:file://)?(?:/|[A-Za-z]:[/\\\\])[^\\n:]*?\\b${name}:(\\d+):(\\d+)`, "g")
  const found = new Map<string, Position>()
  for (const [text, line, column] of stack.matchAll(positions))
    found.set(text, { line: Number(line) - 1, column: Number(column) - 1 })
  const map = found.size === 0 ? undefined : readMap(`${program}.map`)
  if (map === undefined) return stack
  const originals = originalPositions(map.mappings, [...found.values()])
  return stack.replace(positions, (text) => {
    const original = originals.get(found.get(text) as Position)
    const source = map.sources[original?.source ?? -1]
    if (original === undefined || source === undefined) return text
    return `${pathOf(source, program)}:${original.line + 1}:${original.column + 1}`
  })
}

/** The path of a source; of a program that was copied to where its sources are not, from the root of the repository. */
const pathOf = (source: string, program: string): string => {
  const path = join(program, "..", source)
  return existsSync(path) ? path : source.replace(/^(?:\.\.\/)+/, "")
}

/** From 0. */
interface Position {
  readonly line: number
  readonly column: number
}

interface SourceMap {
  readonly sources: ReadonlyArray<string>
  readonly mappings: string
}

const readMap = (file: string): SourceMap | undefined => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    // A program that is installed without its map.
    return undefined
  }
}

/**
 * Where positions come from, by the mappings of a source map (ECMA-426 section 9.2): the last segment of the line that does
 * not begin after the column. Reads the mappings once and keeps nothing; `SourceMap` of `node:module` takes a second and
 * 150 MB for the server's map.
 */
const originalPositions = (
  mappings: string,
  wanted: ReadonlyArray<Position>,
): ReadonlyMap<Position, Position & { readonly source: number }> => {
  const originals = new Map<Position, Position & { readonly source: number }>()
  const lines = new Set(wanted.map((position) => position.line))
  const lastLine = Math.max(...lines)
  const onLine = (number: number) =>
    lines.has(number) ? wanted.filter((position) => position.line === number) : []
  let [generated, source, line, column] = [0, 0, 0, 0]
  let [field, value, shift] = [0, 0, 0]
  let generatedLine = 0
  let here = onLine(0)
  for (let index = 0; index < mappings.length && generatedLine <= lastLine; index++) {
    const code = mappings.charCodeAt(index)
    if (code === comma || code === semicolon) {
      field = 0
      if (code === comma) continue
      generated = 0
      here = onLine(++generatedLine)
      continue
    }
    const digit = base64Digits.indexOf(mappings[index] as string)
    value |= (digit & 31) << shift
    shift += 5
    if ((digit & 32) !== 0) continue
    const delta = (value & 1) === 1 ? -(value >> 1) : value >> 1
    value = shift = 0
    if (field === 0) generated += delta
    else if (field === 1) source += delta
    else if (field === 2) line += delta
    else if (field === 3) {
      column += delta
      for (const position of here)
        if (generated <= position.column) originals.set(position, { source, line, column })
    }
    field++
  }
  return originals
}

const [comma, semicolon] = [",".charCodeAt(0), ";".charCodeAt(0)]
const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
