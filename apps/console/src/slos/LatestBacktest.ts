import type { BacktestRequest } from "@tocsin/api"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { dayMs, minuteOf } from "../time/Minute.ts"

/** Backtests an alert policy of any kind, stored or not, for a stored SLO over its last days. */
export const latestBacktest = (
  { project, name }: DefinitionKey,
  policy: Omit<BacktestRequest, "from" | "to">,
  days: number,
  signal: AbortSignal,
) => {
  // The server rejects a range that ends in the future.
  const to = minuteOf(Date.now())
  return bodyOf(
    client.POST("/api/slos/{sloName}/backtest", {
      params: { path: { sloName: name }, header: { project } },
      body: {
        ...policy,
        from: new Date(to - days * dayMs).toISOString(),
        to: new Date(to).toISOString(),
      },
      signal,
    }),
  )
}
