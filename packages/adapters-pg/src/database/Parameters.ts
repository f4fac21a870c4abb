import * as PgTypes from "@effect/sql-pg/PgTypes"
import type { DefinitionKey, ProjectKey } from "@tocsin/domain/kernel"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * The types of the driver, except that a `bigint` is read and written as a number.
 *
 * Every `bigint` column holds a time in milliseconds or a count, far below 2^53.
 */
export const types: PgTypes.Registry = PgTypes.makeRegistry()

const twoTo32 = 2 ** 32

const readInt32 = (bytes: Uint8Array, offset: number): number =>
  ((bytes[offset] ?? 0) << 24) |
  ((bytes[offset + 1] ?? 0) << 16) |
  ((bytes[offset + 2] ?? 0) << 8) |
  (bytes[offset + 3] ?? 0)

const readNumber = (bytes: Uint8Array, offset: number): number =>
  readInt32(bytes, offset) * twoTo32 + (readInt32(bytes, offset + 4) >>> 0)

types.register<number | bigint>(
  PgTypes.OID.int8,
  {
    encode: (value) => {
      const bytes = new Uint8Array(8)
      new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
      return Result.succeed(bytes)
    },
    write: (sink, value) => {
      const number = Number(value)
      sink.int32(Math.floor(number / twoTo32))
      sink.int32(number | 0)
      return Result.void
    },
    decode: (bytes) => Result.succeed(readNumber(bytes, 0)),
    read: (bytes, offset) => Result.succeed(readNumber(bytes, offset)),
  },
  { arrayOid: PgTypes.OID.int8Array },
)

/**
 * Makes the function that encodes an array as a parameter.
 *
 * The driver infers the type of an array from its elements, which fails when all are null, or numbers of different sizes.
 */
const arrayOf =
  <A>(elementOid: number) =>
  (values: ReadonlyArray<A | null>): PgTypes.Parameter =>
    Result.getOrThrow(PgTypes.array(values, elementOid, types))

export const texts = arrayOf<string>(PgTypes.OID.text)
export const booleans = arrayOf<boolean>(PgTypes.OID.bool)
export const integers = arrayOf<number>(PgTypes.OID.int4)
export const bigints = arrayOf<number>(PgTypes.OID.int8)
export const doubles = arrayOf<number>(PgTypes.OID.float8)
export const byteas = arrayOf<Uint8Array>(PgTypes.OID.bytea)
export const jsonbs = arrayOf<unknown>(PgTypes.OID.jsonb)

/**
 * Makes a string safe as a parameter. PostgreSQL rejects U+0000, so no stored string contains it; with U+FFFD instead,
 * the search finds nothing either, as stored names are ASCII.
 */
export const searchText = (text: string): string => text.replaceAll("\u0000", "\uFFFD")

/** The projects and the names of keys, as two parameters of `unnest`. */
export const keyArrays = (sql: SqlClient.SqlClient, keys: ReadonlyArray<ProjectKey>): Fragment =>
  sql`${texts(keys.map(({ project }) => searchText(project)))}, ${texts(keys.map(({ name }) => searchText(name)))}`

/** Keys as the table `k` in FROM. */
export const keysTable = (sql: SqlClient.SqlClient, keys: ReadonlyArray<DefinitionKey>): Fragment =>
  sql`unnest(
    ${texts(keys.map(({ kind }) => kind))}, ${keyArrays(sql, keys)}) AS k (kind, project, name)`
