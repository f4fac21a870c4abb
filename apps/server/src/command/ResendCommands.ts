import { resendableStates } from "@tocsin/domain/resend/BulkResend"
import { defaultProjectName } from "@tocsin/domain/slo/Project"
import { Command, Option as Flag } from "commander"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readAnswer } from "../client/ApiClient.ts"
import type { ClientFlags } from "../client/ClientConfig.ts"
import {
  apiClient,
  type CommandContext,
  dryRunFlag,
  jsonFlag,
  organizationFlag,
  urlFlag,
} from "./CommandContext.ts"

/** `tocsin deliveries resend`, `resends` and `cancel`: many deliveries sent again. Source: decision 0311. */
export const resendCommands = (context: CommandContext): ReadonlyArray<Command> => [
  new Command("resend")
    .summary("send again what was not delivered")
    .description("Send again what was not delivered, batch by batch; --dry-run only tells how much that is.")
    .option("-m, --method <name>", "only those of an alert method; by default of all")
    .option("-p, --project <name>", 'project of the alert method (default: "default")')
    .addOption(
      new Flag(
        "-s, --state <state...>",
        "only those of a state; by default exhausted and failed ones",
      ).choices(resendableStates),
    )
    .option("--from <time>", "only those created from then on, as 2026-01-30T12:00:00Z")
    .option("--to <time>", "only those created before then")
    .addOption(dryRunFlag())
    .addOption(jsonFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .addHelpText("after", "\nExample:\n  $ tocsin deliveries resend --method on-call -p shop --dry-run")
    .action((flags: ResendFlags) => context.run(resend(flags, context))),
  new Command("resends")
    .summary("print what is or was resent by `resend`")
    .description("Print what is or was resent by `resend`, the newest first.")
    .addOption(jsonFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .action((flags: ResendsFlags) => context.run(list(flags, context))),
  new Command("cancel")
    .summary("cancel what `resend` has begun")
    .description("Cancel what `resend` has begun: what is due already is sent all the same.")
    .argument("<id>", "as `resend` prints it")
    .addOption(jsonFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .action((id: string, flags: ResendsFlags) => context.run(cancel(id, flags, context))),
]

/** A project is given without an alert method, of which alone deliveries can be resent. */
export class MethodIsMissing extends Data.TaggedError("MethodIsMissing") {
  override get message(): string {
    return "name an alert method of the project with --method; without both, those of all are resent"
  }
}

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
    if (method === undefined && project !== undefined) return yield* new MethodIsMissing()
    const client = yield* apiClient(flags, context)
    const answer = yield* client.call({
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
    if (flags.json === true) return yield* Console.log(answer)
    if (flags.dryRun) {
      return yield* Console.log(`Deliveries to resend: ${countText(yield* readAnswer(Count, answer))}`)
    }
    const begun = yield* readAnswer(BulkResend, answer)
    yield* Console.log(`Resending ${countText(begun)} deliveries as ${begun.id}`)
  })

const list = (flags: ResendsFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const client = yield* apiClient(flags, context)
    const answer = yield* client.call({ method: "GET", path: "/api/resends" })
    if (flags.json === true) return yield* Console.log(answer)
    const { data } = yield* readAnswer(Schema.Struct({ data: Schema.Array(BulkResend) }), answer)
    if (data.length === 0) return yield* Console.log("No bulk resends.")
    for (const each of data) {
      const { id, state, resent, createdAt } = each
      yield* Console.log(
        `${id}  ${state.padEnd(9)}  ${resent} of ${countText(each)} resent  created ${createdAt}`,
      )
    }
  })

const cancel = (id: string, flags: ResendsFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const client = yield* apiClient(flags, context)
    const path = `/api/resends/${encodeURIComponent(id)}/cancel`
    const answer = yield* client.call({ method: "POST", path })
    if (flags.json === true) return yield* Console.log(answer)
    const { state, resent } = yield* readAnswer(BulkResend, answer)
    yield* Console.log(`The resend is ${state}; deliveries resent: ${resent}`)
  })

const countText = ({ matched, mayMatchMore }: typeof Count.Type): string =>
  mayMatchMore ? `at least ${matched}` : `${matched}`
