import { hiddenValue } from "../codec/HiddenValue.ts"

/** A value that two sides have changed in different ways. `undefined` means that the value is absent. */
export interface MergeConflict {
  /** Such as `spec.objectives[good].target`: an item of a list is named by its `name`. */
  readonly path: string
  /** The value before both changes. */
  readonly base: unknown
  /** The value that the caller has entered. */
  readonly mine: unknown
  /** The value that someone else has stored. */
  readonly theirs: unknown
}

/** A document with the changes of both sides. */
export interface MergedDocument<D> {
  /** The document; where there is a conflict, with the chosen value. */
  readonly document: D
  /** The paths of the values that only `theirs` has changed. */
  readonly taken: ReadonlyArray<string>
  /** The values that both sides have changed in different ways. */
  readonly conflicts: ReadonlyArray<MergeConflict>
}

/**
 * Merges two changes of a document. `mine` and `theirs` are both `base` with changes.
 *
 * Objects are merged by property, and lists by item if each item has a `name` of its own; other lists are one value. A value
 * that one side has changed is taken from that side. Where both have changed a value in different ways, which includes a
 * removal, `choose` selects one of them: `mine` by default. Another order of the same items is no conflict.
 *
 * A webhook or a server whose secrets are hidden is one value, of which `theirs` may have changed what is hidden: a secret of one side is
 * never sent to the address of the other.
 *
 * ```ts
 * mergeDocuments({ a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 3 }).document // { a: 2, b: 3 }
 * ```
 */
export const mergeDocuments = <D>(
  base: D,
  mine: D,
  theirs: D,
  choose: (conflict: MergeConflict) => "mine" | "theirs" = () => "mine",
): MergedDocument<D> => {
  const taken: Array<string> = []
  const conflicts: Array<MergeConflict> = []

  const merge = (path: string, before: unknown, own: unknown, other: unknown): unknown => {
    if (isSameValue(own, other)) return own
    const isOwnChange = !isSameValue(before, own)
    // A secret that someone else has changed is as hidden as the one before.
    const mayHide = isOwnChange && hidesSecrets(before)
    if (isSameValue(before, other) && !mayHide) return own
    if (!isOwnChange) {
      taken.push(path)
      return other
    }
    if (mayHide && withSecrets.test(path)) return chosen({ path, base: before, mine: own, theirs: other })
    if (isFields(own) && isFields(other) && (isFields(before) || before === undefined)) {
      return mergeFields(path, before ?? {}, own, other)
    }
    const [itemsBefore, ownItems, otherItems] = [
      itemsByName(before ?? []),
      itemsByName(own),
      itemsByName(other),
    ]
    if (itemsBefore !== undefined && ownItems !== undefined && otherItems !== undefined) {
      return mergeItems(path, itemsBefore, ownItems, otherItems)
    }
    // An order alone is nothing to ask about.
    if (hasSameItems(own, other) || hasSameItems(before, other)) return own
    if (hasSameItems(before, own)) {
      taken.push(path)
      return other
    }
    return chosen({ path, base: before, mine: own, theirs: other })
  }

  const chosen = (conflict: MergeConflict): unknown => {
    conflicts.push(conflict)
    return choose(conflict) === "mine" ? conflict.mine : conflict.theirs
  }

  const mergeFields = (path: string, before: Fields, own: Fields, other: Fields): Fields => {
    const names = new Set([...Object.keys(own), ...Object.keys(other), ...Object.keys(before)])
    const fields = Array.from(names, (name) => {
      const at = plainName.test(name)
        ? path === ""
          ? name
          : `${path}.${name}`
        : `${path}[${JSON.stringify(name)}]`
      return [name, merge(at, field(before, name), field(own, name), field(other, name))] as const
    })
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
  }

  const mergeItems = (path: string, before: Items, own: Items, other: Items): ReadonlyArray<unknown> => {
    const names = new Set([...own.keys(), ...other.keys(), ...before.keys()])
    const merged = new Map(
      Array.from(names, (name) => [
        name,
        merge(`${path}[${name}]`, before.get(name), own.get(name), other.get(name)),
      ]),
    )
    return mergedOrder(before, own, other).flatMap((name) => merged.get(name) ?? [])
  }

  return { document: merge("", base, mine, theirs) as D, taken, conflicts }
}

type Fields = Readonly<Record<string, unknown>>

/** The items of a list by their names. */
type Items = ReadonlyMap<string, unknown>

/** What has an address and secrets that are sent there. */
const withSecrets = /^spec\.(?:webhook|prometheus)$/

const hidesSecrets = (value: unknown): boolean =>
  value === hiddenValue ||
  (typeof value === "object" && value !== null && Object.values(value).some(hidesSecrets))

/** Names that stand in a path without quotes. */
const plainName = /^[\p{L}\p{N}_-]+$/u

/** The names in the order of the side that has reordered the list; a name of the other side alone follows its predecessor there. */
const mergedOrder = (before: Items, own: Items, other: Items): ReadonlyArray<string> => {
  const commonOf = (items: Items): string =>
    [...items.keys()].filter((name) => before.has(name) && own.has(name) && other.has(name)).join("\n")
  const [first, second] = commonOf(own) === commonOf(before) ? [other, own] : [own, other]
  const order = [...first.keys()]
  let previous: string | undefined
  for (const name of second.keys()) {
    if (!order.includes(name)) order.splice(previous === undefined ? 0 : order.indexOf(previous) + 1, 0, name)
    previous = name
  }
  return order
}

/** `undefined` unless the value is a list whose items have a name each. */
const itemsByName = (list: unknown): Items | undefined => {
  if (!Array.isArray(list)) return undefined
  const items = new Map<string, unknown>()
  for (const item of list as ReadonlyArray<unknown>) {
    const name = isFields(item) ? field(item, "name") : undefined
    if (typeof name !== "string" || name === "" || items.has(name)) return undefined
    items.set(name, item)
  }
  return items
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A label can be called like a property that every object has. */
const field = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined

/** Whether two lists have the same items in any order. */
const hasSameItems = (a: unknown, b: unknown): boolean => {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  const rest = [...(b as ReadonlyArray<unknown>)]
  return (a as ReadonlyArray<unknown>).every((item) => {
    const at = rest.findIndex((each) => isSameValue(item, each))
    if (at >= 0) rest.splice(at, 1)
    return at >= 0
  })
}

/** Whether two values are the same JSON, whatever the order of properties; a property that is `undefined` is absent. */
const isSameValue = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isSameValue(item, b[at]))
  }
  if (!isFields(a) || !isFields(b)) return false
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) => isSameValue(field(a, name), field(b, name)))
}
