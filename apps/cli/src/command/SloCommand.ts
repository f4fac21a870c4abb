import { percentText } from "@tocsin/domain/codec"
import { Command, Option as Flag } from "commander"
import { sloForecast, sloSeries, type SloForecast, type SloSeries } from "@tocsin/api"
import { indicatorState, indicatorTest, type IndicatorState, type IndicatorTest } from "@tocsin/api"
import { ProposalsSchema } from "@tocsin/adapters-http/schemas"
import { seriesSteps } from "@tocsin/domain"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { readResponse } from "../client/ApiClient.ts"
import { type ClientFlags, isJson } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext, printCall, printList } from "./CommandContext.ts"
import { readDefinition } from "./DefinitionFiles.ts"

export const sloCommand = (context: CommandContext): Command =>
  new Command("slo")
    .summary("show series, forecasts and queries of SLOs")
    .description(
      "Show the time series, the forecast and the queries of SLOs. `tocsin status` shows their error budgets.",
    )
    .addCommand(
      named("series")
        .summary("print the time series of an SLO")
        .description("Print the good and total events and the remaining error budget of an SLO over time.")
        .requiredOption("--from <date-time>", "start of the range, in UTC")
        .requiredOption("--to <date-time>", "end of the range, in UTC")
        .addOption(
          new Flag("--step <step>", "length of a step (default: as the range allows)").choices(seriesSteps),
        )
        .examples(
          "  $ tocsin slo series checkout-latency --from 2026-01-30T00:00:00Z --to 2026-01-31T00:00:00Z --step 1h",
        )
        .action((name: string, flags: SeriesFlags) => context.run(series(name, flags, context))),
    )
    .addCommand(
      named("forecast")
        .summary("print when the error budget of an SLO is exhausted")
        .description(
          "Print when the error budget of each objective of an SLO is exhausted at the present pace.",
        )
        .examples("  $ tocsin slo forecast checkout-latency -p shop")
        .action((name: string, flags: ProjectFlags) =>
          context.run(printCall(flags, context, callOf(name, "forecast", flags), sloForecast, forecastText)),
        ),
    )
    .addCommand(
      named("indicator")
        .summary("print whether the metrics of an SLO can be read")
        .description(
          "Print up to when the metrics of an SLO have been read and, if they cannot be read, why.",
        )
        .examples("  $ tocsin slo indicator checkout-latency -p shop")
        .action((name: string, flags: ProjectFlags) =>
          context.run(
            printCall(flags, context, callOf(name, "indicator", flags), indicatorState, indicatorText),
          ),
        ),
    )
    .addCommand(
      new ApiCommand("test-query")
        .summary("show the last hour of an SLO that is not yet applied")
        .description(
          "Read the last hour from the Prometheus server of an SLO, and print the counts of its minutes. Nothing is stored.",
        )
        .requiredOption("-f, --file <file>", "YAML or JSON file with one SLO; - reads stdin")
        .projectFlag()
        .clientFlags()
        .examples("  $ tocsin slo test-query -f slo.yaml")
        .action((flags: TestQueryFlags) => context.run(testQuery(flags, context))),
    )
    .addCommand(
      named("propose")
        .summary("propose targets from the history of an SLO")
        .description(
          "Print how reliable the objectives of an SLO were in past time windows of several lengths, and which targets they would have met.",
        )
        .examples("  $ tocsin slo propose checkout-latency")
        .action((name: string, flags: ProjectFlags) =>
          context.run(
            printCall(flags, context, callOf(name, "proposals", flags), ProposalsSchema, proposalsText),
          ),
        ),
    )

const named = (verb: string): ApiCommand =>
  new ApiCommand(verb).argument("<slo>", "name of the SLO").projectFlag().clientFlags()

interface ProjectFlags extends ClientFlags {
  readonly project: string
}

const callOf = (name: string, what: string, { project }: ProjectFlags) =>
  ({ method: "GET", path: `/api/slos/${encodeURIComponent(name)}/${what}`, headers: { project } }) as const

interface SeriesFlags extends ProjectFlags {
  readonly from: string
  readonly to: string
  readonly step?: string
}

const series = (name: string, flags: SeriesFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { from, to, step } = flags
    const query = new URLSearchParams({ from, to, ...(step !== undefined && { step }) })
    const response = yield* callApi(flags, context, callOf(name, `series?${query}`, flags))
    if (isJson(flags)) return yield* Console.log(response)
    const rows = rowsOf(yield* readResponse(sloSeries, response))
    const header = ["TIME", "OBJECTIVE", "GOOD", "TOTAL", "BUDGET LEFT"]
    yield* printList(flags, context, rows, "No data.", header, (cells) => cells)
  })

