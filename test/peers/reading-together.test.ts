import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import { minuteMs } from "@tocsin/domain/codec"
import {
  type Answer,
  type AnswerInTime,
  MetricSource,
  type GapQuery,
  type SeriesQuery,
} from "@tocsin/domain/ports"
import { sourceUrlOf } from "@tocsin/testing/fixtures"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { describeWith, expect } from "@tocsin/testing/vitest"
import { freePort } from "../FreePort.ts"
import { startPrometheus } from "./Prometheus.ts"

const start = Math.floor(Date.now() / minuteMs) * minuteMs - 12 * 60 * minuteMs
const minutes = 240
const hourMs = 60 * minuteMs

/** Values of `job` that are special in a regular expression, in a string, or in both; the last has no series. */
const jobs = ["api", "api.v2", "a|b", 'quo"te', "back\\slash", "do$lar", "(x)+", "größe", "none"]
const withSeries = jobs.slice(0, -1)

/**
 * Counters of two instances a job: one restarts, one has a gap, one falls a little, and scrapes come at other seconds. Those of the first
 * job are steady, and those of another restart every half hour.
 */
const historyText = (): string => {
  const lines = ["# TYPE requests counter"]
  const gauges = ["# TYPE load gauge"]
  for (const [index, job] of withSeries.entries()) {
    for (const code of ["200", "500"]) {
      for (const instance of ["0", "1"]) {
        const labels = `job=${JSON.stringify(job)},code="${code}",instance="${instance}",zone="z${index % 3}"`
        let value = 100_000 + index * 1_000
        for (let scrape = 0; scrape < minutes * 4; scrape++) {
          const minute = scrape / 4
          value += ((scrape * (index + 3)) % 11) + (code === "200" ? 5 : 0) + 0.25
          if (instance === "0" && index > 0 && scrape === 300 + index * 7) value = 3
          if (index === 3 && scrape % 120 === 50) value = 3
          if (instance === "1" && index === 2 && scrape === 500) value *= 0.99
          const isGap = instance === "1" && index % 2 === 1 && minute > 100 && minute < 104 + index * 12
          const isDown = index === 4 && minute > 130 && minute < 200
          if (!isGap && !isDown) {
            lines.push(
              `requests_total{${labels}} ${value} ${(start + scrape * 15_000 + index * 1_000) / 1_000}`,
            )
          }
        }
      }
    }
    for (let scrape = 0; scrape < minutes * 4; scrape++) {
      const at = (start + scrape * 15_000) / 1_000
      gauges.push(`load{job=${JSON.stringify(job)}} ${(scrape % (index + 7)) / 10} ${at}`)
    }
  }
  return `${[...lines, ...gauges].join("\n")}\n# EOF\n`
}

/** Forms of queries, for a matcher of `job` and one of `zone`; and whether several are one request. */
const forms: ReadonlyArray<
  readonly [
    form: (job: string, zone: string) => string,
    options: Partial<SeriesQuery> & { readonly isAlone?: boolean },
  ]
