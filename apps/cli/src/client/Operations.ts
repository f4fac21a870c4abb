import { BacktestSchema } from "@tocsin/adapters-http/schemas"
import { resource } from "@tocsin/api"
import { backtestRequest } from "@tocsin/domain/features/backtest"
import * as Schema from "effect/Schema"

// The operations that `@tocsin/api` does not declare yet, with their names there: to use the declared ones, import these
// resources from there.

const headers = { project: Schema.String }

export const backtests = resource("Backtests", {
  backtestPolicy: {
    method: "POST",
    path: "/api/slos/:sloName/backtest",
    headers,
    body: backtestRequest,
    success: BacktestSchema,
    summary: "Backtest an alert policy",
  },
})
