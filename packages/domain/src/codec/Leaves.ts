import * as Schema from "effect/Schema"
import { type Codec, plain } from "./Codec.ts"
import { number as numberRule, oneOf, type Rule, text, trueOrFalse } from "./Rule.ts"

/** A string of at most `max` characters (code points), which `format` matches if there is one. */
export const string = (options: {
  readonly max: number
  readonly format?: { readonly pattern: RegExp; readonly message: string }
}): Codec<string> =>
  plain(() => {
    const schema = Schema.String.check(Schema.isMaxCodePoints(options.max))
    return options.format === undefined ? schema : schema.check(unicodePattern(options.format.pattern))
  }, text(options))

/** One of a few strings, exactly as written here. */
export const literals = <const A extends string>(
  allowed: ReadonlyArray<A>,
  rule: Rule<A> = oneOf(allowed),
): Codec<A> => plain(() => Schema.Literals(allowed), rule)

/** `true` or `false`. */
export const boolean: Codec<boolean> = plain(() => Schema.Boolean, trueOrFalse)

/** The bounds of a number; `min` and `max` are allowed themselves, `above` and `below` are not. */
export interface NumberBounds {
  readonly min?: number
  readonly above?: number
  readonly max?: number
  readonly below?: number
  readonly isInteger?: boolean
}

/** A finite number within bounds. */
export const number = (bounds: NumberBounds): Codec<number> => {
  const { min, above, max, below, isInteger = false } = bounds
  return plain(
    () => {
      const checks = [
        ...(min === undefined ? [] : [Schema.isGreaterThanOrEqualTo(min)]),
        ...(above === undefined ? [] : [Schema.isGreaterThan(above)]),
        ...(max === undefined ? [] : [Schema.isLessThanOrEqualTo(max)]),
        ...(below === undefined ? [] : [Schema.isLessThan(below)]),
      ]
      const schema = isInteger ? Schema.Int : Schema.Finite
      const [first, ...rest] = checks
      return first === undefined ? schema : schema.check(first, ...rest)
    },
    numberRule(
      (value) =>
        (min === undefined || value >= min) &&
        (above === undefined || value > above) &&
        (max === undefined || value <= max) &&
        (below === undefined || value < below) &&
        (!isInteger || Number.isSafeInteger(value)),
      boundsMessage(bounds),
    ),
  )
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

/** A check that the JSON Schema has, too: a pattern without the flag `u` would be left out of it. */
export const unicodePattern = ({ source }: RegExp) => Schema.isPattern(new RegExp(source, "u"))