/** A row for each step and objective that has data. */
const rowsOf = ({ from, to, objectives, composite }: SloSeries) => {
  const all: ReadonlyArray<(typeof objectives)[number]> = [
    ...objectives,
    ...(composite === undefined ? [] : [{ name: "(composite)", ...composite }]),
  ]
  const steps = all[0]?.errorBudgetRemainingPercentage.length ?? 0
  const start = Date.parse(from)
  const stepMs = (Date.parse(to) - start) / steps
  return Array.from({ length: steps }, (_, index) => index).flatMap((index) =>
    all.flatMap(({ name, counts, errorBudgetRemainingPercentage }) => {
      const cells = [counts?.good[index], counts?.total[index]].map((count) =>
        count === undefined || count === null ? "" : numberText(count),
      )
      const budget = errorBudgetRemainingPercentage[index]
      if (cells.every((cell) => cell === "") && typeof budget !== "number") return []
      const at = new Date(start + index * stepMs).toISOString()
      return [[at, name, ...cells, typeof budget === "number" ? percentText(budget, 5) : ""]]
    }),
  )
}

const forecastText = ({ asOf, objectives, composite }: SloForecast): string =>
  [
    `As of ${asOf}`,
    ...[...objectives, ...(composite === undefined ? [] : [{ name: "(composite)", ...composite }])].map(
      ({ name, outlook, exhaustedAt, earliestAt, latestAt }) => {
        const range =
          earliestAt === undefined
            ? ""
            : `; between ${earliestAt} and ${latestAt ?? "the end of the time window or later"}`
        const at = exhaustedAt === undefined ? "" : ` at ${exhaustedAt}`
        return `${name}: ${outlook ?? "no data"}${at}${range}`
      },
    ),
  ].join("\n")

const indicatorText = (state: IndicatorState): string => {
  const { readTo, succeededAt, receivedAt, failures, problem, unavailableSince, dataSource } = state
  return [
    ...(dataSource === undefined ? [] : [`Data source: ${dataSource.project}/${dataSource.name}`]),
    readTo === undefined ? "Not read yet" : `Read up to: ${readTo}`,
    ...(succeededAt === undefined ? [] : [`Last read: ${succeededAt}`]),
    ...(receivedAt === undefined ? [] : [`Last received: ${receivedAt}`]),
    ...(unavailableSince === undefined ? [] : [`Unavailable since: ${unavailableSince}`]),
    ...(problem === undefined
      ? []
      : [`Failed reads: ${failures}; ${problem.at}  ${problem.reason}: ${problem.detail}`]),
  ].join("\n")
}

const proposalsText = ({ from, to, objectives }: typeof ProposalsSchema.Type): string =>
  [
    `Time windows from ${from} to ${to}`,
    ...objectives.flatMap(({ name, target, proposals }) => [
      `${name ?? "(composite)"}: target ${percentText(target, 5)}`,
      ...proposals.map((each) => {
        const days = `  ${Number((each.minutes / 1_440).toPrecision(4))} days: `
        if (each.median === undefined || each.worst === undefined || each.metShare === undefined)
          return `${days}too short a history`
        const proposed =
          each.proposedTarget === undefined
            ? "no target"
            : `proposed target ${percentText(each.proposedTarget, 5)}`
        return `${days}${proposed}; median ${percentText(each.median, 5)}, worst ${percentText(each.worst, 5)}; the present target was met in ${percentText(each.metShare, 5)}`
      }),
    ]),
  ].join("\n")

interface TestQueryFlags extends ProjectFlags {
  readonly file: string
}

const testQuery = (flags: TestQueryFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const definition = yield* readDefinition("SLO", flags.file, flags.project)
    const call = { method: "POST", path: "/api/indicators/test", json: { definition } } as const
    yield* printCall(flags, context, call, indicatorTest, textOf)
  })

const textOf = ({ from, to, counts, problem }: IndicatorTest): string =>
  [
    `${counts.length} minutes with counts from ${from} to ${to}`,
    ...(problem === undefined ? [] : [`${problem.reason}: ${problem.detail}`]),
    ...counts.map(({ objective, timestamp, good, total }) => {
      const share = total > 0 ? `  ${((good / total) * 100).toFixed(2)}% good` : ""
      const of = objective === undefined ? "" : `${objective}  `
      return `${timestamp}  ${of}${numberText(good)} of ${numberText(total)}${share}`
    }),
  ].join("\n")

const numberText = (value: number): string => String(Number(value.toPrecision(6)))
