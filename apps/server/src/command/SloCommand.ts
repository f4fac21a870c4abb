import { Command } from "commander"
import { IndicatorTestSchema } from "@tocsin/adapters-http/slos/IndicatorsApi"
import { isObject } from "@tocsin/domain/codec/Leaves"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext, CommandFailed, printResponse } from "./CommandContext.ts"
import { readDefinitions } from "./DefinitionFiles.ts"

export const sloCommand = (context: CommandContext): Command =>
  new Command("slo")
    .summary("work with SLOs")
    .description("Work with SLOs.")
    .addCommand(
      new ApiCommand("test-query")
        .summary("show the last hour of an SLO that is not yet applied")
        .description(
          "Read the last hour from the Prometheus server of an SLO, and print the counts of its minutes. Nothing is stored.",
        )
        .requiredOption("-f, --file <file>", "YAML or JSON file with one SLO; - reads stdin")
        .projectFlag()
        .jsonFlag()
        .organizationFlag()
        .urlFlag()
        .examples("  $ tocsin slo test-query -f slo.yaml")
        .action((flags: TestQueryFlags) => context.run(testQuery(flags, context))),
    )

interface TestQueryFlags extends ClientFlags {
  readonly project: string
  readonly file: string
}

const testQuery = (flags: TestQueryFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { file, project } = flags
    const definitions = yield* readDefinitions([file], project)
    const slos = definitions.filter((each) => isObject(each) && each["kind"] === "SLO")
    if (slos.length !== 1) {
      return yield* new CommandFailed({ message: `${file}: must have exactly one SLO, not ${slos.length}` })
    }
    const response = yield* callApi(flags, context, {
      method: "POST",
      path: "/api/indicators/test",
      json: { definition: slos[0] },
    })
    yield* printResponse(flags, response, IndicatorTestSchema, textOf)
  })

const textOf = ({ from, to, minutes, problem }: typeof IndicatorTestSchema.Type): string =>
  [
    `${minutes.length} minutes with counts from ${from} to ${to}`,
    ...(problem === undefined ? [] : [`${problem.reason}: ${problem.detail}`]),
    ...minutes.map(({ objective, timestamp, good, total }) => {
      const share = total > 0 ? `  ${((good / total) * 100).toFixed(2)} % good` : ""
      const of = objective === undefined ? "" : `${objective}  `
      return `${timestamp}  ${of}${numberText(good)} of ${numberText(total)}${share}`
    }),
  ].join("\n")

const numberText = (value: number): string => String(Number(value.toPrecision(6)))
