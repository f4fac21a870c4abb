import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import type { AnswerInTime, MetricFailure, Sample, SeriesQuery } from "@tocsin/domain/ports"
import { sourceUrlOf } from "@tocsin/testing/fixtures"
import { metricFailure } from "../../src/PrometheusResponse.ts"
import { makeSeriesReader } from "../../src/SeriesReader.ts"
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
const start = Date.UTC(2026, 0, 30)

const open = async (answer: (query: RangeQuery) => RangeAnswer) => {
  const server = await startPrometheus(answer)
  cleanUps.push(server.close)
  const scope = await Effect.runPromise(Scope.make())
  cleanUps.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const source = await Effect.runPromise(
    MetricSourcePrometheus.make({ allowCidrs: ["127.0.0.0/8"] }).pipe(Scope.provide(scope)),
  )
  const { together } = source
  if (together === undefined) throw new Error("nothing is read together")
  const at = { url: { ...sourceUrlOf("http://a.example.com"), text: server.url }, headers: [] }
  const queryOf = (job: string, change: Partial<SeriesQuery> = {}): SeriesQuery => ({
    organization: "acme",
    server: at,
    expression: `sum(load{job="${job}"})`,
    from: start,
    to: start + 2 * minute,
    isValue: true,
    ...change,
  })
  const read = (queries: ReadonlyArray<SeriesQuery>) => Effect.runPromise(together.readSeries(queries))
  return { server, queryOf, read }
}

/** The jobs that a query asks for. */
const jobsOf = (query: string): ReadonlyArray<string> =>
  (/job=~?"([^"]*)"/.exec(query)?.[1] ?? "").split("|").map((job) => job.replaceAll("\\", ""))

const matrix = ({ start, end, step, query }: RangeQuery, valueOf: (job: string) => string): RangeAnswer => {
  const result = jobsOf(query).map((job) => {
    const values: Array<readonly [number, string]> = []
    for (let at = start; at <= end; at += step) values.push([at, valueOf(job)])
    return { metric: query.includes(" by (job)") ? { job } : {}, values }
  })
  const body = JSON.stringify({ status: "success", data: { resultType: "matrix", result } })
  return { status: 200, contentType: "application/json", body }
}

const error = (status: number, errorType: string, text: string): RangeAnswer => ({
  status,
  contentType: "application/json",
  body: JSON.stringify({ status: "error", errorType, error: text }),
})

const names = (count: number) => Array.from({ length: count }, (_, index) => `job-${index}`)

const valuesOf = (
  read: AnswerInTime<Sample> | undefined,
): ReadonlyArray<number> | MetricFailure | "not_asked" | undefined =>
  read === undefined || read === "not_asked"
    ? read
    : Result.isSuccess(read)
      ? read.success.map(({ value }) => value)
      : read.failure.reason