> = [
  [(job) => `sum(increase(requests_total{${job}}[1m]))`, {}],
  [(job) => `sum(increase(requests_total{code!~"5..", ${job}}[1m])) or vector(0)`, {}],
  [(job) => `sum(rate(requests_total{${job},code="200"}[1m])) by (job) * 60`, {}],
  [(job) => `sum without (instance, code) (increase(requests_total{${job}}[1m]))`, {}],
  [
    (job) =>
      `sum(increase(requests_total{${job}}[1m])) - (sum(increase(requests_total{${job},code="500"}[1m])) or vector(0))`,
    {},
  ],
  [
    (job) =>
      `sum by (code) (increase(requests_total{${job}}[1m])) / on () group_left () sum(increase(requests_total{${job}}[1m]))`,
    { isAlone: true, groupBy: ["code"] },
  ],
  [(job) => `sum by (instance) (increase(requests_total{${job}}[1m]))`, { groupBy: ["instance"] }],
  [(job) => `sum by (job) (increase(requests_total{${job}}[1m]))`, { groupBy: ["job"], isAlone: true }],
  [(job, zone) => `sum(increase(requests_total{${zone},${job}}[1m]))`, {}],
  [(job) => `sum(requests_total{${job}})`, { isCumulative: true }],
  [(job) => `sum(requests_total{${job}}) or vector(0)`, { isCumulative: true }],
  [(job) => `max(requests_total{${job}})`, { isCumulative: true }],
  [(job) => `load{${job}}`, { isValue: true, stepMs: 15_000 }],
  [(job) => `avg_over_time(load{${job}}[5m]) > 0.2`, { isValue: true }],
  [
    (job) => `clamp_max(sum(rate(requests_total{${job}}[5m])) / count(load{${job}}), 1000)`,
    { isValue: true },
  ],
  [
    (job) => `sum(max_over_time(load{${job}}[5m:1m] offset 3m)) and sum(load{${job}} > 0.1)`,
    { isValue: true },
  ],
  [(job) => `quantile(0.5, rate(requests_total{${job}}[2m]))`, { isValue: true }],
  [(job) => `absent(load{${job}})`, { isValue: true, isAlone: true }],
  [(job) => `scalar(load{${job}}) + vector(1)`, { isValue: true, isAlone: true }],
  [(job) => `label_replace(load{${job}}, "job", "x", "", "")`, { isValue: true, isAlone: true }],
  [(job) => `topk(1, load{${job}})`, { isValue: true, isAlone: true }],
  // Each has several series, and says so.
  [(job) => `increase(requests_total{${job}}[1m])`, {}],
  // Not PromQL.
  [(job) => `sum(increase(requests_total{${job}}[1m])`, { isAlone: true }],
]

/** The one that no server can read. */
const lastForm = forms.at(-1)?.[0]

class Server extends Context.Service<Server, { readonly url: string }>()("test/Server") {}

const server = Layer.effect(
  Server,
  Effect.acquireRelease(
    Effect.promise(async () =>
      startPrometheus({ port: await freePort(), config: "global: {}\n", history: historyText() }),
    ),
    ({ close }) => Effect.promise(close),
  ),
)

const source = MetricSourcePrometheus.layer({ allowCidrs: ["127.0.0.0/8"] })

/** How many range queries the server has answered. */
const queriesOf = (url: string) =>
  Effect.promise(async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    const lines = text
      .split("\n")
      .filter((line) => /^prometheus_http_requests_total\{.*handler="\/api\/v1\/query_range"/.test(line))
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)
  })

/** The answers to queries that were asked: without limits, those to all. */
const asked = <A>(answers: ReadonlyArray<AnswerInTime<A>>) => answers.filter((each) => each !== "not_asked")

/** Answers without what depends on the order of a sum, which is another for several series. */
const rounded = <A extends { readonly at: number }>(answers: ReadonlyArray<Answer<A>>) =>
  answers.map((answer) =>
    Result.map(answer, (all) =>
      all
        .map((each) =>
          JSON.stringify(each, (_, value: unknown) =>
            typeof value === "number" ? Number(value.toPrecision(12)) : value,
          ),
        )
        .toSorted(),
    ),
  )

