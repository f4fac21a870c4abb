import { useEffect, useState } from "react"

/** How many SLOs a request asks for. */
const batchMax = 40

/** What is read of rows changes slowly. */
const freshMs = 5 * 60_000

/** Scrolling past rows asks for nothing. */
const restMs = 120

const knownMax = 2_000

/** What was read of an SLO, by objective, with the composite under the empty name. */
export type ByObjective<T> = ReadonlyMap<string, T>

/** The values of SLOs as the API returns them by objective. */
export const valuesBySlo = <O extends { readonly name: string }, T>(
  rows: ReadonlyArray<{
    readonly slo: { readonly project: string; readonly name: string }
    readonly objectives: ReadonlyArray<O>
    readonly composite?: T | undefined
  }> = [],
  valueOf: (objective: O) => T,
): ReadonlyMap<string, ByObjective<T>> =>
  new Map(
    rows.map(({ slo, objectives, composite }) => {
      const values = new Map(objectives.map((each) => [each.name, valueOf(each)]))
      if (composite !== undefined) values.set("", composite)
      return [`${slo.project}/${slo.name}`, values]
    }),
  )

/**
 * A hook that reads a value of each objective of the SLOs in view, once they stay in view. `part` is what is read of them. `read` returns
 * the values by SLO; SLOs that do not exist any more have none.
 */
export const rowReads = <T>(
  read: (
    keys: ReadonlyArray<string>,
    part: string,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, ByObjective<T>>>,
) => {
  const known = new Map<string, { readonly readAt: number; readonly values: ByObjective<T> }>()
  const remember = (key: string, values: ByObjective<T>): void => {
    known.delete(key)
    known.set(key, { readAt: Date.now(), values })
    for (const oldest of known.keys()) {
      if (known.size <= knownMax) return
      known.delete(oldest)
    }
  }
  return (visible: ReadonlyArray<string>, part = ""): ((key: string, objective: string) => T | undefined) => {
    const [, setReads] = useState(0)
    const text = visible.join(" ")
    useEffect(() => {
      const abort = new AbortController()
      const readMissing = async (): Promise<void> => {
        const isMissing = (key: string) =>
          Date.now() - (known.get(`${part} ${key}`)?.readAt ?? -Infinity) > freshMs
        const missing = text.split(" ").filter((key) => key !== "" && isMissing(key))
        if (missing.length === 0 || document.hidden) return
        try {
          const keys = missing.slice(0, batchMax)
          const found = await read(keys, part, abort.signal)
          for (const key of keys) remember(`${part} ${key}`, found.get(key) ?? new Map<string, T>())
        } catch {
          // The list works without them: they are asked for again when other rows come into view.
          return
        }
        setReads((reads) => reads + 1)
        // A tall screen shows more rows.
        await readMissing()
      }
      const timer = setTimeout(() => void readMissing(), restMs)
      const interval = setInterval(() => void readMissing(), freshMs)
      return () => {
        clearTimeout(timer)
        clearInterval(interval)
        abort.abort()
      }
    }, [text, part])
    return (key, objective) => known.get(`${part} ${key}`)?.values.get(objective)
  }
}
