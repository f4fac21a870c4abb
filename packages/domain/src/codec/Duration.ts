import type { Rule } from "./Rule.ts"

/**
 * Reads a duration as Go writes it, in milliseconds; `undefined` for what is none.
 *
 * One or more decimal numbers, each with its unit (`ns`, `us`, `µs`, `ms`, `s`, `m`, `h`), as `90s`, `1h30m` or
 * `1.5h`; or `0`. A sign is allowed, days are not: a week is `168h`. At most 64 characters.
 *
 * Source: decision 0602.
 */
export const durationToMs = (text: string): number | undefined => {
  if (text.length > 64) return undefined
  const [sign, digits] = /^[+-]/.test(text) ? [text[0], text.slice(1)] : ["+", text]
  if (digits === "0") return 0
  if (!wholeDuration.test(digits)) return undefined
  let ms = 0
  for (const [, amount, unit] of digits.matchAll(durationPart)) {
    ms += Number(amount) * (msByUnit.get(unit ?? "") ?? Number.NaN)
  }
  return sign === "-" ? -ms : ms
}

/**
 * A text that is the same for durations of the same length, as most people write them: `5m` for `300s`, `1h30m` for
 * `90m`. What is no duration is as it was.
 */
export const normalDuration = (text: string): string => {
  const ms = durationToMs(text)
  if (ms === undefined) return text
  const length = Math.abs(ms)
  const parts = [
    [Math.floor(length / 3_600_000), "h"],
    [Math.floor((length % 3_600_000) / 60_000), "m"],
    [(length % 60_000) / 1_000, "s"],
  ] as const
  const written = parts.map(([amount, unit]) => (amount === 0 ? "" : `${amount}${unit}`)).join("")
  return written === "" ? "0" : ms < 0 ? `-${written}` : written
}

/** A duration, kept as it is written, whose length in milliseconds `isAllowed` lets through; `message` says which those are. */
export const durationOf =
  (isAllowed: (ms: number) => boolean, message: string): Rule<string> =>
  (value, path, issues) => {
    const ms = typeof value === "string" ? durationToMs(value) : undefined
    if (typeof value !== "string" || ms === undefined) {
      const code = typeof value === "string" ? "invalid_format" : "wrong_type"
      return issues.add(path, code, "must be a duration such as 90s, 5m or 1h30m")
    }
    return isAllowed(ms) ? value : issues.add(path, "out_of_range", message)
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
const wholeDuration = new RegExp(`^(?:${part})+$`)
