import { applyDefinitions } from "@tocsin/domain"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { pageSizeMax } from "@tocsin/domain/pagination"
import { anyAddress } from "@tocsin/domain/delivery"
import { AnnotationStore, DefinitionStore } from "@tocsin/domain/ports"
import { DefinitionOptions } from "@tocsin/adapters-http/documents"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, errorsOf, headersOf, send } from "../../../test/http/api-client.ts"

/** As many SLOs as all events of a request may change, together. */
const changedEventsMax = 1_000

const now = Date.UTC(2026, 3, 1, 12)

const server = apiServer.pipe(
  Layer.provideMerge(Layer.succeed(DefinitionOptions, { vendorPrefix: "n9", addressPolicy: anyAddress })),
)

const document = (kind: string, metadata: object, spec: object, status?: object) => ({
  apiVersion: "n9/v1alpha",
  kind,
  metadata,
  spec,
  ...(status !== undefined && { status }),
  organization: "acme",
  manifestSrc: "/home/a/b.yaml",
})

const base = [
  document("Project", { name: "shop" }, { description: "" }),
  document(
    "Service",
    { name: "web", project: "shop" },
    {
      description: "",
      responsibleUsers: [{ id: "00u2y" }],
      reviewCycle: { startTime: "2026-01-01T09:00:00", timeZone: "Europe/Berlin", rrule: "FREQ=MONTHLY" },
    },
    { sloCount: 3, reviewCycle: { next: "2026-05-01T09:00:00+02:00" } },
  ),
  document(
    "SLO",
    { name: "checkout", project: "shop" },
    {
      service: "web",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [{ name: "good", target: 0.99 }],
    },
  ),
]

const monthly = document(
  "BudgetAdjustment",
  { name: "monthly", displayName: "Monthly" },
  {
    description: "Deployments",
    firstEventStart: "2026-01-01T13:00:00+01:00",
    duration: "1h",
    rrule: "FREQ=MONTHLY;INTERVAL=1;BYDAY=1TU",
    filters: { slos: [{ name: "checkout", project: "shop" }] },
  },
)

const review = document(
  "Annotation",
  { name: "review-1", project: "shop", labels: { team: ["a", "b"] } },
  {
    slo: "checkout",
    objectiveName: "good",
    description: "Reviewed\n\nwith a longer text",
    startTime: "2026-03-02T14:00:00+01:00",
    endTime: "2026-03-02T15:00:00+01:00",
    category: "ReviewNote",
  },
)

const withoutReadOnly = (given: ReturnType<typeof document>) => ({
  ...given,
  organization: undefined,
  manifestSrc: undefined,
})

