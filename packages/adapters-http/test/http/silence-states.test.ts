import { alertSilence } from "@tocsin/domain"
import type { AlertSilence } from "@tocsin/domain/adapter"
import { decode, durationOf } from "@tocsin/domain/codec"
import { labelSelector } from "@tocsin/domain/kernel"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { ask, organization, start, test } from "../../../../test/http/delivery-client.ts"

const hour = 3_600_000
const at = (ms: number) => new Date(start + ms).toISOString()

const aSilence = (name: string, spec: Partial<AlertSilence["spec"]>, project = "shop"): AlertSilence => ({
  kind: "AlertSilence",
  metadata: { project, name },
  spec: { slo: "checkout", ...spec },
})

const hours = (count: number) => ({ period: { duration: durationOf(`${count}h`) } })

const daily = (duration: string) => {
  const recurrence = { startTime: "2026-01-01 11:00:00", timeZone: "UTC", rrule: "FREQ=DAILY", duration }
  const metadata = { project: "shop", name: "daily" }
  const document = { kind: "AlertSilence", metadata, spec: { slo: "checkout", recurrence } }
  const { spec } = Result.getOrThrow(decode(alertSilence, document, { defaultProject: "shop" }))
  return spec.recurrence === undefined ? {} : { recurrence: spec.recurrence }
}

const payments = Result.getOrThrow(decode(labelSelector, "team:payments", {}))

const filled = Effect.gen(function* () {
  const checkout = anSlo({ project: "shop", name: "checkout" })
  yield* putDefinitions(organization, [
    { ...checkout, metadata: { ...checkout.metadata, labels: { team: ["payments"] } } },
    anSlo({ project: "shop", name: "search" }),
    aSilence("daily", { ...daily("2h"), alertPolicy: { project: "shop", name: "fast" } }),
    {
      kind: "AlertSilence",
      metadata: { project: "shop", name: "labels" },
      spec: { sloLabels: payments, ...hours(3) },
    },
    aSilence("over", hours(1)),
    aSilence("search", { slo: "search", ...hours(9) }),
    aSilence("elsewhere", hours(9), "other"),
  ])
  yield* putDefinitions("other", [aSilence("foreign", hours(9))])
  yield* TestClock.adjust("2 hours")
})

interface Listed {
  readonly project: string
  readonly name: string
  readonly state: string
}

const list = (query = "", options: object = {}) =>
  ask("GET", `/api/console/silences${query}`, { role: "viewer", ...options })

const namesOf = (query: string) =>
  Effect.map(list(query), ({ status, text, json }) => {
    expect([status, text]).toEqual([200, text])
    return json.data.map(({ project, name, state }: Listed) => `${project}/${name} ${state}`)
  })

describe("GET /api/console/silences", () => {
  test(
    "spec/alerting §23: lists the silences of the organization with their state, as time passes",
    Effect.gen(function* () {
      yield* filled
      expect(yield* namesOf("")).toEqual([
        "other/elsewhere active",
        "shop/daily scheduled",
        "shop/labels active",
        "shop/over ended",
        "shop/search active",
      ])
      expect((yield* list("?project=shop&name=daily")).json.data).toEqual([
        {
          project: "shop",
          name: "daily",
          alertPolicy: { project: "shop", name: "fast" },
          isRecurring: true,
          state: "scheduled",
          startTime: at(23 * hour),
          endTime: at(25 * hour),
        },
      ])
      expect((yield* list("?project=shop&name=over")).json.data).toEqual([
        { project: "shop", name: "over", isRecurring: false, state: "ended", endTime: at(hour) },
      ])
      yield* TestClock.adjust("21 hours")
      expect(yield* namesOf("?project=shop&name=daily")).toEqual(["shop/daily active"])
      yield* putDefinitions(organization, [aSilence("daily", daily("10m"))])
      yield* TestClock.adjust("30 minutes")
      expect(yield* namesOf("?project=shop&name=daily")).toEqual(["shop/daily scheduled"])
      expect((yield* list("", { organization: "other" })).json.data).toHaveLength(1)
      expect((yield* ask("GET", "/api/console/silences", { headers: { authorization: "" } })).status).toBe(
        401,
      )
    }),
  )

  test(
    "spec/alerting §23: lists those of an SLO that have not ended, by its name and labels, in pages",
    Effect.gen(function* () {
      yield* filled
      expect(yield* namesOf("?project=shop&slo=checkout")).toEqual([
        "shop/daily scheduled",
        "shop/labels active",
      ])
      expect(yield* namesOf("?project=shop&slo=search")).toEqual(["shop/search active"])
      const first = yield* list("?project=shop&slo=checkout&limit=1")
      expect(first.json.links.self).toBe("/api/console/silences?limit=1&cursor=&project=shop&slo=checkout")
      const { next } = first.json.links
      expect(yield* namesOf(next.slice(next.indexOf("?")))).toEqual(["shop/labels active"])
      const pages = yield* list("?limit=4")
      const rest = pages.json.links.next
      expect(yield* namesOf(rest.slice(rest.indexOf("?")))).toEqual(["shop/search active"])
      expect((yield* list("?project=shop&slo=gone")).status).toBe(404)
      const homeless = yield* list("?slo=checkout")
      expect([homeless.status, homeless.json.errors[0].source.propertyName]).toEqual([400, "project"])
      expect((yield* list("?limit=501")).status).toBe(400)
    }),
  )
})
