import { SignerNode, SigningKeyGeneratorNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import { CountsRetention, rotateSigningKey } from "@tocsin/domain"
import { decode, durationOf } from "@tocsin/domain/codec"
import {
  createReport,
  createReview,
  findReport,
  findReview,
  findReviewNotes,
  findReviewSignature,
  listReviewReminders,
  listReviews,
  reportDocument,
  reviewDocument,
  writeReviewNotes,
} from "@tocsin/domain/features/report"
import { AlertStore, type Count, CountStore, IndicatorStore } from "@tocsin/domain/ports"
import { reviewLines, reviewText } from "../../src/report/Review.ts"
import { latestInCycle, nextInCycle } from "../../src/report/ReviewCycle.ts"
import { weeklySpending } from "../../src/report/MakeReview.ts"
import { timeZoneRules } from "../../src/codec/TimeZones.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { createPublicKey, verify } from "node:crypto"
import { alertOf, anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const organization = "acme"
const start = Date.UTC(2026, 0, 1)
const end = Date.UTC(2026, 3, 1)
const quarter = { from: "2026-01-01T00:00:00Z", to: "2026-04-01T00:00:00Z" }

const layer = SignerNode.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, SigningKeyGeneratorNode.layer)),
)

const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof layer>>): void =>
  it.effect(what, () => Effect.provide(effect, layer))

const named = (name: string) => ({ project: "shop", name })

const record = (name: string, counts: ReadonlyArray<Omit<Count, "objective">>) =>
  Effect.flatMap(CountStore, (store) =>
    store.record(organization, [
      { slo: named(name), counts: counts.map((each) => ({ ...each, objective: "good" })) },
    ]),
  )

/** Counts of every minute of a range. */
const everyMinute = (from: number, to: number, good: number) =>
  Array.from({ length: (to - from) / minute }, (_, index) => ({ at: from + index * minute, good, total: 10 }))

const documentOf = (id: string) =>
  Effect.map(findReview(organization, id), ({ document }) =>
    Result.getOrThrow(decode(reviewDocument, JSON.parse(document), undefined)),
  )

const create = (body: object) =>
  Effect.flatMap(createReview(organization, { ...quarter, ...body }), ({ id }) => documentOf(id))

const objectives = [{ name: "good", target: 0.9 }]

