import { client } from "../api/Client.ts"
import { rowReads, valuesBySlo } from "./RowReads.ts"

/** The error budget remaining over the time window, with `null` where there is no data. */
export type Trend = ReadonlyArray<number | null>

/** The trends of the SLOs that are in view. */
export const useTrends = rowReads<Trend>(async (keys, _part, signal) => {
  const { data } = await client.GET("/api/console/trends", { params: { query: { slo: [...keys] } }, signal })
  return valuesBySlo(data?.data, ({ errorBudgetRemaining }): Trend => errorBudgetRemaining)
})
