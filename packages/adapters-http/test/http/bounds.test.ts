import { receiveAlertmanager } from "@tocsin/formats/alertmanager"
import { definitionsMax, deliveriesPerMinute } from "@tocsin/domain/limits"
import { DeliveryLog } from "@tocsin/domain/ports"
import { writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import { alertMethodsPerAlertMax } from "@tocsin/domain"
import { aMethod, anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { aService, anAlertMethod } from "../../../../test/definition/valid-definitions.ts"
import { ask, organization, slo, test } from "../../../../test/http/delivery-client.ts"

const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

const repeated = (part: string, length = 1_000_000): string => part.repeat(length / part.length)

const services = times(definitionsMax, (index) => aService(`s-${index}`, "default"))
const unknownProperties = Object.fromEntries(times(60, (index) => [`objectivex${index}`, 1]))
const yaml = { "content-type": "application/yaml" }

/**
 * An order of magnitude above the bound of an editor's request, since other processes and a cold start add to what is
 * measured. Each of these took from one to several seconds, or would without its limit.
 */
const processorMaxMs = 2_000

const cases: ReadonlyArray<readonly [what: string, method: string, path: string, body: unknown]> = [
  ["a thousand definitions", "PUT", "/api/apply?dry_run=true", services],
  ["a thousand definitions in YAML", "PUT", "/api/apply?dry_run=true", writeDocuments(yamlFormat, services)],
  ["too many definitions in YAML", "PUT", "/api/apply", repeated("- {kind: SLO}\n", 300_000)],
  ["commas in YAML", "PUT", "/api/apply", `[${repeated(",", 190_000)}`],
  ["commas in YAML to preview", "POST", "/api/alertmethods/preview", `[${repeated(",", 190_000)}`],
  ["brackets in JSON", "POST", "/api/counts", repeated("[")],
  ["brackets in JSON to preview", "POST", "/api/alertmethods/preview", repeated("[")],
  [
    "definitions with sixty issues each",
    "PUT",
    "/api/apply",
    times(900, () => ({ kind: "SLO", spec: unknownProperties })),
  ],
  [
    "a template full of unknown variables",
    "POST",
    "/api/alertmethods/preview",
    {
      ...anAlertMethod(),
      spec: { webhook: { url: "https://a.example", template: repeated("$slo_nam ", 900_000) } },
    },
  ],
  [
    "a label filter",
    "GET",
    `/api/get/slo?labels=${times(3_500, (index) => `k${index}`)
      .join(",")
      .slice(0, 15_000)}`,
    undefined,
  ],
  ["a list in YAML", "GET", "/api/get/service", undefined],
]

describe("the processor time of one request", () => {
  for (const [what, method, path, body] of cases) {
    test(
      `spec/rate-limits §8: is bounded for ${what}`,
      Effect.gen(function* () {
        if (method === "GET") {
          yield* putDefinitions(
            organization,
            times(1_000, (index) => anSlo({ project: "default", name: `s-${index}` })),
          )
          yield* ask("PUT", "/api/apply", { body: services })
        }
        const headers = typeof body === "string" && !body.startsWith("[[") ? yaml : undefined
        const before = process.cpuUsage()
        const { status } = yield* ask(method, path, {
          body,
          headers: method === "GET" ? { accept: "application/yaml" } : { ...headers },
        })
        const { user, system } = process.cpuUsage(before)
        expect([200, 400]).toContain(status)
        expect((user + system) / 1_000).toBeLessThan(processorMaxMs)
      }),
    )
  }

  test(
    "spec/rate-limits §8: a group of alerts lets other requests run between its alerts",
    Effect.gen(function* () {
      const methods = times(alertMethodsPerAlertMax, (index) => ({ project: "shop", name: `m-${index}` }))
      yield* putDefinitions(
        organization,
        methods.map((key) => aMethod(key)),
      )
      const alerts = deliveriesPerMinute / alertMethodsPerAlertMax
      const body = {
        version: "4",
        alerts: times(alerts, (index) => ({
          status: "firing",
          labels: {
            tocsin_slo: slo.name,
            tocsin_project: slo.project,
            tocsin_alert_methods: methods.map(({ name }) => name).join(","),
          },
          startsAt: "2026-01-30T11:00:00Z",
          fingerprint: `f${index}`,
        })),
      }
      let turns = 0
      const count = (): void => {
        turns += 1
        counting = setImmediate(count)
      }
      let counting = setImmediate(count)
      yield* receiveAlertmanager(organization, body)
      clearImmediate(counting)
      const log = yield* DeliveryLog
      expect((yield* log.list(organization, {}, { limit: 500 })).hasMore).toBe(true)
      // Four are processed concurrently.
      expect(turns).toBeGreaterThanOrEqual(alerts / 4)
    }),
  )
})
