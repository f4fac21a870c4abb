import { useEffect, useState } from "react"
import { client } from "../api/Client.ts"

/** The error budget remaining over the time window, with `null` where there is no data. */
export type Trend = ReadonlyArray<number | null>

/** How many SLOs a request asks for. */
const batchMax = 40

/** A trend of 30 points over days changes slowly. */
const freshMs = 5 * 60_000

/** Scrolling past rows asks for nothing. */
const restMs = 120

/** The trends that were read, by SLO; by objective, with the composite under the empty name. */
const known = new Map<string, { readonly readAt: number; readonly byObjective: ReadonlyMap<string, Trend> }>()
const knownMax = 2_000

const readTrends = async (keys: ReadonlyArray<string>, signal: AbortSignal): Promise<void> => {
  const { data } = await client.GET("/api/console/trends", { params: { query: { slo: [...keys] } }, signal })
  const readAt = Date.now()
  // Those that do not exist any more have no trend.
  for (const key of keys) remember(key, { readAt, byObjective: new Map() })
  for (const { slo, objectives, composite } of data?.data ?? []) {
    const byObjective = new Map<string, Trend>(
      objectives.map(({ name, errorBudgetRemaining }) => [name, errorBudgetRemaining]),
    )
    if (composite !== undefined) byObjective.set("", composite)
    remember(`${slo.project}/${slo.name}`, { readAt, byObjective })
  }
}

const remember = (
  key: string,
  trend: { readonly readAt: number; readonly byObjective: ReadonlyMap<string, Trend> },
) => {
  known.delete(key)
  known.set(key, trend)
  for (const oldest of known.keys()) {
    if (known.size <= knownMax) return
    known.delete(oldest)
  }
}

/** The trends of the SLOs that are in view; what is missing is read once they stay in view. */
export const useTrends = (
  visible: ReadonlyArray<string>,
): ((key: string, objective: string) => Trend | undefined) => {
  const [, setReads] = useState(0)
  const text = visible.join(" ")
  useEffect(() => {
    const abort = new AbortController()
    const read = async (): Promise<void> => {
      const isMissing = (key: string) => Date.now() - (known.get(key)?.readAt ?? -Infinity) > freshMs
      const missing = text.split(" ").filter((key) => key !== "" && isMissing(key))
      if (missing.length === 0 || document.hidden) return
      try {
        await readTrends(missing.slice(0, batchMax), abort.signal)
      } catch {
        // The list works without them: they are asked for again when other rows come into view.
        return
      }
      setReads((reads) => reads + 1)
      // A tall screen shows more rows.
      await read()
    }
    const timer = setTimeout(() => void read(), restMs)
    const interval = setInterval(() => void read(), freshMs)
    return () => {
      clearTimeout(timer)
      clearInterval(interval)
      abort.abort()
    }
  }, [text])
  return (key, objective) => known.get(key)?.byObjective.get(objective)
}
