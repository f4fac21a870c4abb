import * as Schema from "effect/Schema"
import {
  type Codec,
  type Fields,
  type FieldTypes,
  isGiven,
  isObject,
  object,
  type ObjectPlace,
  optional,
  plain,
  type Reader,
} from "@tocsin/domain/codec"

/** A value of another format, which `read` converts. */
export const foreign = <A>(read: Reader<A>): Codec<A> => plain<A>(() => Schema.Unknown, read)

/** A value that is used as it is. */
export const anything = foreign((value) => value)

/** A property that is not in the result; `message` says so. */
export const lost = <A = undefined>(message: string) =>
  optional(foreign<A>((_, path, issues) => issues.add(path, "not_allowed_value", message)))

/** Notes that these properties, if present, are not in the result. */
export const noteLost = <N extends string>(
  { has, at, issues }: Pick<ObjectPlace<Readonly<Record<N, unknown>>, unknown>, "has" | "at" | "issues">,
  names: ReadonlyArray<N>,
  message: string,
): void => {
  for (const name of names) if (has(name)) issues.add(at(name), "not_allowed_value", message)
}

type Convert<F extends Fields, B> = (
  whole: FieldTypes<F> | undefined,
  place: ObjectPlace<FieldTypes<F>, unknown>,
) => B | undefined

/**
 * An object, of which `to` makes something else, even if it has issues. An optional property that is invalid is omitted; `whole` is
 * absent if a required one is missing or invalid.
 */
export const foreignObject = <const F extends Fields>(
  fields: F,
  options: { readonly ignored?: ReadonlyArray<string>; readonly isOpen?: boolean } = {},
): Codec<FieldTypes<F>> & { readonly to: <B>(convert: Convert<F, B>) => Codec<B> } => {
  const required = Object.keys(fields).filter((name) => !("codec" in (fields[name] ?? {})))
  const codec = object<F, { convert: (place: ObjectPlace<FieldTypes<F>, unknown>) => void }>(fields, {
    ...options,
    rules: (place) => place.context.convert(place),
  })
  const to = <B>(convert: Convert<F, B>): Codec<B> =>
    foreign((value, path, issues) => {
      let converted: B | undefined
      const context = {
        convert: (place: ObjectPlace<FieldTypes<F>, unknown>) => {
          const isWhole = required.every((name) => name in place.value)
          converted = convert(isWhole ? (place.value as FieldTypes<F>) : undefined, place)
        },
      }
      codec.read(value, path, issues, context as never)
      return converted
    })
  return { ...to((whole) => whole), to }
}

/** An object that is read in one way if it has a property, and in another one otherwise. */
export const withProperty = <A>(name: string, given: Codec<A>, otherwise: Codec<A>): Codec<A> =>
  foreign((value, ...at) => (isObject(value) && isGiven(value[name]) ? given : otherwise).read(value, ...at))
