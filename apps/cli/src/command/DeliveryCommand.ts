import { deliveries, type DeliveryLog } from "@tocsin/api"
import { deliveryStates } from "@tocsin/domain"
import { Command, Option as Flag } from "commander"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { callAsOperator } from "../client/OperatorClient.ts"
import { readAll } from "../client/Pages.ts"
import {
  ApiCommand,
  callApi,
  type CommandContext,
  CommandFailed,
  positiveInteger,
  printJson,
  printList,
  printResponse,
  resourceClient,
} from "./CommandContext.ts"

export const deliveryCommand = (context: CommandContext): Command =>
  new Command("delivery")
    .summary("list, resend, pause and resume deliveries")
    .description(
      "List and resend deliveries of notifications, and pause or resume those of an alert method or of the whole server.",
    )
    .addCommand(
      new ApiCommand("list")
        .summary("list deliveries")
        .description("List deliveries, newest first.")
        .option("-p, --project <name>", "filter by project of the alert method (default: all)")
        .option("-m, --method <name>", "filter by alert method (default: all)")
        .addOption(
          new Flag("-s, --state <state...>", "filter by state (default: all)").choices(deliveryStates),
        )
        .option("--alert <id>", "filter by alert")
        .option("--from <date-time>", "filter by creation time: at or after this time (UTC)")
        .option("--to <date-time>", "filter by creation time: before this time (UTC)")
        .option("--limit <count>", "number of deliveries", positiveInteger, 20)
        .clientFlags()
        .examples("  $ tocsin delivery list --method on-call -s exhausted failed")
        .action((flags: ListFlags) => context.run(list(flags, context))),
    )
    .addCommand(
      new ApiCommand("get")
        .summary("print a delivery with its attempts")
        .description("Print a delivery with its latest attempts, and why they failed.")
        .argument("<id>", "ID of the delivery, as printed by `list`")
        .clientFlags()
        .examples("  $ tocsin delivery get 019c0eb2-5400-7c1e-8a55-0d1f6f6b2f10")
        .action((id: string, flags: ClientFlags) =>
          context.run(
            Effect.gen(function* () {
              const api = yield* resourceClient(deliveries, flags, context)
              yield* printJson(flags, yield* api.findDelivery({ id }), logText)
            }),
          ),
        ),
    )
    .addCommand(
      new ApiCommand("resend")
        .summary("resend a delivery")
        .description("Resend a delivery, with the same ID. To resend many, use `tocsin resend start`.")
        .argument("<id>", "ID of the delivery, as printed by `list`")
        .clientFlags()
        .examples("  $ tocsin delivery resend 019c0eb2-5400-7c1e-8a55-0d1f6f6b2f10")
        .action((id: string, flags: ClientFlags) =>
          context.run(
            Effect.gen(function* () {
              const api = yield* resourceClient(deliveries, flags, context)
              yield* printJson(
                flags,
                yield* api.resendDelivery({ id }),
                (delivery) => `Delivery ${delivery.id} ${delivery.state}`,
              )
            }),
          ),
        ),
    )
    .addCommand(
      pausing("pause", context)
        .summary("pause deliveries")
        .description(
          "Pause deliveries. New notifications wait in the queue; attempts in flight are completed.",
        ),
    )
    .addCommand(
      pausing("resume", context)
        .summary("resume deliveries")
        .description("Resume deliveries, starting with those that wait in the queue."),
    )

interface ListFlags extends ClientFlags {
  readonly project?: string
  readonly method?: string
  readonly state?: ReadonlyArray<DeliveryLog["state"]>
  readonly alert?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
}

const list = (flags: ListFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { project, method, state, alert, from, to, limit } = flags
    const api = yield* resourceClient(deliveries, flags, context)
    const query = { project, alertMethod: method, alertId: alert, state, from, to }
    const listed = yield* readAll((page) => api.listDeliveries({ ...query, ...page }), limit)
    const header = ["ID", "ALERT METHOD", "EVENT", "SLO", "STATE", "ATTEMPTS", "CREATED"]
    yield* printList(flags, context, listed, "No deliveries.", header, (each) => [
      each.id,
      `${each.alertMethod.project}/${each.alertMethod.name}`,
      each.event,
      `${each.slo.project}/${each.slo.name}`,
      each.state,
      String(each.attempt),
      each.createdAt,
    ])
  })

const logText = (delivery: DeliveryLog): string => {
  const { alertMethod, slo, event, state, nextAttemptAt, settledAt, attempts } = delivery
  const when =
    nextAttemptAt === undefined ? settledAt && `since ${settledAt}` : `next attempt ${nextAttemptAt}`
  return [
    `${event} of SLO ${slo.project}/${slo.name} to alert method ${alertMethod.project}/${alertMethod.name}`,
    `${state}${when === undefined ? "" : `, ${when}`}`,
    ...attempts.map(({ number, startedAt, durationMs, status, reason, detail, responseBody }) =>
      [
        `  ${number}  ${startedAt}  ${Math.round(durationMs)} ms`,
        status === undefined ? undefined : `HTTP ${status}`,
        reason ?? "delivered",
        detail,
        responseBody === undefined ? undefined : JSON.stringify(responseBody),
      ]
        .filter((part) => part !== undefined)
        .join("  "),
    ),
  ].join("\n")
}

interface PauseFlags extends ClientFlags {
  readonly project: string
  readonly all?: boolean
}

type Verb = "pause" | "resume"

const pausing = (verb: Verb, context: CommandContext): ApiCommand =>
  new ApiCommand(verb)
    .argument("[name]", "name of the alert method")
    .projectFlag()
    .addOption(new Flag("--all", "all deliveries of the server; needs the master key"))
    .clientFlags()
    .examples(
      `  # One alert method\n  $ tocsin delivery ${verb} on-call -p shop\n\n  # The whole server\n  $ tocsin delivery ${verb} --all`,
    )
    .action((name: string | undefined, flags: PauseFlags) =>
      context.run(setPaused(verb, name, flags, context)),
    )

const PauseState = Schema.Struct({ inFlight: Schema.Finite })

const setPaused = (verb: Verb, name: string | undefined, flags: PauseFlags, context: CommandContext) =>
  Effect.gen(function* () {
    if ((name === undefined) !== (flags.all === true))
      return yield* new CommandFailed({ message: "specify either an alert method or --all" })
    const response = yield* name === undefined
      ? callAsOperator(flags, context, {
          method: "POST",
          path: `/api/operator/deliveries/${verb}`,
        })
      : callApi(flags, context, {
          method: "POST",
          path: `/api/alertmethods/${encodeURIComponent(name)}/${verb}`,
          headers: { project: flags.project },
        })
    const what = name === undefined ? "All deliveries" : `AlertMethod ${flags.project}/${name}`
    yield* printResponse(
      flags,
      response,
      PauseState,
      ({ inFlight }) => `${what} ${verb}d; in flight: ${inFlight}`,
    )
  })
