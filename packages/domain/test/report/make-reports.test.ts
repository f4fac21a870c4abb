import { SignerNode, SigningKeyGeneratorNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import { CountsRetention, MinCoverage, rotateSigningKey } from "@tocsin/domain"
import { decode, durationOf } from "@tocsin/domain/codec"
import type { BudgetAdjustment, Slo } from "@tocsin/domain/definitions"
import {
  createReport,
  findReport,
  findReportSignature,
  listReports,
  reportDocument,
} from "@tocsin/domain/features/report"
import { AlertStore, type Count, CountStore, IndicatorStore, SloStore } from "@tocsin/domain/ports"
import { tidy } from "../../src/codec/Decimal.ts"
import { readCoverage } from "../../src/report/ReadCoverage.ts"
import { reportAlertsMax } from "../../src/report/Report.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { createPublicKey, verify } from "node:crypto"
import { alertOf, anSlo, calendarOf, putDefinitions, removeSlos, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { runReports } from "../../../../test/report/RunReports.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const organization = "acme"
const key = { project: "shop", name: "checkout" }

const layer = SignerNode.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, SigningKeyGeneratorNode.layer)),
)

const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof layer>>): void =>
  it.effect(what, () => Effect.provide(effect, layer))

const record = (counts: ReadonlyArray<Count>, slo = key) =>
  Effect.flatMap(CountStore, (store) => store.record(organization, [{ slo, counts }]))

const ids = (query: Parameters<typeof listReports>[1] = {}) =>
  Effect.map(listReports(organization, query), ({ items }) => items.map(({ id }) => id))

/** The documents of all reports, latest first. */
const documents = Effect.flatMap(ids(), (all) =>
  Effect.forEach(all, (id) =>
    Effect.map(findReport(organization, id), ({ document }) =>
      Result.getOrThrow(decode(reportDocument, JSON.parse(document), undefined)),
    ),
  ),
)

const monthIn = (timeZone: string) =>
  ({
    timeWindow: {
      unit: "Month",
      count: 1,
      calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone }),
    },
  }) satisfies Partial<Slo["spec"]>

/** 10 events in the minute, so many of them good. */
const count = (at: number, good: number, objective = "good"): Count => ({ objective, at, good, total: 10 })

