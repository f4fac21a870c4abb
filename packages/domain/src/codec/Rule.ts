import { definitionEntriesMax, entryPath, type IssueList } from "./Issue.ts"
import { nearestName } from "./NearestName.ts"

/**
 * Decodes the value at `path`. Returns `undefined` after adding an issue if the value is invalid.
 *
 * Rules do not stop at the first issue: the other properties of an object are still read, and rules over several
 * properties check those that are valid. No message repeats a value, which may be a secret.
 */
export type Rule<A> = (value: unknown, path: string, issues: IssueList, context?: unknown) => A | undefined

/**
 * A text of at most `max` characters (code points), which `format` matches if there is one.
 *
 * A NUL and a half of a surrogate pair are refused: not every store and no UTF-8 can hold them.
 */
export const text =
  (options: {
    readonly max: number
    readonly format?: { readonly pattern: RegExp; readonly message: string }
  }): Rule<string> =>
  (value, path, issues) => {
    if (typeof value !== "string") {
      const isScalar = typeof value === "number" || typeof value === "boolean"
      return issues.add(
        path,
        "wrong_type",
        isScalar ? "must be a string: put it in quotes" : "must be a string",
      )
    }
    if (isLongerThan(value, options.max)) {
      return issues.add(path, "too_long", `must have at most ${options.max} characters`)
    }
    if (!isStorable(value)) return issues.add(path, "invalid_format", notStorableMessage)
    if (options.format !== undefined && !options.format.pattern.test(value)) {
      return issues.add(path, "invalid_format", options.format.message)
    }
    return value
  }

/** Whether a value is an object with properties, as JSON has it. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether every store can hold a text, and UTF-8 write it. */
export const isStorable = (value: string): boolean => !value.includes("\u0000") && !/\p{Cs}/u.test(value)

/** What to say of a text that is not storable. */
export const notStorableMessage = "must not contain U+0000 or an unpaired surrogate"

/** One of a few words, exactly as written here. */
export const oneOf =
  <const A extends string>(allowed: ReadonlyArray<A>): Rule<A> =>
  (value, path, issues) => {
    const found = allowed.find((word) => word === value)
    if (found !== undefined) return found
    const nearest = typeof value === "string" ? nearestName(value, allowed) : undefined
    const words = allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(", ")}`
    const message =
      nearest === undefined || allowed.length === 1 ? words : `${words}; did you mean ${nearest}?`
    return issues.add(path, "not_allowed_value", message)
  }

/** `true` or `false`. */
export const trueOrFalse: Rule<boolean> = (value, path, issues) =>
  typeof value === "boolean" ? value : issues.add(path, "wrong_type", "must be true or false")

/** A finite number that `isAllowed` lets through; `message` says which those are. */
export const number =
  (isAllowed: (value: number) => boolean, message: string): Rule<number> =>
  (value, path, issues) => {
    if (typeof value !== "number" || Number.isNaN(value))
      return issues.add(path, "wrong_type", "must be a number")
    return Number.isFinite(value) && isAllowed(value) ? value : issues.add(path, "out_of_range", message)
  }

/** How many entries a list has. */
interface ListSize {
  readonly min?: number
  readonly max?: number
}

/** A list of at least `min` and at most `max` entries; `undefined` as soon as one of them cannot be read. */
export const listOf =
  <A>(entry: Rule<A>, { min = 0, max = definitionEntriesMax }: ListSize = {}): Rule<ReadonlyArray<A>> =>
  (value, path, issues) => {
    if (!Array.isArray(value)) return issues.add(path, "wrong_type", "must be a list")
    if (value.length < min)
      issues.add(path, "too_few", `must have at least ${counted(min, "entry", "entries")}`)
    if (value.length > max) {
      return issues.add(path, "too_many", `must have at most ${counted(max, "entry", "entries")}`)
    }
    const entries = value.map((each: unknown, index) => entry(each, entryPath(path, index), issues))
    const read = entries.filter((each) => each !== undefined)
    return read.length === entries.length && read.length >= min ? read : undefined
  }

/** Counts code points, as people and the public clients do, and no further than needed. */
const isLongerThan = (value: string, max: number): boolean => {
  if (value.length <= max) return false
  if (value.length > 2 * max) return true
  return Array.from(value).length > max
}

export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`
