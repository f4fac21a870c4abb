import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { urlOf } from "../crash/CrashDatabase.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { eventually, startStoringServer } from "./clocked-server.ts"

const minuteMs = 60_000
const minutes = 180

const definitions = `
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web, project: default }
---
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: budget-gone, project: default }
spec:
  severity: High
  conditions: [{ measurement: burnedBudget, value: 1 }]
  alertMethods: []
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: checkout, project: default }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, target: 0.99 }]
  alertPolicies: [budget-gone]
`

interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

it.live(
  "spec/promql §3: on PostgreSQL and the real clock, queries have what the status API, the series API and the alerts have",
  () =>
    Effect.gen(function* () {
      const connection = yield* Effect.promise(() => newDatabase("schema"))
      const masterKey = Redacted.make(new Uint8Array(32).fill(6))
      const url = Redacted.make(urlOf(connection))
      const { send, login } = yield* startStoringServer({ store: { kind: "postgres", url, masterKey } })
      const headers = { ...(yield* login), project: "default" }
      const applied = yield* send("PUT", "/api/apply", {
        headers: { ...headers, "content-type": "application/yaml" },
        body: definitions,
      })
      expect(applied.status).toBe(200)

      // Whole minutes until a while ago, so that none is under way; the older, the better.
      const last = Math.floor(Date.now() / minuteMs) * minuteMs - 3 * minuteMs
      const badAt = (index: number): number => (index < 90 ? index % 2 : 3 + (index % 4))
      const counts = Array.from({ length: minutes }, (_, index) => ({
        objective: "good",
        at: last - (minutes - 1 - index) * minuteMs,
        good: 100 - badAt(index),
        total: 100,
      }))
      const recorded = yield* send("POST", "/api/slos/checkout/counts", {
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(counts.map(({ at, ...each }) => ({ ...each, at: new Date(at).toISOString() }))),
      })
      expect(recorded.status).toBe(204)

      const call = (path: string, parameters: Readonly<Record<string, string>>) =>
        Effect.map(
          send("POST", `/api/prometheus/api/v1/${path}`, {
            headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
            body: new URLSearchParams(parameters).toString(),
          }),
          ({ status, json }) => {
            expect([status, json.error]).toEqual([200, undefined])
            return json.data.result
          },
        )
      const sampleAt = (query: string, at: number) =>
        Effect.map(call("query", { query, time: String(at / 1_000) }), (result: ReadonlyArray<Sample>) =>
          result.map(({ value }) => Number(value[1])),
        )

      // The status is computed for the present minute, which may end between two calls.
      const compared = Effect.gen(function* () {
        const { json } = yield* send("GET", "/api/v2/slos/checkout", { headers })
        const names = [
          "reliability",
          "burn_rate",
          "budget",
          "tocsin_slo_objective_error_budget_remaining_seconds",
        ]
        const found = yield* Effect.forEach(names, (name) => sampleAt(`${name}{slo="checkout"}`, Date.now()))
        const [objective] = json.objectives
        return {
          status: [
            objective.reliability,
            objective.burnRate,
            objective.errorBudgetRemainingPercentage,
            objective.errorBudgetRemaining,
          ],
          found: found.flat(),
        }
      })
      const sum = (from: number, to: number) =>
        counts.slice(from, to).reduce((all, { good }) => all + good, 0)
      const reliability = sum(0, minutes) / (100 * minutes)
      const { status, found } = yield* eventually(compared, ({ status, found }) =>
        status.every((value, index) => value === found[index]),
      )
      expect(found).toEqual(status)
      expect(found[0]).toBeCloseTo(reliability, 12)

      // What a status was at any time is what the counts until then say.
      const start = last - (minutes - 1) * minuteMs
      const range = { start: String(start / 1_000), end: String(last / 1_000), step: "60" }
      const rangeOf = (query: string) =>
        Effect.map(call("query_range", { query, ...range }), ([series]) =>
          (series.values as ReadonlyArray<readonly [number, string]>).map(([at, value]) => {
            expect(at).toBe(Math.round(at / 60) * 60)
            return Number(value)
          }),
        )
      expect(yield* rangeOf('sli_ratio_received_good{slo=~"check.*"}')).toEqual(
        counts.map(({ good }) => good),
      )
      expect(yield* rangeOf("count_total")).toEqual(counts.map((_, index) => 100 * (index + 1)))
      expect(yield* rangeOf("count_good")).toEqual(counts.map((_, index) => sum(0, index + 1)))
      const burnRates = yield* rangeOf("burn_rate")
      for (const [index, rate] of burnRates.entries()) {
        const from = Math.max(0, index + 1 - 60)
        const total = 100 * (index + 1 - from)
        expect(rate).toBeCloseTo((total - sum(from, index + 1)) / total / 0.01, 9)
      }

      // The steps of the series API, whose ends are in the past.
      const step = 5 * minuteMs
      const [from, to] = [Math.ceil(start / step) * step, Math.floor(last / step) * step]
      const parameters = new URLSearchParams({
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        step: "5m",
      })
      const series = yield* send("GET", `/api/slos/checkout/series?${parameters}`, { headers })
      expect(series.status).toBe(200)
      const [{ counts: sums, errorBudgetRemainingPercentage: budgets }] = series.json.objectives
      const steps = (to - from) / step
      expect(sums.good).toHaveLength(steps)
      const results = yield* call("query_range", {
        query: "sum_over_time(sli_ratio_used_good[5m])",
        // The minutes of a step are those before its end; a range does not have its start.
        start: String((from + step - minuteMs) / 1_000),
        end: String((to - minuteMs) / 1_000),
        step: "300",
      })
      expect(results[0].values.map(([, value]: [number, string]) => Number(value))).toEqual(sums.good)
      const budget = yield* call("query_range", {
        query: "budget",
        start: String((from + step - minuteMs) / 1_000),
        end: String((to - minuteMs) / 1_000),
        step: "300",
      })
      const values: ReadonlyArray<number> = budget[0].values.map(([, value]: [number, string]) =>
        Number(value),
      )
      expect(values).toHaveLength(steps)
      for (const [index, value] of values.entries()) expect(value).toBeCloseTo(budgets[index], 9)

      // The alert that the counts have opened.
      const alerts = send("GET", "/api/get/alert?slo=checkout", { headers })
      yield* eventually(alerts, ({ json }) => json.length === 1 && json[0].spec.status === "Triggered")
      const firing = yield* eventually(
        Effect.suspend(() => call("query", { query: "ALERTS", time: String(Date.now() / 1_000) })),
        (result) => result.length === 1,
      )
      expect(firing[0].metric).toEqual({
        __name__: "ALERTS",
        alertname: "budget-gone",
        alertstate: "firing",
        objective: "good",
        project: "default",
        severity: "High",
        slo: "checkout",
      })
      expect(firing[0].value[1]).toBe("1")
    }),
)
