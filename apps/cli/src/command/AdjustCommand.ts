import { percentText } from "@tocsin/domain/codec"
import { budgetAdjustments, type BudgetEffects } from "@tocsin/api"
import { Command } from "commander"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, type CommandContext, printJson, resourceClient } from "./CommandContext.ts"
import { readPlacedDefinitions, withPlaces } from "./DefinitionFiles.ts"

export const adjustCommand = (context: CommandContext): Command =>
  new Command("adjust")
    .summary("preview budget adjustments, and show past changes of them")
    .description("Preview budget adjustments, and show past changes of them.")
    .addCommand(
      new ApiCommand("preview")
        .summary("show what budget adjustments would change")
        .description(
          "Print the error budget of each affected objective without and with the budget adjustments in a file. Nothing is stored.",
        )
        .requiredOption("-f, --file <file>", "YAML or JSON file with budget adjustments; - reads stdin")
        .projectFlag()
        .outputFlag()
        .organizationFlag()
        .urlFlag()
        .examples("  $ tocsin adjust preview -f maintenance.yaml")
        .action((flags: PreviewFlags) => context.run(preview(flags, context))),
    )
    .addCommand(
      new ApiCommand("changes")
        .summary("list changes of budget adjustments")
        .description(
          "List who created, updated or deleted budget adjustments, and what that changed; newest first.",
        )
        .argument("[name]", "name of a budget adjustment (default: all of them)")
        .projectFlag()
        .option("--limit <count>", "number of changes", "20")
        .outputFlag()
        .organizationFlag()
        .urlFlag()
        .examples("  $ tocsin adjust changes data-center-move -p shop")
        .action((name: string | undefined, flags: ChangesFlags) =>
          context.run(changes(name, flags, context)),
        ),
    )

interface PreviewFlags extends ClientFlags {
  readonly project: string
  readonly file: string
}

const preview = (flags: PreviewFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const sources = yield* readPlacedDefinitions({ file: [flags.file] }, flags.project)
    const api = yield* resourceClient(budgetAdjustments, flags, context)
    const body = sources.map(({ document }) => document)
    const effects = yield* Effect.mapError(api.previewBudgetAdjustments({ body }), withPlaces(sources))
    yield* printJson(flags, effects, () => linesOf(effects).join("\n"))
  })

interface ChangesFlags extends ClientFlags {
  readonly project: string
  readonly limit: string
}

const changes = (name: string | undefined, flags: ChangesFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const api = yield* resourceClient(budgetAdjustments, flags, context)
    const listed = yield* api.listBudgetChanges({
      limit: Number(flags.limit),
      ...(name !== undefined && { project: flags.project, name }),
    })
    yield* printJson(flags, listed, ({ data }) =>
      data.length === 0
        ? "no changes"
        : data
            .map(({ at, author, adjustments, effects }) =>
              [
                `${at}${author === undefined ? "" : `  by ${author}`}`,
                ...adjustments.map(
                  ({ outcome, definition: { metadata, spec } }) =>
                    `  BudgetAdjustment ${metadata.project}/${metadata.name} ${outcome}: ${spec.reason}`,
                ),
                ...linesOf(effects).map((line) => `  ${line}`),
              ].join("\n"),
            )
            .join("\n\n"),
    )
  })

const linesOf = ({ objectives, isPartial }: BudgetEffects): ReadonlyArray<string> => [
  ...(objectives.length === 0 ? ["no objectives are affected"] : []),
  ...objectives.map(({ project, slo, objective, before, after }) => {
    const [was, is] = [before, after].map(({ errorBudgetRemainingPercentage }) =>
      errorBudgetRemainingPercentage === undefined
        ? "no data"
        : percentText(errorBudgetRemainingPercentage, 4),
    )
    return `${project}/${slo} ${objective ?? "(composite)"}: ${was} of the error budget left${was === is ? "" : `, then ${is}`}`
  }),
  ...(isPartial ? ["… and others"] : []),
]