describe("reports", () => {
  test(
    "spec/reports §3: has the figures of the period, to the minute, across daylight saving time",
    Effect.gen(function* () {
      const from = Date.parse("2026-02-28T23:00:00Z")
      const to = Date.parse("2026-03-31T22:00:00Z")
      yield* TestClock.setTime(from + 10 * day)
      const slo = anSlo(key, { ...monthIn("Europe/Berlin"), objectives: [{ name: "good", target: 0.9 }] })
      yield* putDefinitions(organization, [slo])
      yield* TestClock.setTime(to + 30 * minute)
      yield* record([count(from - minute, 0), count(from, 5), count(to - minute, 10), count(to, 0)])
      yield* runReports
      expect(yield* ids()).toEqual([])
      yield* TestClock.setTime(to + hour)
      yield* runReports
      yield* runReports
      const [report, ...others] = yield* documents
      expect(others).toEqual([])
      // 31 days without an hour are 2,674,800 s, a tenth of which may be bad; a quarter of the events were.
      expect(report).toMatchObject({
        organization,
        project: "shop",
        slo: "checkout",
        displayName: "checkout",
        service: "web",
        budgetingMethod: "Occurrences",
        period: { from, to },
        window: { from, to },
        createdAt: to + hour,
        objectives: [
          {
            name: "good",
            displayName: "good",
            target: 0.9,
            good: 15,
            total: 20,
            reliability: 0.75,
            errorBudget: 267_480,
            errorBudgetRemaining: -401_220,
            errorBudgetRemainingPercentage: -1.5,
            // Two counts hours from one another: the first covers an hour.
            coverage: tidy(61 / 44_580),
            result: "missed",
          },
        ],
        alerts: [],
        hasMoreAlerts: false,
      })
      expect(report?.objectives[0]).not.toHaveProperty("burnRate")
    }),
  )

  test(
    "spec/reports §3: of a rolling window, has the figures of the month, and those of the legacy composite",
    Effect.gen(function* () {
      const to = Date.UTC(2026, 1, 1)
      yield* TestClock.setTime(to - day)
      yield* putDefinitions(organization, [
        anSlo(key, {
          timeWindow: { unit: "Hour", count: 2 },
          composite: { target: 0.5, burnRateCondition: { value: 2, op: "gt" } },
          objectives: [
            { name: "good", displayName: "Good", target: 0.9 },
            { name: "great", target: 0.99 },
          ],
        }),
      ])
      yield* record([count(to - 121 * minute, 0), count(to - 2 * hour, 9)])
      yield* TestClock.setTime(to + hour)
      yield* runReports
      const [report] = yield* documents
      expect(report).toMatchObject({
        period: { from: Date.UTC(2026, 0, 1), to },
        window: { from: Date.UTC(2026, 0, 1), to },
        minCoverage: 0.9,
        objectives: [
          {
            name: "good",
            displayName: "Good",
            good: 9,
            total: 20,
            errorBudget: 267_840,
            errorBudgetRemaining: -1_205_280,
            coverage: tidy(2 / 44_640),
            result: "missed",
          },
          { name: "great", target: 0.99, errorBudget: 26_784, coverage: 0, result: "insufficient_data" },
        ],
        composite: {
          target: 0.5,
          errorBudget: 1_339_200,
          good: 44_639,
          total: 44_640,
          coverage: 0,
          result: "insufficient_data",
        },
      })
      // Without data there are no figures.
      expect(report?.objectives[1]).not.toHaveProperty("reliability")
      expect(report?.objectives[1]).not.toHaveProperty("total")
    }),
  )

  test(
    "spec/reports §3: is met only where enough minutes have counts, without excluded minutes and with those that are set",
    Effect.gen(function* () {
      const to = Date.UTC(2026, 1, 1)
      const from = to - 1_000 * minute
      yield* TestClock.setTime(from)
      const component = { project: "shop", name: "search" }
      const composite = {
        maxDelay: durationOf("10m"),
        components: [
          { slo: component, objective: "good", weight: 1, whenDelayed: "Ignore" as const },
          { slo: key, objective: "good", weight: 1, whenDelayed: "Ignore" as const },
        ],
      }
      const adjustment = (
        name: string,
        minutes: number,
        set?: BudgetAdjustment["spec"]["set"],
      ): BudgetAdjustment => ({
        kind: "BudgetAdjustment",
        metadata: { project: "shop", name },
        spec: {
          reason: "Move",
          slos: [key],
          period: {
            startTime: { text: "", ms: to - minutes * minute },
            duration: durationOf("100m"),
          },
          ...(set !== undefined && { set }),
        },
      })
      const spec = { objectives: [{ name: "good", target: 0.5 }] }
      yield* putDefinitions(organization, [anSlo(component, spec), anSlo(key, spec)])
      yield* putDefinitions(organization, [
        anSlo(
          { project: "shop", name: "journey" },
          { objectives: [{ name: "all", target: 0.5, composite }] },
        ),
        adjustment("excluded", 100),
        adjustment("set", 200, { good: 1, total: 1 }),
      ])
      // Of the 900 minutes that are not excluded, 100 are set, and these have counts, the last ones without events.
      const minutes = Array.from({ length: 710 }, (_, index) => from + index * minute)
      yield* record(
        minutes.map((at, index) => ({
          objective: "good",
          at,
          good: index < 700 ? 1 : 0,
          total: index < 700 ? 1 : 0,
        })),
      )
      yield* record(
        minutes.slice(0, 500).map((at) => count(at, 10)),
        component,
      )
      yield* TestClock.setTime(to)
      const made = (name: string, minCoverage: number, earlier = 0) =>
        Effect.gen(function* () {
          const { report } = yield* createReport(organization, {
            project: "shop",
            slo: name,
            from: new Date(from + earlier * minute).toISOString(),
            to: new Date(to).toISOString(),
          }).pipe(Effect.provideService(MinCoverage, minCoverage))
          const { objectives, minCoverage: required } = Result.getOrThrow(
            decode(reportDocument, JSON.parse(report.document), undefined),
          )
          expect(required).toBe(minCoverage)
          return objectives.map(({ coverage, result }) => [coverage, result])
        })
      expect(yield* made("checkout", 0.9)).toEqual([[0.9, "met"]])
      expect(yield* made("checkout", 0.91, 1)).toEqual([[tidy(809 / 899), "insufficient_data"]])
      expect(yield* made("search", 0.5)).toEqual([[0.5, "met"]])
      expect(yield* made("search", 0.9, 1)).toEqual([[tidy(499 / 999), "insufficient_data"]])
      // The lowest of its components, of which one has 500 of 1,000 minutes.
      expect(yield* made("journey", 0.9)).toEqual([[0.5, "insufficient_data"]])
    }),
  )

  test(
    "spec/reports §3: minutes without counts are covered where the definition says what they count as",
    Effect.gen(function* () {
      const to = Date.UTC(2026, 1, 1)
      const from = to - 10 * day
      yield* TestClock.setTime(from + day)
      const named = (name: string) => ({ project: "shop", name })
      const objective = (absent?: "good" | "bad") => ({
        name: "good",
        target: 0.001,
        ...(absent !== undefined && { absent }),
      })
      const timeslices = {
        budgetingMethod: "Timeslices",
        emptyTimeSlices: "lastState",
        objectives: [{ name: "good", target: 0.001, timeSliceTarget: 0.5 }],
      } satisfies Partial<Slo["spec"]>
      yield* putDefinitions(organization, [
        anSlo(key, { objectives: [objective()] }),
        anSlo(named("absent"), { objectives: [objective("good"), { ...objective(), name: "great" }] }),
        anSlo(named("carried"), timeslices),
      ])
      const journey = (whenDelayed: "CountAsGood" | "Ignore", slo: string) => ({
        name: `${slo}-${whenDelayed}`.toLowerCase(),
        target: 0.001,
        composite: {
          maxDelay: durationOf("10m"),
          components: [{ slo: named(slo), objective: "good", weight: 1, whenDelayed }],
        },
      })
      yield* putDefinitions(organization, [
        anSlo(named("journey"), {
          objectives: [
            journey("Ignore", "checkout"),
            journey("CountAsGood", "checkout"),
            journey("Ignore", "absent"),
            journey("Ignore", "carried"),
          ],
        }),
      ])
      // A minute before the period, and one in the middle of it.
      const counts = [count(from - hour, 10), count(from + 5 * day, 10)]
      for (const name of ["checkout", "absent", "carried"]) yield* record(counts, named(name))
      yield* TestClock.setTime(to + hour)
      const made = (name: string) =>
        Effect.gen(function* () {
          const { report } = yield* createReport(organization, {
            project: "shop",
            slo: name,
            from: new Date(from).toISOString(),
            to: new Date(to).toISOString(),
          })
          const { objectives } = Result.getOrThrow(
            decode(reportDocument, JSON.parse(report.document), undefined),
          )
          return objectives.map(({ coverage, result }) => [coverage, result])
        })
      const one = tidy(1 / (10 * 1_440))
      expect(yield* made("checkout")).toEqual([[one, "insufficient_data"]])
      // Since the SLO was created, a day after the start.
      expect(yield* made("absent")).toEqual([
        [0.9, "met"],
        [0, "insufficient_data"],
      ])
      // A day after each of the two minutes, the first of which is an hour before the period.
      expect(yield* made("carried")).toEqual([[tidy((1_441 - 60 + 1_441) / 14_400), "insufficient_data"]])
      expect(yield* made("journey")).toEqual([
        [one, "insufficient_data"],
        [0.9, "met"],
        [0.9, "met"],
        // The state of a component is not carried.
        [one, "insufficient_data"],
      ])
    }),
  )

  test(
    "spec/reports §3: the coverage of a period with many gaps is read at once",
    Effect.gen(function* () {
      const from = Date.UTC(2026, 0, 5)
      const to = from + 4 * day
      const adjustment: BudgetAdjustment = {
        kind: "BudgetAdjustment",
        metadata: { project: "shop", name: "move" },
        spec: {
          reason: "Move",
          slos: [key],
          period: { startTime: { text: "", ms: from + day }, duration: durationOf("2h") },
        },
      }
      yield* TestClock.setTime(from)
      yield* putDefinitions(organization, [
        anSlo(key, { objectives: [{ name: "good", target: 0.9 }] }),
        adjustment,
      ])
      const minutes = Array.from({ length: 4 * 1_440 }, (_, index) => from + index * minute)
      // Every second hour has counts in only half of its minutes.
      yield* record(minutes.filter((at) => (at / hour) % 2 < 1.5).map((at) => count(at, 10)))
      yield* TestClock.setTime(to)
      const store = yield* CountStore
      let reads = 0
      const counting = CountStore.of({
        ...store,
        presence: (read) => {
          reads++
          return store.presence(read)
        },
      })
      const due = Option.getOrThrow(yield* (yield* SloStore).findForStatus(organization, key))
      const [coverage] = yield* Effect.provideService(
        readCoverage([due], { from, to }, to),
        CountStore,
        counting,
      )
      expect(coverage?.get("good")).toBe(0.75)
      expect(reads).toBe(1)
    }),
  )

  test(
    "spec/reports §3: a state covers neither what is not read yet nor what comes after excluded minutes",
    Effect.gen(function* () {
      const from = Date.UTC(2026, 0, 5)
      const indicator = {
        prometheus: { url: sourceUrlOf("http://a.example.com:9090"), good: "good", total: "total" },
      }
      const spec = {
        budgetingMethod: "Timeslices",
        emptyTimeSlices: "lastState",
        objectives: [{ name: "good", target: 0.001, timeSliceTarget: 0.5 }],
      } satisfies Partial<Slo["spec"]>
      const excluding = { project: "shop", name: "excluding" }
      const adjustment: BudgetAdjustment = {
        kind: "BudgetAdjustment",
        metadata: { project: "shop", name: "move" },
        spec: {
          reason: "Move",
          slos: [excluding],
          period: { startTime: { text: "", ms: from + 2 * hour }, duration: durationOf("1h") },
        },
      }
      yield* TestClock.setTime(from)
      yield* putDefinitions(organization, [
        anSlo(key, { ...spec, indicator }),
        anSlo(excluding, spec),
        adjustment,
      ])
      for (const slo of [key, excluding]) yield* record([count(from, 10), count(from + hour, 10)], slo)
      yield* record([count(from + 20 * hour, 10)], excluding)
      yield* TestClock.setTime(from + 2 * day)
      const { settle } = yield* IndicatorStore
      const readTo = from + 2 * hour - minute
      yield* settle(
        organization,
        key,
        { indicator, readTo: 0 },
        { readTo, failures: 0, dueAt: from + 3 * day },
      )
      const store = yield* SloStore
      const coverageOf = (slo: typeof key) =>
        Effect.gen(function* () {
          const due = Option.getOrThrow(yield* store.findForStatus(organization, slo))
          const [coverage] = yield* readCoverage([due], { from, to: from + day }, from + 2 * day)
          return coverage?.get("good")
        })
      expect(yield* coverageOf(key)).toBe(tidy(2 / 24))
      // The hours before the excluded one, and those from the next minute with events on.
      expect(yield* coverageOf(excluding)).toBe(tidy(6 / 23))
    }),
  )

  test(
    "spec/reports §3: lists the alerts that triggered in the period, as they are by then, earliest first",
    Effect.gen(function* () {
      const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1)]
      yield* TestClock.setTime(from + day)
      yield* putDefinitions(organization, [anSlo(key)])
      const store = yield* AlertStore
      const add = (id: string, triggeredAt: number, name = key.name) => {
        const alert = alertOf(id, {
          subject: { slo: { ...key, name }, objective: "good", evaluation: id },
          triggeredAt,
          ...(id === "b" && { status: "resolved" as const, resolvedAt: to + minute }),
        })
        return store.change(organization, { subject: alert.subject, id }, undefined, () =>
          Result.succeed({ put: alert, receipt: { alertId: id, isChanged: true, deliveries: [] } }),
        )
      }
      yield* add("before", from - 1)
      yield* add("b", to - 1)
      yield* add("a", from)
      yield* add("after", to)
      yield* add("other", from, "other")
      yield* TestClock.setTime(to + hour)
      yield* runReports
      const [report] = yield* documents
      expect(report?.alerts.map(({ id, status }) => [id, status])).toEqual([
        ["a", "triggered"],
        ["b", "resolved"],
      ])
      expect(report?.alerts[1]).toMatchObject({
        triggeredAt: to - 1,
        resolvedAt: to + minute,
        objective: "good",
      })
      expect(report?.hasMoreAlerts).toBe(false)

      yield* Effect.forEach(
        Array.from({ length: reportAlertsMax }),
        (_, index) => add(`n-${index}`, to + 2 + index),
        { discard: true },
      )
      yield* TestClock.setTime(Date.UTC(2026, 2, 1) + hour)
      yield* runReports
      const [february] = yield* documents
      expect(february?.alerts).toHaveLength(reportAlertsMax)
      expect([february?.alerts[0]?.id, february?.alerts.at(-1)?.id, february?.hasMoreAlerts]).toEqual([
        "n-0",
        `n-${reportAlertsMax - 1}`,
        true,
      ])
    }),
  )

  test(
    "spec/reports §3: has the figures with budget adjustments, and lists those of the SLO and of its components",
    Effect.gen(function* () {
      const to = Date.UTC(2026, 1, 1)
      yield* TestClock.setTime(to - day)
      const component = { project: "shop", name: "search" }
      const adjustment = (
        name: string,
        slo: typeof key,
        startsAt: number,
        set?: BudgetAdjustment["spec"]["set"],
      ): BudgetAdjustment => ({
        kind: "BudgetAdjustment",
        metadata: { project: "shop", name },
        spec: {
          reason: `The reason of ${name}`,
          slos: [slo],
          period: {
            startTime: { text: "", ms: startsAt },
            duration: durationOf("2h"),
          },
          ...(set !== undefined && { set }),
        },
      })
      const composite = {
        maxDelay: durationOf("10m"),
        components: [{ slo: component, objective: "good", weight: 1, whenDelayed: "Ignore" as const }],
      }
      yield* putDefinitions(organization, [
        anSlo(component, { ...monthIn("UTC"), objectives: [{ name: "good", target: 0.9 }] }),
        anSlo(key, {
          ...monthIn("UTC"),
          objectives: [
            { name: "good", target: 0.9 },
            { name: "all", target: 0.9, composite },
          ],
        }),
        adjustment("outage", key, to - 5 * hour),
        adjustment("restored", key, to - hour, { good: 10, total: 10 }),
        adjustment("of-component", component, to - 10 * hour),
        adjustment("of-february", key, to),
        adjustment("of-another", { project: "shop", name: "another" }, to - 5 * hour),
      ])
      yield* record([count(to - 4 * hour, 0), count(to - 2 * hour, 5), count(to - minute, 0)])
      yield* record([count(to - 9 * hour, 0), count(to - 8 * hour, 10)], component)
      yield* TestClock.setTime(to + hour)
      yield* runReports
      const [report] = (yield* documents).filter(({ slo }) => slo === key.name)
      // Of the SLO's own minutes, 1 has 5 of 10 good events, and 60 are set to 10 of 10.
      expect(report?.objectives).toMatchObject([
        { name: "good", good: 605, total: 610 },
        { name: "all", good: 1, total: 1, reliability: 1 },
      ])
      expect(report?.adjustments).toEqual([
        {
          project: "shop",
          name: "of-component",
          reason: "The reason of of-component",
          from: to - 10 * hour,
          to: to - 8 * hour,
          minutes: 120,
        },
        {
          project: "shop",
          name: "outage",
          reason: "The reason of outage",
          from: to - 5 * hour,
          to: to - 3 * hour,
          minutes: 120,
        },
        {
          project: "shop",
          name: "restored",
          reason: "The reason of restored",
          from: to - hour,
          to,
          minutes: 60,
          set: { good: 10, total: 10 },
        },
      ])
      expect(report?.hasMoreAdjustments).toBe(false)
    }),
  )

  test(
    "spec/reports §4: a report stays as it is when counts come later, the SLO is changed, and deleted",
    Effect.gen(function* () {
      const to = Date.UTC(2026, 1, 1)
      yield* TestClock.setTime(to - day)
      yield* putDefinitions(organization, [anSlo(key)])
      yield* record([count(to - hour, 9)])
      yield* TestClock.setTime(to + hour)
      yield* runReports
      const before = yield* Effect.flatMap(ids(), ([id = ""]) => findReport(organization, id))
      yield* record([count(to - hour, 0)])
      yield* putDefinitions(organization, [anSlo(key, { service: "other" })])
      yield* TestClock.setTime(to + 2 * hour)
      yield* runReports
      expect(yield* findReport(organization, before.id)).toEqual(before)
      yield* removeSlos(organization, [key])
      yield* TestClock.setTime(to + 500 * day)
      yield* runReports
      expect(yield* ids()).toEqual([before.id])
      expect(yield* findReport(organization, before.id)).toEqual(before)
    }),
  )

  test(
    "spec/reports §2: after an outage of three months, makes the three reports, each with the counts of its month",
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 15))
      yield* putDefinitions(organization, [anSlo(key, monthIn("UTC"))])
      yield* TestClock.setTime(Date.UTC(2026, 3, 15))
      yield* record([1, 2, 3].map((month) => count(Date.UTC(2026, month - 1, 20), month)))
      yield* runReports
      const made = yield* documents
      expect(
        made.map(({ period, objectives }) => [new Date(period.from).getUTCMonth(), objectives[0]?.good]),
      ).toEqual([
        [2, 3],
        [1, 2],
        [0, 1],
      ])
    }),
  )

  test(
    "spec/reports §2: makes none of a period of which counts may have been deleted",
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 15))
      yield* putDefinitions(organization, [anSlo(key, monthIn("UTC"))])
      yield* TestClock.setTime(Date.UTC(2026, 3, 15))
      yield* Effect.provideService(runReports, CountsRetention, 50)
      expect((yield* documents).map(({ period }) => new Date(period.from).getUTCMonth())).toEqual([2])
    }),
  )

  test(
    "spec/reports §2: waits for the data source to be read to the end of the period",
    Effect.gen(function* () {
      const to = Date.UTC(2026, 1, 1)
      const indicator = {
        prometheus: { url: sourceUrlOf("http://a.example.com:9090"), good: "good", total: "total" },
      }
      yield* TestClock.setTime(to - day)
      yield* putDefinitions(organization, [anSlo(key, { indicator })])
      yield* TestClock.setTime(to + hour)
      yield* runReports
      expect(yield* ids()).toEqual([])
      const settled = { readTo: to, failures: 0, dueAt: to + day }
      yield* (yield* IndicatorStore).settle(organization, key, { indicator, readTo: 0 }, settled)
      yield* TestClock.setTime(to + hour + 10 * minute)
      yield* runReports
      expect(yield* ids()).toHaveLength(1)
    }),
  )

  test(
    "spec/reports §2: one that cannot be made does not delay the others, and is tried again",
    Effect.gen(function* () {
      const to = Date.UTC(2026, 1, 1)
      const broken = { project: "shop", name: "broken" }
      yield* TestClock.setTime(to - day)
      yield* putDefinitions(organization, [anSlo(broken), anSlo(key)])
      yield* TestClock.setTime(to + hour)
      const store = yield* AlertStore
      const failing = AlertStore.of({
        ...store,
        list: (scope, query, page) =>
          query.slos?.[0] === "broken" ? Effect.die(new Error("broken")) : store.list(scope, query, page),
      })
      yield* Effect.provideService(runReports, AlertStore, failing)
      expect((yield* documents).map(({ slo }) => slo)).toEqual(["checkout"])
      yield* runReports
      expect(yield* ids()).toHaveLength(1)
      yield* TestClock.setTime(to + 2 * hour)
      yield* runReports
      expect((yield* documents).map(({ slo }) => slo).toSorted()).toEqual(["broken", "checkout"])
    }),
  )

  test(
    "spec/reports §7: the signature is verified by the bytes and the public key alone, after the key was deleted too",
    Effect.gen(function* () {
      const to = Date.UTC(2026, 1, 1)
      yield* TestClock.setTime(to - day)
      yield* putDefinitions(organization, [anSlo(key)])
      yield* TestClock.setTime(to + hour)
      yield* runReports
      const [id = ""] = yield* ids()
      for (const days of [0, 2, 4, 400]) {
        yield* TestClock.setTime(to + hour + days * day)
        yield* rotateSigningKey
        const { document } = yield* findReport(organization, id)
        const { publicKeyPem, signature } = yield* findReportSignature(organization, id)
        const isValid = (text: string) =>
          verify(null, Buffer.from(text), createPublicKey(publicKeyPem), Buffer.from(signature, "base64"))
        expect([days, isValid(document), isValid(document.replace("checkout", "Checkout"))]).toEqual([
          days,
          true,
          false,
        ])
      }
    }),
  )
})