describe("reading several expressions of a server together", () => {
  it("spec/data-sources §2: is one query, and each gets its own samples", async () => {
    const { server, queryOf, read } = await open((query) => matrix(query, (job) => job.slice(4)))
    const answers = await read([...names(60).map((job) => queryOf(job)), queryOf("job-7")])
    expect(server.queries).toHaveLength(1)
    expect(answers.map(valuesOf)).toEqual([...names(60).map((_, at) => [at, at, at]), [7, 7, 7]])
  })

  it("spec/data-sources §2: does not mix organizations, servers, instants or what is read of them", async () => {
    const { server, queryOf, read } = await open((query) => matrix(query, () => "1"))
    const [query] = [queryOf("a")]
    await read([
      query,
      { ...queryOf("b"), organization: "other" },
      // The same address with its own authentication.
      { ...queryOf("b"), server: { ...query.server, headers: [] } },
      queryOf("b", { to: start + minute }),
      queryOf("b", { stepMs: 2 * minute }),
      queryOf("b", { isValue: false, isCumulative: true }),
      queryOf("b", { groupBy: ["region"] }),
    ])
    expect(server.queries.map(({ query }) => jobsOf(query).length)).toEqual([1, 1, 1, 1, 1, 1, 1])
  })

  it("spec/data-sources §2: one that fails has its own failure, and stops no other", async () => {
    const { server, queryOf, read } = await open((query) =>
      jobsOf(query.query).includes("job-11")
        ? error(
            422,
            "execution",
            "query processing would load too many samples into memory in query execution",
          )
        : matrix(query, () => "1"),
    )
    const answers = await read(names(20).map((job) => queryOf(job)))
    expect(answers.map(valuesOf)).toEqual(names(20).map((_, at) => (at === 11 ? "query_failed" : [1, 1, 1])))
    // By halves: 20, 10, 5, 2 or 3, 1 or 2, and at last alone.
    expect(server.queries.length).toBeLessThanOrEqual(11)
  })

  it("spec/data-sources §2: is not repeated for each if the server cannot be read", async () => {
    const { server, queryOf, read } = await open(() => ({ status: 401, contentType: "text/plain", body: "" }))
    const answers = await read(names(20).map((job) => queryOf(job)))
    expect(new Set(answers.map(valuesOf))).toEqual(new Set(["credentials_rejected"]))
    expect(server.queries).toHaveLength(1)
  })

  it("spec/data-sources §2: remembers how much a server can answer at once, and asks for more again", async () => {
    let samplesMax = 12
    const { server, queryOf, read } = await open((query) =>
      jobsOf(query.query).length * 3 > samplesMax
        ? error(422, "execution", "too many")
        : matrix(query, () => "1"),
    )
    const sizesOf = async () => {
      const before = server.queries.length
      const answers = await read(names(16).map((job) => queryOf(job)))
      expect(answers.map(valuesOf)).toEqual(names(16).map(() => [1, 1, 1]))
      return server.queries.slice(before).map(({ query }) => jobsOf(query).length)
    }
    expect((await sizesOf()).toSorted((a, b) => b - a)).toEqual([16, 8, 8, 4, 4, 4, 4])
    expect(Math.max(...(await sizesOf()))).toBeLessThan(16)
    samplesMax = Infinity
    for (let time = 0; time < 3; time++) await sizesOf()
    expect(await sizesOf()).toEqual([16])
  })

  it("spec/data-sources §2: asks for at most 11,000 points of a series and 100,000 in all, in responses of any size", async () => {
    const { server, queryOf, read } = await open((query) =>
      matrix(query, (job) => `${job.slice(4)}.123456789012`),
    )
    const to = start + 24_999 * minute
    const answers = await read(names(12).map((job) => queryOf(job, { to })))
    for (const { query, start, end, step } of server.queries) {
      const points = (end - start) / step + 1
      expect(points).toBeLessThanOrEqual(11_000)
      expect(points * jobsOf(query).length).toBeLessThanOrEqual(100_000)
    }
    for (const [index, answer] of answers.entries()) {
      const samples = answer !== "not_asked" && Result.isSuccess(answer) ? answer.success : []
      expect(samples).toHaveLength(25_000)
      expect(
        samples.every(
          ({ at, value }, place) => at === start + place * minute && value === index + 0.123456789012,
        ),
      ).toBe(true)
    }
  })

  it("spec/data-sources §2: reads a range in halves that takes too long as a whole", async () => {
    const { queryOf, read, server } = await open((query) =>
      (query.end - query.start) / query.step > 3_000
        ? error(503, "timeout", "query timed out in expression evaluation")
        : matrix(query, () => "1"),
    )
    const [answer] = await read([queryOf("a", { to: start + 9_999 * minute })])
    expect(valuesOf(answer)).toHaveLength(10_000)
    expect(server.queries).toHaveLength(7)
  })

  it("spec/data-sources §2: divides a query that becomes too long, and quotes what is special", async () => {
    const { queryOf, read, server } = await open((query) => matrix(query, () => "1"))
    const long = names(80).map((job) => `${job}.${"x".repeat(1_500)}`)
    const answers = await read(long.map((job) => queryOf(job)))
    expect(answers.map(valuesOf)).toEqual(long.map(() => [1, 1, 1]))
    expect(server.queries).toHaveLength(8)
    for (const { query } of server.queries) {
      expect(query.length).toBeLessThanOrEqual(15 * 1_024)
      expect(query).toContain("\\\\.xxx")
    }
  })

  it("spec/data-sources §2: goes on reading others together beside one that fails, and all once it is repaired", async () => {
    let isBroken = true
    const { queryOf, read, server } = await open((query) =>
      isBroken && jobsOf(query.query).includes("job-77")
        ? error(422, "execution", "found duplicate series")
        : matrix(query, () => "1"),
    )
    const queries = names(100).map((job) => queryOf(job))
    const countOf = async () => {
      const before = server.queries.length
      const answers = await read(queries)
      return { sent: server.queries.length - before, answers: answers.map(valuesOf) }
    }
    for (let poll = 0; poll < 4; poll++) {
      const { sent, answers } = await countOf()
      expect(answers.filter((each) => each === "query_failed")).toHaveLength(1)
      expect(sent).toBeLessThan(40)
    }
    isBroken = false
    for (let poll = 0; poll < 6; poll++) await countOf()
    expect((await countOf()).sent).toBe(1)
  })

  it("spec/data-sources §13: a series whose labels cannot be read is no series without them", async () => {
    const result = [{ metric: 1, values: [[start / 1_000, "1"]] }]
    const body = JSON.stringify({ status: "success", data: { resultType: "matrix", result } })
    const { queryOf, read } = await open(() => ({ status: 200, contentType: "application/json", body }))
    const [answer] = await read([queryOf("a", { groupBy: ["job"] })])
    expect(valuesOf(answer)).toBe("response_invalid")
  })

  it("spec/data-sources §2: asks no more of a server that rejects everything", async () => {
    const { queryOf, read, server } = await open(() => error(429, "too_many", "slow down"))
    const answers = await read(names(50).map((job) => queryOf(job)))
    expect(new Set(answers.map(valuesOf))).toEqual(new Set(["http_status"]))
    expect(server.queries).toHaveLength(2)
  })

  it("spec/data-sources §2: reads each alone for an hour where a query of several is rejected", async () => {
    const { queryOf, read, server } = await open((query) =>
      query.query.includes("=~") ? error(400, "bad_data", "not this label") : matrix(query, () => "1"),
    )
    const queries = names(12).map((job) => queryOf(job))
    for (const sent of [13, 12]) {
      const before = server.queries.length
      expect((await read(queries)).map(valuesOf)).toEqual(queries.map(() => [1, 1, 1]))
      expect(server.queries.length - before).toBe(sent)
    }
  })

  it("spec/data-sources §2: asks little of a server that never responds", async () => {
    let sent = 0
    const { queryOf } = await open((query) => matrix(query, () => "1"))
    const readSeries = makeSeriesReader(() => {
      sent++
      return Effect.andThen(Effect.yieldNow, Effect.fail(metricFailure("timeout")))
    })
    const queries = names(200).map((job) => {
      const query = queryOf(job, { expression: `sum(${job.replace("-", "_")})` })
      return { query, written: query.expression }
    })
    const answers = (await Effect.runPromise(readSeries(queries))).map(valuesOf)
    expect(answers.filter((each) => each === "timeout")).toHaveLength(sent)
    expect(answers.filter((each) => each === "not_asked")).toHaveLength(200 - sent)
    expect(sent).toBeLessThan(20)
    // What was asked with others has been asked.
    const alike = names(200).map((job) => ({ query: queryOf(job), written: queryOf(job).expression }))
    sent = 0
    const ofAlike = await Effect.runPromise(readSeries(alike))
    expect(new Set(ofAlike.map(valuesOf))).toEqual(new Set(["timeout"]))
    expect(sent).toBeLessThan(20)
  })

  it("spec/data-sources §10: has at most as many queries in flight as is asked, and asks none after the end", async () => {
    const { queryOf } = await open((query) => matrix(query, () => "1"))
    let inFlight = 0
    let most = 0
    const readSeries = makeSeriesReader((query) =>
      Effect.gen(function* () {
        most = Math.max(most, ++inFlight)
        yield* Effect.yieldNow
        inFlight--
        const result = [{ metric: {}, values: [[query.from / 1_000, "1"]] }]
        const body = JSON.stringify({ status: "success", data: { resultType: "matrix", result } })
        return { status: 200, body, isComplete: true, secrets: [] }
      }),
    )
    const queries = names(20).map((job) => {
      const query = queryOf(job, { expression: `sum(${job.replace("-", "_")})` })
      return { query, written: query.expression }
    })
    const answers = await Effect.runPromise(readSeries(queries, { atOnce: 2 }))
    expect(answers.map(valuesOf)).toEqual(queries.map(() => [1]))
    expect(most).toBe(2)
    most = 0
    const late = await Effect.runPromise(readSeries(queries, { endsAt: start }))
    expect(late).toEqual(queries.map(() => "not_asked"))
    expect(most).toBe(0)
  })

  it("spec/data-sources §1: a series that cannot be read makes the response invalid, however long it is", async () => {
    const values = `[${Array.from({ length: 4_000 }, (_, at) => `[${start / 1_000 + at * 60},"1"]`).join(",")}]`
    for (const broken of [values.replace(',"1"]', ",1]"), values.replace('"1"]', '"1",2]'), "[3]", '[0,"1"]'])
      for (const first of [broken, `${values}},{"metric":{},"values":${broken}`]) {
        const body = `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":${first}}]}}`
        const { queryOf, read } = await open(() => ({ status: 200, contentType: "application/json", body }))
        const [answer] = await read([queryOf("a", { to: start + 4_000 * minute })])
        expect(valuesOf(answer)).toBe("response_invalid")
      }
  })
})
