import { RangeList } from "../../src/codec/MinuteRange.ts"
import { anSlo, calendarOf } from "@tocsin/testing/fixtures"
import { overallTrack } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import type { CountRead, CountSum, CountSumsRead, StoredDefinition } from "@tocsin/domain/ports"
import { burnRateRange, type TimeWindow, windowAt } from "@tocsin/domain/slo"
import { planCounts, sloStatus } from "../../src/status/CountsPlan.ts"
import type { Component } from "../../src/slo/CompositeObjective.ts"
import { describe, expect, it } from "vitest"

const minute = 60_000
const hour = 60 * minute
const now = Date.UTC(2026, 0, 30, 12, 0, 30)

const slo = (spec: Partial<Slo["spec"]>, createdAt = 0): StoredDefinition<Slo> => {
  const plain = anSlo({ project: "shop", name: "checkout" })
  return {
    definition: { ...plain, spec: { ...plain.spec, ...spec } },
    version: "1",
    createdAt,
    updatedAt: 0,
  }
}

/** What a store finds of a track in which some minutes have events. */
const sum = (
  objective: string,
  minutes: number,
  goodMinutes: number,
  events?: Partial<CountSum>,
): CountSum => ({
  objective,
  good: goodMinutes,
  total: minutes,
  minutes,
  goodShares: goodMinutes,
  goodMinutes,
  ...events,
})

/** The status of an SLO, where `find` plays the store, and all components are of one SLO. */
const statusOf = (
  stored: StoredDefinition<Slo>,
  find: (read: CountRead) => CountSumsRead["sums"],
  component: StoredDefinition<Slo> = slo({}),
) => {
  const at = windowAt(stored.definition.spec.timeWindow, now)
  const plan = planCounts("acme", stored, new RangeList([at.range, burnRateRange(at)]), now, () => component)
  const found = plan.reads.map((read) => ({ sums: find(read), latestAt: new Map<string, number>() }))
  return sloStatus(stored.definition, at, plan.interpret(found))
}

const day: TimeWindow = { unit: "Day", count: 1 }

describe("spec/slos §2: the status of an objective with Timeslices", () => {
  const timeslices = slo({
    budgetingMethod: "Timeslices",
    timeWindow: day,
    objectives: [{ name: "good", target: 0.99, timeSliceTarget: 0.9 }],
  })

  // A day has 1,440 minutes, of which 14.4 may be bad.
  it.each([
    [1_440, 0, 1, 864, 1],
    [1_440, 7.2, 0.5, 432, 0.995],
    [10, 7.2, 0.5, 432, 0.995],
    [1_440, 14.4, 0, 0, 0.99],
    [100, 72, -4, -3_456, 0.95],
  ])("with %d minutes with events, %d of them bad", (minutes, bad, percentage, seconds, reliability) => {
    const whole = sum("good", minutes, minutes - bad, { good: 1, total: 1_000_000 })
    const status = statusOf(timeslices, () => [[whole], [sum("good", 30, 27)]]).get("good")
    expect(status?.errorBudgetRemainingPercentage).toBeCloseTo(percentage, 9)
    expect(status?.errorBudgetRemaining).toBeCloseTo(seconds, 6)
    expect(status?.reliability).toBeCloseTo(reliability, 12)
    // 3 bad minutes of the 60 of the last hour.
    expect(status?.burnRate).toBe(5)
  })

  it("is left out before the first minute with events, and the burn rate without one in the last hour", () => {
    expect(statusOf(timeslices, () => [[], []]).get("good")).toEqual({})
    const silent = sum("good", 0, 0)
    expect(statusOf(timeslices, () => [[silent], [silent]]).get("good")).toEqual({})
    expect(statusOf(timeslices, () => [[sum("good", 1, 1)], []]).get("good")).toEqual({
      errorBudgetRemaining: 864,
      errorBudgetRemainingPercentage: 1,
      reliability: 1,
    })
  })
})

