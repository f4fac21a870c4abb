import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/**
 * Makes a UUID of version 7 (RFC 9562, section 5.7): the time in milliseconds, then 74 random bits.
 *
 * IDs sort by the millisecond in which they were made. They are not secret.
 */
export const uuidV7: Effect.Effect<string> = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  return formatUuidV7(now, yield* Random.next, yield* Random.next)
})

/**
 * Writes a UUID of version 7 from its time in Unix milliseconds and two random numbers, 0 ≤ number < 1.
 *
 * The first number gives 12 bits before the variant and 14 behind it, the second the other 48.
 */
export const formatUuidV7 = (timeMs: number, a: number, b: number): string => {
  const time = hex(timeMs, 12)
  const bits = Math.floor(a * 2 ** 26)
  const [version, variant] = [0x7000 + (bits >>> 14), 0x8000 + (bits & 0x3fff)]
  return `${time.slice(0, 8)}-${time.slice(8)}-${hex(version, 4)}-${hex(variant, 4)}-${hex(Math.floor(b * 2 ** 48), 12)}`
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")
