import { AlertSchema } from "@tocsin/adapters-http/internal/alerts/AlertSchema"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext, printResponse } from "./CommandContext.ts"

export const acknowledgeCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("acknowledge")
    .summary("acknowledge an open alert")
    .description("Acknowledge an open alert: it is not sent again and does not escalate.")
    .argument("<id>", "ID of the alert, as printed by `tocsin get alerts`")
    .outputFlag()
    .organizationFlag()
    .urlFlag()
    .examples("  $ tocsin acknowledge 0198c2f4-6f00-7a3b-8c1d-2e4f60718293")
    .action((id: string, flags: ClientFlags) => context.run(acknowledge(id, flags, context)))

const acknowledge = (id: string, flags: ClientFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const path = `/api/alerts/${encodeURIComponent(id)}/acknowledge`
    const response = yield* callApi(flags, context, { method: "POST", path })
    yield* printResponse(
      flags,
      response,
      AlertSchema,
      ({ metadata, spec: { acknowledgement } }) =>
        `Alert ${metadata.name} acknowledged by ${acknowledgement?.by} at ${acknowledgement?.at}`,
    )
  })
