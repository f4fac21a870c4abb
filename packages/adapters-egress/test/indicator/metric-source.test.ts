import type * as Definitions from "@tocsin/domain/definitions"
import { once } from "node:events"
import { createServer } from "node:net"
import { type EgressOptions, MetricSourcePrometheus } from "@tocsin/adapters-egress"
import { counterExpression } from "@tocsin/promql"
import { metricFailures, metricFailureText, MetricsAreUnavailable, type Sample } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { afterEach, describe, expect, it } from "vitest"
import { makeCertificates } from "../../../../test/egress/certificates.ts"
import { listen } from "../../../../test/egress/receiver.ts"
import recorded from "../../../../test/vectors/prometheus.json" with { type: "json" }
import { sourceUrlOf } from "@tocsin/testing/fixtures"
import {
  type PrometheusServer,
  type RangeAnswer,
  startPrometheus,
} from "../../../../test/indicator/PrometheusServer.ts"
import { indicatorResponseMaxBytes } from "../../src/MetricSourcePrometheus.ts"

const cleanUps: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const kept = async <R extends { readonly close: () => Promise<void> }>(receiver: Promise<R>): Promise<R> => {
  const started = await receiver
  cleanUps.push(started.close)
  return started
}

const openSource = async (options: Partial<EgressOptions> = {}) => {
  const scope = await Effect.runPromise(Scope.make())
  cleanUps.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runPromise(
    MetricSourcePrometheus.make({ allowCidrs: ["127.0.0.0/8"], ...options }).pipe(Scope.provide(scope)),
  )
}

type Source = Awaited<ReturnType<typeof openSource>>

const from = recorded.start * 1_000
const to = recorded.end * 1_000

/** A server without authentication; the port reads the text of the URL itself. */
const serverAt = (url: string): Definitions.PrometheusServer => ({
  url: { ...sourceUrlOf("http://a.example.com"), text: url },
  headers: [],
})

const read = (
  source: Source,
  url: string,
  expression = "up",
): Promise<ReadonlyArray<Sample> | MetricsAreUnavailable> =>
  Effect.runPromise(
    source
      .readSeries({ organization: "acme", server: serverAt(url), expression, from, to })
      .pipe(Effect.catch((error) => Effect.succeed(error))),
  )

const reasonOf = (answer: ReadonlyArray<Sample> | MetricsAreUnavailable) =>
  answer instanceof MetricsAreUnavailable ? answer.reason : "none"

/** A server that answers as Prometheus was recorded to. */
const recordedServer = (): Promise<PrometheusServer> =>
  kept(
    startPrometheus(({ query }): RangeAnswer => {
      const found = recorded.answers.find((each) => counterExpression(each.query).events === query)
      if (found === undefined) throw new Error(`not recorded: ${query}`)
      return { ...found, contentType: found.contentType ?? "" }
    }),
  )

const answering = (status: number, body: string) =>
  kept(startPrometheus(() => ({ status, contentType: "application/json", body })))

const queryOf = (name: string): string => recorded.answers.find((each) => each.name === name)?.query ?? ""

