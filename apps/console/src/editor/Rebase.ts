/**
 * Makes the changes from `base` to `mine` in `theirs`, which others changed since. Where both changed the same value, it is
 * that of `mine`.
 */
export const rebase = <T>(theirs: T, base: T, mine: T): T => rebased(theirs, base, mine) as T

const rebased = (theirs: unknown, base: unknown, mine: unknown): unknown => {
  if (isSame(base, mine)) return theirs
  if (isObject(theirs) && isObject(base) && isObject(mine)) {
    const entries = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])].map(
      (key) => [key, rebased(own(theirs, key), own(base, key), own(mine, key))] as const,
    )
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }
  if (Array.isArray(theirs) && Array.isArray(base) && Array.isArray(mine)) {
    return rebaseItems(theirs, base, mine)
  }
  return mine
}

/** What either side added is there, and what either removed is not, unless others removed what is changed in `mine`. */
const rebaseItems = (
  theirs: ReadonlyArray<unknown>,
  base: ReadonlyArray<unknown>,
  mine: ReadonlyArray<unknown>,
): ReadonlyArray<unknown> => {
  const tests = [isSameItem, haveSame("name"), haveSame("key"), haveSame("id")]
  const before = counterparts(mine, base, tests)
  const now = counterparts(base, theirs, tests)
  const kept = mine.flatMap((item, at) => {
    const from = before[at] ?? -1
    const there = now[from] ?? -1
    if (there >= 0) return [rebased(theirs[there], base[from], item)]
    return from >= 0 && isSameItem(base[from], item) ? [] : [item]
  })
  const added = theirs.filter((item, at) => !now.includes(at) && !kept.some((each) => isSameItem(each, item)))
  return [...kept, ...added]
}

type Test = (a: unknown, b: unknown) => boolean

/**
 * The place of the counterpart of each item in a list, or -1: the first that passes the earliest test, or what is at the same
 * place of a list of the same length.
 */
const counterparts = (
  items: ReadonlyArray<unknown>,
  list: ReadonlyArray<unknown>,
  tests: ReadonlyArray<Test>,
): ReadonlyArray<number> => {
  const places = items.map(() => -1)
  const isFree = (place: number): boolean => !places.includes(place)
  for (const test of tests) {
    for (const [at, item] of items.entries()) {
      if (places[at] === -1) places[at] = list.findIndex((each, place) => isFree(place) && test(item, each))
    }
  }
  if (items.length !== list.length) return places
  return places.map((place, at) => (place === -1 && isFree(at) ? at : place))
}

/** Both were made by the same function, so that equal ones have their properties in the same order. */
export const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A label may be called like a property that every object has. */
const own = (object: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether both are equal apart from the IDs of items, which are new each time a form is filled in. */
const isSame = (a: unknown, b: unknown): boolean => withoutIds(a) === withoutIds(b)

const isSameItem: Test = (a, b) => isSame([a], [b])

const withoutIds = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, each: unknown) =>
    Array.isArray(each)
      ? each.map((item: unknown) => (isObject(item) ? { ...item, id: undefined } : item))
      : each,
  )

const haveSame =
  (key: string): Test =>
  (a, b) =>
    isObject(a) && isObject(b) && Boolean(a[key]) && a[key] === b[key]
