import * as Schema from "effect/Schema"
import {
  isObject,
  isPlainName,
  type IssueList,
  list,
  nearestName,
  plain,
  propertyPath,
} from "@tocsin/domain/codec"

/** Reads the value at `path`; returns `undefined` after adding an issue if it is invalid. */
export type Rule<A> = (value: unknown, path: string, issues: IssueList, context?: unknown) => A | undefined

/** A list whose entries `entry` reads. */
export const listOf = <A>(
  entry: Rule<A>,
  size: { readonly min?: number; readonly max?: number } = {},
): Rule<ReadonlyArray<A>> =>
  list(
    plain(() => Schema.Unknown, entry),
    size,
  ).read

/** An object of which `read` reads every allowed property; others are rejected. */
export const objectOf = <A>(read: (reader: ObjectReader) => A | undefined): Rule<A> =>
  lenientObjectOf((reader) => {
    const result = read(reader)
    reader.rejectUnknown()
    return result
  })

/** An object that can have other properties. */
export const lenientObjectOf =
  <A>(read: (reader: ObjectReader) => A | undefined): Rule<A> =>
  (value, path, issues) =>
    isObject(value)
      ? read(new ObjectReader(value, path, issues))
      : issues.add(path, "wrong_type", "must be an object")

/**
 * Reads the properties of one object, and records which ones are known.
 *
 * `null` and `""` are treated as omitted, since clients send them for unset values.
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

  has(name: string): boolean {
    const value = this.valueOf(name)
    return value !== undefined && value !== null && value !== ""
  }

  valueOf(name: string): unknown {
    this.#known.add(name)
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined
  }

  /** Allows a property without reading it. */
  ignore(name: string): void {
    this.#ignored.add(name)
  }

  at(name: string): string {
    return propertyPath(this.path, name)
  }

  rejectUnknown(): void {
    for (const name of Object.keys(this.#object)) {
      if (this.issues.isFull) return
      if (this.#known.has(name) || this.#ignored.has(name)) continue
      const words = `the properties are ${[...this.#known].join(", ")}`
      // A typo can put a secret into a name (`{url:https://…}`): only what looks like a name is reported.
      if (!isPlainName(name)) {
        this.issues.add(this.path, "unknown_property", `has a property with an invalid name; ${words}`)
        continue
      }
      const nearest = nearestName(name, this.#known)
      const advice = nearest === undefined ? words : `did you mean ${nearest}?`
      this.issues.add(this.at(name), "unknown_property", `is not a property of this object; ${advice}`)
    }
  }
}
