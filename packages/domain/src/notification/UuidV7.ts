import { Clock, Effect, Random } from "effect"

/**
 * Makes a UUID of version 7: the time in milliseconds, then 74 random bits.
 *
 * IDs sort by the millisecond they were made in. They name things; they are not secrets.
 *
 * Source: RFC 9562 section 5.7; decision 0302.
 */
export const uuidV7: Effect.Effect<string> = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const a = yield* Random.nextIntBetween(0, 2 ** 12)
  const b = yield* Random.nextIntBetween(0, 2 ** 30)
  const c = yield* Random.nextIntBetween(0, 2 ** 32)
  return formatUuidV7(now, a, b, c)
})

/**
 * Writes a UUID of version 7 from its time in Unix milliseconds and 12, 30 and 32 random bits.
 *
 * Source: RFC 9562 section 5.7.
 */
export const formatUuidV7 = (timeMs: number, a: number, b: number, c: number): string => {
  const time = hex(timeMs, 12)
  const variantAndB = hex(0x8000_0000 + b, 8)
  return (
    `${time.slice(0, 8)}-${time.slice(8)}-7${hex(a, 3)}-${variantAndB.slice(0, 4)}-` +
    `${variantAndB.slice(4)}${hex(c, 8)}`
  )
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")
