/**
 * Parses a duration in Go syntax, such as `90s`, `1h30m`, `1.5h` or `0`, into milliseconds; the units are
 * `ns`, `us`, `µs`, `ms`, `s`, `m` and `h`. At most 64 characters.
 */
export const durationToMs = (text: string): number | undefined => {
  if (text.length > 64) return undefined
  if (!wholeDuration.test(text)) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(durationPart)) {
    ms += Number(amount) * (msByUnit.get(unit ?? "") ?? Number.NaN)
  }
  // A bare 0 is not -0, whatever its sign.
  return text.startsWith("-") && ms !== 0 ? -ms : ms
}

/** A duration with its original text. */
export interface Duration {
  /** As written, such as `1h30m`. */
  readonly text: string
  /** Milliseconds. */
  readonly ms: number
}

/** A duration from a constant. */
export const durationOf = (text: string): Duration => {
  const ms = durationToMs(text)
  if (ms === undefined) throw new TypeError(`Not a duration: ${text}`)
  return { text, ms }
}

/** The same text for equal durations: `5m` for `300s`, `1h30m` for `90m`. */
export const normalDuration = (ms: number): string => {
  const length = Math.abs(ms)
  const parts = [
    [Math.floor(length / 3_600_000), "h"],
    [Math.floor((length % 3_600_000) / 60_000), "m"],
    [(length % 60_000) / 1_000, "s"],
  ] as const
  const written = parts.map(([amount, unit]) => (amount === 0 ? "" : `${amount}${unit}`)).join("")
  return written === "" ? "0" : ms < 0 ? `-${written}` : written
}

const msByUnit: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["\u00b5s", 1e-3],
  ["\u03bcs", 1e-3],
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
])

// The unit `ms` is tried before `m`.
const part = "(\\d+\\.?\\d*|\\.\\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)"
const durationPart = new RegExp(part, "g")
/** Of a duration in Go syntax. */
export const wholeDuration = new RegExp(`^[+-]?(?:0|(?:${part})+)$`)
