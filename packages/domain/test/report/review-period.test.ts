import { timeZoneRules } from "../../src/codec/TimeZones.ts"
import { previousPeriod, weeksOf } from "../../src/report/ReviewPeriod.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const zoneOf = (name: string) => {
  const rules = timeZoneRules(name)
  if (rules === undefined) throw new Error(`no time zone ${name}`)
  return { name, rules }
}

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Africa/Cairo",
]

const zone = fc.constantFrom(...zones).map(zoneOf)

/** Periods of 2020 to 2030 in whole minutes, at most 400 days long. */
const period = fc
  .tuple(
    fc.integer({ min: Date.UTC(2020, 0) / minute, max: Date.UTC(2030, 0) / minute }),
    fc.integer({ min: 1, max: 400 * 24 * 60 }),
  )
  .map(([from, length]) => ({ from: from * minute, to: (from + length) * minute }))

/** The wall-clock time of a zone, such as `2026-03-30 00:00 Mon`, by another way than the code. */
const wallClock = (time: number, timeZone: string): string => {
  const format = new Intl.DateTimeFormat("sv", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
  }).format(time)
  return `${format} ${new Intl.DateTimeFormat("en", { timeZone, weekday: "short" }).format(time)}`
}

const berlin = zoneOf("Europe/Berlin")

const texts = ({ from, to }: { readonly from: number; readonly to: number }) =>
  [from, to].map((time) => wallClock(time, berlin.name).slice(0, 16))

const inBerlin = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) })

describe("the weeks of a review", () => {
  it("spec/reports §9: follow one another from the start of the period to its end, each at most a week long", () => {
    fc.assert(
      fc.property(period, zone, ({ from, to }, timeZone) => {
        const weeks = weeksOf({ from, to }, timeZone)
        expect(weeks[0]?.from).toBe(from)
        expect(weeks.at(-1)?.to).toBe(to)
        for (const [index, week] of weeks.entries()) {
          expect(week.to).toBeGreaterThan(week.from)
          expect(week.to - week.from).toBeLessThanOrEqual(7 * day + hour)
          if (index > 0) {
            expect(week.from).toBe(weeks[index - 1]?.to)
            // No zone of the list skips midnight of a Monday but by daylight saving time.
            expect(wallClock(week.from, timeZone.name)).toMatch(/ 0[01]:00 Mon$/)
          }
        }
      }),
    )
  })
})

describe("the period before that of a review", () => {
  it("spec/reports §9: has as many calendar months, by the wall clock of the zone", () => {
    for (const [given, before] of [
      // The first quarter of 2026, and a quarter across both changes of the clock.
      [inBerlin("2025-12-31T23:00:00Z", "2026-03-31T22:00:00Z"), ["2025-10-01 00:00", "2026-01-01 00:00"]],
      [inBerlin("2026-03-31T22:00:00Z", "2026-06-30T22:00:00Z"), ["2026-01-01 00:00", "2026-04-01 00:00"]],
      // February and March of a leap year.
      [inBerlin("2028-02-29T23:00:00Z", "2028-03-31T22:00:00Z"), ["2028-02-01 00:00", "2028-03-01 00:00"]],
      // A week in which the clock changes has 167 hours, and the week before 168.
      [inBerlin("2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z"), ["2026-03-16 00:00", "2026-03-23 00:00"]],
      // Neither months nor days.
      [inBerlin("2026-05-01T10:00:00Z", "2026-05-01T11:30:00Z"), ["2026-05-01 10:30", "2026-05-01 12:00"]],
    ] as const) {
      expect(texts(previousPeriod(given, berlin))).toEqual(before)
    }
  })

  it("spec/reports §9: ends where the period starts, and is followed by it in every zone", () => {
    fc.assert(
      fc.property(period, zone, (given, timeZone) => {
        const before = previousPeriod(given, timeZone)
        expect(before.to).toBe(given.from)
        expect(before.from).toBeLessThan(given.from)
        expect(before.from % minute).toBe(0)
      }),
    )
  })

  it("spec/reports §9: of whole months is again of whole months, any number of times", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2021, max: 2030 }),
        fc.integer({ min: 0, max: 11 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom("UTC", "Europe/Berlin", "America/New_York").map(zoneOf),
        (year, month, months, timeZone) => {
          const midnight = (index: number): number => {
            const utc = Date.UTC(year, month + index, 1)
            return utc - timeZone.rules.offsetAt(utc - timeZone.rules.offsetAt(utc))
          }
          let given = { from: midnight(0), to: midnight(months) }
          for (let back = 1; back <= 3; back++) {
            given = previousPeriod(given, timeZone)
            expect(given).toEqual({ from: midnight(-back * months), to: midnight((1 - back) * months) })
          }
        },
      ),
    )
  })
})
