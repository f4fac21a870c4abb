import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

/** A module of the console, which is no part of what the tests are compiled with. */
const load = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../apps/console/src/${name}`, import.meta.url).href)) as T

const hour = 3_600_000
const day = 24 * hour

beforeEach(() => {
  vi.stubEnv("TZ", "UTC")
  vi.stubGlobal("localStorage", { getItem: () => null })
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

interface Frame {
  readonly from: number
  readonly to: number
  readonly stepMs: number
  readonly until: number
}

interface Scales {
  readonly stepAt: (frame: Frame, time: number) => number
  readonly stepsBetween: (
    frame: Frame,
    a: number,
    b: number,
  ) => { readonly from: number; readonly to: number }
  readonly scaleOf: (
    frame: Frame,
    min: number,
    max: number,
    plot: object,
  ) => { readonly x: (time: number) => number; readonly y: (value: number) => number; readonly step: number }
  readonly timeAt: (frame: Frame, plot: object, x: number) => number
  readonly linePath: Path
  readonly areaPath: Path
  readonly lowestBelow: (
    values: ReadonlyArray<number | null>,
    limit: number,
  ) => ReadonlyArray<{ readonly index: number; readonly value: number }>
  readonly percentile: (values: ReadonlyArray<number | null>, share: number) => number | undefined
}

type Path = (
  values: ReadonlyArray<number | null>,
  x: (index: number) => number,
  y: (value: number) => number,
  base?: number,
) => string

const frame: Frame = { from: 0, to: 10 * hour, stepMs: hour, until: 20 * hour }
const plot = { left: 50, right: 250, top: 10, bottom: 110 }

describe("the scales of charts", () => {
  it("map times and values to pixels and back, also beyond the last step", async () => {
    const { scaleOf, timeAt } = await load<Scales>("chart/Scale.ts")
    const scale = scaleOf(frame, -1, 1, plot)
    expect([scale.x(0), scale.x(10 * hour), scale.x(20 * hour), scale.step]).toEqual([50, 150, 250, 10])
    expect([scale.y(-1), scale.y(0), scale.y(1)]).toEqual([110, 60, 10])
    for (const time of [0, 3.5 * hour, 20 * hour]) expect(timeAt(frame, plot, scale.x(time))).toBe(time)
    // Without a range of values everything is at the lower edge.
    expect(scaleOf(frame, 1, 1, plot).y(1)).toBe(110)
  })

  it("spec/console §11: find the lowest step of each stretch that is below the lower edge", async () => {
    const { lowestBelow } = await load<Scales>("chart/Scale.ts")
    expect(lowestBelow([1, 0.5, 0.2, 0.4, 0.9, null, 0.3, null, 0.6, 0.7], 0.7)).toEqual([
      { index: 2, value: 0.2 },
      { index: 6, value: 0.3 },
      { index: 8, value: 0.6 },
    ])
    expect(lowestBelow([1, null, 0.7], 0.7)).toEqual([])
  })

  it("select whole steps, at least one, whichever end is first", async () => {
    const { stepAt, stepsBetween } = await load<Scales>("chart/Scale.ts")
    expect([-1, 0, hour - 1, hour, 9.9 * hour, 15 * hour].map((time) => stepAt(frame, time))).toEqual([
      0, 0, 0, 1, 9, 9,
    ])
    expect(stepsBetween(frame, 2.2 * hour, 4.8 * hour)).toEqual({ from: 2 * hour, to: 5 * hour })
    expect(stepsBetween(frame, 4.8 * hour, 2.2 * hour)).toEqual({ from: 2 * hour, to: 5 * hour })
    expect(stepsBetween(frame, 3.1 * hour, 3.2 * hour)).toEqual({ from: 3 * hour, to: 4 * hour })
    expect(stepsBetween(frame, -5, 99 * hour)).toEqual({ from: 0, to: 10 * hour })
  })

  it("interrupt lines and areas where there is no data, and show a value that stands alone", async () => {
    const { linePath, areaPath, percentile } = await load<Scales>("chart/Scale.ts")
    const [x, y] = [(index: number) => index, (value: number) => -value]
    expect(linePath([1, 2, null, 3, null], x, y)).toBe("M0.0 -1.0L1.0 -2.0M3.0 -3.0h0.1")
    expect(linePath([null, null], x, y)).toBe("")
    expect(areaPath([1, 2, null, 3], x, y, 0)).toBe("M0.0 0.0V-1.0L1.0 -2.0V0.0ZM3.0 0.0V-3.0V0.0Z")
    expect(percentile([null, 3, 1, 2], 0)).toBe(1)
    expect(percentile([null], 0.5)).toBeUndefined()
  })
})

interface Weeks {
  readonly mondayOf: (time: number, weeksBefore?: number) => number
  readonly placedDays: (
    from: number,
    count: number,
  ) => ReadonlyArray<{ readonly column: number; readonly row: number }>
  readonly monthColumns: (
    from: number,
    count: number,
  ) => ReadonlyArray<{ readonly column: number; readonly time: number }>
  readonly dayLevel: (burnRate: number) => string
}

describe("the calendar of days", () => {
  it("has weeks from Monday, also before 1970 and when it begins within one", async () => {
    const { mondayOf, placedDays, monthColumns } = await load<Weeks>("chart/DayWeeks.ts")
    const friday = Date.UTC(2026, 0, 30, 12)
    expect(mondayOf(friday)).toBe(Date.UTC(2026, 0, 26))
    expect(mondayOf(friday, 52)).toBe(Date.UTC(2025, 0, 27))
    expect(new Date(mondayOf(Date.UTC(1969, 11, 31))).getUTCDay()).toBe(1)
    expect(placedDays(Date.UTC(2026, 0, 30), 5).map(({ column, row }) => [column, row])).toEqual([
      [0, 4],
      [0, 5],
      [0, 6],
      [1, 0],
      [1, 1],
    ])
    expect(monthColumns(Date.UTC(2026, 0, 30), 5)).toEqual([{ column: 0, time: Date.UTC(2026, 1, 1) }])
  })

  it("levels days by how fast they burned the budget", async () => {
    const { dayLevel } = await load<Weeks>("chart/DayWeeks.ts")
    expect([0, 0.5, 0.51, 1, 1.01, 4, 4.01].map(dayLevel)).toEqual([
      "none",
      "some",
      "most",
      "most",
      "burned",
      "burned",
      "fast",
    ])
  })
})

describe("the labels of a time axis", () => {
  interface Ticks {
    readonly timeTicks: (
      from: number,
      to: number,
      count: number,
    ) => ReadonlyArray<{ readonly time: number; readonly text: string }>
  }

  it("are Mondays over months and the first of months over years, and never more than there is room for", async () => {
    const { timeTicks } = await load<Ticks>("chart/Ticks.ts")
    const from = Date.UTC(2026, 0, 7, 5)
    const weeks = timeTicks(from, from + 40 * day, 6)
    expect(weeks.map(({ text }) => text)).toEqual(["12 Jan", "19 Jan", "26 Jan", "2 Feb", "9 Feb", "16 Feb"])
    const months = timeTicks(from, from + 400 * day, 7)
    expect(months.map(({ text }) => text)).toEqual([
      "Mar 2026",
      "May 2026",
      "Jul 2026",
      "Sept 2026",
      "Nov 2026",
      "Jan 2027",
    ])
    for (const days of [0.02, 0.5, 1, 3, 7, 28, 90, 200, 400]) {
      for (const count of [3, 6, 12]) {
        const ticks = timeTicks(from, from + days * day, count)
        expect(ticks.length, `${days} days`).toBeLessThanOrEqual(count + 1)
        expect(ticks.every(({ time }) => time >= from && time <= from + days * day)).toBe(true)
      }
    }
  })
})

describe("the range of charts", () => {
  interface Ranges {
    readonly rangeOfParameters: (parameters: object) => object
    readonly rangeToParameters: (range: object) => object
    readonly widerRange: (from: number, to: number, now: number) => object
    readonly customIssue: (from: number, to: number) => { readonly at: string } | undefined
    readonly seriesQuery: (range: object, now: number) => object
  }

  it("is in the address, and is the time window where that says nothing or nonsense", async () => {
    const { rangeOfParameters, rangeToParameters, seriesQuery } = await load<Ranges>("slos/TimeRange.ts")
    const custom = { kind: "custom", from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 2) }
    for (const range of [{ kind: "window" }, { kind: "last", hours: 6 }, custom]) {
      expect(rangeOfParameters(rangeToParameters(range))).toEqual(range)
    }
    for (const range of ["7x", "0h", "9999h", "window"]) {
      expect(rangeOfParameters({ range, from: "", to: "2026-01-01T00:00:00Z" })).toEqual({ kind: "window" })
    }
    expect(seriesQuery({ kind: "last", hours: 1 }, Date.UTC(2026, 0, 1, 12, 0, 30))).toEqual({
      from: "2026-01-01T11:01:00Z",
      to: "2026-01-01T12:01:00Z",
    })
  })

  it("is refused at the field that is wrong, and gets wider without reaching into the future", async () => {
    const { customIssue, widerRange } = await load<Ranges>("slos/TimeRange.ts")
    expect(customIssue(Number.NaN, 1)?.at).toBe("from")
    expect(customIssue(1, Number.NaN)?.at).toBe("to")
    expect(customIssue(2, 1)?.at).toBe("to")
    expect(customIssue(0, 401 * day)?.at).toBe("from")
    expect(customIssue(0, 400 * day)).toBeUndefined()
    expect(widerRange(2 * hour, 4 * hour, 100 * hour)).toEqual({ kind: "custom", from: hour, to: 5 * hour })
    expect(widerRange(2 * hour, 4 * hour, 4 * hour)).toEqual({ kind: "custom", from: 0, to: 4 * hour })
  })
})

describe("what belongs to the charts", () => {
  it("a file of figures quotes what it must, and lets no text become a formula", async () => {
    const { csvOf } = await load<{ csvOf: (rows: ReadonlyArray<ReadonlyArray<unknown>>) => string }>(
      "chart/SaveChart.ts",
    )
    expect(csvOf([["a", 'b "c", d', "=1+1", 0.5, -2, null]])).toBe('a,"b ""c"", d",\'=1+1,0.5,-2,\r\n')
  })

  it("thresholds are the burn rates of policies, once for those that share one", async () => {
    const { burnThresholds } = await load<{
      burnThresholds: (policies: ReadonlyArray<object>, windowMs: number) => ReadonlyArray<object>
    }>("slos/BurnThresholds.ts")
    const policy = (name: string, spec: object) => ({ metadata: { name, project: "shop" }, spec })
    expect(
      burnThresholds(
        [
          policy("page", { sreWorkbook: "page" }),
          policy("fast", {
            conditions: [
              { measurement: "averageBurnRate", value: 5.6 },
              { measurement: "burnedBudget", value: 0.5 },
            ],
          }),
        ],
        28 * day,
      ),
    ).toEqual([
      { rate: 5.6, text: "5.60× page and fast" },
      { rate: 13.44, text: "13.4× page" },
    ])
  })
})
