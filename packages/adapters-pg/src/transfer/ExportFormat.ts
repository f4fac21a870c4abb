import * as Schema from "effect/Schema"

/** A SHA-256 that is computed step by step, and read in between. */
export interface RunningSha256 {
  readonly update: (text: string) => void
  /** Of everything so far, in hexadecimal. */
  readonly digest: () => string
}

/** The version of the format of exports that is written, and the only one that is read. */
export const formatVersion = 1

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

/** `sha256`: of all bytes of the export before this line, in hexadecimal. */
const ChunkEnd = Schema.Struct({ chunk: Schema.Int, rows: Schema.Int, sha256: Schema.String })

const ExportEnd = Schema.Struct({ chunks: Schema.Int, rows: Schema.Int, sha256: Schema.String })

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
export const exportWriter = (hash: RunningSha256) => {
  let chunks = 0
  let rows = 0
  const line = (value: object | string): string => {
    const text = `${typeof value === "string" ? value : JSON.stringify(value)}\n`
    hash.update(text)
    return text
  }
  const sha256 = () => hash.digest()
  return {
    header: (header: ExportHeader) => line(header),
    chunk: ({ rows: some, ...start }: ExportChunk): string => {
      const text = line(start) + line(some.join("\n"))
      rows += some.length
      return text + line({ chunk: ++chunks, rows: some.length, sha256: sha256() })
    },
    end: () => line({ chunks, rows, sha256: sha256() }),
  }
}

/**
 * Reads the lines of an export: the header, then the chunks, each after its checksum was compared, then the end. Throws
 * `ExportIsInvalid`. Only an export that was read to its end is complete.
 */
export async function* readExport(
  lines: AsyncIterable<string>,
  hash: RunningSha256,
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
  const compare = (sha256: string) => {
    if (hash.digest() !== sha256) throw fail("the checksum differs; the export was changed")
  }
  for await (const line of lines) {
    number++
    if (isEnded) throw fail("follows the end of the export")
    if (number === 1) {
      const header = parse(ExportHeader, line, "the header of an export of Tocsin")
      if (header.formatVersion !== formatVersion) {
        throw fail(
          `the export has format version ${header.formatVersion}, but this version of Tocsin reads ${formatVersion}; upgrade Tocsin`,
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
      compare(end.sha256)
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
      compare(end.sha256)
      if (end.chunks !== chunks || end.rows !== sum) throw fail("does not fit the export")
      isEnded = true
    }
    hash.update(`${line}\n`)
  }
  if (!isEnded) throw new ExportIsInvalid(`the export ends after line ${number}; it is truncated`)
}