describe("the source of metrics", () => {
  it("spec/data-sources §1: reads the samples of one series, at the instants that were asked for", async () => {
    const server = await recordedServer()
    const source = await openSource()
    expect(await read(source, server.url, queryOf("one_series"))).toEqual([
      { at: 1795293360_000, value: 1189.090909090909 },
      { at: 1795293420_000, value: 1189.090909090909 },
      { at: 1795293480_000, value: 1166.9332557801365 },
      { at: 1795293540_000, value: 1178.2675103643903 },
    ])
    expect(server.queries).toEqual([
      {
        path: "/api/v1/query_range",
        query: counterExpression(queryOf("one_series")).events,
        start: recorded.start,
        end: recorded.end,
        step: 60,
      },
    ])
  })

  it("spec/data-sources §11: reads a value every 15 seconds, with rates as they are written", async () => {
    const server = await kept(startPrometheus(() => (seconds) => seconds % 60))
    const source = await openSource()
    const samples = await Effect.runPromise(
      source.readSeries({
        organization: "acme",
        server: serverAt(server.url),
        expression: "sum(rate(a[1m])) / b",
        from,
        to: from + 60_000,
        stepMs: 15_000,
        isValue: true,
      }),
    )
    expect(samples.map(({ value }) => value)).toEqual([0, 15, 30, 45, 0])
    expect(server.queries).toMatchObject([{ query: "sum(rate(a[1m])) / last_over_time(b[1m])", step: 15 }])
  })

  it("spec/data-sources §5: reads after which gaps counters have come back, and asks no more without any", async () => {
    const gained = counterExpression("sum(increase(x[1m]))").gained?.("3600s")
    let isGap = true
    const server = await kept(
      startPrometheus(({ query }) => (seconds) => {
        if (query === gained?.events) return isGap && seconds === recorded.start + 60 ? 540 : 0
        return query === gained?.seconds ? 270 : undefined
      }),
    )
    const source = await openSource()
    const gaps = (expression: string) =>
      Effect.runPromise(
        source.readGaps({
          organization: "acme",
          server: serverAt(server.url),
          expression,
          from,
          to,
          lookbackMs: 3_600_000,
        }),
      )
    expect(await gaps("sum(increase(x[1m]))")).toEqual([
      { at: from + 60_000, events: 540, from: from + 60_000 - 270_000 },
    ])
    expect(server.queries).toHaveLength(2)
    isGap = false
    expect(await gaps("sum(increase(x[1m]))")).toEqual([])
    expect(server.queries).toHaveLength(3)
    expect(await gaps("sum(rule)")).toEqual([])
    expect(server.queries).toHaveLength(3)
  })

  it("spec/data-sources §17: reads at most 10,000 names, and 512 KiB of them", async () => {
    const source = await openSource()
    const namesOf = async (body: string, status = 200) => {
      const server = await answering(status, body)
      const query = { organization: "acme", server: serverAt(`${server.url}/prometheus/`), from, to }
      const read = source.readNames({ ...query, label: "__name__", metric: "up", containing: 'A.b"' })
      const answer = await Effect.runPromise(Effect.result(read))
      return { answer, asked: server.queries[0]?.path ?? "" }
    }
    const success = (names: unknown) => JSON.stringify({ status: "success", data: names })
    const { answer, asked } = await namesOf(success(["b", "a", "", "x".repeat(201)]))
    expect(answer).toMatchObject({ success: { names: ["a", "b"], isComplete: true } })
    const url = new URL(asked, "http://localhost")
    expect(url.pathname).toBe("/prometheus/api/v1/label/__name__/values")
    expect(Object.fromEntries(url.searchParams)).toEqual({
      start: String(recorded.start),
      end: String(recorded.end),
      limit: "10001",
      "match[]": String.raw`{__name__="up",__name__=~"(?i).*A\\.b\".*"}`,
    })
    const many = Array.from({ length: 10_001 }, (_, at) => String(at))
    const cut = await namesOf(success(many))
    expect(cut.answer).toMatchObject({ success: { isComplete: false } })
    expect(cut.answer).toHaveProperty("success.names.length", 10_000)
    const large = await namesOf(success(Array.from({ length: 300 }, () => "x".repeat(2_000))))
    expect(large.answer).toMatchObject({ success: { names: [], isComplete: false } })
    expect((await namesOf(success([1]))).answer).toMatchObject({ failure: { reason: "response_invalid" } })
    expect((await namesOf("", 401)).answer).toMatchObject({ failure: { reason: "credentials_rejected" } })
  })

  it.each([
    ["scalar", [1, 1, 1, 1]],
    ["infinite", [Infinity, Infinity, Infinity, Infinity]],
    ["not_a_number", [Number.NaN, Number.NaN, Number.NaN, Number.NaN]],
    ["negative", [-2788, -4054, -5296, -6545]],
    ["no_series", []],
  ])("spec/data-sources §3: gives what Prometheus was recorded to response: %s", async (name, values) => {
    const server = await recordedServer()
    const samples = await read(await openSource(), server.url, queryOf(name))
    expect(samples).toEqual(values.map((value, index) => ({ at: from + index * 60_000, value })))
  })

  it.each([
    ["several_series", "several_series", new RegExp(`^the expression yields several series`)],
    [
      "parse_error",
      "query_invalid",
      /^the server rejected the expression: 1:6: parse error: unclosed left parenthesis$/,
    ],
    [
      "text",
      "query_invalid",
      /^the server rejected the expression: invalid expression type "string" for range query, must be Scalar or instant Vector$/,
    ],
    [
      "execution",
      "query_failed",
      /^the server could not execute the expression: found duplicate series for the match group \{\} .{0,300}$/,
    ],
    ["timeout", "timeout", /^the server did not respond in time/],
  ])("spec/data-sources §3: reports a recorded %s, with the server's text", async (name, reason, detail) => {
    const server = await recordedServer()
    const answer = await read(await openSource(), server.url, queryOf(name))
    expect(answer).toMatchObject({ reason, detail: expect.stringMatching(detail) })
  })

  it("spec/data-sources §3: shows at most 300 characters of the server's text, on one line", async () => {
    const text = `a\n\u0000\u001b[31m\u202e b ${"\u{1f600}".repeat(400)}`
    const error = JSON.stringify({ status: "error", errorType: "bad_data", error: text })
    const answer = await read(await openSource(), (await answering(400, error)).url)
    const detail = `the server rejected the expression: a [31m b ${"\u{1f600}".repeat(400)}`
    const shown = Array.from(detail).slice(0, "the server rejected the expression: ".length + 300)
    expect(answer).toMatchObject({ reason: "query_invalid", detail: shown.join("") })
  })

  it.each([
    ["500 without a known text", 500, "", "http_status"],
    ["401", 401, "Unauthorized", "credentials_rejected"],
    ["302", 302, "", "redirect_rejected"],
    ["a page", 200, "<html>", "response_invalid"],
    [
      "another API",
      200,
      '{"status":"success","data":{"resultType":"vector","result":[]}}',
      "response_invalid",
    ],
    [
      "no values",
      200,
      '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{}}]}}',
      "response_invalid",
    ],
    [
      "an error of another type",
      503,
      '{"status":"error","errorType":"unavailable","error":"x"}',
      "http_status",
    ],
  ])("spec/data-sources §1: distinguishes %s", async (_, status, body, reason) => {
    const server = await answering(status, body)
    const answer = await read(await openSource(), server.url)
    expect(reasonOf(answer)).toBe(reason)
    expect(JSON.stringify(answer)).not.toContain("Unauthorized")
  })

  it.each([
    [
      401,
      '{"status":"error","error":"authentication error:\\n invalid token"}',
      "the server responded with 401; check the credentials of the data source: authentication error: invalid token",
    ],
    [403, "no org id", "the server responded with 403; check the credentials of the data source"],
    [404, "404 page", /^the server responded with 404; check that the URL is where/],
    [502, "Bad Gateway", "the server responded with 502"],
  ])("spec/data-sources §3: says what a response %i with %s means", async (status, body, detail) => {
    const answer = await read(await openSource(), (await answering(status, body)).url)
    expect(answer).toMatchObject({
      detail: typeof detail === "string" ? detail : expect.stringMatching(detail),
    })
  })

  it("spec/data-sources §1: keeps a prefix of the path", async () => {
    const server = await kept(startPrometheus(() => () => 1))
    const source = await openSource()
    await read(source, `${server.url}/prefix`)
    await read(source, `${server.url}/prefix/`)
    expect(server.queries.map(({ path }) => path)).toEqual(Array(2).fill("/prefix/api/v1/query_range"))
  })

  it("spec/data-sources §2: uses a connection again, and a new one where the server has closed it", async () => {
    const server = await kept(startPrometheus(() => () => 1))
    const source = await openSource()
    await read(source, server.url)
    await read(source, server.url)
    expect(server.sockets).toHaveLength(1)
    const closed = server.sockets.map((socket) => once(socket, "close"))
    for (const socket of server.sockets) socket.destroy()
    await Promise.all(closed)
    expect(await read(source, server.url)).toHaveLength(4)
    expect(server.sockets).toHaveLength(2)
  })

  it("spec/data-sources §3: speaks TLS with a server that the operator's authority vouches for, and with no other", async () => {
    const trusted = await makeCertificates()
    const server = await kept(startPrometheus(() => () => 1, trusted))
    expect(await read(await openSource({ caPem: trusted.ca }), server.url)).toHaveLength(4)
    const stranger = await read(await openSource(), server.url)
    expect(reasonOf(stranger)).toBe("tls_invalid")
    expect(JSON.stringify(stranger)).not.toContain("receiver")
  })

  it("spec/delivery §11: goes nowhere that the operator has not allowed: by address, by name, by a name that changes its mind", async () => {
    const server = await kept(startPrometheus(() => () => 1))
    expect(reasonOf(await read(await openSource({ allowCidrs: [] }), server.url))).toBe("address_blocked")
    const byName = await openSource({
      allowCidrs: ["10.0.0.0/8"],
      resolve: () => Promise.resolve(["127.0.0.1"]),
    })
    expect(reasonOf(await read(byName, `http://metrics.example.com:${server.port}`))).toBe("address_blocked")
    const byOneOfTwo = await openSource({
      allowCidrs: ["10.0.0.0/8"],
      resolve: () => Promise.resolve(["10.0.0.1", "127.0.0.1"]),
    })
    expect(reasonOf(await read(byOneOfTwo, `http://metrics.example.com:${server.port}`))).toBe(
      "address_blocked",
    )
    expect(server.queries).toEqual([])
  })

  it("spec/data-sources §1: ends at its deadline, whatever the server does, and gives the connection up", async () => {
    const silent = await kept(listen(createServer()))
    const dripping = await kept(
      startPrometheus(
        (_, response) =>
          new Promise(() => {
            response.writeHead(200)
            const timer = setInterval(() => response.write(" "), 10)
            response.on("close", () => clearInterval(timer))
          }),
      ),
    )
    const source = await openSource({ deadlineMs: 200 })
    expect(reasonOf(await read(source, `http://127.0.0.1:${silent.port}`))).toBe("timeout")
    expect(reasonOf(await read(source, dripping.url))).toBe("timeout")
  })

  it("spec/data-sources §3: reads a response of 256 KiB, and no larger one", async () => {
    const json = '{"status":"success","data":{"resultType":"matrix","result":[]}}'
    const fits = await answering(200, json.padEnd(indicatorResponseMaxBytes))
    const large = await answering(200, json.padEnd(indicatorResponseMaxBytes + 1))
    const source = await openSource()
    expect(await read(source, fits.url)).toEqual([])
    expect(reasonOf(await read(source, large.url))).toBe("response_too_large")
    expect(indicatorResponseMaxBytes).toBe(256 * 1024)
  })

  it("spec/data-sources §3: a response has room for the longest that is asked for, with values as long as can be", async () => {
    // A day, and what overlaps with the one before.
    const minutes = 1_440 + 5
    const values = Array.from({ length: minutes }, () => [1795293360.123, "-1.2345678901234567e+308"])
    const data = { resultType: "matrix", result: [{ metric: {}, values }] }
    const server = await answering(200, JSON.stringify({ status: "success", data }))
    expect(await read(await openSource(), server.url)).toHaveLength(minutes)
  })

  it.each(["0x10", "0b1", "0o7", "1_000", " 1", "1e", "", "infinity"])(
    "spec/data-sources §3: the text %j is no number",
    async (text) => {
      const values = `[[${recorded.start},"3"],[${recorded.start + 60},${JSON.stringify(text)}]]`
      const body = `{"status":"success","data":{"resultType":"matrix","result":[{"values":${values}}]}}`
      const samples = await read(await openSource(), (await answering(200, body)).url)
      expect(Array.isArray(samples) ? samples.map(({ value }) => value) : samples).toEqual([3, Number.NaN])
    },
  )

  it.each(["{}", "null", "[]", "[1]", '[1,"1",1]', '["1","1"]', "[1,1]", '{"0":1,"1":"1","length":2}'])(
    "spec/data-sources §1: a value that is %s is invalid in Prometheus's API",
    async (value) => {
      const answer = `{"status":"success","data":{"resultType":"matrix","result":[{"values":[[1,"1"],${value}]}]}}`
      const server = await answering(200, answer)
      expect(reasonOf(await read(await openSource(), server.url))).toBe("response_invalid")
    },
  )

  it("spec/data-sources §1: reports an unreachable server, and an unknown name", async () => {
    const gone = await listen(createServer())
    await gone.close()
    const source = await openSource()
    expect(reasonOf(await read(source, `http://127.0.0.1:${gone.port}`))).toBe("connect_refused")
    const notFound = Object.assign(new Error("none"), { code: "ENOTFOUND" })
    const nameless = await openSource({ resolve: () => Promise.reject(notFound) })
    expect(reasonOf(await read(nameless, "http://metrics.example.com"))).toBe("dns_not_found")
  })

  it("spec/data-sources §1: an interrupted query closes its connection", async () => {
    let hasAsked = (): void => undefined
    const asked = new Promise<void>((resolve) => (hasAsked = resolve))
    const server = await kept(
      startPrometheus(() => {
        hasAsked()
        return new Promise(() => {})
      }),
    )
    const source = await openSource()
    const fiber = Effect.runFork(
      source.readSeries({ organization: "acme", server: serverAt(server.url), expression: "up", from, to }),
    )
    await asked
    const [socket] = server.sockets
    const closed = socket && once(socket, "close")
    await Effect.runPromise(Fiber.interrupt(fiber))
    await closed
    expect(socket?.destroyed).toBe(true)
  })

  it("spec/data-sources §3: every reason has words of its own, which name no address and no URL", () => {
    const texts = metricFailures.map((reason) => metricFailureText[reason])
    expect(new Set(texts).size).toBe(metricFailures.length)
    for (const each of texts) expect(each).not.toMatch(/:\/\/|\d{1,3}\.\d{1,3}\./)
  })
})
