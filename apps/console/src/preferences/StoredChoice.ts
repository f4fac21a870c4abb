import { useSyncExternalStore } from "react"

/** One of a few values that the user of this browser chooses; the first one by default. All tabs follow. */
export const storedChoice = <V extends string>(
  storageKey: string,
  values: readonly [V, ...ReadonlyArray<V>],
  /** Called before anything is rendered again. */
  apply: (value: V) => void = () => undefined,
) => {
  const listeners = new Set<() => void>()
  let current: V | undefined
  const read = (): V =>
    (current ??= values.find((each) => each === localStorage.getItem(storageKey)) ?? values[0])
  const change = (): void => {
    apply(read())
    for (const each of listeners) each()
  }
  const readAgain = ({ key }: StorageEvent): void => {
    if (key !== storageKey) return
    current = undefined
    change()
  }
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    addEventListener("storage", readAgain)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) removeEventListener("storage", readAgain)
    }
  }
  return {
    read,
    choose: (value: V): void => {
      current = value
      localStorage.setItem(storageKey, value)
      change()
    },
    /** A component that calls it is rendered again when the choice changes. */
    useChoice: (): V => useSyncExternalStore(subscribe, read),
  }
}
