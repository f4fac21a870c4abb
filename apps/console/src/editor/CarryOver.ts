/**
 * Makes the changes of a form in the document that it was filled in from, so that everything which was not changed stays
 * as it is there: what the form does not know, and how values are written.
 *
 * `known` is what the form makes of the document, `next` what it makes of what was entered since.
 */
export const carryOver = (document: unknown, known: unknown, next: unknown): unknown => {
  if (isEqual(known, next)) return document
  if (isObject(document) && isObject(known) && isObject(next)) {
    const entries = [...new Set([...Object.keys(document), ...Object.keys(next)])].map(
      (key) => [key, carryOver(own(document, key), own(known, key), own(next, key))] as const,
    )
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }
  if (Array.isArray(document) && Array.isArray(known) && Array.isArray(next)) {
    return carryItems(document, known, next)
  }
  return next
}

/** An item that is the same in the form is that of the document, wherever it is now; one that was edited in place is carried over. */
const carryItems = (
  document: ReadonlyArray<unknown>,
  known: ReadonlyArray<unknown>,
  next: ReadonlyArray<unknown>,
): ReadonlyArray<unknown> => {
  if (document.length !== known.length) return next
  const places = next.map(() => -1)
  const isTaken = known.map(() => false)
  const take = (at: number, from: number): void => {
    places[at] = from
    isTaken[from] = true
  }
  for (const [at, item] of next.entries()) {
    const from = known.findIndex((each, index) => !isTaken[index] && isEqual(each, item))
    if (from >= 0) take(at, from)
  }
  return next.map((item, at) => {
    if (places[at] === -1 && next.length === known.length && isTaken[at] === false) take(at, at)
    const from = places[at] ?? -1
    return from < 0 ? item : carryOver(document[from], known[from], item)
  })
}

/** Both were made by the same function, so that equal ones have their properties in the same order. */
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A label may be called like a property that every object has. */
const own = (object: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
