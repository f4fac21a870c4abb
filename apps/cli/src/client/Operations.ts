import { BacktestSchema, ExplainedPolicySchema, ProposalsSchema } from "@tocsin/adapters-http/schemas"
import { resource } from "@tocsin/api"
import { backtestRequest } from "@tocsin/domain/features/backtest"
import * as Schema from "effect/Schema"
import { WarningTexts } from "./Warnings.ts"

// The operations that `@tocsin/api` does not declare yet, with their names there: to use the declared ones, import these
// resources from there.

const headers = { project: Schema.String }
const text = Schema.optionalKey(Schema.String)

export const backtests = resource("Backtests", {
  backtestPolicy: {
    method: "POST",
    path: "/api/slos/:sloName/backtest",
    headers,
    body: backtestRequest,
    success: BacktestSchema,
    summary: "Backtest an alert policy",
  },
  explainPolicy: {
    method: "GET",
    path: "/api/slos/:sloName/explain",
    headers,
    query: { alertPolicy: Schema.String, from: text, to: text },
    success: Schema.Struct({ ...ExplainedPolicySchema.fields, warnings: WarningTexts }),
    summary: "Explain an alert policy",
  },
  proposeTargets: {
    method: "GET",
    path: "/api/slos/:sloName/proposals",
    headers,
    success: ProposalsSchema,
    summary: "Propose targets for an SLO",
  },
})

export type Backtest = typeof BacktestSchema.Encoded
export type Proposals = typeof ProposalsSchema.Encoded
