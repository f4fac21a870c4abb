import { costlyUnitsPerWindow } from "@tocsin/domain/rate-limit"
import { responsePointsMax } from "../src/QueryParameters.ts"
import { createCredential, recordCounts } from "@tocsin/domain"
import type { Alert } from "@tocsin/domain/alerting"
import { durationOf } from "@tocsin/domain/codec"
import type { BudgetAdjustment } from "@tocsin/domain/definitions"
import { AlertStore, SloStore } from "@tocsin/domain/ports"
import { anSlo, calendarOf, instantOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, basicOf, headersOf, send } from "../../../test/http/api-client.ts"

const organization = "acme"
const now = Date.UTC(2026, 0, 30, 12)
const seconds = now / 1_000
const key = { project: "shop", name: "checkout" }

/** Two SLOs: one with 10 minutes of 100 events before now, of which as many are bad as the minute says; one without. */
const withSlos = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  yield* putDefinitions(organization, [anSlo(key), anSlo({ project: "lab", name: "search" })])
  yield* putDefinitions(`${organization}-other`, [anSlo({ project: "secret", name: "hidden" })])
  yield* recordCounts(organization, {
    ...key,
    body: Array.from({ length: 10 }, (_, minute) => ({
      objective: "good",
      at: new Date(now - (10 - minute) * 60_000).toISOString(),
      good: 100 - minute,
      total: 100,
    })),
  })
})

interface PrometheusBody {
  readonly status: string
  readonly errorType?: string
  readonly error?: string
  readonly data?: unknown
  readonly warnings?: ReadonlyArray<string>
}

const call = (path: string, init: RequestInit & { readonly base?: string } = {}) =>
  Effect.gen(function* () {
    const { authorization } = yield* basicOf(organization, "viewer")
    const { base = "/api/prometheus/api/v1", ...rest } = init
    const response = yield* send(`${base}/${path}`, {
      ...rest,
      headers: { authorization, ...(rest.headers as Record<string, string>) },
    })
    expect(response.headers.get("content-type")).toBe("application/json")
    return { status: response.status, body: JSON.parse(response.text) as PrometheusBody, text: response.text }
  })

const query = (text: string, parameters = "") =>
  call(`query?query=${encodeURIComponent(text)}&time=${seconds}${parameters}`)

const series = 'objective="good",project="shop",service="web",slo="checkout"'
const metric = (name: string) => ({
  __name__: name,
  objective: "good",
  project: "shop",
  service: "web",
  slo: "checkout",
})

const labelsOf = ({ project, name }: { readonly project: string; readonly name: string }) => ({
  project,
  slo: name,
})

const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof apiServer>>): void =>
  it.effect(what, () => Effect.provide(Effect.andThen(withSlos, effect), apiServer))

