import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { timeOfWallClock, timeZoneRules } from "../../src/codec/TimeZones.ts"

const minute = 60_000
const day = 1_440 * minute

const rulesOf = (name: string) => timeZoneRules(name) ?? expect.fail(`no time zone ${name}`)

/** The first change of the clocks within 400 days; the end of them if there is none. */
const changeAfter = (from: number, zone: string): number => {
  const { offsetAt } = rulesOf(zone)
  let [before, after] = [from, from + 400 * day]
  for (let at = from; at < after; at += 7 * day) {
    if (offsetAt(at) !== offsetAt(at + 7 * day)) [before, after] = [at, at + 7 * day]
  }
  while (after - before > minute) {
    const middle = before + Math.floor((after - before) / 2 / minute) * minute
    if (offsetAt(middle) === offsetAt(before)) before = middle
    else after = middle
  }
  return after
}

const zones = fc.constantFrom("UTC", "Etc/GMT+5", ...Intl.supportedValuesOf("timeZone"))
// Until 1972, a zone was off by seconds, which DateTime reads differently.
const minutesOf = (from: number, to: number) =>
  fc.integer({ min: Date.UTC(from) / minute, max: Date.UTC(to) / minute }).map((each) => each * minute)

const sameAsDateTime = (wallClock: number, timeZone: string): void => {
  const { epochMilliseconds } = DateTime.makeZonedUnsafe(wallClock, { timeZone, adjustForTimeZone: true })
  expect(
    timeOfWallClock(wallClock, rulesOf(timeZone)),
    `${new Date(wallClock).toISOString()} ${timeZone}`,
  ).toBe(epochMilliseconds)
}

describe("the time of a wall clock", () => {
  it("is the one of Effect's DateTime at any time, in every zone", () => {
    fc.assert(fc.property(minutesOf(1973, 2100), zones, sameAsDateTime), { numRuns: 1_000 })
  })

  it("is the one of Effect's DateTime around changes of the clocks", () => {
    const around = fc.record({
      from: minutesOf(1973, 2036),
      zone: zones,
      offset: fc.integer({ min: -2_000, max: 2_000 }),
      nearby: fc.integer({ min: -130, max: 130 }),
    })
    fc.assert(
      fc.property(around, ({ from, zone, offset, nearby }) => {
        const change = changeAfter(from, zone)
        const { offsetAt } = rulesOf(zone)
        for (const local of [change + offsetAt(change - minute), change + offsetAt(change)]) {
          for (const minutes of [0, -1, 1, nearby, offset]) sameAsDateTime(local + minutes * minute, zone)
        }
      }),
      { numRuns: 300 },
    )
  })

  it("is exact where a zone is off by seconds", () => {
    expect(rulesOf("Africa/Monrovia").offsetAt(0)).toBe(-(44 * 60 + 30) * 1_000)
  })
})

describe("the rules of a time zone", () => {
  it("are found by a name in any case", () => {
    expect(rulesOf("europe/paris").offsetAt(0)).toBe(60 * minute)
  })

  it.each(["", "+01:00", "-05", "Europe/Atlantis", "Europe/Paris "])("do not exist for %j", (name) => {
    expect(timeZoneRules(name)).toBeUndefined()
  })

  it("are made once for all spellings of a name, and stay however many are asked for", () => {
    const [vienna, newYork] = [rulesOf("Europe/Vienna"), rulesOf("America/New_York")]
    const spellings = Array.from({ length: 2_048 }, (_, index) =>
      Array.from("america/new_york", (letter, bit) =>
        (index >> bit) & 1 ? letter.toUpperCase() : letter,
      ).join(""),
    )
    for (const each of spellings) expect(rulesOf(each)).toBe(newYork)
    expect(rulesOf("Europe/Vienna")).toBe(vienna)
  })

  it("are not found by letters that are those of a name in lower case only", () => {
    expect(timeZoneRules("Europe/Kiev")).toBeDefined()
    expect(timeZoneRules("Europe/\u212aiev")).toBeUndefined()
  })
})
