import { Limits } from "../Limits.ts"
import { entryPath, type IssueList, joinPaths, propertyPath } from "./Issue.ts"
import { nearestName } from "./NearestName.ts"

/**
 * Reads a value that stands at `path`: answers what it says, or `undefined` after adding why it says nothing.
 *
 * Rules never stop at the first issue: whoever reads an object goes on with its other properties, and rules over
 * several properties check those that could be read. No message repeats a value, which may be a secret.
 *
 * Source: decision 0111.
 */
export type Rule<A> = (value: unknown, path: string, issues: IssueList) => A | undefined

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
      return issues.add(path, "wrong_type", isScalar ? "must be text: put it in quotes" : "must be text")
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

/** Whether every store can hold a text, and UTF-8 write it. */
export const isStorable = (value: string): boolean => !value.includes("\u0000") && !/\p{Cs}/u.test(value)

/** What to say of a text that is not storable. */
export const notStorableMessage = "must not contain U+0000 or a half of a surrogate pair"

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
  <A>(
    entry: Rule<A>,
    { min = 0, max = Limits.definitionEntriesMax }: ListSize = {},
  ): Rule<ReadonlyArray<A>> =>
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

/**
 * A list as `listOf` reads it, whose entries differ in the text that `textOf` makes of each; one that has the text of an
 * entry before it is an issue, at its property `at` if that is said.
 */
export const distinctListOf =
  <A>(
    entry: Rule<A>,
    textOf: (read: A, index: number) => string,
    { at = "", ...size }: ListSize & { readonly at?: string } = {},
  ): Rule<ReadonlyArray<A>> =>
  (value, path, issues) => {
    const entries = listOf(entry, size)(value, path, issues)
    if (entries === undefined) return undefined
    const seen = new Set<string>()
    for (const [index, text] of entries.map(textOf).entries()) {
      const place = joinPaths(entryPath(path, index), at)
      if (seen.has(text)) issues.add(place, "duplicate", "must be unique: the same stands before")
      seen.add(text)
    }
    return entries
  }

/** A map with keys that `key` reads and values that `entry` reads; in the order written. */
export const mapOf =
  <A>(key: Rule<string>, entry: Rule<A>): Rule<Readonly<Record<string, A>>> =>
  (value, path, issues) => {
    if (!isObject(value)) return issues.add(path, "wrong_type", "must be a map of keys to values")
    const names = Object.keys(value)
    if (names.length > Limits.definitionEntriesMax) {
      return issues.add(path, "too_many", `must have at most ${Limits.definitionEntriesMax} keys`)
    }
    const entries: Array<readonly [string, A]> = []
    for (const name of names) {
      const at = propertyPath(path, name)
      const isKey = key(name, at, issues) !== undefined
      const read = entry(value[name], at, issues)
      if (isKey && read !== undefined) entries.push([name, read])
    }
    return entries.length === names.length ? Object.fromEntries(entries) : undefined
  }

/** An object whose properties `read` asks for; every other property is an issue. */
export const objectOf =
  <A>(read: (reader: ObjectReader) => A | undefined): Rule<A> =>
  (value, path, issues) => {
    if (!isObject(value)) return issues.add(path, "wrong_type", "must be an object with properties")
    const reader = new ObjectReader(value, path, issues)
    const result = read(reader)
    reader.refuseUnknown()
    return result
  }

/**
 * Reads the properties of one object, and so learns which ones there can be.
 *
 * `null` and `""` count as absent, since clients write them for what is not set. Only own properties are seen.
 */
export class ObjectReader {
  readonly path: string
  readonly issues: IssueList
  readonly #object: Readonly<Record<string, unknown>>
  readonly #known = new Set<string>()
  readonly #ignored = new Set<string>()

  constructor(object: Readonly<Record<string, unknown>>, path: string, issues: IssueList) {
    this.#object = object
    this.path = path
    this.issues = issues
  }

  required<A>(name: string, rule: Rule<A>): A | undefined {
    if (this.has(name)) return this.optional(name, rule)
    return this.issues.add(this.at(name), "required", "is required")
  }

  optional<A>(name: string, rule: Rule<A>): A | undefined {
    return this.has(name) ? rule(this.#object[name], this.at(name), this.issues) : undefined
  }

  /** Reads a property for which `""` is a value like any other. */
  optionalOrEmpty<A>(name: string, rule: Rule<A>): A | undefined {
    return this.has(name) || this.valueOf(name) === ""
      ? rule(this.#object[name], this.at(name), this.issues)
      : undefined
  }

  /** Reads a property for which `null` and `""` do not count as absent. */
  optionalAsGiven<A>(name: string, rule: Rule<A>): A | undefined {
    const value = this.valueOf(name)
    return value === undefined ? undefined : rule(value, this.at(name), this.issues)
  }

  /** Whether the object has the property with a value that counts. */
  has(name: string): boolean {
    const value = this.valueOf(name)
    return value !== undefined && value !== null && value !== ""
  }

  /** What the property says, unread; `undefined` when there is none. */
  valueOf(name: string): unknown {
    this.#known.add(name)
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined
  }

  /** Lets a property be there without reading it, and without telling that there is one. */
  ignore(name: string): void {
    this.#ignored.add(name)
  }

  at(name: string): string {
    return propertyPath(this.path, name)
  }

  refuseUnknown(): void {
    for (const name of Object.keys(this.#object)) {
      if (this.issues.isFull) return
      if (this.#known.has(name) || this.#ignored.has(name)) continue
      const words = `the properties are ${[...this.#known].join(", ")}`
      // A slip of the pen can make a secret part of a name (`{url:https://…}`): only what looks like a name is told.
      if (!/^[A-Za-z_$][\w$.-]{0,63}$/.test(name)) {
        this.issues.add(this.path, "unknown_property", `has a property whose name is none; ${words}`)
        continue
      }
      const nearest = nearestName(name, this.#known)
      const advice = nearest === undefined ? words : `did you mean ${nearest}?`
      this.issues.add(this.at(name), "unknown_property", `is not a property here; ${advice}`)
    }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Counts code points, as people and the public clients do, and no further than needed. */
const isLongerThan = (value: string, max: number): boolean => {
  if (value.length <= max) return false
  if (value.length > 2 * max) return true
  return Array.from(value).length > max
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`
