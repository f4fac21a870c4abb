import { useRef, useState } from "react"

/** Whether an item of a list is chosen, by its key. */
export interface KeySelection {
  readonly has: (key: string) => boolean
  /** Chooses an item or not; with `isRange` also those from the one that was toggled last up to it. */
  readonly toggle: (key: string, isRange: boolean) => void
}

/** Some of the items of a list that were chosen. */
export interface Selection<T> extends KeySelection {
  /** Everything that can be chosen, in the order of the list. */
  readonly all: ReadonlyArray<T>
  readonly items: ReadonlyArray<T>
  readonly keyOf: (item: T) => string
  readonly set: (items: ReadonlyArray<T>) => void
}

/** A selection of a list that has all these items, in this order. What is no longer in the list is no longer chosen. */
export const useSelection = <T>(all: ReadonlyArray<T>, keyOf: (item: T) => string): Selection<T> => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  const items = chosen.size === 0 ? [] : all.filter((item) => chosen.has(keyOf(item)))
  const keys = new Set(items.map(keyOf))
  return {
    all,
    items,
    keyOf,
    has: (key) => keys.has(key),
    toggle: (key, isRange) => {
      const next = new Set(keys)
      const isChosen = !keys.has(key)
      for (const each of isRange ? rangeOf(all.map(keyOf), last.current, key) : [key]) {
        if (isChosen) next.add(each)
        else next.delete(each)
      }
      last.current = key
      setChosen(next)
    },
    set: (next) => {
      last.current = undefined
      setChosen(new Set(next.map(keyOf)))
    },
  }
}

/** The items from one to another, whichever is first. */
const rangeOf = (
  shown: ReadonlyArray<string>,
  from: string | undefined,
  to: string,
): ReadonlyArray<string> => {
  const ends = [from === undefined ? -1 : shown.indexOf(from), shown.indexOf(to)]
  const [first = -1, last = -1] = ends.toSorted((a, b) => a - b)
  return first < 0 ? [to] : shown.slice(first, last + 1)
}
