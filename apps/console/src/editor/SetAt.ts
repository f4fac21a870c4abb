/** The value of a document at a path, if there is one. */
export const getAt = (document: unknown, path: string): unknown =>
  partsOf(path).reduce(
    (value, part) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, part)
        ? (value as Readonly<Record<string, unknown>>)[part]
        : undefined,
    document,
  )

/**
 * A document with another value at the path of an issue or warning, such as `spec.then[0].after`. With `undefined`, what contains
 * nothing else is removed too, apart from `metadata` and `spec`.
 */
export const setAt = <D>(document: D, path: string, value: unknown): D =>
  set(document, partsOf(path), value, 0) as D

const partsOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\["((?:\\.|[^"\\])*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) =>
    quoted === undefined ? (index ?? name ?? "") : (JSON.parse(`"${quoted}"`) as string),
  )

const set = (
  document: unknown,
  [part, ...below]: ReadonlyArray<string>,
  value: unknown,
  depth: number,
): unknown => {
  if (part === undefined) return value
  if (Array.isArray(document))
    return document.map((each: unknown, at) => (at === Number(part) ? set(each, below, value, 0) : each))
  const fields = (document ?? {}) as Readonly<Record<string, unknown>>
  const changed = { ...fields, [part]: set(fields[part], below, value, depth + 1) }
  const isEmpty =
    depth > 1 && value === undefined && Object.values(changed).every((each) => each === undefined)
  return isEmpty ? undefined : changed
}
