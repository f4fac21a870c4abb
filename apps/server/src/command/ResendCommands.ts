import { resendableStates } from "@tocsin/domain/resend/BulkResend"
import { defaultProjectName } from "@tocsin/domain/slo/Project"
import { Command, Option as Flag } from "commander"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ClientFlags } from "../client/ClientConfig.ts"
import {
  apiClient,
  type CommandContext,
  CommandFailed,
  jsonFlag,
  organizationFlag,
  printResponse,
  urlFlag,
} from "./CommandContext.ts"

export const resendCommands = (context: CommandContext): ReadonlyArray<Command> => [
  new Command("resend")
    .summary("resend failed deliveries")
    .description("Resend failed deliveries in batches.")
    .option("-m, --method <name>", "filter by alert method (default: all)")
    .option("-p, --project <name>", 'project of the alert method (default: "default")')
    .addOption(
      new Flag("-s, --state <state...>", "filter by state (default: exhausted and failed)").choices(
        resendableStates,
      ),
    )
    .option(
      "--from <time>",
      "filter by creation time: at or after this time (UTC), for example 2026-01-30T12:00:00Z",
    )
    .option("--to <time>", "filter by creation time: before this time (UTC)")
    .addOption(new Flag("--dry-run", "count the deliveries without resending them").default(false, "off"))
    .addOption(jsonFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .addHelpText(
      "after",
      "\nExamples:\n  # Count the failed deliveries of an alert method\n  $ tocsin deliveries resend --method on-call -p shop --dry-run\n\n  # Resend all failed deliveries since a time\n  $ tocsin deliveries resend --from 2026-01-30T12:00:00Z",
    )
    .action((flags: ResendFlags) => context.run(resend(flags, context))),
  new Command("resends")
    .summary("list bulk resends")
    .description("List the bulk resends that `resend` started, newest first.")
    .addOption(jsonFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .action((flags: ResendsFlags) => context.run(list(flags, context))),
  new Command("cancel")
    .summary("cancel a bulk resend")
    .description("Cancel a bulk resend. Deliveries that are already queued are still sent.")
    .argument("<id>", "ID of the bulk resend, as printed by `resend`")
    .addOption(jsonFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .action((id: string, flags: ResendsFlags) => context.run(cancel(id, flags, context))),
]

interface ResendsFlags extends ClientFlags {
  readonly json?: boolean
}

interface ResendFlags extends ResendsFlags {
  readonly method?: string
  readonly project?: string
  readonly state?: ReadonlyArray<string>
  readonly from?: string
  readonly to?: string
  readonly dryRun: boolean
}

const Count = Schema.Struct({ matched: Schema.Finite, mayMatchMore: Schema.Boolean })

const BulkResend = Schema.Struct({
  ...Count.fields,
  id: Schema.String,
  state: Schema.String,
  resent: Schema.Finite,
  createdAt: Schema.String,
})

const resend = (flags: ResendFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { method, project } = flags
    if (method === undefined && project !== undefined)
      return yield* new CommandFailed({
        message: "--project needs --method; to resend the deliveries of all alert methods, omit both",
      })
    const client = yield* apiClient(flags, context)
    const response = yield* client.call({
      method: "POST",
      path: "/api/deliveries/resend",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...(method !== undefined && {
          alertMethod: { project: project ?? defaultProjectName, name: method },
        }),
        states: flags.state,
        from: flags.from,
        to: flags.to,
        dryRun: flags.dryRun,
      }),
    })
    yield* flags.dryRun
      ? printResponse(flags, response, Count, (count) => `Deliveries to resend: ${countText(count)}`)
      : printResponse(
          flags,
          response,
          BulkResend,
          (begun) => `Resending ${countText(begun)} deliveries; bulk resend ${begun.id}`,
        )
  })

const list = (flags: ResendsFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const client = yield* apiClient(flags, context)
    const response = yield* client.call({ method: "GET", path: "/api/resends" })
    yield* printResponse(flags, response, Schema.Struct({ data: Schema.Array(BulkResend) }), ({ data }) =>
      data.length === 0 ? "No bulk resends." : data.map(resendLine).join("\n"),
    )
  })

const resendLine = (bulkResend: typeof BulkResend.Type): string => {
  const { id, state, resent, createdAt } = bulkResend
  return `${id}  ${state.padEnd(9)}  ${resent} of ${countText(bulkResend)} resent  created ${createdAt}`
}

const cancel = (id: string, flags: ResendsFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const client = yield* apiClient(flags, context)
    const path = `/api/resends/${encodeURIComponent(id)}/cancel`
    const response = yield* client.call({ method: "POST", path })
    yield* printResponse(
      flags,
      response,
      BulkResend,
      ({ state, resent }) => `Bulk resend ${state}; deliveries resent: ${resent}`,
    )
  })

const countText = ({ matched, mayMatchMore }: typeof Count.Type): string =>
  mayMatchMore ? `at least ${matched}` : `${matched}`
