/** A document with another value at the path of an issue or warning, such as `spec.then[0].after`. */
export const setAt = <D>(document: D, path: string, value: unknown): D =>
  set(document, partsOf(path), value) as D

const partsOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\["((?:\\.|[^"\\])*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) =>
    quoted === undefined ? (index ?? name ?? "") : (JSON.parse(`"${quoted}"`) as string),
  )

const set = (document: unknown, [part, ...below]: ReadonlyArray<string>, value: unknown): unknown => {
  if (part === undefined) return value
  if (Array.isArray(document))
    return document.map((each: unknown, at) => (at === Number(part) ? set(each, below, value) : each))
  const fields = (document ?? {}) as Readonly<Record<string, unknown>>
  return { ...fields, [part]: set(fields[part], below, value) }
}
