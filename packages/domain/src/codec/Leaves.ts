import * as Schema from "effect/Schema"
import { type Codec, plain, type Reader } from "./Codec.ts"
import type { IssueList } from "./Issue.ts"
import { nearestName } from "./NearestName.ts"

/**
 * A string of at most `max` characters (code points), which must match `format`.
 *
 * U+0000 and unpaired surrogates are rejected: not every store and no UTF-8 can represent them.
 */
export const string = ({ max, format }: StringRules): Codec<string, unknown, string> =>
  plain(
    () => {
      const schema = Schema.String.check(Schema.isMaxCodePoints(max))
      return format === undefined ? schema : schema.check(unicodePattern(format.pattern))
    },
    (value, path, issues) => {
      if (typeof value !== "string") {
        const isScalar = typeof value === "number" || typeof value === "boolean"
        const message = isScalar ? "must be a string: put it in quotes" : "must be a string"
        return issues.add(path, "wrong_type", message)
      }
      if (isLongerThan(value, max)) return issues.add(path, "too_long", `must have at most ${max} characters`)
      if (!isStorable(value)) return issues.add(path, "invalid_format", notStorableMessage)
      if (format === undefined || format.pattern.test(value)) return value
      return issues.add(path, "invalid_format", format.message)
    },
  )

interface StringRules {
  readonly max: number
  readonly format?: { readonly pattern: RegExp; readonly message: string }
}

/** Counts code points, and no further than needed. */
const isLongerThan = (value: string, max: number): boolean => {
  if (value.length <= max) return false
  if (value.length > 2 * max) return true
  return Array.from(value).length > max
}

/** Whether every store and UTF-8 can represent a string. */
export const isStorable = (value: string): boolean => !value.includes("\u0000") && !/\p{Cs}/u.test(value)

export const notStorableMessage = "must not contain U+0000 or an unpaired surrogate"

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a property is present; `null` and `""` are treated as omitted, since clients send them for unset values. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

/** Reads one of a few strings, exactly as listed. */
export const oneOf =
  <const A extends string>(allowed: ReadonlyArray<A>) =>
  (value: unknown, path: string, issues: IssueList): A | undefined => {
    const found = allowed.find((each) => each === value)
    if (found !== undefined) return found
    const rule = choicesRule(allowed)
    if (allowed.length === 1) return issues.add(path, "not_allowed_value", rule)
    const nearest = typeof value === "string" ? nearestName(value, allowed) : undefined
    const message = nearest === undefined ? rule : `${rule}; did you mean ${nearest}?`
    return issues.add(path, "not_allowed_value", message)
  }

const choicesRule = (allowed: ReadonlyArray<string>): string =>
  `must be ${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}`

/** The message about an omitted property, which must be one of a few texts. */
export const requiredRule = (choices: ReadonlyArray<string> = []): string =>
  choices.length === 0 ? "is required" : `is required and ${choicesRule(choices)}`

/**
 * Any string, `""` too: for values that were validated before they were stored, and that no later limit may invalidate.
 */
export const anyString = {
  ...plain<string>(
    () => Schema.String,
    (value, path, issues) =>
      typeof value === "string" ? value : issues.add(path, "wrong_type", "must be a string"),
  ),
  readsAbsent: true as const,
}

/** One of a few strings, exactly as listed. */
export const literals = <const A extends string>(
  allowed: ReadonlyArray<A>,
  read: Reader<A> = oneOf(allowed),
): Codec<A, unknown, A> => ({ ...plain(() => Schema.Literals(allowed), read), choices: allowed })

/** `true` or `false`. */
export const boolean: Codec<boolean, unknown, boolean> = plain(
  () => Schema.Boolean,
  (value, path, issues) =>
    typeof value === "boolean" ? value : issues.add(path, "wrong_type", "must be true or false"),
)

/** The bounds of a number; `min` and `max` are inclusive, `above` and `below` are not. */
interface NumberBounds {
  readonly min?: number
  readonly above?: number
  readonly max?: number
  readonly below?: number
  readonly isInteger?: boolean
  /** A clause to append to the message about a value out of bounds, `; …`, or an empty string. */
  readonly hint?: (value: number) => string
}

/** A finite number within bounds. */
export const number = (bounds: NumberBounds): Codec<number, unknown, number> => {
  const { min, above, max, below, isInteger = false, hint } = bounds
  const isAllowed = (value: number): boolean =>
    (min === undefined || value >= min) &&
    (above === undefined || value > above) &&
    (max === undefined || value <= max) &&
    (below === undefined || value < below) &&
    (isInteger ? Number.isSafeInteger(value) : Number.isFinite(value))
  return plain(
    () => {
      const [first, ...rest] = [
        ...(min === undefined ? [] : [Schema.isGreaterThanOrEqualTo(min)]),
        ...(above === undefined ? [] : [Schema.isGreaterThan(above)]),
        ...(max === undefined ? [] : [Schema.isLessThanOrEqualTo(max)]),
        ...(below === undefined ? [] : [Schema.isLessThan(below)]),
      ]
      const schema = isInteger ? Schema.Int : Schema.Finite
      return first === undefined ? schema : schema.check(first, ...rest)
    },
    (value, path, issues) => {
      if (typeof value !== "number" || Number.isNaN(value)) {
        return issues.add(path, "wrong_type", `must be a number${numberHint(value)}`)
      }
      return isAllowed(value)
        ? value
        : issues.add(path, "out_of_range", boundsMessage(bounds) + (hint?.(value) ?? ""))
    },
  )
}

/** How to write the number that a text probably means. */
const numberHint = (value: unknown): string => {
  if (typeof value !== "string") return ""
  const [, digits, suffix = ""] = /^([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(%|[A-Za-z]*)$/.exec(value.trim()) ?? []
  if (digits === undefined) return ""
  if (suffix === "") return `: write ${digits} without quotation marks`
  return suffix === "%"
    ? `: write ${digits}% as ${Number((Number(digits) / 100).toPrecision(15))}`
    : `: write ${digits} without "${suffix}"`
}

const boundsMessage = ({ min, above, max, below, isInteger }: NumberBounds): string => {
  const limits = [
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(above === undefined ? [] : [`more than ${above}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(below === undefined ? [] : [`less than ${below}`]),
  ].join(" and ")
  if (isInteger !== true) return limits === "" ? "must be finite" : `must be ${limits}`
  return `must be an integer${limits === "" ? "" : ` of ${limits}`}`
}

/** A pattern check that is kept in JSON Schema, which drops a pattern without the flag `u`. */
export const unicodePattern = ({ source }: RegExp) => Schema.isPattern(new RegExp(source, "u"))
