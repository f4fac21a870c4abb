import { open, type FileHandle } from "node:fs/promises"
import { createInterface } from "node:readline"
import { isObject, nearestName, parseDecimal } from "@tocsin/domain/codec"

/** Maximum size of a file of counts that is one JSON array, in bytes: it is read into memory. */
const countArrayMaxBytes = 64 * 1024 * 1024

/** A file of counts is invalid. `message` says where and why. */
export class CountFileIsInvalid extends Error {}

/** An entry as in a request, with the place that messages name: a line, or the number of an entry of an array. */
export interface CountEntry {
  readonly place: string
  readonly entry: Readonly<Record<string, unknown>>
}

/**
 * Reads the entries of a file of counts, one after the other: a JSON array of objects, an object a line, or CSV with a
 * header. `-` is standard input. Fails with `CountFileIsInvalid`, and with the error of the file system.
 */
export async function* readCountFile(file: string): AsyncGenerator<CountEntry> {
  const handle = file === "-" ? undefined : await open(file)
  try {
    yield* readEntries(file, handle)
  } finally {
    await handle?.close()
  }
}

async function* readEntries(file: string, handle: FileHandle | undefined): AsyncGenerator<CountEntry> {
  const input = handle === undefined ? process.stdin : handle.createReadStream({ autoClose: false })
  const lines = createInterface({ input, crlfDelay: Infinity })
  let number = 0
  let columns: ReadonlyArray<string> | undefined
  let array: Array<string> | undefined
  let bytes = 0
  for await (const raw of lines) {
    number++
    const line = number === 1 ? raw.replace(/^\uFEFF/, "") : raw
    if (array !== undefined) {
      bytes += line.length + 1
      if (bytes > countArrayMaxBytes) {
        throw new CountFileIsInvalid(
          `${file}: a JSON array has at most ${countArrayMaxBytes / 1024 / 1024} MiB; write one entry a line instead`,
        )
      }
      array.push(line)
    } else if (line.trim() === "") continue
    else if (columns !== undefined) yield csvEntry(file, number, columns, line)
    else if (line.trimStart().startsWith("[")) array = [line]
    else if (line.trimStart().startsWith("{")) yield lineEntry(file, number, line)
    else columns = columnsOf(file, line)
  }
  if (array !== undefined) yield* arrayEntries(file, array.join("\n"))
}

const lineEntry = (file: string, number: number, line: string): CountEntry => {
  const place = `${file}, line ${number}`
  return { place, entry: objectIn(place, parsed(place, line)) }
}

function* arrayEntries(file: string, text: string): Generator<CountEntry> {
  const entries = parsed(file, text)
  if (!Array.isArray(entries)) throw new CountFileIsInvalid(`${file}: must be a list of entries`)
  for (const [index, each] of entries.entries()) {
    const place = `${file}, entry ${index + 1}`
    yield { place, entry: objectIn(place, each) }
  }
}

const parsed = (place: string, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new CountFileIsInvalid(`${place}: is not valid JSON`)
  }
}

const objectIn = (place: string, value: unknown): Readonly<Record<string, unknown>> => {
  if (isObject(value)) return value
  throw new CountFileIsInvalid(`${place}: must be an object with at, and two of good, bad and total`)
}

const eventNames = ["good", "bad", "total"]
const columnNames = ["project", "slo", "objective", "at", ...eventNames]

const columnsOf = (file: string, line: string): ReadonlyArray<string> => {
  const names = line.split(",").map(unquoted)
  const place = `${file}, header`
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index)
      throw new CountFileIsInvalid(`${place}: has ${columnNames.includes(name) ? name : "a name"} twice`)
    if (columnNames.includes(name)) continue
    const nearest = nearestName(name, new Set(columnNames))
    const advice =
      nearest === undefined ? `the columns are ${columnNames.join(", ")}` : `did you mean ${nearest}?`
    throw new CountFileIsInvalid(`${place}: column ${index + 1} has an unknown name; ${advice}`)
  }
  if (!names.includes("at")) throw new CountFileIsInvalid(`${place}: has no column at`)
  if (eventNames.filter((name) => names.includes(name)).length < 2) {
    throw new CountFileIsInvalid(`${place}: must have two of the columns ${eventNames.join(", ")}`)
  }
  return names
}

const csvEntry = (file: string, number: number, columns: ReadonlyArray<string>, line: string): CountEntry => {
  const place = `${file}, line ${number}`
  const values = line.split(",").map(unquoted)
  if (values.length !== columns.length) {
    throw new CountFileIsInvalid(`${place}: has ${values.length} values; the header has ${columns.length}`)
  }
  const entry = Object.fromEntries(
    columns.flatMap((name, index): ReadonlyArray<readonly [string, string | number]> => {
      const value = values[index] ?? ""
      if (!eventNames.includes(name)) return value === "" ? [] : [[name, value]]
      const events = parseDecimal(value)
      if (events === undefined) throw new CountFileIsInvalid(`${place}: ${name} must be a number`)
      return [[name, events]]
    }),
  )
  return { place, entry }
}

/** Names, times and numbers contain no commas. */
const unquoted = (value: string): string => value.trim().replace(/^"(.*)"$/, "$1")