describe("a review", () => {
  test(
    "spec/reports §9: has the SLOs of a service, the worst first, each with the figures of its report",
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [
        ...["missed", "met", "worse", "empty"].map((name) => anSlo(named(name), { objectives })),
        anSlo(named("other"), { objectives, service: "api" }),
      ])
      const january = start + 10 * day
      yield* record("missed", [{ at: january, good: 8, total: 10 }])
      yield* record("worse", [{ at: january, good: 5, total: 10 }])
      yield* record("met", [{ at: january, good: 10, total: 10 }])
      yield* TestClock.setTime(end + day)
      const { slos, results, title, scope } = yield* create({ project: "shop", service: "web" })
      expect(slos.map(({ slo, result }) => [slo, result])).toEqual([
        ["worse", "missed"],
        ["missed", "missed"],
        ["met", "insufficient_data"],
        ["empty", "insufficient_data"],
      ])
      expect(results).toEqual({ met: 0, missed: 2, insufficient_data: 2 })
      expect({ title, scope }).toEqual({ title: "shop/web", scope: { project: "shop", service: "web" } })
      for (const { slo, objectives } of slos) {
        const { report } = yield* createReport(organization, { project: "shop", slo, ...quarter })
        const { document } = yield* findReport(organization, report.id)
        const reported = Result.getOrThrow(decode(reportDocument, JSON.parse(document), undefined))
        expect(objectives).toMatchObject(reported.objectives)
      }
    }),
  )

  test(
    "spec/reports §9: is of the SLOs of a saved view, with the filters that the view had",
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const services = [{ project: "shop", name: "web" }]
      const spec = { services, labels: { team: ["payments", "web"] }, statuses: ["noData" as const] }
      const view = { kind: "SavedView" as const, metadata: { name: "mine", displayName: "Our view" }, spec }
      const labelled = (name: string, team: string, service = "web") => {
        const slo = anSlo(named(name), { objectives, service })
        return { ...slo, metadata: { ...slo.metadata, labels: { team: [team] } } }
      }
      yield* putDefinitions(organization, [
        labelled("checkout", "payments"),
        labelled("search", "web"),
        labelled("login", "identity"),
        labelled("orders", "payments", "api"),
        view,
        { ...view, metadata: { name: "breached" }, spec: { ...spec, statuses: ["breached"] } },
      ])
      yield* TestClock.setTime(end + day)
      const { slos, title, scope, filters } = yield* create({ view: "mine" })
      expect(slos.map(({ slo }) => slo)).toEqual(["checkout", "search"])
      expect({ title, scope, filters }).toEqual({ title: "Our view", scope: { view: "mine" }, filters: spec })
      for (const [body, path, code] of [
        [{ view: "mine", project: "shop" }, "view", "mutually_exclusive"],
        [{ view: "other" }, "view", "not_found"],
        [{ view: "breached" }, "", "not_found"],
      ] as const) {
        const failure = yield* Effect.flip(createReview(organization, { ...quarter, ...body }))
        expect(failure).toMatchObject({ _tag: "ReviewRequestIsInvalid", issues: [{ path, code }] })
      }
    }),
  )

  test(
    "spec/reports §9: has the error budget by week, the period before, alerts and adjustments",
    Effect.gen(function* () {
      yield* TestClock.setTime(start - 92 * day)
      yield* putDefinitions(organization, [
        anSlo(named("checkout"), { objectives }),
        {
          kind: "BudgetAdjustment",
          metadata: { project: "shop", name: "move" },
          spec: {
            reason: "Move",
            slos: [named("checkout")],
            period: { startTime: { text: "", ms: start + 3 * day }, duration: durationOf("90m") },
          },
        },
      ])
      const monday = Date.UTC(2026, 0, 5)
      yield* record("checkout", [
        { at: start - day, good: 99, total: 100 },
        { at: start + day, good: 9, total: 10 },
        { at: start + 3 * day, good: 0, total: 1_000 },
        { at: monday, good: 7, total: 10 },
        { at: monday + 7 * day, good: 80, total: 80 },
      ])
      const alert = alertOf("a-1", {
        subject: {
          slo: named("checkout"),
          objective: "good",
          alertPolicy: { project: "shop", name: "fast-burn" },
        },
        triggeredAt: start + day,
      })
      yield* (yield* AlertStore).change(organization, { subject: alert.subject, id: "a-1" }, undefined, () =>
        Result.succeed({ put: alert, receipt: { alertId: "a-1", isChanged: true, deliveries: [] } }),
      )
      yield* TestClock.setTime(end)
      const review = yield* create({ project: "shop" })
      expect(review.weeks.slice(0, 2)).toEqual([
        { from: start, to: monday },
        { from: monday, to: monday + 7 * day },
      ])
      expect(review.previous).toEqual({ from: Date.UTC(2025, 9, 1), to: start })
      const [slo] = review.slos
      expect(slo).toMatchObject({ alerts: 1, adjustedMinutes: 90 })
      expect(slo?.objectives[0]).toMatchObject({
        reliability: 0.96,
        errorBudgetRemainingPercentage: 0.6,
        previous: { reliability: 0.99, errorBudgetRemainingPercentage: 0.9 },
      })
      // 4 of 100 events were bad, which is 40% of the budget: 1 in the first week, and 3 in the second.
      expect(slo?.objectives[0]?.weeks.slice(0, 4)).toEqual([
        { budgetSpent: 0.1 },
        { budgetSpent: 0.3 },
        { budgetSpent: 0 },
        {},
      ])
      expect(review.adjustments).toMatchObject([{ name: "move", reason: "Move", minutes: 90, slos: 1 }])
    }),
  )

  it("spec/reports §9: the parts of the weeks add up to what of the error budget does not remain", () => {
    const week = fc.record({
      total: fc.integer({ min: 0, max: 10_000 }),
      bad: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(
        fc.array(week, { minLength: 1, maxLength: 58 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (weeks, target) => {
          const parts = weeks.map(({ total, bad }) => ({ total, good: total - Math.floor(bad * total) }))
          const total = parts.reduce((sum, each) => sum + each.total, 0)
          const good = parts.reduce((sum, each) => sum + each.good, 0)
          fc.pre(total > 0)
          const remaining = 1 - (total - good) / total / (1 - target)
          const ranges = parts.map((_, index) => ({ from: index, to: index + 1 }))
          const spent = weeklySpending(
            { target, errorBudget: 0, good, total, errorBudgetRemainingPercentage: remaining },
            ranges,
            ({ from }) => parts[from],
          ).reduce((sum, { budgetSpent = 0 }) => sum + budgetSpent, 0)
          // Each part has 6 significant digits.
          expect(Math.abs(spent - (1 - remaining))).toBeLessThanOrEqual(5.1e-6 * (1 - remaining) + 1e-9)
        },
      ),
    )
  })

  test(
    "spec/reports §9: a week without data weighs as much as in the whole period",
    Effect.gen(function* () {
      const monday = Date.UTC(2026, 0, 5)
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [
        anSlo(named("absent"), { objectives: [{ name: "good", target: 0.9, absent: "bad" }] }),
      ])
      yield* record("absent", [
        { at: monday, good: 10, total: 10 },
        { at: monday + 14 * day, good: 30, total: 30 },
      ])
      yield* TestClock.setTime(end)
      const { slos } = yield* create({ from: "2026-01-05T00:00:00Z", to: "2026-01-26T00:00:00Z" })
      const figures = slos[0]?.objectives[0]
      // Each of the 30,240 minutes weighs 20 events, a tenth of which may be bad.
      const parts = [10_079, 10_080, 10_079].map((minutes) => (minutes * 20) / 60_480)
      expect(figures?.errorBudgetRemainingPercentage).toBeCloseTo(1 - parts.reduce((a, b) => a + b), 9)
      expect(figures?.weeks.map(({ budgetSpent }) => budgetSpent?.toFixed(4))).toEqual(
        parts.map((part) => part.toFixed(4)),
      )
    }),
  )

  test(
    "spec/reports §9: is met where enough minutes have counts, and has no period before without its counts",
    Effect.gen(function* () {
      yield* TestClock.setTime(end - 2 * day)
      yield* putDefinitions(organization, [
        anSlo(named("whole"), { objectives }),
        anSlo(named("gap"), { objectives }),
      ])
      yield* record("whole", everyMinute(end - day, end, 10))
      yield* record("gap", everyMinute(end - day, end - 5 * hour, 10))
      yield* TestClock.setTime(end)
      const period = { from: "2026-03-31T00:00:00Z", to: "2026-04-01T00:00:00Z" }
      const review = yield* Effect.provideService(create(period), CountsRetention, 1)
      expect(review).not.toHaveProperty("previous")
      expect(review.slos.map(({ slo, result, objectives: [good] }) => [slo, result, good?.coverage])).toEqual(
        [
          ["gap", "insufficient_data", 19 / 24].map((each) =>
            typeof each === "number" ? Number(each.toPrecision(12)) : each,
          ),
          ["whole", "met", 1],
        ],
      )
    }),
  )

  test(
    "spec/reports §9: has no result of a composite objective of which too much is still to be read",
    Effect.gen(function* () {
      const indicator = {
        prometheus: { url: sourceUrlOf("http://a.example.com:9090"), good: "good", total: "total" },
      }
      const composite = {
        maxDelay: durationOf("10m"),
        components: [
          { slo: named("search"), objective: "good", weight: 1, whenDelayed: "CountAsBad" as const },
        ],
      }
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [anSlo(named("search"), { objectives, indicator })])
      yield* putDefinitions(organization, [
        anSlo(named("journey"), { objectives: [{ name: "all", target: 0.9, composite }] }),
      ])
      yield* TestClock.setTime(end)
      const { settle } = yield* IndicatorStore
      const recent = { from: end - 10 * day, to: end, measuredTo: end, history: { failures: 0 } }
      const settled = { failures: 0, dueAt: end + day, readTo: 0, recent }
      expect(yield* settle(organization, named("search"), { indicator, readTo: 0 }, settled)).toBe(true)
      const results = Effect.map(create({ search: "journey" }), ({ slos: [slo] }) => [
        slo?.result,
        ...(slo?.objectives.map(({ result }) => result) ?? []),
      ])
      expect(yield* results).toEqual(["insufficient_data", "insufficient_data"])
      const claimed = { indicator, readTo: 0, recent }
      yield* settle(organization, named("search"), claimed, { ...settled, readTo: recent.from - 8 * day })
      expect(yield* results).toEqual(["missed", "missed"])
    }),
  )

  test(
    "spec/reports §9: selects by labels and by part of a name",
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const slo = anSlo(named("labelled"))
      const { metadata } = slo
      yield* putDefinitions(organization, [
        { ...slo, metadata: { ...metadata, displayName: "Paying", labels: { team: ["pay", "ops"] } } },
        anSlo(named("plain")),
      ])
      yield* TestClock.setTime(end)
      const namesOf = (body: object) => Effect.map(create(body), ({ slos }) => slos.map(({ slo }) => slo))
      expect(yield* namesOf({ labels: "team=ops" })).toEqual(["labelled"])
      expect(yield* namesOf({ search: "PAY" })).toEqual(["labelled"])
      expect(yield* namesOf({})).toEqual(["labelled", "plain"])
      for (const [body, issue] of [
        [{ labels: "team=none" }, { path: "", code: "not_found" }],
        [{ to: "2026-04-01T00:01:00Z" }, { path: "to", code: "out_of_range" }],
        [{ to: quarter.from }, { path: "to", code: "out_of_range" }],
        [{ timeZone: "Mars/Base" }, { path: "timeZone", code: "not_allowed_value" }],
      ] as const) {
        const failure = yield* Effect.flip(createReview(organization, { ...quarter, ...body }))
        expect(failure).toMatchObject({ _tag: "ReviewRequestIsInvalid", issues: [issue] })
      }
    }),
  )

  test(
    "spec/reports §9: is signed, and stays the same when counts change",
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [anSlo(named("checkout"), { objectives })])
      yield* TestClock.setTime(end)
      const { id, document } = yield* createReview(organization, quarter)
      yield* rotateSigningKey
      yield* record("checkout", [{ at: start, good: 0, total: 10 }])
      const { signature, publicKeyPem } = yield* findReviewSignature(organization, id)
      const found = yield* findReview(organization, id)
      expect(found.document).toBe(document)
      const isValid = verify(
        undefined,
        Buffer.from(found.document),
        createPublicKey(publicKeyPem),
        Buffer.from(signature, "base64"),
      )
      expect(isValid).toBe(true)
    }),
  )

  it("spec/reports §9: is JSON with a line for each SLO, which can be read one after the other", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.record({ text: fc.string() }), { maxLength: 5 }),
        (title, slos) => {
          const head = { title, weeks: ["x"] }
          const text = reviewText(
            head,
            slos.map((slo) => JSON.stringify(slo)),
          )
          expect(JSON.parse(text)).toEqual({ ...head, slos })
          const lines = reviewLines(text)
          expect(JSON.parse(lines.head)).toEqual(head)
          expect(lines.slos.map((line): unknown => JSON.parse(line))).toEqual(slos)
        },
      ),
    )
  })
})

