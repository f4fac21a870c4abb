import { calendarOf } from "./ParsedValues.ts"
import { describe, expect, it } from "./EffectTest.ts"
import type { Slo } from "@tocsin/domain/definitions"
import type { Report } from "@tocsin/domain/features/report"
import { type ClaimedReport, type DefinitionStore, type ReportPlace, ReportStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { pagingLaws } from "./paging-laws.ts"
import { anSlo, putDefinitions, removeSlos } from "./slo-definitions.ts"

const organization = "acme"
const hour = 3_600_000
const start = Date.UTC(2026, 0, 30, 12)
const january = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 1, 1) }
const february = { from: Date.UTC(2026, 1, 1), to: Date.UTC(2026, 2, 1) }
const leaseMs = 60_000
const key = { project: "shop", name: "checkout" }

const daily = {
  timeWindow: {
    unit: "Day",
    count: 1,
    calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "UTC" }),
  },
} satisfies Partial<Slo["spec"]>

const claim = (now: number, limit = 10) =>
  Effect.flatMap(ReportStore, (store) => store.claim(now, limit, leaseMs))

/** The names that a claim hands out. */
const claimNames = (now: number, limit = 10) =>
  Effect.map(claim(now, limit), (claimed) => claimed.map(({ slo }) => slo.name))

const settle = (claimed: ClaimedReport, report?: Report, dueAt = february.to + hour) =>
  Effect.flatMap(ReportStore, (store) => store.settle(claimed, { period: february, dueAt }, report))

const find = (id: string, scope = organization) =>
  Effect.flatMap(ReportStore, (store) => store.find(scope, id))

const aReport = (id: string, from = january.from, slo = key): Report => ({
  id,
  slo,
  period: { from, to: from + hour },
  createdAt: from + 2 * hour,
  document: `{"id":"${id}","text":"Ünï\\u0000"}`,
  keyId: "key-1",
  signature: "c2lnbmF0dXJl",
})

const summaryOf = ({ id, slo, period, createdAt }: Report) => ({ id, slo, period, createdAt })

/** Stores reports of an SLO that is defined for the purpose. */
const store = (reports: ReadonlyArray<Report>, scope = organization) =>
  Effect.forEach(reports, (report) =>
    Effect.gen(function* () {
      yield* putDefinitions(scope, [anSlo(report.slo)])
      const claimed = yield* claim(january.to + hour)
      const mine = claimed.find((each) => each.organization === scope && each.slo.name === report.slo.name)
      if (mine === undefined) return yield* Effect.die(new Error("nothing is due"))
      expect(yield* settle(mine, report)).toBe(true)
      yield* removeSlos(scope, [report.slo])
    }),
  )

