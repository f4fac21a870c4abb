import { BacktestSchema, ReplaySchema } from "@tocsin/adapters-http/schemas"
import { resource } from "@tocsin/api"
import { backtestRequest } from "@tocsin/domain/features/backtest"
import { replayRequest } from "@tocsin/domain/features/data-source"
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

const replay = "/api/slos/:sloName/indicator/replay"

export const replays = resource("Replays", {
  startReplay: {
    method: "POST",
    path: replay,
    headers,
    body: replayRequest,
    success: ReplaySchema,
    summary: "Start a replay",
  },
  findReplay: { method: "GET", path: replay, headers, success: ReplaySchema, summary: "Retrieve a replay" },
  cancelReplay: {
    method: "DELETE",
    path: replay,
    headers,
    success: ReplaySchema,
    summary: "Cancel a replay",
  },
  resumeReplay: {
    method: "POST",
    path: `${replay}/resume`,
    headers,
    success: ReplaySchema,
    summary: "Resume a replay",
  },
})
