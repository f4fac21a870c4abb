import { budgetAdjustments, type BudgetEffects } from "@tocsin/api"
import { percentText } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import { printJson, resourceClient } from "./CommandContext.ts"
import { commands, printed, work } from "./Commands.ts"
import { readPlacedDefinitions, withPlaces } from "./DefinitionFiles.ts"
import { client, defaulted, project, required } from "./Flags.ts"

export const adjustCommand = commands(
  "preview budget adjustments, and show past changes of them",
  "Preview budget adjustments, and show past changes of them.",
  {
    preview: work(
      {
        summary: "show what budget adjustments would change",
        description:
          "Print the error budget of each affected objective with and without the budget adjustments in a file. Nothing is stored.",
        flags: {
          file: required("<file>", "YAML or JSON file with budget adjustments; - reads stdin", "f"),
          ...project,
          ...client,
        },
        examples: "  $ tocsin adjust preview -f maintenance.yaml",
      },
      (given, context) =>
        Effect.gen(function* () {
          const sources = yield* readPlacedDefinitions({ file: [given.file] }, given.project)
          const api = yield* resourceClient(budgetAdjustments, given, context)
          const body = sources.map(({ document }) => document)
          const effects = yield* Effect.mapError(api.previewBudgetAdjustments({ body }), withPlaces(sources))
          yield* printJson(given, effects, (json) => linesOf(json).join("\n"))
        }),
    ),
    changes: printed(budgetAdjustments, "listBudgetChanges", {
      summary: "list changes of budget adjustments",
      description:
        "List who created, updated or deleted budget adjustments, and what that changed; newest first.",
      arguments: { "name?": "name of a budget adjustment (default: all of them)" },
      flags: { ...project, limit: defaulted("<count>", "number of changes", "20"), ...client },
      examples: "  $ tocsin adjust changes data-center-move -p shop",
      request: ({ name, project, limit }) => ({
        limit: Number(limit),
        ...(name !== undefined && { project, name }),
      }),
      text: ({ data }) =>
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
    }),
  },
)

const isChange = ([was, is]: ReadonlyArray<string>): boolean => was !== is

const linesOf = ({ objectives, isPartial }: BudgetEffects): ReadonlyArray<string> => [
  ...(objectives.length === 0 ? ["no objectives are affected"] : []),
  ...objectives.map(({ project, slo, objective, before, after }) => {
    const budgets = [before, after].map((each) => each.errorBudgetRemainingPercentage)
    const textsWith = (digits: number) =>
      budgets.map((budget) => (budget === undefined ? "no data" : percentText(budget, digits)))
    // Enough digits to show a change.
    const digits = budgets[0] === budgets[1] ? 4 : [4, 6, 8, 10].find((each) => isChange(textsWith(each)))
    const [was, is] = textsWith(digits ?? 12)
    return `${project}/${slo} ${objective ?? "(composite)"}: ${was} of the error budget remaining${was === is ? "" : `, then ${is}`}`
  }),
  ...(isPartial ? ["… and others"] : []),
]