describeWith(Layer.merge(server, source), { timeout: 60_000 })(
  "reading several queries of Prometheus together",
  (it) => {
    it.effect("reads hours without resets and gaps by a cheaper expression", () =>
      Effect.gen(function* () {
        const { url } = yield* Server
        const { readSeries } = yield* MetricSource
        const before = yield* queriesOf(url)
        const samples = yield* readSeries({
          organization: "acme",
          server: { url: sourceUrlOf(url), headers: [] },
          expression: 'sum(increase(requests_total{job="api",instance="1"}[1m]))',
          from: Math.floor(start / hourMs) * hourMs - 2 * hourMs,
          to: Math.floor((start + minutes * minuteMs) / hourMs) * hourMs,
        })
        expect(samples.length).toBeGreaterThan(150)
        // Which hours are interrupted, all hours, and the one in which the counter begins.
        expect((yield* queriesOf(url)) - before).toBe(3)
      }),
    )

    for (const [form, { isAlone = false, ...options }] of forms) {
      if (options.isValue !== true && form !== lastForm)
        it.effect(`answers a long range as its hours: ${form('job="x"', 'zone="y"')}`, () =>
          Effect.gen(function* () {
            const { url } = yield* Server
            const { together } = yield* MetricSource
            if (together === undefined) throw new Error("nothing is read together")
            const shared = { url: sourceUrlOf(url), headers: [] }
            const from = start - 30 * minuteMs
            const to = start + (minutes + 10) * minuteMs
            const queriesOfRange = (instants: Pick<SeriesQuery, "from" | "to">) =>
              jobs.map((job, index): SeriesQuery => ({
                organization: "acme",
                server: shared,
                expression: form(`job=${JSON.stringify(job)}`, `zone="z${index % 3}"`),
                ...instants,
                ...options,
              }))
            const hours = Array.from({ length: Math.ceil((to - from) / (60 * minuteMs)) }, (_, hour) => ({
              from: from + hour * 60 * minuteMs,
              to: Math.min(to, from + (hour * 60 + 59) * minuteMs),
            }))
            const joined = <A>(answers: ReadonlyArray<ReadonlyArray<Answer<A>>>): ReadonlyArray<Answer<A>> =>
              jobs.map((_, index) =>
                Result.map(Result.all(answers.map((ofHour) => ofHour[index] ?? Result.succeed([]))), (all) =>
                  all.flat(),
                ),
              )
            const long = asked(yield* together.readSeries(queriesOfRange({ from, to })))
            const short = yield* Effect.forEach(hours, (hour) => together.readSeries(queriesOfRange(hour)))
            expect(rounded(long)).toEqual(rounded(joined(short.map(asked))))
            const gapsOf = (instants: Pick<SeriesQuery, "from" | "to">) =>
              Effect.map(
                together.readGaps(
                  queriesOfRange(instants).map((query) => ({ ...query, lookbackMs: 60 * minuteMs })),
                ),
                asked,
              )
            const found = yield* gapsOf({ from, to })
            expect(rounded(found)).toEqual(rounded(joined(yield* Effect.forEach(hours, gapsOf))))
          }),
        )
      it.effect(`answers as each alone: ${form('job="x"', 'zone="y"')}`, () =>
        Effect.gen(function* () {
          const { url } = yield* Server
          const { together, readSeries, readGaps } = yield* MetricSource
          if (together === undefined) throw new Error("nothing is read together")
          const shared = { url: sourceUrlOf(url), headers: [] }
          const queries = jobs.map((job, index): SeriesQuery => ({
            organization: "acme",
            server: shared,
            expression: form(`job=${JSON.stringify(job)}`, `zone="z${index % 3}"`),
            from: start + 60 * minuteMs,
            to: start + minutes * minuteMs,
            ...options,
          }))
          const before = yield* queriesOf(url)
          const read = asked(yield* together.readSeries(queries))
          expect((yield* queriesOf(url)) - before).toBe(isAlone ? jobs.length : 1)
          const alone = yield* Effect.forEach(queries, (query) => Effect.result(readSeries(query)))
          expect(rounded(read)).toEqual(rounded(alone))
          if (isAlone || options.isValue === true) return
          const gaps = queries.map((query): GapQuery => ({ ...query, lookbackMs: 60 * minuteMs }))
          const found = asked(yield* together.readGaps(gaps))
          expect(rounded(found)).toEqual(
            rounded(yield* Effect.forEach(gaps, (query) => Effect.result(readGaps(query)))),
          )
          if (form === forms[0]?.[0]) {
            const all = found.map((each) => (Result.isSuccess(each) ? each.success.length : 0))
            expect(all.filter((gaps) => gaps > 0).length).toBeGreaterThan(2)
          }
        }),
      )
    }
  },
)
