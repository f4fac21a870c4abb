import { applyDefinitions, type Participants, participantsLayer } from "@tocsin/domain"
import { decode } from "@tocsin/domain/codec"
import { type GeneratedReport, generatedReport, generateReport } from "@tocsin/domain/features/report"
import type { ProjectKey } from "@tocsin/domain/kernel"
import { type AlertStore, type Count, CountStore, type DefinitionStore, SloStore } from "@tocsin/domain/ports"
import { RateLimiterMemory } from "@tocsin/adapters-memory"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { decodeOptions, type Plain } from "../definition/valid-definitions.ts"

const organization = "acme"
const minute = 60_000
const day = 24 * 60 * minute
const now = Date.UTC(2026, 2, 11, 12)
const objectives = [{ name: "good", target: 0.9 }]
const timeZone = "UTC"

const key = (name: string, project = "shop"): ProjectKey => ({ project, name })

const labelled = (name: string, labels: Readonly<Record<string, ReadonlyArray<string>>>, service = "web") => {
  const slo = anSlo(key(name), { objectives, service, timeWindow: { unit: "Day", count: 1 } })
  return { ...slo, metadata: { ...slo.metadata, labels } }
}

const record = (name: string, counts: ReadonlyArray<Omit<Count, "objective">>) =>
  Effect.flatMap(CountStore, (store) =>
    store.record(organization, [
      { slo: key(name), counts: counts.map((each) => ({ ...each, objective: "good" })) },
    ]),
  )

/** Writes the error budget remaining of an SLO. */
const putBudget = (name: string, errorBudgetRemainingPercentage: number) =>
  Effect.gen(function* () {
    const store = yield* SloStore
    const { revision } = Option.getOrThrow(yield* store.findForStatus(organization, key(name)))
    const figures = { reliability: 0.95, errorBudgetRemainingPercentage }
    yield* store.writeStatuses([
      { organization, slo: key(name), revision, statuses: new Map([["good", figures]]) },
    ])
  })

const applyReport = (spec: object, name = "weekly") => {
  const document: Plain = { apiVersion: "tocsin/v1alpha", kind: "Report", metadata: { name }, spec }
  return applyDefinitions(organization, [document], decodeOptions)
}

const generate = (spec: object) =>
  Effect.andThen(
    applyReport(spec),
    Effect.map(generateReport(organization, "weekly"), ({ document }: GeneratedReport) =>
      Result.getOrThrow(decode(generatedReport, JSON.parse(document), undefined)),
    ),
  )

const rejection = (spec: object) =>
  Effect.andThen(
    applyReport(spec),
    Effect.map(Effect.flip(generateReport(organization, "weekly")), (error) =>
      error._tag === "ReportCannotBeGenerated"
        ? error.issues.map(({ path, code }) => [path, code])
        : error._tag,
    ),
  )

const healthReview = {
  timeFrame: { snapshot: { point: "latest" }, timeZone },
  rowGroupBy: "service",
  columns: [
    { displayName: "East", labels: { region: ["east"] } },
    { displayName: "Any", labels: { region: [] } },
  ],
  thresholds: { redLte: 0.2, greenGt: 0.5, showNoData: true },
}

const counts = (exhausted: number, atRisk: number, healthy: number, noData: number) => ({
  exhausted,
  atRisk,
  healthy,
  noData,
})

