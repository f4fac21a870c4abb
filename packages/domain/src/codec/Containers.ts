import * as Schema from "effect/Schema"
import {
  type Codec,
  type JsonOf,
  mapped,
  once,
  type SealedSecrets,
  type TypeOf,
  type WireSchema,
} from "./Codec.ts"
import {
  definitionEntriesMax,
  entryPath,
  isPlainName,
  type IssueList,
  joinPaths,
  propertyPath,
} from "./Issue.ts"
import { nearestName } from "./NearestName.ts"
import type { Parts } from "../work/Parts.ts"
import { isGiven, isObject, oneOf, requiredRule } from "./Leaves.ts"

/** An optional property. */
export interface OptionalField<A, in C, HasDefault extends boolean, out J = unknown> {
  /** Of its value. */
  readonly codec: Codec<A, C, J>
  /** Writes its value. */
  readonly write: Codec<A, C>["write"]
  /** Whether it always has a value. */
  readonly hasDefault: HasDefault
  /** What is read when it is omitted. */
  readonly options: OptionalOptions<A>
}

interface OptionalOptions<A> {
  /** The value of an omitted property. */
  readonly default?: (() => A) | undefined
  /** Values that are not stored or written. */
  readonly isEmpty?: ((value: A) => boolean) | undefined
  /** Values treated as omitted. Default: `null` and `""`. */
  readonly absent?: "null" | "none" | undefined
  /** Whether the property is always rejected. */
  readonly isNotAllowed?: boolean
}

/** For `isEmpty` of a list. */
export const hasNoEntries = (entries: ReadonlyArray<unknown>): boolean => entries.length === 0

/** A property that an object can omit. By default, `null` and `""` are treated as omitted. */
export const optional: {
  <A, C, J>(
    codec: Codec<A, C, J>,
    options: OptionalOptions<A> & { readonly default: () => NoInfer<A> },
  ): OptionalField<A, C, true, J>
  <A, C, J>(codec: Codec<A, C, J>, options?: OptionalOptions<NoInfer<A>>): OptionalField<A, C, false, J>
} = <A, C, J>(codec: Codec<A, C, J>, options: OptionalOptions<A> = {}): OptionalField<A, C, never, J> => ({
  codec,
  write: codec.write,
  hasDefault: (options.default !== undefined) as never,
  options,
})

/** A property that an object can omit; `null` and `""` are values. */
export const exactOptional = <A, C, J>(codec: Codec<A, C, J>): OptionalField<A, C, false, J> =>
  optional(codec, { absent: "none" })

/** A property of other variants; `reason` is the message that rejects it. */
export const notAllowed = (reason: string): OptionalField<undefined, unknown, false, never> =>
  optional<undefined, unknown, never>(
    {
      read: (_, path, issues) => issues.add(path, "not_allowed_value", reason),
      write: (value) => value,
      schema: once(() => Schema.Never),
    },
    { isNotAllowed: true },
  )

/** A property of stored documents only, which the service writes itself; `sealed` says that a document was stored. */
export const storedOnly = <A, C>(codec: Codec<A, C>): OptionalField<A, C & SealedSecrets, false, never> =>
  optional<A, C & SealedSecrets, never>(
    {
      read: (input, path, issues, context) =>
        context.sealed === undefined
          ? issues.add(path, "unknown_property", "is not a property of this object")
          : codec.read(input, path, issues, context),
      write: (value, options) => (options.isStored === true ? codec.write(value, options) : undefined),
      schema: once(codec.schema),
    },
    { isNotAllowed: true },
  )

/** A required property whose codec also reads an omitted value, so that the context can supply a default. */
export const always = <A, C, J>(codec: Codec<A, C, J>): Codec<A, C, J> & { readonly readsAbsent: true } => ({
  ...codec,
  readsAbsent: true,
})

/** The properties of an object, by name; a codec alone is a property that is required. */
// oxlint-disable-next-line typescript/no-explicit-any -- a bound that every field is within, whatever it reads
export type Fields = Readonly<Record<string, Codec<any, any> | OptionalField<any, any, boolean>>>

/** The type of an object with these properties. */
export type FieldTypes<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { readonly hasDefault: false } ? never : K]: TypeOf<F[K]>
} & {
  readonly [K in keyof F as F[K] extends { readonly hasDefault: false } ? K : never]?: TypeOf<F[K]>
} extends infer O
  ? { readonly [K in keyof O]: O[K] }
  : never

