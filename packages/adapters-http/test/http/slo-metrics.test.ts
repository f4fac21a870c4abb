import { recordCounts } from "@tocsin/domain"
import { atOnce } from "@tocsin/domain/adapter"
import { SloStore } from "@tocsin/domain/ports"
import { sloMetricsText } from "../../src/slos/SloMetricsText.ts"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { apiServer, basicOf, headersOf, send } from "../../../../test/http/api-client.ts"

const organization = "acme"
const start = Date.UTC(2026, 0, 30, 12)
const key = { project: "shop", name: "checkout" }
const labels = { env: ["prod"], team: ["b", "a"], "my-team": [] }

/** One SLO with data and labels, one of another project without. */
const withSlos = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const slo = anSlo(key)
  yield* putDefinitions(organization, [
    { ...slo, metadata: { ...slo.metadata, labels } },
    anSlo({ project: "lab", name: "search" }),
  ])
  const at = new Date(start - 60_000).toISOString()
  yield* recordCounts(organization, { ...key, body: [{ objective: "good", at, good: 995, total: 1_000 }] })
})

describe("GET /metrics/slos", () => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof apiServer>>): void =>
    it.effect(what, () => Effect.provide(Effect.andThen(withSlos, effect), apiServer))

  test(
    "spec/status-api §12: has the metrics of each objective, those without data left out",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization, "viewer")
      const answer = yield* send("/metrics/slos?labels=team,env,my-team&project=shop", { headers })
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        200,
        "text/plain; version=0.0.4; charset=utf-8",
      ])
      const sample =
        'project="shop",service="web",slo="checkout",objective="good",label_team="a,b",label_env="prod"'
      expect(answer.text).toContain(
        `\n# TYPE tocsin_slo_objective_reliability gauge\ntocsin_slo_objective_reliability{${sample}} 0.995\n`,
      )
      expect(answer.text).toContain(`\ntocsin_slo_objective_target{${sample}} 0.99\n`)
      expect(answer.text).toContain(`\ntocsin_slo_objective_error_budget_remaining_ratio{${sample}} 0.5\n`)
      expect(answer.text).toContain(`\ntocsin_slo_objective_burn_rate{${sample}} 0.5\n`)
      expect(answer.text).not.toContain("search")
      const all = yield* send("/metrics/slos", { headers })
      expect(all.text).toContain(
        'tocsin_slo_objective_target{project="lab",service="web",slo="search",objective="good"} 0.99\n',
      )
      expect(all.text).not.toMatch(/reliability\{project="lab"/)
      expect(all.text).not.toMatch(/label_|# EOF/)
      const open = yield* send("/metrics/slos", {
        headers: { ...headers, accept: "application/openmetrics-text;version=1.0.0" },
      })
      expect(open.headers.get("content-type")).toBe(
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
      )
      expect(open.text).toBe(`${all.text}# EOF\n`)
    }),
  )

  test(
    "spec/status-api §12: takes what Prometheus can send: Basic credentials, and the organization in the query",
    Effect.gen(function* () {
      const { authorization } = yield* basicOf(organization)
      const scraped = yield* send(`/metrics/slos?organization=${organization}`, {
        headers: { authorization },
      })
      expect(scraped.status).toBe(200)
      const other = yield* send("/metrics/slos?organization=other", { headers: { authorization } })
      expect([other.status, other.text.includes("checkout")]).toEqual([401, false])
      expect((yield* send(`/metrics/slos?organization=${organization}`, {})).status).toBe(401)
    }),
  )

  test(
    "spec/status-api §12: rejects labels that cannot be, or that metrics cannot tell apart",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization, "viewer")
      for (const wrong of ["Team", "a,my-team,my_team"]) {
        const answer = yield* send(`/metrics/slos?labels=${wrong}`, { headers })
        expect([answer.status, JSON.parse(answer.text).errors[0]]).toEqual([
          400,
          expect.objectContaining({
            code: "labels_invalid",
            source: { propertyName: "labels", propertyValue: wrong },
          }),
        ])
      }
    }),
  )

  test(
    "spec/status-api §12: escapes what labels have, so that a reader gets it back",
    Effect.gen(function* () {
      const { items } = yield* (yield* SloStore).page(organization, { limit: 1 }, { project: "shop" })
      const [record] = items
      if (record === undefined) throw new Error("the SLO is stored")
      fc.assert(
        fc.property(
          fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "n", "{", "}", ",", " ", "é") }),
          (value) => {
            const { slo } = record
            const named = {
              ...record,
              slo: { ...slo, metadata: { ...slo.metadata, labels: { env: [value] } } },
            }
            const [line = ""] = atOnce(sloMetricsText([named], ["env"], false))
              .split("\n")
              .filter((each) => each.includes("_target{"))
            const [, text = ""] = /label_env="((?:[^"\\\n]|\\["\\n])*)"\} 0\.99$/.exec(line) ?? []
            expect(
              text.replaceAll(/\\(["\\n])/g, (_, escape: string) => (escape === "n" ? "\n" : escape)),
            ).toBe(value)
          },
        ),
      )
    }),
  )
})