/** What generated reports show whatever store keeps definitions, statuses and counts; `layer` gives empty ones. */
export const generatedReportsContract = <E>(
  name: string,
  layer: Layer.Layer<AlertStore | CountStore | DefinitionStore | SloStore, E>,
): void => {
  const others = Layer.merge(RateLimiterMemory.layer, participantsLayer([]))
  const test = (
    what: string,
    effect: Effect.Effect<
      void,
      unknown,
      Layer.Success<typeof layer> | Layer.Success<typeof others> | Participants
    >,
  ): void => it.effect(what, () => Effect.provide(effect, Layer.merge(layer, others)))

  describe(`generated reports ${name}`, () => {
    const prepare = Effect.gen(function* () {
      yield* TestClock.setTime(now - 40 * day)
      yield* putDefinitions(organization, [
        labelled("a", { region: ["east"], tier: ["1"] }),
        labelled("b", { region: ["west", "east"] }),
        labelled("c", { region: ["west"], tier: ["2", "1"] }, "api"),
        labelled("d", {}),
      ])
      yield* TestClock.setTime(now)
    })

    test(
      "spec/reports §11: shows the error budgets of the SLOs that match a filter, the worst first",
      Effect.gen(function* () {
        yield* prepare
        yield* putBudget("a", 0.9)
        yield* putBudget("b", -1)
        yield* putBudget("c", 0.1)
        const generated = yield* generate({ filters: { projects: ["shop"] }, errorBudgetStatus: {} })
        if (generated.type !== "errorBudgetStatus") return yield* Effect.die(generated)
        expect(generated).toMatchObject({
          name: "weekly",
          displayName: "weekly",
          generatedAt: now,
          states: { breached: 1, atRisk: 1, healthy: 1, noData: 1 },
        })
        expect(generated.slos.map(({ slo, state }) => [slo, state])).toEqual([
          ["b", "breached"],
          ["c", "atRisk"],
          ["a", "healthy"],
          ["d", "noData"],
        ])
        expect(generated.slos[0]?.objectives).toEqual([
          {
            name: "good",
            displayName: "good",
            target: 0.9,
            status: { reliability: 0.95, errorBudgetRemainingPercentage: -1 },
          },
        ])
        const filtered = yield* generate({
          filters: {
            services: [key("api")],
            slos: [key("a"), key("d"), key("gone"), key("a", "other")],
            labels: { tier: [] },
          },
          errorBudgetStatus: {},
        })
        expect(filtered.slos.map(({ slo }) => slo)).toEqual(["c", "a"])
        const all = yield* generate({ filters: { projectScope: "all" }, errorBudgetStatus: {} })
        expect(all.slos).toHaveLength(4)
      }),
    )

    test(
      "spec/reports §11: counts SLOs by health, in rows and columns that each can be in several of",
      Effect.gen(function* () {
        yield* prepare
        yield* putBudget("a", 0.2)
        yield* putBudget("b", 0.21)
        yield* putBudget("c", 0.51)
        const filters = { projects: ["shop"] }
        const byService = yield* generate({ filters, systemHealthReview: healthReview })
        if (byService.type !== "systemHealthReview") return yield* Effect.die(byService)
        expect(byService.total).toEqual(counts(1, 1, 1, 0))
        expect(byService.columns).toEqual([
          { displayName: "East", total: counts(1, 1, 0, 0) },
          { displayName: "Any", total: counts(1, 1, 1, 0) },
        ])
        expect(byService.rows).toEqual([
          { displayName: "web", total: counts(1, 1, 0, 0), cells: [counts(1, 1, 0, 0), counts(1, 1, 0, 0)] },
          { displayName: "api", total: counts(0, 0, 1, 0), cells: [counts(0, 0, 0, 0), counts(0, 0, 1, 0)] },
        ])
        expect(byService.slos.map(({ slo, health, rows, columns }) => [slo, health, rows, columns])).toEqual([
          ["a", "exhausted", [0], [0, 1]],
          ["b", "atRisk", [0], [0, 1]],
          ["c", "healthy", [1], [1]],
          ["d", "noData", [], []],
        ])
        const rowsOf = (changed: object) =>
          Effect.map(
            generate({ filters, systemHealthReview: { ...healthReview, ...changed } }),
            (generated) =>
              generated.type === "systemHealthReview"
                ? generated.rows.map(({ displayName, total }) => [displayName, Object.values(total)])
                : [],
          )
        const labelRows = [{ labels: { tier: [] } }]
        expect(yield* rowsOf({ rowGroupBy: "label", labelRows })).toEqual([
          ["1", [1, 0, 1, 0]],
          ["2", [0, 0, 1, 0]],
          ["Ungrouped", [0, 1, 0, 0]],
        ])
        expect(yield* rowsOf({ rowGroupBy: "label", labelRows, hideUngrouped: true })).toHaveLength(2)
        expect(
          yield* rowsOf({
            rowGroupBy: "customRows",
            labelRows: [
              { displayName: "West", labels: { region: ["west"] } },
              { labels: { region: ["east"], tier: ["1", "9"] } },
              { displayName: "None", labels: { region: ["north"] } },
            ],
          }),
        ).toEqual([
          ["West", [0, 1, 1, 0]],
          ["region=east, tier=1|9", [1, 0, 0, 0]],
        ])
        expect(yield* rowsOf({ rowGroupBy: "project" })).toEqual([["shop", [1, 1, 1, 0]]])
      }),
    )

    test(
      "spec/reports §11: shows the health at a time in the past, or at the latest time of a rule",
      Effect.gen(function* () {
        yield* prepare
        const monday = Date.UTC(2026, 2, 9, 9)
        yield* record("a", [
          { at: monday - 60 * minute, good: 8, total: 10 },
          { at: monday + 60 * minute, good: 90, total: 90 },
          { at: monday - 7 * day - 60 * minute, good: 10, total: 10 },
        ])
        const at = (snapshot: object) =>
          Effect.map(
            generate({
              filters: { slos: [key("a")] },
              systemHealthReview: {
                ...healthReview,
                timeFrame: { snapshot: { point: "past", ...snapshot }, timeZone: "Europe/Berlin" },
              },
            }),
            (generated) =>
              generated.type === "systemHealthReview"
                ? [generated.at, generated.slos.map((each) => each.errorBudgetRemainingPercentage)]
                : generated.type,
          )
        expect(yield* at({ dateTime: "2026-03-09T09:00:00Z" })).toEqual([monday, [-1]])
        expect(yield* at({ dateTime: "2026-03-09T10:30:00Z" })).toEqual([monday + 90 * minute, [0.8]])
        const rrule = "FREQ=WEEKLY;BYDAY=MO"
        expect(yield* at({ dateTime: "2026-02-09T09:00:00Z", rrule })).toEqual([monday, [-1]])
        // Its first time is not one of the rule.
        expect(yield* at({ dateTime: "2026-03-10T09:00:00Z", rrule })).toEqual([monday + day, [1]])
        expect(yield* at({ dateTime: "2026-03-02T09:00:00Z" })).toEqual([monday - 7 * day, [1]])
      }),
    )

    test(
      "spec/reports §11: has the history of SLOs over a rolling or calendar period",
      Effect.gen(function* () {
        yield* prepare
        yield* record("a", [
          { at: now - 8 * day, good: 10, total: 10 },
          { at: now - 2 * day, good: 8, total: 10 },
          { at: Date.UTC(2026, 1, 28), good: 0, total: 20 },
        ])
        const history = (timeFrame: object) =>
          Effect.map(
            generate({
              filters: { slos: [key("a")] },
              sloHistory: { timeFrame: { timeZone, ...timeFrame } },
            }),
            (generated) =>
              generated.type === "sloHistory"
                ? [
                    generated.period.from,
                    generated.period.to,
                    generated.slos[0]?.objectives[0]?.reliability,
                    generated.results,
                  ]
                : generated.type,
          )
        const missed = { met: 0, missed: 1, insufficient_data: 0 }
        const from = (days: number) => now - days * day
        const rolling = (unit: string, count = 1) => history({ rolling: { unit, count } })
        expect(yield* rolling("Week")).toEqual([from(7), now, 0.8, missed])
        expect(yield* rolling("Week", 2)).toEqual([from(14), now, 0.45, missed])
        expect(yield* rolling("Month")).toEqual([from(30), now, 0.45, missed])
        expect(yield* rolling("Year")).toEqual([from(365), now, 0.45, missed])
        const calendar = (given: object) => history({ calendar: given })
        const march = Date.UTC(2026, 2, 1)
        expect(yield* calendar({ unit: "Month", count: 1 })).toEqual([
          march,
          now,
          0.9,
          { ...missed, missed: 0, insufficient_data: 1 },
        ])
        expect(yield* calendar({ unit: "Week", count: 1 })).toEqual([Date.UTC(2026, 2, 9), now, 0.8, missed])
        expect((yield* calendar({ unit: "Quarter", count: 1 }))[0]).toBe(Date.UTC(2026, 0, 1))
        expect(yield* calendar({ from: "2026-02-28", to: "2026-03-01" })).toEqual([
          march - day,
          march,
          0,
          missed,
        ])
        expect((yield* calendar({ from: "2026-03-01", to: "2027-01-01" })).slice(0, 2)).toEqual([march, now])
      }),
    )

    test(
      "spec/reports §11: scores SLOs by the days on which they met their targets, and folders by what is in them",
      Effect.gen(function* () {
        yield* prepare
        const noon = (days: number) => now - days * day
        yield* record("a", [
          { at: noon(3), good: 10, total: 10 },
          { at: noon(2), good: 8, total: 10 },
          { at: noon(1), good: 9, total: 10 },
        ])
        yield* record("c", [{ at: noon(4), good: 10, total: 10 }])
        const timeFrame = { rolling: { unit: "Week", count: 1 }, timeZone }
        const byProject = yield* generate({
          filters: { projects: ["shop"] },
          reliabilityRollup: { timeFrame },
        })
        if (byProject.type !== "reliabilityRollup") return yield* Effect.die(byProject)
        // The last day ends now: its window has the events of yesterday noon, too.
        const ofA = 3 / 4
        const scored = (score: number, weight: number) => ({
          score: expect.closeTo(score, 9),
          weight: expect.closeTo(weight, 9),
        })
        expect(byProject).toMatchObject({
          period: { from: now - 7 * day, to: now },
          score: expect.closeTo((1 + ofA) / 2, 9),
        })
        expect(byProject.folders).toEqual([
          { displayName: "shop", depth: 0, ...scored((1 + ofA) / 2, 1) },
          { displayName: "web", depth: 1, ...scored(ofA, 0.5) },
          { displayName: "api", depth: 1, ...scored(1, 0.5) },
        ])
        expect(
          byProject.slos.map(({ slo, folder, days, daysMet, weight }) => [
            slo,
            folder,
            days,
            daysMet,
            weight,
          ]),
        ).toEqual([
          ["a", 1, 4, 3, 0.5],
          ["b", 1, 0, 0, undefined],
          ["d", 1, 0, 0, undefined],
          ["c", 2, 1, 1, 0.5],
        ])
        const custom = yield* generate({
          reliabilityRollup: {
            timeFrame,
            customHierarchy: [
              {
                displayName: "All",
                slos: [{ ...key("c"), displayName: "Sea" }, key("gone")],
                children: [{ displayName: "A", slos: [key("a")] }, { displayName: "Empty" }],
              },
            ],
          },
        })
        if (custom.type !== "reliabilityRollup") return yield* Effect.die(custom)
        expect(
          custom.folders.map(({ displayName, depth, score }) => [displayName, depth, score === undefined]),
        ).toEqual([
          ["All", 0, false],
          ["A", 1, false],
          ["Empty", 1, true],
        ])
        expect(
          custom.slos.map(({ slo, displayName, service, folder }) => [slo, displayName, service, folder]),
        ).toEqual([
          ["c", "Sea", "api", 0],
          ["gone", "gone", undefined, 0],
          ["a", "a", "web", 1],
        ])
      }),
    )

    test(
      "spec/reports §11: is rejected with every issue, or if no Report has the name",
      Effect.gen(function* () {
        yield* prepare
        const filters = { projects: ["shop"] }
        expect((yield* Effect.flip(generateReport(organization, "gone")))._tag).toBe("SavedReportNotFound")
        yield* applyReport({ filters, errorBudgetStatus: {} })
        expect((yield* Effect.flip(generateReport("other", "weekly")))._tag).toBe("SavedReportNotFound")
        const history = (calendar: object) => ({ filters, sloHistory: { timeFrame: { calendar, timeZone } } })
        expect(yield* rejection(history({ from: "2020-01-01", to: "2022-01-01" }))).toEqual([
          ["spec.sloHistory.timeFrame.calendar.to", "out_of_range"],
        ])
        expect(yield* rejection(history({ from: "2024-12-01", to: "2025-01-01" }))).toEqual([
          ["spec.sloHistory.timeFrame.calendar.from", "out_of_range"],
        ])
        expect(yield* rejection(history({ from: "2026-04-01", to: "2026-05-01" }))).toEqual([
          ["spec.sloHistory.timeFrame.calendar.to", "out_of_range"],
        ])
        const snapshot = (dateTime: string) => ({
          filters,
          systemHealthReview: {
            ...healthReview,
            timeFrame: { snapshot: { point: "past", dateTime }, timeZone },
          },
        })
        for (const dateTime of ["2026-03-12T00:00:00Z", "2024-03-12T00:00:00Z"])
          expect(yield* rejection(snapshot(dateTime))).toEqual([
            ["spec.systemHealthReview.timeFrame.snapshot.dateTime", "out_of_range"],
          ])
      }),
    )
  })
}