/** Sends requests with the headers and the body that the clients send. */
const client = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const headers = {
    ...(yield* headersOf("acme")),
    "user-agent": "sloctl/v0.18.0 (linux amd64 go1.25)",
    accept: "application/json",
    "accept-encoding": "gzip",
  }
  const call = (method: string, path: string, body?: unknown, project = "") =>
    Effect.map(
      send(path, {
        method,
        headers: { ...headers, project, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      (answer) => ({ ...answer, json: (): unknown => JSON.parse(answer.text) }),
    )
  const apply = (documents: ReadonlyArray<unknown>) => call("PUT", "/api/apply?dry_run=false", documents)
  expect((yield* apply(base)).status).toBe(200)
  return { call, apply }
})

const namesOf = (entries: unknown) => (entries as ReadonlyArray<{ name: string }>).map(({ name }) => name)

const outcomes = (answer: { readonly text: string }) =>
  (JSON.parse(answer.text) as { data: ReadonlyArray<{ outcome: string }> }).data.map(({ outcome }) => outcome)

describe("objects of the service's public clients", () => {
  const test = <E>(what: string, effect: Effect.Effect<void, E, Layer.Success<typeof server>>) =>
    it.effect(what, () => Effect.provide(effect, server))

  test(
    "spec/clients §2: a service keeps its review cycle and responsible users, and ignores its status",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      const listed = (yield* call("GET", "/api/get/service?name=web", undefined, "shop")).json()
      const [, service] = base
      expect(listed).toEqual([
        {
          apiVersion: "n9/v1alpha",
          kind: "Service",
          metadata: service?.metadata,
          spec: { ...service?.spec, description: undefined },
        },
      ])
      expect(outcomes(yield* apply(listed as ReadonlyArray<unknown>))).toEqual(["unchanged"])
      const wrong = { startTime: "2026-01-01 09:00:00", timeZone: "Berlin", rrule: "FREQ=HOURLY" }
      const rejected = yield* apply([
        document("Service", { name: "web", project: "shop" }, { reviewCycle: wrong }),
      ])
      expect(errorsOf(rejected).map(({ source }) => source?.propertyName)).toEqual([
        "spec.reviewCycle.rrule",
        "spec.reviewCycle.startTime",
        "spec.reviewCycle.timeZone",
      ])
    }),
  )

  test(
    "spec/budget-adjustments §9: an adjustment without a project is read back in its form, whatever project is asked for",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      expect(outcomes(yield* apply([monthly]))).toEqual(["created"])
      const normal = withoutReadOnly(monthly)
      const written = { ...normal, spec: { ...normal.spec, firstEventStart: "2026-01-01T12:00:00Z" } }
      for (const project of ["", "*", "shop", "other"]) {
        const path = "/api/get/budgetadjustment?name=monthly"
        expect((yield* call("GET", path, undefined, project)).json()).toEqual([written])
      }
      expect(outcomes(yield* apply([written]))).toEqual(["unchanged"])
      const path = "/api/get/budgetadjustment?slo=checkout&slo_project="
      expect((yield* call("GET", `${path}shop`)).json()).toEqual([written])
      expect((yield* call("GET", `${path}pay`)).json()).toEqual([])
      expect((yield* call("GET", "/api/get/budgetadjustment?slo=checkout")).status).toBe(400)
      expect((yield* call("GET", "/api/get/budgetadjustment?sloo=checkout")).status).toBe(400)
      const wrong = document(
        "BudgetAdjustment",
        { name: "x", project: "shop" },
        {
          ...monthly.spec,
          rrule: "FREQ=HOURLY;COUNT=3",
          duration: "90s",
          set: { good: 1, total: 1 },
        },
      )
      expect(errorsOf(yield* apply([wrong])).map(({ source }) => source?.propertyName)).toEqual([
        "metadata.project",
        "spec.rrule",
        "spec.rrule",
        "spec.set",
      ])
      expect((yield* call("DELETE", "/api/delete?dry_run=false", [monthly])).status).toBe(204)
      yield* apply([monthly])
      const byName = "/api/delete/budgetadjustment?name=monthly&dry_run=false"
      expect((yield* call("DELETE", byName, undefined, "shop")).status).toBe(204)
      expect((yield* call("GET", "/api/get/budgetadjustment")).json()).toEqual([])
    }),
  )

  test(
    "spec/budget-adjustments §10: lists, updates and deletes the events of an adjustment, and keeps them when it is applied again",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      yield* apply([monthly])
      const path = "/api/budgetadjustments/v1/monthly/events"
      const range = "from=2026-01-01T00%3A00%3A00Z&to=2026-12-01T00%3A00%3A00Z"
      const slos = [{ project: "shop", name: "checkout" }]
      const event = (day: string, from = "12:00", to = "13:00") => ({
        eventStart: `2026-${day}T${from}:00Z`,
        eventEnd: `2026-${day}T${to}:00Z`,
        slos,
      })
      const listed = () => Effect.map(call("GET", `${path}?${range}`), ({ json }) => json())
      // The first Tuesdays until now.
      expect(yield* listed()).toEqual([event("01-06"), event("02-03"), event("03-03")])
      const moved = event("02-04", "15:00", "15:30")
      const { slos: _, ...update } = moved
      expect((yield* call("PUT", `${path}/update`, [{ ...event("02-03"), update }])).status).toBe(204)
      expect((yield* call("POST", `${path}/delete`, [event("01-06")])).status).toBe(204)
      expect(yield* listed()).toEqual([moved, event("03-03")])
      expect(outcomes(yield* apply([monthly]))).toEqual(["unchanged"])
      const renamed = { ...monthly, metadata: { name: "monthly" } }
      expect(outcomes(yield* apply([renamed]))).toEqual(["updated"])
      expect(yield* listed()).toEqual([moved, event("03-03")])
      expect((yield* call("POST", `${path}/delete`, [moved])).status).toBe(204)
      expect(yield* listed()).toEqual([event("03-03")])

      const twice = yield* call("POST", `${path}/delete`, [moved, event("03-03")])
      expect([twice.status, errorsOf(twice)[0]?.source?.propertyName]).toEqual([400, "[0].slos[0]"])
      expect(yield* listed()).toEqual([event("03-03")])
      const filtered = (name: string) => call("GET", `${path}?${range}&sloName=${name}&sloProject=shop`)
      expect((yield* filtered("checkout")).json()).toHaveLength(1)
      expect((yield* filtered("other")).json()).toEqual([])
      expect((yield* call("GET", `${path}?from=x`)).status).toBe(400)
      expect((yield* call("GET", `/api/budgetadjustments/v1/none/events?${range}`)).status).toBe(404)
      const changes = (yield* call("GET", "/api/budget-adjustments/changes?name=monthly")).json()
      expect((changes as { data: ReadonlyArray<unknown> }).data).toHaveLength(5)
    }),
  )

  test(
    "spec/budget-adjustments §10: events are listed with all their SLOs, of which each can have others",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      const [checkout, search] = ["checkout", "search"].map((name) => ({ project: "shop", name }))
      const another = base
        .filter(({ kind }) => kind === "SLO")
        .map((each) => ({ ...each, metadata: search ?? {} }))
      const both = { ...monthly, spec: { ...monthly.spec, filters: { slos: [search, checkout] } } }
      yield* apply([...another, both])
      const path = "/api/budgetadjustments/v1/monthly/events"
      const range = "from=2026-01-01T00%3A00%3A00Z&to=2026-12-01T00%3A00%3A00Z"
      const event = (day: string, slos: ReadonlyArray<unknown>) => ({
        eventStart: `2026-${day}T12:00:00Z`,
        eventEnd: `2026-${day}T13:00:00Z`,
        slos,
      })
      const { slos: _, ...update } = event("02-04", [])
      const moved = { ...event("02-03", [checkout]), update }
      expect((yield* call("PUT", `${path}/update`, [moved])).status).toBe(204)
      expect((yield* call("POST", `${path}/delete`, [event("01-06", [search])])).status).toBe(204)
      const listed = [
        event("01-06", [checkout]),
        event("02-03", [search]),
        event("02-04", [checkout]),
        event("03-03", [search, checkout]),
      ]
      expect((yield* call("GET", `${path}?${range}`)).json()).toEqual(listed)
      const ofSearch = yield* call("GET", `${path}?${range}&sloName=search&sloProject=shop`)
      expect(ofSearch.json()).toEqual([listed[1], listed[3]])
    }),
  )

  test(
    "spec/budget-adjustments §10: events that are too long to be looked for, and too many, are rejected",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      yield* apply([monthly])
      const path = "/api/budgetadjustments/v1/monthly/events"
      const slos = [{ project: "shop", name: "checkout" }]
      const issuesOf = (events: ReadonlyArray<object>) =>
        Effect.map(call("POST", `${path}/delete`, events), (answer) => [
          answer.status,
          ...errorsOf(answer).map(({ source, code }) => `${source?.propertyName ?? ""} ${code ?? ""}`),
        ])
      const long = { eventStart: "2026-01-06T12:00:00Z", eventEnd: "9999-01-01T00:00:00Z", slos }
      expect(yield* issuesOf([long])).toEqual([400, "[0].eventEnd out_of_range"])
      const event = { eventStart: "2026-01-06T12:00:00Z", eventEnd: "2026-01-06T13:00:00Z" }
      const named = (count: number) =>
        Array.from({ length: count }, (_, index) => ({ project: "shop", name: `slo-${index}` }))
      const tooMany = changedEventsMax / 2 + 1
      const split = [
        { ...event, slos: named(tooMany) },
        { ...event, slos: named(tooMany) },
      ]
      expect(yield* issuesOf(split)).toEqual([400, " too_many"])
      expect(yield* issuesOf([{ ...event, slos: named(changedEventsMax + 1) }])).toEqual([
        400,
        "[0].slos too_many",
      ])
      const single = document(
        "BudgetAdjustment",
        { name: "single" },
        {
          firstEventStart: "2026-01-01T00:00:00Z",
          duration: "2160h",
          filters: { slos },
        },
      )
      yield* apply([single])
      const whole = { eventStart: "2026-01-01T00:00:00Z", eventEnd: "2026-04-01T00:00:00Z", slos }
      const deleted = yield* call("POST", "/api/budgetadjustments/v1/single/events/delete", [whole])
      expect(deleted.status).toBe(204)
    }),
  )

  test(
    "spec/clients §5: annotations are applied together with other objects, listed in both forms, and deleted",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      const extra = document("Project", { name: "extra" }, {})
      expect(outcomes(yield* apply([review, extra]))).toEqual(["created", "created"])
      const inUtc = { startTime: "2026-03-02T13:00:00Z", endTime: "2026-03-02T14:00:00Z" }
      const documents = (yield* call("GET", "/api/get/annotation?name=review-1", undefined, "shop")).json()
      expect(documents).toEqual([
        {
          ...withoutReadOnly(review),
          spec: { ...review.spec, ...inUtc, createdBy: expect.any(String) },
          status: { updatedAt: "2026-04-01T12:00:00Z", isSystem: false },
        },
      ])
      expect(outcomes(yield* apply(documents as ReadonlyArray<unknown>))).toEqual(["unchanged"])
      const categories = "category=Comment&category=ReviewNote"
      const entries = (yield* call(
        "GET",
        `/api/annotations?${categories}&slo=checkout`,
        undefined,
        "*",
      )).json()
      expect(entries).toMatchObject([
        {
          name: "review-1",
          project: "shop",
          slo: "checkout",
          objectiveName: "good",
          ...inUtc,
          category: "ReviewNote",
          labels: { team: ["a", "b"] },
          status: { isSystem: false },
        },
      ])
      const empty = ["category=Comment", "from=2026-03-03T00%3A00%3A00Z", "to=2026-03-02T13%3A30%3A00Z"]
      for (const query of empty)
        expect((yield* call("GET", `/api/annotations?${query}`, undefined, "shop")).json()).toEqual([])
      for (const query of ["category=Other", "from=today", "kategory=Comment"])
        expect((yield* call("GET", `/api/annotations?${query}`, undefined, "shop")).status).toBe(400)
      expect(
        (yield* call("GET", "/api/get/annotation?system_annotations=true", undefined, "shop")).json(),
      ).toEqual([])
      expect((yield* call("GET", "/api/get/annotation?labels=a:b", undefined, "shop")).status).toBe(400)

      const wrong = { ...review, spec: { ...review.spec, slo: "none" } }
      const rejected = yield* apply([document("Project", { name: "more" }, {}), wrong])
      expect([rejected.status, errorsOf(rejected)[0]?.source?.propertyName]).toEqual([400, "[1].spec.slo"])
      const both = yield* apply([document("Project", { name: "More" }, {}), wrong])
      expect(errorsOf(both).map(({ source }) => source?.propertyName)).toEqual([
        "[0].metadata.name",
        "[1].spec.slo",
      ])
      expect((yield* call("GET", "/api/get/project?name=more")).json()).toEqual([])

      const absent = { ...review, metadata: { ...review.metadata, name: "none" } }
      expect((yield* call("DELETE", "/api/delete?dry_run=false", [extra, absent])).status).toBe(404)
      expect((yield* call("DELETE", "/api/delete?dry_run=false", [extra, review])).status).toBe(204)
      yield* apply([review])
      const path = "/api/delete/annotation?name=review-1&dry_run=false"
      expect((yield* call("DELETE", path, undefined, "shop")).status).toBe(204)
      expect((yield* call("DELETE", path, undefined, "shop")).status).toBe(404)
    }),
  )

  test(
    "spec/clients §5: entries of annotations are listed as YAML, and by page",
    Effect.gen(function* () {
      const { apply } = yield* client
      const many = Array.from({ length: pageSizeMax + 1 }, (_, index) => ({
        ...review,
        metadata: { ...review.metadata, name: `review-${String(index).padStart(3, "0")}` },
      }))
      expect((yield* apply(many)).status).toBe(200)
      const headers = { ...(yield* headersOf("acme")), project: "shop" }
      const all = yield* send("/api/annotations", { headers })
      expect(namesOf(JSON.parse(all.text))).toEqual(many.map(({ metadata }) => metadata.name))
      const yaml = yield* send("/api/annotations?name=review-000", {
        headers: { ...headers, accept: "application/yaml" },
      })
      expect(yaml.headers.get("content-type")).toBe("application/yaml")
      expect(yaml.text).toMatch(/^- name: review-000\n {2}project: shop\n {2}slo: checkout\n/)
    }),
  )

  test(
    "spec/clients §7: alerts are selected by the filters of the clients, which the link to the next page keeps",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      const hook = document(
        "AlertMethod",
        { name: "hook", project: "shop" },
        { webhook: { url: "https://127.0.0.1/hook", template: "{}" } },
      )
      expect((yield* apply([hook])).status).toBe(200)
      const slo = { project: "shop", name: "checkout" }
      const alertMethods = [{ project: "shop", name: "hook" }]
      for (const alertId of ["a-1", "a-2", "a-3"])
        yield* call("POST", "/api/alerts", { status: "triggered", slo, alertMethods, alertId })
      yield* call("POST", "/api/alerts", { status: "resolved", slo, alertId: "a-3" })
      const listed = (query: string) => call("GET", `/api/get/alert?${query}`, undefined, "shop")
      const idsOf = (query: string) =>
        Effect.map(listed(query), (answer) =>
          (answer.json() as ReadonlyArray<{ metadata: { name: string } }>).map(
            ({ metadata }) => metadata.name,
          ),
        )
      expect(yield* idsOf("triggered=true&resolved=false")).toEqual(["a-2", "a-1"])
      expect(yield* idsOf("triggered=false&resolved=true")).toEqual(["a-3"])
      expect(yield* idsOf("triggered=true&resolved=true")).toEqual(["a-3", "a-2", "a-1"])
      expect(yield* idsOf("triggered=false&resolved=false")).toEqual(["a-3", "a-2", "a-1"])
      expect(yield* idsOf("triggered=&resolved=true&status=triggered")).toEqual(["a-3", "a-2", "a-1"])
      expect(yield* idsOf("alert_policy=fast-burn")).toEqual([])
      const page = yield* listed("limit=1&triggered=true&alert_policy=")
      expect(page.headers.get("link")).toMatch(/^<\/api\/get\/alert\?.*&triggered=true>; rel="next"$/)
      const wrong = yield* listed("resolved=yes")
      expect([wrong.status, errorsOf(wrong)[0]?.source?.propertyName]).toEqual([400, "resolved"])
    }),
  )

  test(
    "spec/clients §5: what an annotation has beside a document is kept when the document is applied",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      const path = "/api/slos/checkout/annotations"
      const written = { kind: "deployment", title: "v1", text: "Rolled out", url: "https://ci.example.com/1" }
      yield* call("PUT", `${path}/v1`, { ...written, from: "2026-03-31T12:00:00Z" }, "shop")
      const [listed] = (yield* call("GET", "/api/get/annotation", undefined, "shop")).json() as [
        { spec: object },
      ]
      expect(listed.spec).toMatchObject({ description: "v1\n\nRolled out", category: "Comment" })
      const changed = { ...listed, spec: { ...listed.spec, startTime: "2026-03-31T13:00:00Z" } }
      expect(outcomes(yield* apply([changed]))).toEqual(["updated"])
      const { annotations } = (yield* call("GET", path, undefined, "shop")).json() as { annotations: unknown }
      expect(annotations).toMatchObject([{ ...written, from: "2026-03-31T13:00:00.000Z" }])

      // Someone else replaces the annotation while the document is applied.
      const store = yield* AnnotationStore
      const url = "https://ci.example.com/2"
      const definitions = yield* DefinitionStore
      const slow = DefinitionStore.of({
        ...definitions,
        change: (...given) =>
          Effect.gen(function* () {
            const { items } = yield* Effect.orDie(store.find("acme", { ids: ["v1"] }, { limit: 1 }))
            for (const { slo, annotation } of items)
              yield* Effect.orDie(store.put("acme", slo, { ...annotation, url }, 10))
            return yield* definitions.change(...given)
          }),
      })
      yield* applyDefinitions("acme", [listed], { ...(yield* DefinitionOptions) }).pipe(
        Effect.provideService(DefinitionStore, slow),
      )
      expect((yield* call("GET", path, undefined, "shop")).json()).toMatchObject({
        annotations: [{ ...written, url, from: "2026-03-31T12:00:00.000Z" }],
      })
    }),
  )

  test(
    "spec/clients §5: an annotation names an objective that its SLO has after the request",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      const [, , slo] = base
      const renamed = { ...slo, spec: { ...slo?.spec, objectives: [{ name: "fast", target: 0.9 }] } }
      const ofFast = { ...review, spec: { ...review.spec, objectiveName: "fast" } }
      for (const documents of [[ofFast], [slo, ofFast], [renamed, review]]) {
        const rejected = yield* apply(documents)
        expect([rejected.status, errorsOf(rejected).map(({ source }) => source?.propertyName)]).toEqual([
          400,
          [documents.length === 1 ? "spec.objectiveName" : "[1].spec.objectiveName"],
        ])
      }
      expect((yield* call("GET", "/api/get/annotation", undefined, "shop")).json()).toEqual([])
      expect(outcomes(yield* apply([renamed, ofFast]))).toEqual(["updated", "created"])
    }),
  )

  test(
    "spec/clients §4: reports are kept as they are, and belong to no project",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      const timeFrame = { rolling: { unit: "Week", count: 2 }, timeZone: "Europe/Warsaw" }
      const report = (spec: object, name = "history") => document("Report", { name }, spec)
      const history = report({
        shared: true,
        filters: { projects: ["shop"], slos: [{ name: "gone", project: "shop" }] },
        sloHistory: { timeFrame },
      })
      const rollup = report(
        {
          shared: false,
          reliabilityRollup: {
            timeFrame,
            customHierarchy: [
              { displayName: "A", children: [{ displayName: "B", slos: [{ name: "x", project: "shop" }] }] },
            ],
          },
        },
        "rollup",
      )
      expect(outcomes(yield* apply([history, rollup]))).toEqual(["created", "created"])
      const listed = (yield* call("GET", "/api/get/report", undefined, "other")).json()
      expect(listed).toEqual([history, rollup].map(withoutReadOnly))
      expect(outcomes(yield* apply(listed as ReadonlyArray<unknown>))).toEqual(["unchanged", "unchanged"])
      const deep = (depth: number): object =>
        depth === 0 ? {} : { displayName: "d", children: [deep(depth - 1)] }
      const rejected = yield* apply([
        report({
          errorBudgetStatus: {},
          sloHistory: { timeFrame: { ...timeFrame, rolling: { unit: "Month", count: 2 } } },
          filters: { projectScope: "all", projects: ["shop"] },
        }),
        report({ reliabilityRollup: { timeFrame, customHierarchy: [deep(9)] } }, "deep"),
      ])
      expect(errorsOf(rejected).map(({ source }) => source?.propertyName)).toEqual([
        "[0].spec",
        "[0].spec.filters",
        "[0].spec.sloHistory.timeFrame.rolling.count",
        `[1].spec.reliabilityRollup.customHierarchy[0]${".children[0]".repeat(8)}`,
      ])
      const path = "/api/delete/report?name=history&dry_run=false"
      expect((yield* call("DELETE", path, undefined, "shop")).status).toBe(204)
      expect((yield* call("DELETE", "/api/delete?dry_run=false", [rollup])).status).toBe(204)
    }),
  )

  test(
    "spec/clients §3: moves SLOs between projects, and says why it cannot",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      yield* apply([monthly, review])
      const body = {
        sloNames: ["checkout"],
        oldProject: "shop",
        newProject: "pay",
        service: "",
        detachAlertPolicies: false,
      }
      const move = (change: object = {}) => call("POST", "/api/objects/v1/slos/move", { ...body, ...change })
      const missing = yield* move({ sloNames: ["none"] })
      expect([missing.status, errorsOf(missing)[0]?.source?.propertyName]).toEqual([404, "sloNames[0]"])
      expect((yield* move({ newProject: "", service: "" })).status).toBe(400)
      expect((yield* move()).status).toBe(204)
      expect((yield* call("GET", "/api/get/slo?name=checkout", undefined, "shop")).json()).toEqual([])
      expect((yield* call("GET", "/api/get/slo?name=checkout", undefined, "pay")).json()).toHaveLength(1)
      expect((yield* call("GET", "/api/get/annotation", undefined, "pay")).json()).toHaveLength(1)
      const path = "/api/get/budgetadjustment?slo=checkout&slo_project=pay"
      expect((yield* call("GET", path)).json()).toHaveLength(1)
    }),
  )

  test(
    "spec/clients §6: users are credentials; there are no groups, role bindings or data exports",
    Effect.gen(function* () {
      const { call, apply } = yield* client
      const all = (yield* call("GET", "/api/usrmgmt/v2/users?limit=100")).json() as {
        users: Array<{ userId: string }>
      }
      expect(all.users).toEqual([{ userId: expect.any(String), firstName: "", lastName: "", email: "" }])
      const id = all.users[0]?.userId ?? ""
      for (const query of [`phrase=${id}`, `id=${id}&id=other`])
        expect((yield* call("GET", `/api/usrmgmt/v2/users?${query}`)).json()).toEqual(all)
      expect((yield* call("GET", "/api/usrmgmt/v2/users?phrase=nobody")).json()).toEqual({ users: [] })
      for (const query of ["limit=0", "limit=x", "ids=1"])
        expect((yield* call("GET", `/api/usrmgmt/v2/users?${query}`)).status).toBe(400)
      for (const path of ["usrmgmt/groups", "get/usergroup", "get/rolebinding", "get/dataexport?name=x"])
        expect((yield* call("GET", `/api/${path}`, undefined, "*")).json()).toEqual([])
      const rejected = yield* apply([document("RoleBinding", { name: "x" }, { user: "u", roleRef: "r" })])
      expect([rejected.status, errorsOf(rejected)[0]?.title]).toEqual([
        400,
        "Tocsin has no RoleBinding: the roles of credentials say who can change what: use tocsin credentials",
      ])
    }),
  )
})