describe("spec/slos §5: the status over a calendar window", () => {
  const month: TimeWindow = {
    unit: "Month",
    count: 1,
    calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "UTC" }),
  }
  const bad = sum("good", 10, 1, { good: 98, total: 100 })

  it("with Occurrences is of the events so far, in seconds of the whole window", () => {
    const status = statusOf(slo({ timeWindow: month }), () => [[bad], []]).get("good")
    expect(status).toEqual({
      reliability: 0.98,
      errorBudgetRemainingPercentage: -1,
      errorBudgetRemaining: -0.01 * 31 * 86_400,
    })
  })

  it("with Timeslices is of the minutes of the whole window, those to come too", () => {
    const objectives = [{ name: "good", target: 0.99, timeSliceTarget: 0.9 }]
    const timeslices = slo({ budgetingMethod: "Timeslices", timeWindow: month, objectives })
    const status = statusOf(timeslices, () => [[bad], [bad]]).get("good")
    expect(status?.reliability).toBeCloseTo(1 - 9 / (31 * 1_440), 12)
    expect(status?.errorBudgetRemaining).toBeCloseTo(0.01 * 31 * 86_400 - 9 * 60, 6)
    expect(status?.burnRate).toBe(15)
  })
})

describe("spec/slos §6: the status of a composite objective", () => {
  const component = (name: string, weight: number, whenDelayed: Component["whenDelayed"]): Component => ({
    slo: { project: "search", name },
    objective: "good",
    weight,
    whenDelayed,
  })
  const composite = (components: ReadonlyArray<Component>, createdAt = 0, maxDelay = "10m") =>
    slo(
      {
        timeWindow: { unit: "Hour", count: 1 },
        objectives: [
          { name: "whole", target: 0.9, composite: { maxDelay: durationOf(maxDelay), components } },
        ],
      },
      createdAt,
    )
  /** Each component's sums, by SLO: over the window's hour, and over its late part. */
  const found =
    (bySlo: Readonly<Record<string, readonly [whole: CountSum | undefined, late: CountSum | undefined]>>) =>
    ({ slo: { name }, ranges }: CountRead): CountSumsRead["sums"] => {
      const [whole, late] = bySlo[name] ?? []
      // The hour of the window is that of the burn rate too, and is read once.
      return ranges.map((_, index) => (index === 0 ? whole : late)).map((each) => (each ? [each] : []))
    }

  it("weighs the good shares of its components' minutes", () => {
    const stored = composite([component("a", 2, "Ignore"), component("b", 1, "Ignore")])
    const status = statusOf(
      stored,
      found({
        a: [sum("good", 60, 0, { good: 1, total: 1_000_000, goodShares: 57 }), undefined],
        b: [sum("good", 30, 0, { goodShares: 24 }), undefined],
      }),
    ).get("whole")
    // (2 × 57 + 24) / (2 × 60 + 30) = 138 / 150
    expect(status?.reliability).toBeCloseTo(0.92, 12)
    expect(status?.errorBudgetRemainingPercentage).toBeCloseTo(0.2, 9)
    expect(status?.errorBudgetRemaining).toBeCloseTo(72, 9)
    expect(status?.burnRate).toBeCloseTo(0.8, 9)
  })

  it("takes the good minutes of components with Timeslices", () => {
    const stored = composite([component("a", 3, "Ignore")])
    const minutes = sum("good", 50, 45, { goodShares: 1 })
    const timeslices = slo({ budgetingMethod: "Timeslices" })
    expect(statusOf(stored, found({ a: [minutes, undefined] }), timeslices).get("whole")?.reliability).toBe(
      0.9,
    )
  })

  it.each([
    ["CountAsGood", (20 + 30) / (20 + 30)],
    ["CountAsBad", 20 / (20 + 30)],
    ["Ignore", 1],
  ] as const)("counts late minutes without events by %s", (whenDelayed, reliability) => {
    const stored = composite([component("a", 1, whenDelayed)])
    // Of the hour's 60 minutes 50 are older than 10 minutes, and 20 of those have events.
    const status = statusOf(stored, found({ a: [sum("good", 20, 20), sum("good", 20, 20)] })).get("whole")
    expect(status?.reliability).toBe(reliability)
  })

  it.each([
    ["its SLO was created", now - 25 * minute, 0],
    ["its component's SLO was created", 0, now - 25 * minute],
    ["both were created", now - 40 * minute, now - 25 * minute],
  ])(
    "spec/slos §7: counts no minutes before %s, and none that may still come",
    (_what, created, componentCreated) => {
      const stored = composite([component("a", 1, "CountAsBad")], created)
      const ofComponent = slo({}, componentCreated)
      const ranges: Array<CountRead["ranges"]> = []
      statusOf(
        stored,
        (read) => {
          ranges.push(read.ranges)
          return found({})(read)
        },
        ofComponent,
      )
      const asOf = Math.ceil(now / minute) * minute
      const late = { from: asOf - 25 * minute, to: asOf - 10 * minute }
      const window = { from: asOf - hour, to: asOf }
      expect(ranges).toEqual([[window], [window, late]])
      // 15 minutes without events are bad, and there is nothing else.
      expect(statusOf(stored, found({}), ofComponent).get("whole")).toMatchObject({
        reliability: 0,
        burnRate: 10,
      })
    },
  )

  it("counts no minute as late where both are new, or any may still come", () => {
    expect(statusOf(composite([component("a", 1, "CountAsBad")], now), found({})).get("whole")).toEqual({})
    const patient = composite([component("a", 1, "CountAsBad")], 0, "2h")
    expect(statusOf(patient, found({})).get("whole")).toEqual({})
  })

  it("reads the counts of each SLO once, however many of its objectives are components", () => {
    const objectives = ["good", "great"].map((objective) => ({ ...component("a", 1, "Ignore"), objective }))
    const plan = planCounts(
      "acme",
      composite([...objectives, component("b", 1, "Ignore")]),
      new RangeList(),
      now,
      () => undefined,
    )
    expect(plan.reads.map((read) => read.slo.name)).toEqual(["checkout", "a", "b"])
  })
})

