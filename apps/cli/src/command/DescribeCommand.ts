import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { standardOutput } from "../terminal/Terminal.ts"
import { apiClient, ApiCommand, type CommandContext } from "./CommandContext.ts"
import { describeObject } from "./DescribeObject.ts"
import { findObject } from "./FindObject.ts"

export const describeCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("describe")
    .summary("show objects with their state")
    .description(
      "Show objects with all that belongs to them, to read: of an SLO its error budgets, alert policies and open alerts, of an alert method its health and latest deliveries. Use `tocsin get` for scripts.",
    )
    .argument("<kind>", "kind of the objects, as of `tocsin get`, for example slo or alert")
    .argument("<name...>", "names of the objects")
    .projectFlag()
    .organizationFlag()
    .urlFlag()
    .examples(
      "  # An SLO\n  $ tocsin describe slo checkout-latency -p shop\n\n  # An alert method with its latest deliveries\n  $ tocsin describe am on-call",
    )
    .action((kind: string, names: ReadonlyArray<string>, flags: DescribeFlags) =>
      context.run(describe(kind, names, flags, context)),
    )

interface DescribeFlags extends ClientFlags {
  readonly project: string
}

const describe = (
  kind: string,
  names: ReadonlyArray<string>,
  flags: DescribeFlags,
  context: CommandContext,
) =>
  Effect.gen(function* () {
    const client = yield* apiClient(flags, context)
    const terminal = standardOutput(context.environment)
    for (const [index, name] of names.entries()) {
      const object = yield* findObject(client, kind, flags.project, name)
      const text = yield* describeObject(client, object, terminal)
      yield* Effect.sync(() => void process.stdout.write(index === 0 ? text : `\n${text}`))
    }
  })
