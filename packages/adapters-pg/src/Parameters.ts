import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"

/**
 * The types of the driver, with one difference: a `bigint` is read and written as a number.
 *
 * Every `bigint` column holds a time in milliseconds or a count, far below 2^53.
 */
export const types: PgTypes.Registry = PgTypes.makeRegistry()

const twoTo32 = 2 ** 32

const readBigint = (bytes: Uint8Array, offset: number): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 8)
  return view.getInt32(0) * twoTo32 + view.getUint32(4)
}

const writeBigint = (value: number | bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
  return bytes
}

types.register<number | bigint>(
  PgTypes.OID.int8,
  {
    encode: (value) => Result.succeed(writeBigint(value)),
    decode: (bytes) => Result.succeed(readBigint(bytes, 0)),
    read: (bytes, offset) => Result.succeed(readBigint(bytes, offset)),
  },
  { arrayOid: PgTypes.OID.int8Array },
)

/**
 * Gives the function that makes a parameter of an array type.
 *
 * The driver infers the type of an array from its elements, which fails for nulls alone and for numbers of different
 * sizes. An array whose type is named can hold both.
 */
const arrayOf =
  <A>(elementOid: number) =>
  (values: ReadonlyArray<A | null>): PgTypes.Parameter =>
    Result.getOrThrow(PgTypes.array(values, elementOid, types))

export const texts = arrayOf<string>(PgTypes.OID.text)
export const uuids = arrayOf<string>(PgTypes.OID.uuid)
export const booleans = arrayOf<boolean>(PgTypes.OID.bool)
export const integers = arrayOf<number>(PgTypes.OID.int4)
export const bigints = arrayOf<number>(PgTypes.OID.int8)
export const doubles = arrayOf<number>(PgTypes.OID.float8)
export const byteas = arrayOf<Uint8Array>(PgTypes.OID.bytea)
export const jsonbs = arrayOf<unknown>(PgTypes.OID.jsonb)
