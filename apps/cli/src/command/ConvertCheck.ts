import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import { promqlParser } from "@tocsin/promql"
import { decodeDefinition } from "@tocsin/domain"
import { groupByOf, groupObjectiveName, polledIndicatorOf } from "@tocsin/domain/adapter"
import { minuteMs, minuteOf } from "@tocsin/domain/codec"
import { isOwnIndicator, plainOf, type Slo } from "@tocsin/domain/definitions"
import { anyAddress } from "@tocsin/domain/delivery"
import { indicatorSettleMs, readCounts } from "@tocsin/domain/features/data-source"
import type { Conversion } from "@tocsin/formats"
import { type Count, MetricSource, type Sample } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/**
 * Reads the last hour of each converted SLO from its Prometheus server: the share of bad events by the queries of its document, and by
 * the definition. Returns a line for each SLO, or for each of its groups.
 */
export const checkConversion = (
  { definitions, sourceRatios }: Pick<Conversion, "definitions" | "sourceRatios">,
  vendorPrefix: string,
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const slos = definitions.flatMap((definition) => {
      const options = { vendorPrefix, addressPolicy: anyAddress, checkPromQl: promqlParser.check }
      const decoded = decodeDefinition(definition, options)
      return Result.isSuccess(decoded) && decoded.success.kind === "SLO" ? [decoded.success as Slo] : []
    })
    const to = minuteOf((yield* Clock.currentTimeMillis) - indicatorSettleMs)
    const lines = yield* Effect.forEach(slos, (slo) => checkSlo(slo, sourceRatios.get(slo.metadata.name), to))
    return lines.flat()
  }).pipe(Effect.provide(MetricSourcePrometheus.layer({ allowCidrs: ["0.0.0.0/0", "::/0"] })))

const checkedMinutes = 60

/** Requests of the command line are of no organization. */
const organization = ""

const checkSlo = (
  slo: Slo,
  ratio: string | undefined,
  to: number,
): Effect.Effect<ReadonlyArray<string>, never, MetricSource> =>
  Effect.gen(function* () {
    const { name } = slo.metadata
    const indicator = polledIndicatorOf(slo)
    const url = indicator === undefined || isOwnIndicator(indicator) ? undefined : indicator.prometheus.url
    if (indicator === undefined || url === undefined)
      return [`${name}: not checked, as it has no Prometheus server`]
    if (ratio === undefined) return [`${name}: not checked, as its document has no ratio`]
    const server = { url, headers: [] }
    const from = to - checkedMinutes * minuteMs
    const groupBy = groupByOf(slo.spec)
    const source = yield* MetricSource
    const query = { organization, server, expression: ratio, from: to, to, isValue: true }
    const given = yield* Effect.result(
      source.readSeries({ ...query, ...(groupBy !== undefined && { groupBy }) }),
    )
    const read = yield* Effect.result(readCounts(organization, slo, indicator, server, { from, to }, from))
    const first = plainOf(slo.spec.objectives)[0]?.name ?? ""
    const nameOf = (group: Sample["group"]): string =>
      groupBy === undefined || group === undefined ? first : groupObjectiveName(first, groupBy, group)
    const shares = new Map(
      Result.isSuccess(given) ? given.success.map(({ group, value }) => [nameOf(group), value]) : [],
    )
    const counts = Result.isSuccess(read) ? read.success.counts : []
    const problems = [
      ...(Result.isFailure(given) ? [`the queries of the document: ${given.failure.detail}`] : []),
      ...(Result.isFailure(read) ? [`the converted queries: ${read.failure.detail}`] : []),
      ...(Result.isSuccess(read) && read.success.problem !== undefined ? [read.success.problem.detail] : []),
    ]
    const objectives = new Set([
      ...shares.keys(),
      ...counts.flatMap(({ objective }) =>
        objective === first || objective.startsWith(`${first}{`) ? [objective] : [],
      ),
    ])
    const names = objectives.size === 0 ? [first] : [...objectives].toSorted()
    return [
      ...names.map((objective) => {
        const place = groupBy === undefined ? name : `${name} ${objective.slice(first.length)}`
        return lineOf(
          place,
          shares.get(objective),
          counts.filter((each) => each.objective === objective),
        )
      }),
      ...problems.map((problem) => `${name}: ${problem}`),
    ]
  })

const lineOf = (place: string, ratio: number | undefined, counts: ReadonlyArray<Count>): string => {
  const good = counts.reduce((sum, count) => sum + count.good, 0)
  const total = counts.reduce((sum, count) => sum + count.total, 0)
  const own = ratio === undefined || !Number.isFinite(ratio) ? undefined : ratio * 100
  const converted = total > 0 ? (1 - good / total) * 100 : undefined
  const difference =
    own === undefined || converted === undefined
      ? ""
      : `, difference ${Math.abs(own - converted).toFixed(2)} percentage points`
  return `${place}: source ${percentText(own)}, converted ${percentText(converted)} in ${counts.length} minutes${difference}`
}

const percentText = (percent: number | undefined): string =>
  percent === undefined ? "no data" : `${percent.toFixed(2)}% bad`
