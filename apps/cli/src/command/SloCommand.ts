import {
  backtests,
  counts,
  indicators,
  type IndicatorState,
  type IndicatorTest,
  type SloForecast,
  type SloSeries,
  type TargetProposals,
} from "@tocsin/api"
import { seriesSteps } from "@tocsin/domain"
import { percentText } from "@tocsin/domain/codec"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { isJson } from "../client/ClientConfig.ts"
import { historyText } from "./HistoryText.ts"
import { printList, resourceClient } from "./CommandContext.ts"
import { commands, printed, work } from "./Commands.ts"
import { readDefinition } from "./DefinitionFiles.ts"
import { client, oneOf, project, required } from "./Flags.ts"

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
  const { readTo, history, succeededAt, receivedAt, failures, problem, unavailableSince, dataSource } = state
  return [
    ...(dataSource === undefined ? [] : [`Data source: ${dataSource.project}/${dataSource.name}`]),
    ...(history === undefined
      ? [readTo === undefined ? "Not read yet" : `Read up to: ${readTo}`]
      : [`Read up to: ${history.recentTo}`, `History: ${historyText(state)}`]),
    ...(succeededAt === undefined ? [] : [`Last read: ${succeededAt}`]),
    ...(receivedAt === undefined ? [] : [`Last received: ${receivedAt}`]),
    ...(unavailableSince === undefined ? [] : [`Unavailable since: ${unavailableSince}`]),
    ...(problem === undefined
      ? []
      : [`Failed reads: ${failures}; ${problem.at}  ${problem.reason}: ${problem.detail}`]),
  ].join("\n")
}

const proposalsText = ({ from, to, objectives }: TargetProposals): string =>
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
        return `${days}${proposed}; median ${percentText(each.median, 5)}, worst ${percentText(each.worst, 5)}; the current target was met in ${percentText(each.metShare, 5)}`
      }),
    ]),
  ].join("\n")

const testText = ({ from, to, counts, problem }: IndicatorTest): string =>
  [
    `${counts.length} minute${counts.length === 1 ? "" : "s"} with counts from ${from} to ${to}`,
    ...(problem === undefined ? [] : [`${problem.reason}: ${problem.detail}`]),
    ...counts.map(({ objective, timestamp, good, total }) => {
      const share = total > 0 ? `  ${((good / total) * 100).toFixed(2)}% good` : ""
      const of = objective === undefined ? "" : `${objective}  `
      return `${timestamp}  ${of}${numberText(good)} of ${numberText(total)}${share}`
    }),
  ].join("\n")

const numberText = (value: number): string => String(Number(value.toPrecision(6)))

const named = {
  arguments: { slo: "name of the SLO" },
  flags: { ...project, ...client },
  request: ({ slo, project }: { readonly slo: string; readonly project: string }) => ({
    sloName: slo,
    project,
  }),
}

export const sloCommand = commands(
  "show series, forecasts and queries of SLOs",
  "Show the time series, the forecast and the queries of SLOs. `tocsin status` shows their error budgets.",
  {
    series: work(
      {
        summary: "print the time series of an SLO",
        description: "Print the good and total events and the error budget remaining of an SLO over time.",
        arguments: named.arguments,
        flags: {
          ...named.flags,
          from: required("<date-time>", "start of the range, in UTC"),
          to: required("<date-time>", "end of the range, in UTC"),
          step: oneOf("<step>", "length of a step (default: as the range allows)", seriesSteps),
        },
        examples:
          "  $ tocsin slo series checkout-latency --from 2026-01-30T00:00:00Z --to 2026-01-31T00:00:00Z --step 1h",
      },
      (given, context) =>
        Effect.gen(function* () {
          const { slo, project, from, to, step } = given
          const api = yield* resourceClient(counts, given, context)
          const series = yield* api.readSeries({ sloName: slo, project, from, to, step })
          if (isJson(given)) return yield* Console.log(JSON.stringify(series))
          const header = ["TIME", "OBJECTIVE", "GOOD", "TOTAL", "BUDGET REMAINING"]
          yield* printList(given, context, rowsOf(series), "No data.", header, (cells) => cells)
        }),
    ),
    forecast: printed(counts, "readForecast", {
      ...named,
      summary: "print when the error budget of an SLO is exhausted",
      description:
        "Print when the error budget of each objective of an SLO is exhausted at the current pace.",
      examples: "  $ tocsin slo forecast checkout-latency -p shop",
      text: forecastText,
    }),
    indicator: printed(indicators, "findIndicator", {
      ...named,
      summary: "print whether the metrics of an SLO can be read",
      description:
        "Print the time up to which the metrics of an SLO have been read and, if they cannot be read, the reason.",
      examples: "  $ tocsin slo indicator checkout-latency -p shop",
      text: indicatorText,
    }),
    testQuery: printed(indicators, "testIndicator", {
      summary: "show the last hour of an SLO that is not yet applied",
      description:
        "Read the last hour from the Prometheus server of an SLO, and print the counts of its minutes. Nothing is stored.",
      flags: {
        file: required("<file>", "YAML or JSON file with one SLO; - reads stdin", "f"),
        ...project,
        ...client,
      },
      examples: "  $ tocsin slo test-query -f slo.yaml",
      request: ({ file, project }) =>
        Effect.map(readDefinition("SLO", file, project), (definition) => ({ body: { definition } })),
      text: testText,
    }),
    propose: printed(backtests, "proposeTargets", {
      ...named,
      summary: "propose targets from the history of an SLO",
      description:
        "Print how reliable the objectives of an SLO were in past time windows of several lengths, and which targets they would have met.",
      examples: "  $ tocsin slo propose checkout-latency",
      text: proposalsText,
    }),
  },
)
