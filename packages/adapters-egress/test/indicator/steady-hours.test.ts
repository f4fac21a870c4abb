import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import type { AnswerInTime, Sample, SeriesQuery } from "@tocsin/domain/ports"
import { sourceUrlOf } from "@tocsin/testing/fixtures"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { afterEach, describe, expect, it } from "vitest"
import {
  type RangeAnswer,
  type RangeQuery,
  startPrometheus,
} from "../../../../test/indicator/PrometheusServer.ts"

const cleanUps: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 0, 30)

/** The query that asks in which hours counters were interrupted, the one for steady counters, and the one for all. */
const formOf = ({ query }: RangeQuery): "check" | "steady" | "full" =>
  query.includes("resets(") ? "check" : query.includes("idelta(") ? "steady" : "full"

const jobsOf = ({ query }: RangeQuery): ReadonlyArray<string> =>
  (/job=~?"([^"]*)"/.exec(query)?.[1] ?? "").split("|")

const answerOf = (
  query: RangeQuery,
  valueOf: (job: string, seconds: number) => number | undefined,
  more: object = {},
): RangeAnswer => {
  const result = jobsOf(query).flatMap((job) => {
    const values: Array<readonly [number, string]> = []
    for (let at = query.start; at <= query.end; at += query.step) {
      const value = valueOf(job, at)
      if (value !== undefined) values.push([at, String(value)])
    }
    return values.length === 0 ? [] : [{ metric: query.query.includes(" by (job)") ? { job } : {}, values }]
  })
  const body = JSON.stringify({ status: "success", data: { resultType: "matrix", result }, ...more })
  return { status: 200, contentType: "application/json", body }
}

/** Answers 1 where counters are read as steady ones, and 2 by the full expression. */
const events = (query: RangeQuery): RangeAnswer => answerOf(query, () => (formOf(query) === "steady" ? 1 : 2))

const open = async (answer: (query: RangeQuery) => RangeAnswer) => {
  const server = await startPrometheus(answer)
  cleanUps.push(server.close)
  const scope = await Effect.runPromise(Scope.make())
  cleanUps.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const { together } = await Effect.runPromise(
    MetricSourcePrometheus.make({ allowCidrs: ["127.0.0.0/8"] }).pipe(Scope.provide(scope)),
  )
  if (together === undefined) throw new Error("nothing is read together")
  const at = { url: { ...sourceUrlOf("http://a.example.com"), text: server.url }, headers: [] }
  const queryOf = (job: string, change: Partial<SeriesQuery> = {}): SeriesQuery => ({
    organization: "acme",
    server: at,
    expression: `sum(increase(requests_total{job="${job}"}[1m]))`,
    from: start + minute,
    to: start + 24 * hour,
    ...change,
  })
  const read = (queries: ReadonlyArray<SeriesQuery>) => Effect.runPromise(together.readSeries(queries))
  const readGaps = (queries: ReadonlyArray<SeriesQuery>) =>
    Effect.runPromise(together.readGaps(queries.map((query) => ({ ...query, lookbackMs: hour }))))
  return { server, queryOf, read, readGaps }
}

/** How many minutes of an answer have each value. */
const minutesOf = (answer: AnswerInTime<Sample> | undefined): Readonly<Record<string, number>> => {
  const minutes: Record<string, number> = {}
  if (answer === undefined || answer === "not_asked" || Result.isFailure(answer)) return minutes
  for (const { value } of answer.success) minutes[value] = (minutes[value] ?? 0) + 1
  return minutes
}

