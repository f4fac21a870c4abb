import * as Schema from "effect/Schema"

/** A message authentication code that is computed step by step, and read in between. */
export interface RunningMac {
  /** Adds a part of the export, in the order written. */
  readonly update: (text: string) => void
  /** HMAC-SHA256 of the SHA-256 of everything so far, in hexadecimal. Its key is derived from the master key. */
  readonly digest: () => string
  /** Whether this is the code of everything so far, also under a previous master key. */
  readonly matches: (mac: string) => boolean
}

/** The version of the format of exports that is written, and the only one that is read. */
export const formatVersion = 2

/** Most rows of a chunk of an export. */
export const chunkRowsMax = 1_000
/** A chunk of an export ends with the row that exceeds this many characters. */
export const chunkLengthMax = 1_000_000

/** The first line of an export. */
export const ExportHeader = Schema.Struct({
  format: Schema.Literal("tocsin-export"),
  formatVersion: Schema.Int,
  schemaVersion: Schema.Int,
  /** Identifies the export when its import is continued. */
  id: Schema.NonEmptyString,
  exportedAt: Schema.String,
  /** The keys that secrets are encrypted with; `sealed` in hexadecimal. */
  sealingKeys: Schema.Array(Schema.Struct({ keyId: Schema.String, sealed: Schema.String })),
})

const ChunkStart = Schema.Struct({
  table: Schema.String,
  /** Absent: a table of the installation. */
  organization: Schema.optionalKey(Schema.String),
  columns: Schema.Array(Schema.String),
})

/** `mac`: of all bytes of the export before this line, as `RunningMac` computes it. */
const ChunkEnd = Schema.Struct({ chunk: Schema.Int, rows: Schema.Int, mac: Schema.String })

const ExportEnd = Schema.Struct({ chunks: Schema.Int, rows: Schema.Int, mac: Schema.String })

export type ExportHeader = typeof ExportHeader.Type

/** Rows of a table; each is a JSON array of the values of `columns`: null, or a string in PostgreSQL's text form. */
export interface ExportChunk {
  readonly table: string
  readonly organization?: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<string>
}

/** An export cannot be read: it is truncated, changed, or of another format. */
export class ExportIsInvalid extends Error {}

/** Writes the lines of an export. */
export const exportWriter = (running: RunningMac) => {
  let chunks = 0
  let rows = 0
  const line = (value: object | string): string => {
    const text = `${typeof value === "string" ? value : JSON.stringify(value)}\n`
    running.update(text)
    return text
  }
  const mac = () => running.digest()
  return {
    header: (header: ExportHeader) => line(header),
    chunk: ({ rows: some, ...start }: ExportChunk): string => {
      const text = line(start) + line(some.join("\n"))
      rows += some.length
      return text + line({ chunk: ++chunks, rows: some.length, mac: mac() })
    },
    end: () => line({ chunks, rows, mac: mac() }),
  }
}

/**
 * Reads the lines of an export: the header, then the chunks, each after its authentication code was compared, then the end. Throws
 * `ExportIsInvalid`. Only an export that was read to its end is complete.
 */
export async function* readExport(
  lines: AsyncIterable<string>,
  running: RunningMac,
): AsyncGenerator<ExportHeader | ExportChunk> {
  let number = 0
  let chunks = 0
  let sum = 0
  let start: typeof ChunkStart.Type | undefined
  let rows: Array<string> = []
  let length = 0
  let isEnded = false
  const fail = (problem: string) => new ExportIsInvalid(`line ${number}: ${problem}`)
  const parse = <A>(schema: Schema.ConstraintDecoder<A>, text: string, name: string): A => {
    try {
      return Schema.decodeUnknownSync(schema)(JSON.parse(text))
    } catch {
      throw fail(`is not ${name}; the export is damaged`)
    }
  }
  const compare = (mac: string) => {
    if (!running.matches(mac))
      throw fail(
        "the authentication code differs: the export was changed, or TOCSIN_MASTER_KEY is not the master key of the exported database",
      )
  }
  for await (const line of lines) {
    number++
    if (isEnded) throw fail("follows the end of the export")
    if (number === 1) {
      const header = parse(ExportHeader, line, "the header of an export of Tocsin")
      if (header.formatVersion !== formatVersion) {
        throw fail(
          `the export has format version ${header.formatVersion}, but this version of Tocsin reads ${formatVersion}; ${header.formatVersion > formatVersion ? "upgrade Tocsin" : "export the database again with this version"}`,
        )
      }
      yield header
    } else if (line.startsWith("[")) {
      if (start === undefined) throw fail("is a row outside a chunk; the export is damaged")
      rows.push(line)
      length += line.length
      if (rows.length > chunkRowsMax || length > chunkLengthMax + line.length) {
        throw fail("the chunk is too large; the export is damaged")
      }
    } else if (start !== undefined) {
      const end = parse(ChunkEnd, line, "the end of a chunk")
      compare(end.mac)
      if (end.chunk !== chunks + 1 || end.rows !== rows.length) throw fail("does not fit its chunk")
      chunks++
      sum += rows.length
      yield { ...start, rows }
      start = undefined
      rows = []
      length = 0
    } else if (line.startsWith('{"table"')) start = parse(ChunkStart, line, "the start of a chunk")
    else {
      const end = parse(ExportEnd, line, "the end of an export")
      compare(end.mac)
      if (end.chunks !== chunks || end.rows !== sum) throw fail("does not fit the export")
      isEnded = true
    }
    running.update(`${line}\n`)
  }
  if (!isEnded) throw new ExportIsInvalid(`the export ends after line ${number}; it is truncated`)
}