describe("spec/slos §8: the status of the legacy composite", () => {
  it("has bad minutes over those of the whole window, with Occurrences too", () => {
    const composite = { target: 0.9, burnRateCondition: { value: 2, op: "gt" } } as const
    const stored = slo({ timeWindow: day, composite })
    const events = sum("good", 1_000, 1_000, { good: 500, total: 1_000 })
    const status = statusOf(stored, () => [
      [events, sum(overallTrack, 1_000, 928)],
      [sum(overallTrack, 60, 54)],
    ])
    // 72 of the 144 minutes that may be bad are.
    expect(status.get(overallTrack)).toEqual({
      burnRate: 1,
      errorBudgetRemaining: 4_320,
      errorBudgetRemainingPercentage: 0.5,
      reliability: 0.95,
    })
    expect(status.get("good")?.reliability).toBe(0.5)
    expect(statusOf(stored, () => [[], []]).get(overallTrack)).toEqual({})
  })

  it("is there only where the SLO has one", () => {
    expect(statusOf(slo({}), () => [[], []]).has(overallTrack)).toBe(false)
  })
})

describe("what is counted", () => {
  const plan = (stored: StoredDefinition<Slo>) =>
    planCounts(
      "acme",
      stored,
      new RangeList([{ from: now - hour, to: now }]),
      Math.floor(now / minute) * minute,
      () => undefined,
    )
  const nothing: CountSumsRead = { sums: [[]], latestAt: new Map() }
  const isMoving = (stored: StoredDefinition<Slo>, ...found: ReadonlyArray<CountSumsRead>) =>
    plan(stored).interpret(found).isMoving
  const over = (whenDelayed: Component["whenDelayed"]): StoredDefinition<Slo> => {
    const components = [{ slo: { project: "search", name: "a" }, objective: "good", weight: 1, whenDelayed }]
    return slo({
      objectives: [{ name: "whole", target: 0.9, composite: { maxDelay: durationOf("1m"), components } }],
    })
  }

  it("changes with time while there are counts in a range, or ahead", () => {
    const asOf = Math.floor(now / minute) * minute + minute
    expect(isMoving(slo({}), nothing)).toBe(false)
    expect(isMoving(slo({}), { ...nothing, sums: [[sum("good", 0, 0)]] })).toBe(true)
    expect(isMoving(slo({}), { ...nothing, latestAt: new Map([["good", asOf - 1]]) })).toBe(false)
    expect(isMoving(slo({}), { ...nothing, latestAt: new Map([["good", asOf]]) })).toBe(true)
  })

  it("changes with time where minutes of a component get late, or a component's counts move", () => {
    expect(isMoving(over("CountAsBad"), nothing, nothing)).toBe(true)
    expect(isMoving(over("Ignore"), nothing, nothing)).toBe(false)
    expect(isMoving(over("Ignore"), nothing, { ...nothing, sums: [[sum("good", 1, 1)], []] })).toBe(true)
  })

  it("is latest where any component's is", () => {
    const counts = plan(over("Ignore")).interpret([
      nothing,
      {
        ...nothing,
        latestAt: new Map([
          ["good", 7],
          ["great", 9],
        ]),
      },
    ])
    expect(counts.latestAt("whole")).toBe(7)
    expect(plan(over("Ignore")).interpret([nothing, nothing]).latestAt("whole")).toBeUndefined()
  })
})