/** The properties of the JSON of an object. */
export type FieldJson<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { readonly hasDefault: boolean } ? never : K]: FieldJsonOf<F[K]>
} & {
  readonly [K in keyof F as F[K] extends { readonly hasDefault: boolean } ? K : never]?:
    FieldJsonOf<F[K]> | undefined
} extends infer O
  ? { readonly [K in keyof O]: O[K] }
  : never

type FieldJsonOf<S> = S extends { readonly codec: infer T } ? JsonOf<T> : JsonOf<S>

export type FieldContext<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Codec<infer _, infer C> | OptionalField<infer _, infer C, boolean>
    ? (context: C) => void
    : never
}[keyof F] extends (context: infer C) => void
  ? C
  : never

/** An object as rules over several of its properties see it. */
export interface ObjectPlace<A, out C> {
  /** The valid properties. */
  readonly value: Partial<A>
  /** Whether a property is present, valid or not. */
  readonly has: (name: keyof A & string) => boolean
  /** The raw value of a property. */
  readonly given: (name: keyof A & string) => unknown
  /** The path of a property. */
  readonly at: (name: string) => string
  /** The path of the object. */
  readonly path: string
  /** Takes what the rules find. */
  readonly issues: IssueList
  /** What codecs of the document are given, such as the time. */
  readonly context: C
}

/** The rule that one of two properties is given, and not both. */
export const eitherOf =
  <const N extends string>(first: N, second: N) =>
  ({
    has,
    at,
    path,
    issues,
  }: Pick<ObjectPlace<Readonly<Record<N, unknown>>, unknown>, "has" | "at" | "path" | "issues">): void => {
    if (has(first) && has(second)) {
      issues.add(path, "mutually_exclusive", `must have either ${first} or ${second}, not both`)
    } else if (!has(first) && !has(second)) {
      issues.add(at(first), "required", `is required, unless ${second} is given`)
    }
  }

interface ObjectOptions<A, C> {
  /** Run even if some properties have issues. */
  readonly rules?: (place: ObjectPlace<A, C>) => void
  /** Properties that are allowed and not read. */
  readonly ignored?: ReadonlyArray<string>
  /** Whether unknown properties are ignored instead of rejected. */
  readonly isOpen?: boolean
  /** What to write instead of another type. */
  readonly example?: string
}

/** Reads each property, checks the rules, then rejects unknown properties. */
export const object = <const F extends Fields, C = unknown>(
  fields: F,
  options: ObjectOptions<FieldTypes<F>, C> = {},
): Codec<FieldTypes<F>, FieldContext<F> & C, FieldJson<F>> => {
  const properties = Object.entries(fields).map(([name, field]): Property => {
    const isRequired = !("codec" in field)
    return {
      name,
      isRequired,
      readsAbsent: "readsAbsent" in field,
      codec: isRequired ? field : field.codec,
      options: isRequired ? {} : field.options,
    }
  })
  const names = new Set(properties.map(({ name }) => name))
  const propertyByName = new Map(properties.map((property) => [property.name, property]))
  const ignored = new Set(options.ignored)
  const typeRule = `must be an object${options.example === undefined ? "" : `; write ${options.example}`}`
  return {
    read: (input, path, issues, context) => {
      if (!isObject(input)) return issues.add(path, "wrong_type", typeRule)
      const value: Record<string, unknown> = {}
      const prefix = path === "" ? "" : `${path}.`
      let isWhole = true
      for (const { name, codec, isRequired, readsAbsent, options: field } of properties) {
        const given = Object.hasOwn(input, name) ? input[name] : undefined
        if (isAbsent(given, field) && !readsAbsent) {
          if (isRequired) {
            issues.add(prefix + name, "required", requiredRule(codec.choices))
            isWhole = false
          } else if (field.default !== undefined) value[name] = field.default()
          continue
        }
        const read = codec.read(given, prefix + name, issues, context)
        if (read === undefined) isWhole = false
        else if (field.default !== undefined || field.isEmpty?.(read) !== true) value[name] = read
      }
      options.rules?.({
        value: value as Partial<FieldTypes<F>>,
        has: (name) =>
          Object.hasOwn(input, name) && !isAbsent(input[name], propertyByName.get(name)?.options ?? {}),
        given: (name) => (Object.hasOwn(input, name) ? input[name] : undefined),
        at: (name) => propertyPath(path, name),
        path,
        issues,
        context,
      })
      if (options.isOpen !== true) rejectUnknown(input, names, ignored, path, issues)
      return isWhole ? (value as FieldTypes<F>) : undefined
    },
    write: (value, writing) => {
      const written: Record<string, unknown> = {}
      for (const { name, codec, options: field } of properties) {
        const property = (value as Readonly<Record<string, unknown>>)[name]
        if (property !== undefined && field.isEmpty?.(property) !== true) {
          written[name] = codec.write(property, writing)
        }
      }
      return written
    },
    schema: once(() => {
      const schemas: Record<string, Schema.Top> = {}
      for (const { name, codec, isRequired, options: field } of properties) {
        if (field.isNotAllowed === true) continue
        schemas[name] = isRequired ? codec.schema() : Schema.optionalKey(codec.schema())
      }
      for (const name of ignored) schemas[name] = ignoredProperty
      const schema = Schema.Struct(schemas)
      return options.isOpen === true
        ? Schema.StructWithRest(schema, [Schema.Record(Schema.String, Schema.Unknown)])
        : schema
    }),
  }
}

