import { Command } from "commander"
import { IndicatorTestSchema } from "@tocsin/adapters-http/internal/slos/IndicatorsApi"
import { ProposalsSchema } from "@tocsin/adapters-http/internal/backtests/BacktestsApi"
import { isObject } from "@tocsin/domain/internal/codec/Leaves"
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
        .outputFlag()
        .organizationFlag()
        .urlFlag()
        .examples("  $ tocsin slo test-query -f slo.yaml")
        .action((flags: TestQueryFlags) => context.run(testQuery(flags, context))),
    )
    .addCommand(
      new ApiCommand("propose")
        .summary("propose targets from the history of an SLO")
        .description(
          "Print how reliable the objectives of an SLO were in past time windows of several lengths, and which targets they would have met.",
        )
        .argument("<slo>", "name of the SLO")
        .projectFlag()
        .outputFlag()
        .organizationFlag()
        .urlFlag()
        .examples("  $ tocsin slo propose checkout-latency")
        .action((name: string, flags: ProposeFlags) => context.run(propose(name, flags, context))),
    )

interface ProposeFlags extends ClientFlags {
  readonly project: string
}

const propose = (name: string, flags: ProposeFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const response = yield* callApi(flags, context, {
      method: "GET",
      path: `/api/slos/${encodeURIComponent(name)}/proposals`,
      headers: { project: flags.project },
    })
    yield* printResponse(flags, response, ProposalsSchema, proposalsText)
  })

const proposalsText = ({ from, to, objectives }: typeof ProposalsSchema.Type): string =>
  [
    `Time windows from ${from} to ${to}`,
    ...objectives.flatMap(({ name, target, proposals }) => [
      `${name ?? "(composite)"}: target ${percent(target)}`,
      ...proposals.map((each) => {
        const days = `  ${Number((each.minutes / 1_440).toPrecision(4))} days: `
        if (each.median === undefined || each.worst === undefined || each.metShare === undefined)
          return `${days}too short a history`
        const proposed =
          each.proposedTarget === undefined ? "no target" : `proposed target ${percent(each.proposedTarget)}`
        return `${days}${proposed}; median ${percent(each.median)}, worst ${percent(each.worst)}; the present target was met in ${percent(each.metShare)}`
      }),
    ]),
  ].join("\n")

const percent = (share: number): string => `${Number((share * 100).toFixed(3))} %`

interface TestQueryFlags extends ClientFlags {
  readonly project: string
  readonly file: string
}

const testQuery = (flags: TestQueryFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { file, project } = flags
    const definitions = yield* readDefinitions({ file: [file] }, project)
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
