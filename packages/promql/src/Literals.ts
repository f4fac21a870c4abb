/** Reads a number of PromQL, which can be a duration, as seconds; `undefined` if it is none. */
export const readNumber = (text: string): number | undefined => {
  const [, sign, digits = ""] = /^([-+]?)\s*(.*)$/s.exec(text) ?? []
  const value = unsigned(digits.toLowerCase())
  return value === undefined ? undefined : sign === "-" ? -value : value
}

const unsigned = (text: string): number | undefined => {
  if (text === "inf" || text === "+inf") return Infinity
  if (text === "nan") return Number.NaN
  if (/^0x[0-9a-f]+$/.test(text)) return Number.parseInt(text, 16)
  // As in Go, a number that begins with 0 is octal.
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8)
  if (/^[\d_.]+(?:e[-+]?\d+)?$/.test(text)) {
    const value = Number(text.replaceAll("_", ""))
    return Number.isNaN(value) ? undefined : value
  }
  const ms = durationToMs(text)
  return ms === undefined ? undefined : ms / 1_000
}

const unitMs = {
  y: 365 * 86_400_000,
  w: 7 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
} as const

/** Longest duration, in milliseconds: about 292 years, as in Prometheus. */
const durationMaxMs = 2 ** 63 / 1_000_000

/** A duration such as `1h30m` or `90`, which are seconds, in milliseconds; `undefined` if it is none. */
export const durationToMs = (text: string): number | undefined => {
  const trimmed = text.trim()
  const units = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(
    trimmed,
  )
  const ms =
    trimmed !== "" && units !== null
      ? Object.values(unitMs).reduce((sum, unit, index) => sum + unit * Number(units[index + 1] ?? 0), 0)
      : /^[\d_]*\.?\d+(?:[eE][-+]?\d+)?$/.test(trimmed)
        ? Math.round(Number(trimmed.replaceAll("_", "")) * 1_000)
        : Number.NaN
  return ms <= durationMaxMs ? ms : undefined
}

/** Reads a string in double quotes, single quotes or backticks; `undefined` if it is none. */
export const readString = (text: string): string | undefined => {
  const quote = text[0] ?? ""
  if (text.length < 2 || !text.endsWith(quote)) return undefined
  const inside = text.slice(1, -1)
  if (quote === "`") return inside
  let isValid = true
  const value = inside.replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([^]?))/g,
    (_, hex: string, unicode: string, long: string, octal: string, escape: string) => {
      const code = hex ?? unicode ?? long
      if (code !== undefined || octal !== undefined) {
        const point = code === undefined ? Number.parseInt(octal, 8) : Number.parseInt(code, 16)
        isValid &&= point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
        return isValid ? String.fromCodePoint(point) : ""
      }
      const control = escapes[escape] ?? (escape === quote ? quote : undefined)
      isValid &&= control !== undefined
      return control ?? ""
    },
  )
  return isValid ? value : undefined
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
}