export const ignoredProperty = Schema.optionalKey(Schema.Unknown)

interface Property {
  readonly name: string
  readonly isRequired: boolean
  readonly readsAbsent: boolean
  // oxlint-disable-next-line typescript/no-explicit-any -- `FieldTypes` and `FieldContext` say what it is of
  readonly codec: Codec<any, any>
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly options: OptionalOptions<any>
}

const isAbsent = (value: unknown, { absent }: Pick<OptionalOptions<never>, "absent">): boolean =>
  value === undefined || (absent !== "none" && (value === null || (value === "" && absent !== "null")))

const rejectUnknown = (
  input: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  ignored: ReadonlySet<string>,
  path: string,
  issues: IssueList,
): void => {
  for (const name of Object.keys(input)) {
    if (known.has(name) || ignored.has(name)) continue
    if (issues.isFull) return
    const list = `the properties are ${[...known].join(", ")}`
    if (!isPlainName(name)) {
      issues.add(path, "unknown_property", `has a property with an invalid name; ${list}`)
      continue
    }
    const nearest = nearestName(name, known)
    const advice = nearest === undefined ? list : `did you mean ${nearest}?`
    issues.add(propertyPath(path, name), "unknown_property", `is not a property of this object; ${advice}`)
  }
}

interface ListOptions<A> {
  readonly min?: number
  readonly max?: number
  /** The key that must be unique, and the property whose path a duplicate is reported at. */
  readonly distinct?: { readonly by: (entry: A, index: number) => string; readonly at?: string }
  /** What to write instead of another type. */
  readonly example?: string
}

/** A list of `min` (default: 0) to `max` (default: `definitionEntriesMax`) entries, inclusive; unique only with `distinct`. */
export const list = <A, C, J>(
  entry: Codec<A, C, J>,
  { min = 0, max = definitionEntriesMax, distinct, example }: ListOptions<A> = {},
): Codec<ReadonlyArray<A>, C, ReadonlyArray<J>> => ({
  read: (input, path, issues, context) => {
    const given = listed(input, { min, max, example }, path, issues)
    if (given === undefined) return undefined
    const entries: Array<A> = []
    for (const [index, each] of given.entries()) {
      const read = entry.read(each, entryPath(path, index), issues, context)
      if (read !== undefined) entries.push(read)
    }
    if (entries.length < given.length || entries.length < min) return undefined
    if (distinct !== undefined && entries.length > 1) rejectDuplicates(entries, distinct, path, issues)
    return entries
  },
  write: (entries, options) => entries.map((each) => entry.write(each, options)),
  schema: once(() => {
    const sized = Schema.Array(entry.schema()).check(Schema.isMaxLength(max))
    return min === 0 ? sized : sized.check(Schema.isMinLength(min))
  }),
})

/** The entries of a list whose length is allowed, or that has too few. */
const listed = (
  input: unknown,
  {
    min,
    max,
    example,
  }: { readonly min: number; readonly max: number; readonly example?: string | undefined },
  path: string,
  issues: IssueList,
): ReadonlyArray<unknown> | undefined => {
  if (!Array.isArray(input)) {
    const advice =
      example === undefined ? ": put a single value in brackets, as in [a]" : `, such as ${example}`
    return issues.add(path, "wrong_type", `must be a list${advice}`)
  }
  if (input.length < min) issues.add(path, "too_few", `must have at least ${counted(min)}`)
  return input.length > max ? issues.add(path, "too_many", `must have at most ${counted(max)}`) : input
}

/** Reads the entries of a whole document that is a list, in parts; adds the issues of all. */
export function* readListInParts<A, C>(
  entry: Codec<A, C>,
  max: number,
  input: unknown,
  issues: IssueList,
  context: C,
): Parts<ReadonlyArray<A>> {
  const entries: Array<A> = []
  for (const [index, each] of (listed(input, { min: 0, max }, "", issues) ?? []).entries()) {
    if (index % entriesPerPart === entriesPerPart - 1) yield
    const read = entry.read(each, entryPath("", index), issues, context)
    if (read !== undefined) entries.push(read)
  }
  return entries
}