/** What every `ReportStore` does; `layer` gives an empty one, with the definitions that it follows. */
export const reportStoreContract = <E>(
  name: string,
  layer: Layer.Layer<ReportStore | DefinitionStore, E>,
): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, ReportStore | DefinitionStore>): void =>
    it.effect(what, () => Effect.provide(Effect.andThen(TestClock.setTime(start), effect), layer))

  describe(`ReportStore ${name}`, () => {
    test(
      "spec/reports §2: an SLO is due an hour after the end of the period in which it was created",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        expect(yield* claim(january.to + hour - 1)).toEqual([])
        const [claimed, ...others] = yield* claim(january.to + hour)
        expect(others).toEqual([])
        expect(claimed).toEqual({
          organization,
          slo: key,
          period: january,
          leasedTo: january.to + hour + leaseMs,
        })
      }),
    )

    test(
      "spec/reports §2: a claim is one caller's until its lease is over; then the first cannot settle it",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const now = january.to + hour
        const [first] = yield* claim(now)
        expect(yield* claim(now + leaseMs - 1)).toEqual([])
        const [second] = yield* claim(now + leaseMs)
        if (first === undefined || second === undefined) return yield* Effect.die(new Error("nothing is due"))
        expect(yield* settle(first, aReport("first"))).toBe(false)
        expect(yield* settle(second, aReport("second"))).toBe(true)
        expect(yield* settle(second, aReport("third"))).toBe(false)
        const found = yield* Effect.forEach(["first", "second", "third"], (id) => find(id))
        expect(found.map(Option.isSome)).toEqual([false, true, false])
        expect(yield* claim(february.to + hour - 1)).toEqual([])
        expect(yield* claim(february.to + hour)).toMatchObject([{ period: february }])
      }),
    )

    test(
      "spec/reports §2: a change of the window makes the SLO due at once, also while it is claimed; any other does not",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        yield* putDefinitions(organization, [anSlo(key, { service: "other" })])
        expect(yield* claim(start)).toEqual([])
        yield* putDefinitions(organization, [anSlo(key, daily)])
        const [claimed] = yield* claim(start)
        expect(claimed).toMatchObject({ period: january, slo: key })
        const { timeWindow } = daily
        yield* putDefinitions(organization, [anSlo(key, { timeWindow: { ...timeWindow, count: 2 } })])
        if (claimed !== undefined) expect(yield* settle(claimed, aReport("old"))).toBe(false)
        expect(yield* claimNames(start)).toEqual(["checkout"])
      }),
    )

    test(
      "spec/reports §4: keeps the reports of an SLO that is deleted, and makes none of it",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const [claimed] = yield* claim(january.to + hour)
        if (claimed === undefined) return yield* Effect.die(new Error("nothing is due"))
        const report = aReport("r-1")
        expect(yield* settle(claimed, report, january.to + hour)).toBe(true)
        const [again] = yield* claim(january.to + hour)
        yield* removeSlos(organization, [key])
        if (again !== undefined) expect(yield* settle(again, aReport("r-2"))).toBe(false)
        expect(yield* claim(february.to + hour)).toEqual([])
        expect(yield* find("r-1")).toEqual(Option.some(report))
        expect(yield* find("r-2")).toEqual(Option.none())
        expect(yield* find("\u0000")).toEqual(Option.none())
        expect(yield* find("r-1", "globex")).toEqual(Option.none())
      }),
    )

    test(
      "spec/reports §2: returns the longest due first, of all organizations, and no more than asked",
      Effect.gen(function* () {
        for (const [index, scope] of ["acme", "globex", "initech"].entries()) {
          const slo = anSlo({ project: "shop", name: scope }, index === 0 ? {} : daily)
          yield* TestClock.setTime(start - index * 24 * hour)
          yield* putDefinitions(scope, [slo])
        }
        const now = january.to + hour
        expect(yield* claimNames(now, 2)).toEqual(["initech", "globex"])
        expect(yield* claimNames(now, 2)).toEqual(["acme"])
      }),
    )

    test(
      "spec/reports §2: after the clock was set back, what is claimed for longer is due; the reports of later periods are not",
      Effect.gen(function* () {
        const { makeDue } = yield* ReportStore
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [anSlo(key)])
        const now = january.to + hour
        const ahead = now + 10 * 24 * hour
        expect(yield* claimNames(ahead)).toEqual(["checkout"])
        yield* TestClock.setTime(february.from)
        yield* putDefinitions(organization, [anSlo(other)])
        yield* makeDue(now, ahead + leaseMs - now)
        yield* makeDue(now - 1, 0)
        expect(yield* claimNames(now)).toEqual([])
        yield* makeDue(now, ahead + leaseMs - now - 1)
        expect(yield* claimNames(now)).toEqual(["checkout"])
      }),
    )

    test(
      "spec/reports §8: adds one report of an SLO and a period, also of concurrent requests, and no more than allowed",
      Effect.gen(function* () {
        const { add, findByPeriod, list } = yield* ReportStore
        const report = aReport("a", start)
        expect(yield* add(organization, report, 10)).toBe("slo_not_found")
        yield* putDefinitions(organization, [anSlo(key)])
        expect(yield* findByPeriod(organization, key, report.period)).toEqual(Option.none())
        const same = ["b", "c", "d"].map((id) => ({ ...aReport(id, start), createdAt: start + hour }))
        const added = yield* Effect.forEach(same, (each) => add(organization, each, 10), {
          concurrency: "unbounded",
        })
        expect(new Set(added.map((each) => (typeof each === "string" ? each : each.id))).size).toBe(1)
        expect(yield* findByPeriod(organization, key, report.period)).toEqual(Option.some(added[0]))
        expect(yield* add(organization, report, 1)).toEqual(added[0])
        const other = { ...report, period: { from: start, to: start + 2 * hour } }
        expect(yield* add(organization, other, 1)).toBe("too_many")
        expect(yield* add(organization, other, 2)).toEqual(other)
        for (const [scope, slo] of [
          ["globex", key],
          [organization, { project: "other", name: key.name }],
          [organization, { project: key.project, name: "\u0000" }],
        ] as const) {
          expect(yield* findByPeriod(scope, slo, report.period)).toEqual(Option.none())
        }
        const { items } = yield* list(organization, {}, { limit: 10 })
        expect(items).toHaveLength(2)
      }),
    )

    test(
      "spec/reports §8: the report that is made at the end of a period does not depend on one on demand, and is found then",
      Effect.gen(function* () {
        const { add, findByPeriod } = yield* ReportStore
        yield* putDefinitions(organization, [anSlo(key)])
        const early = { ...aReport("early"), period: january, createdAt: january.to }
        const scheduled = { ...early, id: "scheduled", createdAt: january.to + hour }
        expect(yield* add(organization, early, 10)).toEqual(early)
        const [claimed] = yield* claim(january.to + hour)
        if (claimed === undefined) return yield* Effect.die(new Error("nothing is due"))
        expect(yield* settle(claimed, scheduled)).toBe(true)
        expect(yield* findByPeriod(organization, key, january)).toEqual(Option.some(scheduled))
        expect(yield* find("early")).toEqual(Option.some(early))
      }),
    )

    test(
      "spec/reports §5: lists those of an SLO, a project and a period, latest first",
      Effect.gen(function* () {
        const other = { project: "other", name: "checkout" }
        const reports = [
          aReport("a", start),
          aReport("b", start + hour),
          aReport("c", start + hour, { project: "shop", name: "search" }),
          aReport("d", start + 2 * hour, other),
        ]
        yield* store(reports)
        yield* store([aReport("e")], "globex")
        const list = (filter: Parameters<ReportStore["Service"]["list"]>[1]) =>
          Effect.flatMap(ReportStore, (each) =>
            Effect.map(each.list(organization, filter, { limit: 10 }), ({ items }) => items),
          )
        const ids = (filter: Parameters<ReportStore["Service"]["list"]>[1]) =>
          Effect.map(list(filter), (items) => items.map(({ id }) => id))
        expect(yield* list({})).toEqual(reports.map(summaryOf).toReversed())
        expect(yield* ids({ project: "shop" })).toEqual(["c", "b", "a"])
        expect(yield* ids({ slo: "checkout" })).toEqual(["d", "b", "a"])
        expect(yield* ids({ project: "shop", slo: "checkout", from: start + 1 })).toEqual(["b"])
        expect(yield* ids({ from: start + hour, to: start + 2 * hour })).toEqual(["c", "b"])
        expect(yield* ids({ slo: "\u0000" })).toEqual([])
      }),
    )
  })

  pagingLaws<ReportPlace, E, ReportStore | DefinitionStore>(`the reports ${name}`, {
    layer,
    key: fc.record({ from: fc.integer({ min: 0, max: 3 }), id: fc.stringMatching(/^[a-z]{1,3}$/) }),
    compare: (a, b) => b.from - a.from || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
    add: (scope, { from, id }) =>
      Effect.andThen(TestClock.setTime(start), store([aReport(`${from}-${id}`, from)], scope)),
    page: (scope, { limit, after }) =>
      Effect.flatMap(ReportStore, (reports) =>
        Effect.map(
          reports.list(
            scope,
            {},
            {
              limit,
              ...(after && { after: { from: after.from, id: `${after.from}-${after.id}` } }),
            },
          ),
          (page) => ({
            ...page,
            items: page.items.map(({ id, period }) => ({ from: period.from, id: id.slice(2) })),
          }),
        ),
      ),
  })
}