describe("reading long ranges of counters", () => {
  it("spec/data-sources §5: reads the interrupted hours of some by the full expression, and the others by the cheaper one", async () => {
    const isInterrupted = (job: string, seconds: number): boolean =>
      job === "restarts" || (job === "once" && seconds === (start + 5 * hour) / 1_000)
    const { server, queryOf, read } = await open((query) =>
      formOf(query) === "check"
        ? answerOf(query, (job, seconds) => (isInterrupted(job, seconds) ? 1 : undefined))
        : events(query),
    )
    const answers = await read([queryOf("steady"), queryOf("restarts"), queryOf("once")])
    expect(answers.map(minutesOf)).toEqual([{ 1: 1_440 }, { 2: 1_440 }, { 1: 1_380, 2: 60 }])
    expect(server.queries.map((query) => [formOf(query), jobsOf(query)]).toSorted()).toEqual([
      ["check", ["steady", "restarts", "once"]],
      ["full", ["once"]],
      ["full", ["restarts"]],
      ["steady", ["steady", "once"]],
    ])
  })

  it("spec/data-sources §5: asks once in which hours counters were interrupted, for events and then gaps of a range", async () => {
    const { server, queryOf, read, readGaps } = await open((query) =>
      formOf(query) === "check"
        ? answerOf(query, (job, seconds) =>
            job === "b" && seconds === (start + 5 * hour) / 1_000 ? 1 : undefined,
          )
        : events(query),
    )
    await read([queryOf("a"), queryOf("b")])
    const before = server.queries.length
    await readGaps([queryOf("a"), queryOf("b")])
    const again = server.queries.slice(before)
    expect(again.map(formOf)).not.toContain("check")
    expect(again.map(({ start, end }) => [start, end])).toContainEqual([
      (start + 4 * hour + minute) / 1_000,
      (start + 5 * hour) / 1_000,
    ])
    // Another range is asked for by itself.
    await readGaps([queryOf("a", { to: start + 12 * hour })])
    expect(server.queries.slice(before + again.length).map(formOf)).toContain("check")
  })

  it("spec/data-sources §5: asks for whole hours, and reads what follows the last one by the full expression", async () => {
    const { server, queryOf, read } = await open((query) =>
      formOf(query) === "check" ? answerOf(query, () => undefined) : events(query),
    )
    const [answer] = await read([
      queryOf("a", { from: start + 7 * minute, to: start + 13 * hour + 47 * minute }),
    ])
    expect(minutesOf(answer)).toEqual({ 1: 13 * 60 - 6, 2: 47 })
    const [check] = server.queries
    expect([check?.start, check?.end, check?.step]).toEqual([
      (start + hour) / 1_000,
      (start + 13 * hour) / 1_000,
      3_600,
    ])
  })

  it.each<readonly [string, (query: RangeQuery) => RangeAnswer]>([
    [
      "has only a part of the data",
      (query) => answerOf(query, () => undefined, { warnings: ["a store is down"] }),
    ],
    [
      "has only a part of the data, as it says",
      (query) => answerOf(query, () => undefined, { isPartial: true }),
    ],
    [
      "moves the instants",
      (query) => answerOf({ ...query, start: query.start - 600, end: query.end - 600 }, () => 1),
    ],
    [
      "rejects subqueries",
      () => ({
        status: 400,
        contentType: "application/json",
        body: JSON.stringify({ status: "error", errorType: "bad_data", error: "unknown function" }),
      }),
    ],
  ])("spec/data-sources §5: reads all by the full expression where a server %s", async (_, check) => {
    const { queryOf, read } = await open((query) =>
      formOf(query) === "check" ? check(query) : events(query),
    )
    expect((await read([queryOf("a")])).map(minutesOf)).toEqual([{ 2: 1_440 }])
  })

  it("spec/data-sources §5: reads all by the full expression where a server rejects the cheaper one", async () => {
    const { queryOf, read } = await open((query) =>
      formOf(query) === "check"
        ? answerOf(query, () => undefined)
        : formOf(query) === "steady"
          ? {
              status: 400,
              contentType: "application/json",
              body: JSON.stringify({ status: "error", errorType: "bad_data", error: "unknown function" }),
            }
          : events(query),
    )
    expect((await read([queryOf("a")])).map(minutesOf)).toEqual([{ 2: 1_440 }])
  })

  it("spec/data-sources §5: does not ask a server again that is down", async () => {
    const { server, queryOf, read } = await open(() => ({
      status: 503,
      contentType: "text/plain",
      body: "down",
    }))
    const [answer] = await read([queryOf("a")])
    expect(answer !== undefined && answer !== "not_asked" && Result.isFailure(answer)).toBe(true)
    expect(server.queries.length).toBeLessThanOrEqual(2)
  })
})