describe("the next review", () => {
  test(
    "spec/reports §10: is the next time of the review cycle of the service, and is over once it was created",
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const rules = timeZoneRules("Europe/Berlin")
      if (rules === undefined) return yield* Effect.die(new Error("no time zone"))
      yield* putDefinitions(organization, [
        {
          kind: "Service",
          metadata: { project: "shop", name: "web" },
          spec: {
            reviewCycle: {
              startTime: "2026-01-05T09:00:00",
              timeZone: { name: "Europe/Berlin", rules },
              rrule: "FREQ=MONTHLY;BYDAY=1MO",
            },
          },
        },
        anSlo(named("checkout")),
      ])
      yield* TestClock.setTime(end)
      const summaries = Effect.map(listReviews(organization, {}), ({ items }) =>
        items.map(({ title, nextReviewAt }) => [title, nextReviewAt] as const),
      )
      // The time on April 6 is so near that the first review is the one.
      const next = Date.parse("2026-05-04T07:00:00Z")
      yield* create({ project: "shop", service: "web", title: "First" })
      expect(yield* summaries).toEqual([["First", next]])
      yield* create({ project: "shop", title: "Another scope", nextReviewAt: "2026-05-01T00:00:00Z" })
      yield* create({ project: "shop", service: "web", title: "Second" })
      expect(new Map(yield* summaries)).toEqual(
        new Map([
          ["First", undefined],
          ["Another scope", Date.parse("2026-05-01T00:00:00Z")],
          ["Second", next],
        ]),
      )
    }),
  )

  test(
    "spec/reports §10: is reminded of within 7 days, also the first one of a service with a review cycle",
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const rules = timeZoneRules("UTC")
      if (rules === undefined) return yield* Effect.die(new Error("no time zone"))
      const reviewCycle = {
        startTime: "2026-01-05T09:00:00",
        timeZone: { name: "UTC", rules },
        rrule: "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=10",
      }
      yield* putDefinitions(organization, [
        { kind: "Service", metadata: { project: "shop", name: "web" }, spec: { reviewCycle } },
        { kind: "Service", metadata: { project: "shop", name: "api" }, spec: {} },
        anSlo(named("checkout")),
      ])
      const dueAt = Date.parse("2026-01-10T09:00:00Z")
      const scope = { project: "shop", service: "web" }
      const reminders = listReviewReminders(organization)
      yield* TestClock.setTime(dueAt - 7 * day - minute)
      expect(yield* reminders).toEqual([])
      yield* TestClock.setTime(dueAt - 7 * day)
      expect(yield* reminders).toEqual([{ title: "shop/web", scope, dueAt }])
      yield* TestClock.setTime(end)
      expect(yield* reminders).toEqual([{ title: "shop/web", scope, dueAt }])
      const { id } = yield* createReview(organization, { ...quarter, ...scope, title: "Q1" })
      expect(yield* reminders).toEqual([])
      const next = Date.parse("2026-04-10T09:00:00Z")
      yield* TestClock.setTime(next - 7 * day)
      expect(yield* reminders).toEqual([{ title: "Q1", scope, dueAt: next, review: id }])
      yield* createReview(organization, { ...quarter, ...scope, title: "Q2" })
      expect(yield* reminders).toEqual([])
      const later = Date.parse("2026-07-10T09:00:00Z")
      yield* TestClock.setTime(later)
      expect(yield* reminders).toMatchObject([{ title: "Q2", dueAt: later }])
      yield* createReview(organization, { ...quarter, ...scope, nextReviewAt: "2026-12-01T00:00:00Z" })
      expect(yield* reminders).toEqual([])
    }),
  )

  it("spec/reports §10: does not exist for a rule that has ended or never happens", () => {
    const rules = timeZoneRules("UTC")
    if (rules === undefined) throw new Error("no time zone")
    const cycle = (rrule: string) => ({
      startTime: "2026-01-05T09:00:00",
      timeZone: { name: "UTC", rules },
      rrule,
    })
    expect(nextInCycle(cycle("FREQ=WEEKLY;UNTIL=20260201T000000Z"), end)).toBeUndefined()
    expect(nextInCycle(cycle("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"), end)).toBeUndefined()
    expect(nextInCycle(cycle("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"), end)).toBe(
      Date.parse("2028-02-29T09:00:00Z"),
    )
    const years = Date.parse("2030-01-01T00:00:00Z")
    expect(latestInCycle(cycle("FREQ=DAILY;UNTIL=20260201T000000Z"), years)).toBe(
      Date.parse("2026-01-31T09:00:00Z"),
    )
    expect(latestInCycle(cycle("FREQ=DAILY"), years)).toBe(Date.parse("2029-12-31T09:00:00Z"))
    expect(latestInCycle(cycle("FREQ=DAILY"), Date.parse("2026-01-05T09:00:00Z"))).toBe(
      Date.parse("2026-01-05T09:00:00Z"),
    )
    expect(latestInCycle(cycle("FREQ=DAILY"), Date.parse("2026-01-05T08:59:00Z"))).toBeUndefined()
  })

  test(
    "spec/reports §10: notes replace those before, unless they have changed since they were read",
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [anSlo(named("checkout"))])
      yield* TestClock.setTime(end)
      const { id } = yield* createReview(organization, quarter)
      expect(yield* findReviewNotes(organization, id)).toEqual({ revision: 0 })
      const notes = {
        text: "Lower the target",
        slos: [{ project: "shop", slo: "checkout", text: "To 99%" }],
        nextReviewAt: "2026-07-01T00:00:00Z",
      }
      const stored = {
        ...notes,
        nextReviewAt: Date.parse(notes.nextReviewAt),
        updatedAt: end,
        updatedBy: "ada",
        revision: 1,
      }
      expect(yield* writeReviewNotes(organization, id, "ada", { ...notes, revision: 0 })).toEqual(stored)
      expect(yield* findReviewNotes(organization, id)).toEqual(stored)
      const failure = yield* Effect.flip(
        writeReviewNotes(organization, id, "bob", { text: "Lost", revision: 0 }),
      )
      expect(failure).toMatchObject({ _tag: "ReviewNotesHaveChanged", id })
      expect(yield* findReviewNotes(organization, id)).toEqual(stored)
    }),
  )
})
