import { type BulkResend, type ResendCount, resends } from "@tocsin/api"
import { defaultProjectName } from "@tocsin/domain/definitions"
import { resendableStates } from "@tocsin/domain/features/resend"
import { Command, Option as Flag } from "commander"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { readAll } from "../client/Pages.ts"
import {
  ApiCommand,
  type CommandContext,
  CommandFailed,
  printJson,
  printList,
  resourceClient,
} from "./CommandContext.ts"

export const resendCommand = (context: CommandContext): Command =>
  new Command("resend")
    .summary("resend failed deliveries in bulk")
    .description("Resend failed deliveries in bulk.")
    .addCommand(
      new ApiCommand("start")
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
        .dryRunFlag("count the deliveries without resending them")
        .clientFlags()
        .examples(
          "  # Count the failed deliveries of an alert method\n  $ tocsin resend start --method on-call -p shop --dry-run\n\n  # Resend all failed deliveries since a time\n  $ tocsin resend start --from 2026-01-30T12:00:00Z",
        )
        .action((flags: ResendFlags) => context.run(resend(flags, context))),
    )
    .addCommand(
      new ApiCommand("list")
        .summary("list bulk resends")
        .description("List the bulk resends newest first.")
        .clientFlags()
        .action((flags: ClientFlags) => context.run(list(flags, context))),
    )
    .addCommand(
      new ApiCommand("get")
        .summary("print a bulk resend")
        .description("Print the state of a bulk resend.")
        .argument("<id>", "ID of the bulk resend, as printed by `list`")
        .clientFlags()
        .action((id: string, flags: ClientFlags) =>
          context.run(
            Effect.gen(function* () {
              const api = yield* resourceClient(resends, flags, context)
              yield* printJson(flags, yield* api.findResend({ id }), resendLine)
            }),
          ),
        ),
    )
    .addCommand(
      new ApiCommand("cancel")
        .summary("cancel a bulk resend")
        .description("Cancel a bulk resend. Deliveries that are already queued are still sent.")
        .argument("<id>", "ID of the bulk resend, as printed by `list`")
        .clientFlags()
        .action((id: string, flags: ClientFlags) => context.run(cancel(id, flags, context))),
    )

interface ResendFlags extends ClientFlags {
  readonly method?: string
  readonly project?: string
  readonly state?: ReadonlyArray<(typeof resendableStates)[number]>
  readonly from?: string
  readonly to?: string
  readonly dryRun: boolean
}

const resend = (flags: ResendFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { method, project } = flags
    if (method === undefined && project !== undefined)
      return yield* new CommandFailed({
        message: "--project needs --method; to resend the deliveries of all alert methods, omit both",
      })
    const api = yield* resourceClient(resends, flags, context)
    const json = yield* api.resendDeliveries({
      body: {
        alertMethod:
          method === undefined ? undefined : { project: project ?? defaultProjectName, name: method },
        states: flags.state,
        from: flags.from,
        to: flags.to,
        dryRun: flags.dryRun,
      },
    })
    yield* printJson(flags, json, (json) =>
      "id" in json
        ? `Resending ${countText(json)} deliveries; bulk resend ${json.id}`
        : `Deliveries to resend: ${countText(json)}`,
    )
  })

const list = (flags: ClientFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const api = yield* resourceClient(resends, flags, context)
    const header = ["ID", "STATE", "RESENT", "OF", "CREATED"]
    yield* printList(flags, context, yield* readAll(api.listResends), "No bulk resends.", header, (each) => [
      each.id,
      each.state,
      String(each.resent),
      countText(each),
      each.createdAt,
    ])
  })

const resendLine = (bulkResend: BulkResend): string => {
  const { id, state, resent, createdAt } = bulkResend
  return `${id}  ${state.padEnd(9)}  ${resent} of ${countText(bulkResend)} resent  created ${createdAt}`
}

const cancel = (id: string, flags: ClientFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const api = yield* resourceClient(resends, flags, context)
    yield* printJson(
      flags,
      yield* api.cancelResend({ id }),
      ({ state, resent }) => `Bulk resend ${state}; deliveries resent: ${resent}`,
    )
  })

const countText = ({ matched, mayMatchMore }: ResendCount): string =>
  mayMatchMore ? `at least ${matched}` : `${matched}`