describe("the query API of Prometheus", () => {
  test(
    "spec/promql §1: has a start page, no rules and no exemplars",
    Effect.gen(function* () {
      for (const path of [
        "/api/prometheus",
        "/api/prometheus/",
        "/api/prometheus/v1",
        "/api/prometheus/v1/",
      ]) {
        expect([path, (yield* send(path)).status]).toEqual([path, 200])
      }
      expect((yield* call("rules")).body).toEqual({ status: "success", data: { groups: [] } })
      expect((yield* call("query_exemplars?query=up")).body).toEqual({ status: "success", data: [] })
      expect((yield* call("query_exemplars?query=up", { method: "POST" })).status).toBe(200)
    }),
  )

  test(
    "spec/promql §6: errors of paths, methods and access have the form of Prometheus too",
    Effect.gen(function* () {
      const error = (errorType: string) => ({ status: "error", errorType, error: expect.stringMatching(/./) })
      const unknown = yield* call("targets")
      expect([unknown.status, unknown.body]).toEqual([404, error("not_found")])
      const wrongMethod = yield* call("query", { method: "DELETE" })
      expect([wrongMethod.status, wrongMethod.body]).toEqual([405, error("method_not_allowed")])
      const malformed = yield* call("label/%ff/values")
      expect([malformed.status, malformed.body]).toEqual([400, error("bad_data")])
      for (const path of ["rules", "alerts", "query_exemplars"]) {
        const { status, text } = yield* send(`/api/prometheus/api/v1/${path}`)
        expect([path, status, JSON.parse(text)]).toEqual([path, 401, error("unauthorized")])
      }
    }),
  )

  test(
    "spec/promql §3: has the values that the status had in a minute, and those of the status API now",
    Effect.gen(function* () {
      for (const [name, value] of [
        ["reliability", "0.955"],
        ["budget", "-3.5"],
        ["burn_rate", "4.5"],
        ["count_good", "955"],
        ["count_total", "1000"],
        ["target", "0.99"],
        ["tocsin_slo_objective_reliability", "0.955"],
        ["tocsin_slo_objective_error_budget_remaining_seconds", "-84672"],
      ] as const) {
        const { body } = yield* query(`${name}{${series}}`)
        expect(body.data, name).toEqual({
          resultType: "vector",
          result: [{ metric: metric(name), value: [seconds, value] }],
        })
      }
      // Five minutes ago, five minutes were counted, and the sixth with them: a status includes its minute.
      const before = yield* query(`count_good{${series}} offset 5m`)
      expect(before.text).toContain('"585"')
      const counts = yield* query(`sli_ratio_received_good{${series}}[3m]`)
      expect(counts.body.data).toEqual({
        resultType: "matrix",
        result: [
          {
            metric: metric("sli_ratio_received_good"),
            values: [
              [seconds - 120, "92"],
              [seconds - 60, "91"],
            ],
          },
        ],
      })
      // The counts of a minute arrive after it, and are current for five minutes.
      expect((yield* query(`sli_ratio_received_good{${series}}`)).text).toContain('"91"')
      expect((yield* query(`sli_ratio_received_good{${series}} offset -3m`)).text).toContain('"91"')
      expect((yield* query(`sli_ratio_received_good{${series}} offset -4m`)).text).toContain('"result":[]')
      // An SLO without counts has a target, and nothing else.
      const lab = yield* query('count by (__name__) ({project="lab"})')
      expect([...lab.text.matchAll(/"__name__":"(\w+)"/g)].map(([, name]) => name)).toEqual([
        "target",
        "tocsin_slo_objective_target",
      ])
    }),
  )

  test(
    "spec/promql §1: takes forms and query strings at both paths, by Basic credentials and tokens, without an organization",
    Effect.gen(function* () {
      const form = {
        method: "POST",
        body: `query=1%2B1&time=${seconds}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }
      const expected = { status: "success", data: { resultType: "scalar", result: [seconds, "2"] } }
      expect((yield* call("query", form)).body).toEqual(expected)
      expect((yield* call("query", { ...form, base: "/api/prometheus/v1/api/v1" })).body).toEqual(expected)
      const { authorization } = yield* headersOf(organization, "viewer")
      const byToken = yield* call("query?query=count(target)", { headers: { authorization } })
      expect(byToken.text).toContain('"4"')
      const elsewhere = yield* call("query?query=1", { headers: { authorization, organization: "other" } })
      expect([elsewhere.status, elsewhere.body.status, elsewhere.body.errorType]).toEqual([
        403,
        "error",
        "unauthorized",
      ])
      const stranger = yield* call("query?query=1", { headers: { authorization: `Basic ${btoa("a:b")}` } })
      expect([stranger.status, stranger.body.errorType]).toEqual([401, "unauthorized"])
      // Another organization with the same client ID does not lock the client out.
      const own = yield* basicOf(organization, "viewer")
      yield* createCredential({ organization: "other", role: "admin", clientId: own.clientId })
      const twin = { headers: { authorization: own.authorization } }
      expect((yield* call("query?query=count(target)", twin)).text).toContain('"4"')
      expect((yield* query("count({__name__=~'.+',project='secret'})")).text).toContain('"result":[]')
    }),
  )

  test(
    "spec/promql §4: a range has a value for each step at which there is one",
    Effect.gen(function* () {
      const range = `start=${seconds - 600}&end=${seconds}&step=3m`
      const { body } = yield* call(
        `query_range?query=${encodeURIComponent(`count_total{${series}}`)}&${range}`,
      )
      expect(body.data).toEqual({
        resultType: "matrix",
        result: [
          {
            metric: metric("count_total"),
            values: [
              [seconds - 600, "100"],
              [seconds - 420, "400"],
              [seconds - 240, "700"],
              [seconds - 60, "1000"],
            ],
          },
        ],
      })
      const scalar = yield* call(`query_range?query=time()&start=1.5&end=2026-01-30T12:00:00Z&step=1e9`)
      expect(scalar.text).toBe(
        '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1.500,"1.5"],[1000000001.500,"1000000001.5"]]}]}}',
      )
    }),
  )

  test(
    "spec/promql §6: errors have the form and the status of Prometheus, and name what is wrong and where",
    Effect.gen(function* () {
      const range = "start=0&end=60&step=1m"
      for (const [path, status, errorType, error] of [
        ["query", 400, "bad_data", /^invalid parameter "query": .*the query is (empty|not valid)|incomplete/],
        ["query?query=sum(", 400, "bad_data", /line 1, column 5: a "\)" is missing/],
        [
          "query?query=budget%20%2B%20histogram_quantile(0.9,budget)",
          400,
          "bad_data",
          /column 10: the function histogram_quantile is not supported/,
        ],
        ["query?query=limitk(1,budget)", 400, "bad_data", /column 1: limitk is not supported/],
        ["query?query=rate(budget)", 400, "bad_data", /column 6: rate needs a range/],
        [
          "query?query=budget%7Bslo%3D~%22(%22%7D",
          400,
          "bad_data",
          /column 13: the regular expression is not valid/,
        ],
        [
          "query?query=1&time=yesterday",
          400,
          "bad_data",
          /^invalid parameter "time": cannot parse "yesterday"/,
        ],
        ["query?query=1&timeout=-1", 400, "bad_data", /^invalid parameter "timeout"/],
        ["query?query=1&limit=x", 400, "bad_data", /^invalid parameter "limit"/],
        [
          `query_range?query=1&start=0&end=60&step=0`,
          400,
          "bad_data",
          /^invalid parameter "step": zero or negative/,
        ],
        [`query_range?query=1&start=60&end=0&step=1`, 400, "bad_data", /^invalid parameter "end"/],
        [
          `query_range?query=1&start=0&end=11000&step=1`,
          400,
          "bad_data",
          /^exceeded maximum resolution of 11,000 points/,
        ],
        [`query_range?query=budget[5m]&${range}`, 400, "bad_data", /invalid expression type "range vector"/],
        ["series", 400, "bad_data", /no match\[\] parameter/],
        ["series?match[]=sum(budget)", 400, "bad_data", /is not a selector/],
        [
          `query?query=target%20%2B%20on(project)%20target&time=${seconds}`,
          422,
          "execution",
          /found duplicate series/,
        ],
        [
          `query?query=count_over_time(budget[400d])&time=${seconds}`,
          422,
          "execution",
          /would load too many samples/,
        ],
        ["label/slo/values?match[]=%7B%7D", 400, "bad_data", /invalid parameter "match\[\]"/],
      ] as const) {
        const { status: actual, body } = yield* call(path)
        expect([path, actual, body.status, body.errorType]).toEqual([path, status, "error", errorType])
        expect(body.error, path).toMatch(error)
      }
    }),
  )

  test(
    "spec/promql §5: series, labels and values are those of the definitions, with a limit",
    Effect.gen(function* () {
      expect((yield* call("labels")).body.data).toEqual([
        "__name__",
        "objective",
        "project",
        "service",
        "slo",
      ])
      expect((yield* call("label/slo/values")).body.data).toEqual(["checkout", "search"])
      const names = yield* call("label/__name__/values?match[]=%7Bslo%3D%22search%22%7D")
      expect(names.body.data).toContain("sli_ratio_used_total")
      const limited = yield* call("label/__name__/values?limit=2")
      expect(limited.body).toEqual({
        status: "success",
        data: ["budget", "burn_rate"],
        warnings: ["results truncated due to limit"],
      })
      const found = yield* call("series", {
        method: "POST",
        body: 'match[]=reliability{slo="search"}&match[]=reliability{slo=~"sea.*"}',
        headers: { "content-type": "application/x-www-form-urlencoded" },
      })
      expect(found.body.data).toEqual([
        { ...metric("reliability"), project: "lab", slo: "search" },
        { ...metric("reliability"), project: "lab", slo: "search", objective: "great" },
      ])
      expect((yield* call("label/job/values")).body.data).toEqual([])
      expect((yield* call("metadata?metric=composite_max_delay&limit=0")).body.data).toEqual({
        composite_max_delay: [
          { type: "gauge", help: "How late the counts of components may be, in seconds.", unit: "seconds" },
        ],
      })
      expect(Object.keys((yield* call("metadata?limit=3")).body.data as object)).toHaveLength(3)
    }),
  )

  test(
    "spec/promql §1: responds to what the Prometheus data source of Grafana sends",
    Effect.gen(function* () {
      const form = (path: string, body: string) =>
        call(path, {
          method: "POST",
          body,
          headers: {
            "content-type": "application/x-www-form-urlencoded",
            accept: "*/*",
            "x-grafana-org-id": "1",
          },
        })
      // Save & test.
      expect((yield* form("query", `query=1%2B1&time=${seconds}.123`)).text).toBe(
        `{"status":"success","data":{"resultType":"scalar","result":[${seconds}.123,"2"]}}`,
      )
      const { body } = yield* call("status/buildinfo")
      expect(body.data).toMatchObject({ version: "3.0.0", branch: "tocsin", goVersion: expect.any(String) })
      expect((yield* call("metadata")).body.data).toMatchObject({ reliability: [{ type: "gauge" }] })
      // The builder of queries.
      const range = `start=${seconds - 3_600}&end=${seconds}`
      expect((yield* call(`label/__name__/values?${range}`)).body.data).toContain("budget")
      expect((yield* form("labels", `${range}&match%5B%5D=budget`)).body.data).toContain("objective")
      const matched = `match%5B%5D=%7B__name__%3D%22budget%22%2Cproject%3D%22shop%22%7D`
      expect((yield* call(`label/slo/values?${range}&${matched}`)).body.data).toEqual(["checkout"])
      expect((yield* form("series", `${range}&${matched}`)).body.data).toHaveLength(2)
      // A panel.
      const panel = `query=${encodeURIComponent('min by (slo) (budget{project=~"$all|shop"}) < 0.2')}&${range}&step=15`
      expect((yield* form("query_range", panel)).text).toContain('{"slo":"checkout"}')
    }),
  )

  test(
    "spec/promql §7: many queries of an organization wait for their turn, and large ones use up its costly reads",
    Effect.gen(function* () {
      const responses = yield* Effect.all(
        Array.from({ length: 20 }, () => query("count(budget)")),
        { concurrency: 20 },
      )
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
      const { authorization } = yield* basicOf(organization, "viewer")
      const statuses = yield* Effect.forEach(
        Array.from({ length: costlyUnitsPerWindow - 19 }),
        () =>
          Effect.map(
            send("/api/prometheus/api/v1/query?query=1", { headers: { authorization } }),
            ({ status }) => status,
          ),
        { concurrency: 8 },
      )
      expect(statuses.filter((status) => status === 200)).toHaveLength(costlyUnitsPerWindow - 20)
      expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    }),
  )

  test(
    "spec/promql §7: regular expressions use up the costly reads of the organization, and fail beyond their limit",
    Effect.gen(function* () {
      const slos = Array.from({ length: 1_000 }, (_, index) =>
        anSlo({ project: "shop", name: `slo-${index}-${"x".repeat(50)}` }),
      )
      yield* putDefinitions(organization, slos)
      const { authorization } = yield* basicOf(organization, "viewer")
      const matching = (pattern: string) => {
        const path = `/api/prometheus/api/v1/query?query=${encodeURIComponent(`count(budget{slo=~"${pattern}"})`)}`
        return Effect.map(send(path, { headers: { authorization } }), ({ status, text }) => ({
          status,
          text,
        }))
      }
      // Half a million steps are a unit: this is some 1,000 values of 57 characters, by some 600 instructions.
      const costly = yield* matching("([a-z0-9-]?){150}Z")
      expect(costly.status).toBe(200)
      const tooMuch = yield* matching("([a-z0-9-]?){480}Z")
      expect([tooMuch.status, tooMuch.text]).toEqual([422, expect.stringContaining("take too long")])
      yield* TestClock.adjust("11 seconds")
      const statuses = yield* Effect.forEach(Array.from({ length: 6 }), () =>
        Effect.map(matching("([a-z0-9-]?){150}Z"), ({ status }) => status),
      )
      expect(statuses).toContain(429)
      yield* TestClock.adjust("11 seconds")
      const plain = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.map(
          matching(
            slos
              .slice(0, 30)
              .map(({ metadata }) => metadata.name)
              .join("|"),
          ),
          ({ status }) => status,
        ),
      )
      expect(new Set(plain)).toEqual(new Set([200]))
    }),
  )

  const manySlos = (count: number) =>
    putDefinitions(
      organization,
      Array.from({ length: count }, (_, index) => anSlo({ project: "many", name: `slo-${index}` })),
    )

  const queryRange = (text: string, points: number, parameters = "") =>
    call(
      `query_range?query=${encodeURIComponent(text)}&start=${seconds - points + 1}&end=${seconds}&step=1${parameters}`,
    )

  test(
    "spec/promql §3, spec/promql §7: of the latest minute, aggregations and comparisons select any number of series, in parts",
    Effect.gen(function* () {
      const count = 10_100
      yield* manySlos(count)
      const slos = yield* SloStore
      const slo = { project: "many", name: "slo-77" }
      const due = yield* slos.findForStatus(organization, slo)
      const revision = Option.getOrThrow(due).revision
      const statuses = new Map([["great", { burnRate: 14.4 }]])
      yield* slos.writeStatuses([{ organization, slo, revision, statuses }])

      const top = yield* query("topk(2, burn_rate)")
      const found = (top.body.data as { result: ReadonlyArray<{ metric: object; value: unknown }> }).result
      expect(found.map(({ metric: labels, value }) => [labels, value])).toEqual([
        [{ ...metric("burn_rate"), ...labelsOf(slo), objective: "great" }, [seconds, "14.4"]],
        [metric("burn_rate"), [seconds, "4.5"]],
      ])
      const counted = yield* query("count by (project) (target) > 100")
      expect(counted.text).toContain(`{"metric":{"project":"many"},"value":[${seconds},"${2 * count}"]}`)
      for (const text of ["target > 0", "target", "-1 < target{project='many'}"]) {
        const { status, body } = yield* query(text)
        const { result } = body.data as { result: ReadonlyArray<{ metric: { slo: string } }> }
        const others = text.includes("many") ? 0 : 4
        expect([text, status, result.length]).toEqual([text, 200, 2 * count + others])
        expect(new Set(result.map(({ metric: labels }) => JSON.stringify(labels))).size).toBe(
          2 * count + others,
        )
      }
      const limited = yield* query("target > 0", "&limit=300")
      expect((limited.body.data as { result: ReadonlyArray<unknown> }).result).toHaveLength(300)
      expect(limited.body.warnings).toEqual(["results truncated due to limit"])
      expect((yield* query("burn_rate > 100")).body.data).toEqual({ resultType: "vector", result: [] })
      // What is computed from counts has the limits of all queries.
      for (const text of [
        "topk(2, count_total)",
        "topk(2, burn_rate offset 1m)",
        "burn_rate + on() target",
      ]) {
        expect([text, (yield* query(text)).status]).toEqual([text, 422])
      }
    }),
  )

  test(
    "spec/promql §7: a response has a limited number of points",
    Effect.gen(function* () {
      yield* manySlos(100)
      const whole = yield* queryRange("target{project='many'}", 5_000)
      expect([whole.status, whole.text.match(/\],\[/g)?.length]).toEqual([200, 200 * 4_999])
      const tooMany = yield* queryRange("target{project='many'}", 5_001)
      expect([tooMany.status, tooMany.body]).toEqual([
        422,
        {
          status: "error",
          errorType: "execution",
          error: expect.stringContaining(`the result has more than ${responsePointsMax} points`),
        },
      ])
      const limited = yield* queryRange("target{project='many'}", 5_001, "&limit=1")
      expect([limited.status, limited.text.match(/\],\[/g)?.length]).toEqual([200, 5_000])
      const samples = yield* query('target{project="many"}[4d]')
      expect([samples.status, samples.body.error]).toEqual([422, expect.stringContaining("points")])
    }),
  )

  test(
    "spec/promql §7: the values that a query goes through, and the points that it returns, use up the costly reads",
    Effect.gen(function* () {
      yield* manySlos(100)
      // Of 19 units each.
      const long = {
        method: "POST",
        body: `query=1${"+".repeat(9_000)}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }
      const statusesOfLong = Effect.forEach(Array.from({ length: 15 }), () =>
        Effect.map(call("query", long), ({ status }) => status),
      )
      for (const text of ["count(topk(5, target))", "target"]) {
        expect((yield* queryRange(text, 3_000)).status, text).toBe(200)
        yield* TestClock.adjust("11 seconds")
        expect(new Set(yield* statusesOfLong)).toEqual(new Set([200]))
        expect((yield* call("query", long)).status).toBe(429)
        expect((yield* query("1")).status).toBe(200)
        expect((yield* queryRange(text, 3_000)).status, text).toBe(429)
        yield* TestClock.adjust("11 seconds")
      }
    }),
  )

  test(
    "spec/promql §7: lists of series use up the costly reads, and have a limited number of selectors",
    Effect.gen(function* () {
      yield* manySlos(300)
      const selectors = (count: number) => Array.from({ length: count }, () => "match[]=budget").join("&")
      expect((yield* call(`series?${selectors(30)}`)).status).toBe(200)
      const tooMany = yield* call(`labels?${selectors(31)}`)
      expect([tooMany.status, tooMany.body.error]).toEqual([
        400,
        'invalid parameter "match[]": there are more than 30 selectors',
      ])
      yield* TestClock.adjust("11 seconds")
      const statuses: Array<number> = []
      for (let count = 0; count < 30; count++) statuses.push((yield* call("labels")).status)
      expect([statuses[0], statuses.at(-1)]).toEqual([200, 429])
    }),
  )

  test(
    "spec/promql §6: a query at a time long before or after now has no samples",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [
        anSlo(key, {
          timeWindow: {
            unit: "Month",
            count: 1,
            calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "Europe/Berlin" }),
          },
        }),
      ])
      for (const time of [
        -8_640_000_000_000, -8_639_999_999_999, -62_200_000_000, -1, 0, 1e11, 8_640_000_000_000,
      ]) {
        for (const text of [
          "reliability",
          "reliability offset 290y",
          "reliability offset -290y",
          "count_over_time(budget[290y])",
          "max_over_time(burn_rate[5m:1m])",
          "rate(sli_ratio_used_good[5m])",
          "time_slice_status",
          "ALERTS",
        ]) {
          const { status, text: json } = yield* call(`query?query=${encodeURIComponent(text)}&time=${time}`)
          expect([time, text, status, json]).toEqual([
            time,
            text,
            200,
            expect.stringContaining('"result":[]'),
          ])
        }
        const parts = [
          "year()",
          "month()",
          "day_of_year()",
          "days_in_month()",
          "hour()",
          "time()",
          "timestamp(vector(1))",
        ]
        for (const text of [...parts, "reliability @ -1e12", "reliability @ 1e12"]) {
          const { status } = yield* call(`query?query=${encodeURIComponent(text)}&time=${time}`)
          expect([time, text, status]).toEqual([time, text, 200])
        }
        const range = `start=${time}&end=${time}`
        for (const path of [`query_range?query=reliability&${range}&step=1`, `labels?${range}`]) {
          expect([path, (yield* call(path)).status]).toEqual([path, 200])
        }
      }
    }),
  )

  test(
    "spec/promql §7: a selector needs a limited number of minutes, whatever its series are computed from",
    Effect.gen(function* () {
      const one = '{slo="checkout",objective="good"}'
      for (const text of [`target${one}`, `budget${one}`, `sli_ratio_used_good${one}`]) {
        const { status, body } = yield* query(`count_over_time(${text}[400d])`)
        expect([text, status, body.error]).toEqual([text, 422, expect.stringContaining("too many samples")])
      }
      expect((yield* query(`count_over_time(target${one}[200d])`)).text).toContain('"288000"')
    }),
  )

  test(
    "spec/promql §3: an alert has a series while it is open",
    Effect.gen(function* () {
      const store = yield* AlertStore
      const subject = { slo: key, objective: "good", alertPolicy: { project: "shop", name: "fast-burn" } }
      const put = (closing: Pick<Alert, "status" | "resolvedAt">) => {
        const alert: Alert = {
          id: "01",
          subject,
          severity: "High",
          conditions: [],
          definedAt: 0,
          alertMethods: [],
          triggeredAt: now - 10 * 60_000,
          ...closing,
        }
        const receipt = { alertId: alert.id, isChanged: true, deliveries: [] }
        const change = () => Result.succeed({ put: alert, receipt })
        return store.change(organization, { subject, id: undefined }, undefined, change)
      }
      yield* put({ status: "triggered" })
      expect((yield* query("sum by (severity, slo) (ALERTS)")).body.data).toMatchObject({
        result: [{ metric: { severity: "High", slo: "checkout" }, value: [seconds, "1"] }],
      })
      expect((yield* call("label/alertstate/values")).body.data).toEqual(["firing"])
      const listed = yield* call("alerts")
      expect([listed.status, listed.body.data]).toEqual([
        200,
        {
          alerts: [
            {
              labels: {
                alertname: "fast-burn",
                objective: "good",
                project: "shop",
                severity: "High",
                slo: "checkout",
              },
              annotations: {},
              state: "firing",
              activeAt: new Date(now - 10 * 60_000).toISOString(),
              value: "1e+00",
            },
          ],
        },
      ])
      yield* put({ status: "resolved", resolvedAt: now - 4 * 60_000 })
      expect((yield* query("ALERTS")).text).toContain('"result":[]')
      expect((yield* call("alerts")).body.data).toEqual({ alerts: [] })
      expect((yield* query("count_over_time(ALERTS[1h])")).text).toContain('"6"')
    }),
  )

  /** Alerts of the same policy, each with its SLO and when it was triggered and resolved, in minutes before now. */
  const putAlerts = (
    alerts: ReadonlyArray<{ readonly slo: string; readonly from: number; readonly to?: number }>,
  ) =>
    Effect.gen(function* () {
      const store = yield* AlertStore
      for (const [index, { slo, from, to }] of alerts.entries()) {
        const subject = {
          slo: { project: "shop", name: slo },
          objective: "good",
          alertPolicy: { project: "shop", name: "fast-burn" },
        }
        const alert: Alert = {
          id: String(index),
          subject,
          severity: "High",
          conditions: [],
          definedAt: 0,
          alertMethods: [],
          triggeredAt: now - from * 60_000,
          ...(to === undefined
            ? { status: "triggered" }
            : { status: "resolved", resolvedAt: now - to * 60_000 }),
        }
        const receipt = { alertId: alert.id, isChanged: true, deliveries: [] }
        yield* store.change(organization, { subject, id: undefined }, undefined, () =>
          Result.succeed({ put: alert, receipt }),
        )
      }
    })

  test(
    "spec/promql §3: a series of alerts has each minute in which one of them is open once",
    Effect.gen(function* () {
      yield* putAlerts([
        { slo: "a", from: 50, to: 40 },
        { slo: "a", from: 45, to: 30.5 },
        { slo: "a", from: 43, to: 42 },
        { slo: "a", from: 10.5, to: 5 },
        { slo: "b", from: 20 },
      ])
      const { body } = yield* query("ALERTS[1h]")
      const { result } = body.data as {
        result: ReadonlyArray<{ metric: { slo: string }; values: ReadonlyArray<readonly [number, string]> }>
      }
      const minutes = result.map(({ metric, values }) => [
        metric.slo,
        values.map(([time]) => (seconds - time) / 60),
      ])
      const down = (from: number, to: number) =>
        Array.from({ length: from - to + 1 }, (_, index) => from - index)
      expect(minutes).toEqual([
        ["a", [...down(50, 31), ...down(11, 6)]],
        ["b", down(20, 0)],
      ])
    }),
  )

  test(
    "spec/promql §7: samples of alerts count as others do",
    Effect.gen(function* () {
      const day = 1_440
      yield* putAlerts(Array.from({ length: 60 }, (_, index) => ({ slo: `slo-${index}`, from: 200 * day })))
      const { status, body } = yield* query("count(max_over_time(ALERTS[200d]))")
      expect([status, body.error]).toEqual([422, expect.stringContaining(`${60 * 200 * day} samples`)])
      expect((yield* query("count(max_over_time(ALERTS[40d]))")).text).toContain('"60"')
      // The minutes themselves are limited too, whether an alert is open in them or not.
      const before = Array.from(
        { length: 16 },
        (_, days) => `count_over_time(ALERTS[${190 - days}d] offset 210d)`,
      )
      const past = yield* query(["ALERTS", ...before].join(" or "))
      expect([past.status, past.body.error]).toEqual([422, expect.stringContaining("minutes at most in all")])
    }),
  )

  test(
    "spec/promql §3: counts as received and counts with a budget adjustment differ in its minutes, and statuses have the latter",
    Effect.gen(function* () {
      // Of the minutes with 5, 6 and 7 bad events.
      const adjustment = (set?: { readonly good: number; readonly total: number }): BudgetAdjustment => ({
        kind: "BudgetAdjustment",
        metadata: { project: "shop", name: "move" },
        spec: {
          reason: "The data center moved.",
          slos: [key],
          period: {
            startTime: instantOf("2026-01-30T11:55:00Z"),
            endTime: instantOf("2026-01-30T11:58:00Z"),
          },
          ...(set !== undefined && { set }),
        },
      })
      const sums = (metric: string) =>
        Effect.map(query(`sum_over_time(${metric}{${series}}[10m])`, ""), ({ body }) => {
          const { result } = body.data as { result: ReadonlyArray<{ value: readonly [number, string] }> }
          return Number(result[0]?.value[1])
        })
      const all = Effect.all([
        sums("sli_ratio_received_good"),
        sums("sli_ratio_received_bad"),
        sums("sli_ratio_received_total"),
        sums("sli_ratio_used_good"),
        sums("sli_ratio_used_total"),
        sums("time_slice_status"),
      ])
      // A range does not include its start, which is the first minute: it has 9 of the 10.
      expect(yield* all).toEqual([855, 45, 900, 855, 900, Number.NaN])
      yield* putDefinitions(organization, [adjustment()])
      expect(yield* all).toEqual([855, 45, 900, 573, 600, Number.NaN])
      expect((yield* query(`reliability{${series}}`)).text).toContain(`"${673 / 700}"`)
      // What is left out has no sample; what is set has the counts of each minute.
      expect((yield* query(`sli_ratio_used_total{${series}}[3m] offset 3m`)).text).toContain('"result":[]')
      yield* putDefinitions(organization, [adjustment({ good: 90, total: 100 })])
      expect(yield* all).toEqual([855, 45, 900, 573 + 270, 900, Number.NaN])
      expect((yield* query(`count_good{${series}}`)).text).toContain('"943"')
    }),
  )

  test(
    "spec/promql §3: composites have statuses of minutes and weights of components, thresholds and Timeslices their values",
    Effect.gen(function* () {
      const latency = { project: "shop", name: "latency" }
      const whole = { project: "shop", name: "whole" }
      yield* putDefinitions(organization, [
        anSlo(latency, {
          budgetingMethod: "Timeslices",
          objectives: [{ name: "fast", target: 0.9, timeSliceTarget: 0.95, op: "lte", value: 0.25 }],
        }),
        anSlo(whole, {
          objectives: [
            {
              name: "all",
              target: 0.8,
              composite: {
                maxDelay: durationOf("5m"),
                components: [
                  { slo: key, objective: "good", weight: 3, whenDelayed: "CountAsGood" },
                  { slo: latency, objective: "fast", weight: 1, whenDelayed: "CountAsBad" },
                ],
              },
            },
          ],
        }),
      ])
      // Good in all minutes but two, of which one is at the limit.
      yield* recordCounts(organization, {
        ...latency,
        body: Array.from({ length: 10 }, (_, minute) => ({
          objective: "fast",
          at: new Date(now - (10 - minute) * 60_000).toISOString(),
          good: minute === 4 ? 94 : minute === 5 ? 95 : 100,
          total: 100,
        })),
      })
      const valuesOf = (text: string) =>
        Effect.map(query(text), ({ body }) => {
          const { result } = body.data as {
            result: ReadonlyArray<{ metric: Record<string, string>; value: readonly [number, string] }>
          }
          return result.map(({ metric: { __name__: name, component_slo: component }, value }) => [
            component === undefined ? name : `${name} ${component}`,
            Number(value[1]),
          ])
        })
      const selected = (slo: string, names: string) => valuesOf(`{slo="${slo}",__name__=~"${names}"}`)
      expect(yield* selected("latency", "threshold|time_slice_.*|count_.*|reliability|sli_.*")).toEqual([
        // Of the 28 days, whose minutes without counts are good.
        ["count_good", 40_319],
        ["count_total", 40_320],
        ["reliability", 40_319 / 40_320],
        ["threshold", 0.25],
        ["time_slice_allowance", 0.95],
        ["time_slice_reliability", 1],
        ["time_slice_status", 1],
      ])
      expect(yield* valuesOf('time_slice_reliability{slo="latency"} offset 6m')).toEqual([
        ["time_slice_reliability", 0.94],
      ])
      expect(yield* valuesOf('time_slice_status{slo="latency"} offset 6m')).toEqual([
        ["time_slice_status", 0],
      ])
      expect(yield* valuesOf('time_slice_status{slo="latency"} offset 5m')).toEqual([
        ["time_slice_status", 1],
      ])

      const composite = yield* selected("whole", "composite_.*|component_.*|target|threshold|sli_.*|time_.*")
      expect(composite).toEqual([
        // By the objectives of the components, as the labels are sorted.
        ["component_weight latency", 1],
        ["component_weight checkout", 3],
        ["composite_max_delay", 300],
        ["target", 0.8],
      ])
      // Shares of good events have the weight 3, and good minutes the weight 1: 3 × 9.55 + 9 of 4 × 10.
      const statuses = yield* selected("whole", "reliability|burn_rate|budget|count_.*")
      expect(statuses.map(([name]) => name)).toEqual([
        "budget",
        "burn_rate",
        "count_good",
        "count_total",
        "reliability",
      ])
      for (const [index, value] of [0.70625, 0.29375, 37.65, 40, 0.94125].entries()) {
        expect(statuses[index]?.[1]).toBeCloseTo(value, 10)
      }
    }),
  )
})
