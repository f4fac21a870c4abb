import { createContext, useContext, useSyncExternalStore } from "react"
import type { Range } from "./Scale.ts"

/** What the charts of a page have in common while they are read. Times are in Unix milliseconds. */
export interface ChartState {
  /** The start of the step that is read. */
  readonly cursor?: number | undefined
  /** The step that stays read when the pointer has left. */
  readonly pinned?: number | undefined
  /** The chart under the pointer or with the focus: it alone announces its values. */
  readonly chart?: string | undefined
  readonly selection?: Range | undefined
  /** The selection is being drawn. */
  readonly isSelecting?: boolean
}

/** Links the cursors and the selection of charts. Outside React's state, so that moving the pointer draws no data again. */
export interface ChartStore {
  readonly get: () => ChartState
  readonly set: (changed: ChartState) => void
  readonly subscribe: (listener: () => void) => () => void
}

export const makeChartStore = (initial: ChartState = {}): ChartStore => {
  let state = initial
  const listeners = new Set<() => void>()
  return {
    get: () => state,
    set: (changed) => {
      state = { ...state, ...changed }
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const ChartStoreContext = createContext<ChartStore>(makeChartStore())

export const useChartStore = (): ChartStore => useContext(ChartStoreContext)

/** A part of the state; it must stay the same object while it does not change. */
export const useChartState = <T>(select: (state: ChartState) => T): T => {
  const store = useChartStore()
  return useSyncExternalStore(store.subscribe, () => select(store.get()))
}