/** Entries of a list that are read in one part. */
export const entriesPerPart = 100

const rejectDuplicates = <A>(
  entries: ReadonlyArray<A>,
  { by, at = "" }: NonNullable<ListOptions<A>["distinct"]>,
  path: string,
  issues: IssueList,
): void => {
  const seen = new Set<string>()
  for (const [index, text] of entries.map(by).entries()) {
    if (seen.has(text)) {
      const place = joinPaths(entryPath(path, index), at)
      issues.add(place, "duplicate", "must be unique: an earlier entry is the same")
    }
    seen.add(text)
  }
}

export const single = <A, C, J>(
  entry: Codec<A, C, J>,
  options: Pick<ListOptions<A>, "example"> = {},
): Codec<A, C, ReadonlyArray<J>> =>
  mapped(list(entry, { min: 1, max: 1, ...options }), { decode: ([only]) => only, encode: (only) => [only] })

/** A map, in the order written. */
export const record = <A, C, J>(
  key: Codec<string, C>,
  entry: Codec<A, C, J>,
  { max = definitionEntriesMax }: { readonly max?: number } = {},
): Codec<Readonly<Record<string, A>>, C, Readonly<Record<string, J>>> => ({
  read: (input, path, issues, context) => {
    if (!isObject(input)) return issues.add(path, "wrong_type", "must be a map of keys to values")
    const names = Object.keys(input)
    if (names.length > max) {
      return issues.add(path, "too_many", `must have at most ${max} keys`)
    }
    const entries: Array<readonly [string, A]> = []
    for (const name of names) {
      const at = propertyPath(path, name)
      const isKey = key.read(name, at, issues, context) !== undefined
      const read = entry.read(input[name], at, issues, context)
      if (isKey && read !== undefined) entries.push([name, read])
    }
    return entries.length === names.length ? Object.fromEntries(entries) : undefined
  },
  write: (value, options) =>
    Object.fromEntries(Object.entries(value).map(([name, each]) => [name, entry.write(each, options)])),
  schema: once(() =>
    Schema.Record(key.schema() as unknown as Schema.String, entry.schema()).check(
      Schema.isMaxProperties(max),
    ),
  ),
})

// oxlint-disable-next-line typescript/no-explicit-any -- a bound that every variant is within
type Variants = Readonly<Record<string, Codec<any, any>>>

/** An object whose property `tag` selects the variant; each variant reads the tag too. */
export const choose = <const Tag extends string, const V extends Variants>(
  tag: Tag,
  variants: V,
): Codec<TypeOf<V[keyof V]>, FieldContext<V>, JsonOf<V[keyof V]>> => {
  const tags = Object.keys(variants)
  const tagRule = oneOf(tags)
  return {
    read: (input, path, issues, context) => {
      if (!isObject(input)) return issues.add(path, "wrong_type", "must be an object")
      const given = Object.hasOwn(input, tag) ? input[tag] : undefined
      const at = propertyPath(path, tag)
      if (!isGiven(given)) return issues.add(at, "required", requiredRule(tags))
      const known = tagRule(given, at, issues)
      return known === undefined ? undefined : variants[known]?.read(input, path, issues, context)
    },
    write: (value, options) => variants[String(value[tag])]?.write(value, options),
    schema: once(() =>
      Schema.Union(
        Object.values(variants).map((variant): WireSchema => variant.schema()),
        { mode: "oneOf" },
      ),
    ),
  }
}

/** An object that reads as one codec if it has a property, and as another one otherwise. Its values have a tag, too. */
export const withProperty = <A extends object, B extends object, C, D, J, K>(
  name: string,
  given: Codec<A, C, J> & { readonly isOf: (value: A | B) => value is A },
  otherwise: Codec<B, D, K>,
): Codec<A | B, C & D, J | K> => ({
  read: (input, path, issues, context) =>
    isObject(input) && Object.hasOwn(input, name) && !isAbsent(input[name], {})
      ? given.read(input, path, issues, context)
      : otherwise.read(input, path, issues, context),
  write: (value, options) =>
    given.isOf(value) ? given.write(value, options) : otherwise.write(value, options),
  schema: once(() => Schema.Union([given.schema(), otherwise.schema()], { mode: "oneOf" })),
})

const counted = (count: number): string => `${count} ${count === 1 ? "entry" : "entries"}`
