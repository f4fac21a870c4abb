import { dayMs, decode, hourMs, minuteMs } from "@tocsin/domain/codec"
import { encode } from "../../src/codec/Codec.ts"
import { type Recurrence, recurrence, recurringRanges } from "../../src/codec/Recurrence.ts"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const saturdays = {
  startTime: "2026-01-01 02:00:00",
  timeZone: "Europe/Berlin",
  rrule: "FREQ=WEEKLY;BYDAY=SA",
  duration: "2h",
}

const decoded = (change: Partial<typeof saturdays> = {}): Recurrence =>
  Result.getOrThrow(decode(recurrence, { ...saturdays, ...change }, {}))

const issuesOf = (input: unknown): ReadonlyArray<ReadonlyArray<string>> => {
  const result = decode(recurrence, input, {})
  return Result.isFailure(result) ? result.failure.map(({ path, code }) => [path, code]) : []
}

const texts = (found: Recurrence, from: number, to: number): ReadonlyArray<string> =>
  recurringRanges(found, { from, to }).map(
    (range) => `${new Date(range.from).toISOString()}/${new Date(range.to).toISOString()}`,
  )

describe("a recurrence", () => {
  it("reads back as it is written", () => {
    expect(encode(recurrence, decoded())).toEqual(saturdays)
  })

  it.each([
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=2",
    "FREQ=WEEKLY;BYDAY=MO,WE;WKST=SU",
    "FREQ=MONTHLY;BYDAY=-1SU",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=MONTHLY;BYMONTHDAY=1,-1",
    "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24,25",
    "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO",
    "FREQ=DAILY;UNTIL=20261231T235959Z",
  ])("takes the rule %s", (rrule) => {
    expect(issuesOf({ ...saturdays, rrule })).toEqual([])
  })

  it.each([
    ["BYDAY=SA", "required"],
    ["FREQ=HOURLY", "invalid_format"],
    ["FREQ=WEEKLY;BYHOUR=3", "invalid_format"],
    ["FREQ=WEEKLY;RSCALE=CHINESE", "invalid_format"],
    ["FREQ=WEEKLY;BYDAY=SAT", "invalid_format"],
    ["FREQ=WEEKLY;BYDAY=SA,", "invalid_format"],
    ["FREQ=WEEKLY;", "invalid_format"],
    ["freq=weekly", "invalid_format"],
    ["FREQ=MONTHLY;BYMONTHDAY=32", "invalid_format"],
    ["FREQ=MONTHLY;BYMONTHDAY=0", "invalid_format"],
    ["FREQ=DAILY;INTERVAL=0", "invalid_format"],
    ["FREQ=DAILY;INTERVAL=1001", "invalid_format"],
    ["FREQ=DAILY;COUNT=10", "not_allowed_value"],
    ["FREQ=DAILY;UNTIL=20261231", "invalid_format"],
    ["FREQ=DAILY;UNTIL=20261331T000000Z", "invalid_format"],
    ["FREQ=WEEKLY;BYDAY=1MO", "invalid_format"],
    ["FREQ=DAILY;FREQ=WEEKLY", "duplicate"],
    ["FREQ=DAILY\nRRULE:FREQ=WEEKLY", "invalid_format"],
  ])("rejects the rule %j", (rrule, code) => {
    expect(issuesOf({ ...saturdays, rrule })).toEqual([["rrule", code]])
  })

  it("says every issue of a recurrence at once", () => {
    const issues = issuesOf({
      startTime: "2026-01-01",
      timeZone: "Berlin",
      rrule: "FREQ=D;INTERVAL=0",
      duration: "90s",
    })
    expect(issues).toEqual([
      ["duration", "out_of_range"],
      ["rrule", "invalid_format"],
      ["rrule", "invalid_format"],
      ["startTime", "invalid_format"],
      ["timeZone", "not_allowed_value"],
    ])
    expect(issuesOf({})).toHaveLength(4)
  })

  it("keeps the time of day when clocks change", () => {
    expect(texts(decoded(), Date.UTC(2026, 2, 21), Date.UTC(2026, 3, 5))).toEqual([
      "2026-03-21T01:00:00.000Z/2026-03-21T03:00:00.000Z",
      "2026-03-28T01:00:00.000Z/2026-03-28T03:00:00.000Z",
      "2026-04-04T00:00:00.000Z/2026-04-04T02:00:00.000Z",
    ])
  })

  it("leaves out a start that daylight saving time skips, and takes the first of one that comes twice", () => {
    const nightly = decoded({ startTime: "2026-01-01 02:30:00", rrule: "FREQ=DAILY" })
    expect(texts(nightly, Date.UTC(2026, 2, 28, 12), Date.UTC(2026, 2, 30, 12))).toEqual([
      "2026-03-30T00:30:00.000Z/2026-03-30T02:30:00.000Z",
    ])
    expect(texts(nightly, Date.UTC(2026, 9, 24, 12), Date.UTC(2026, 9, 25, 12))).toEqual([
      "2026-10-25T00:30:00.000Z/2026-10-25T02:30:00.000Z",
    ])
  })

  it("has what overlaps the range, even where it began long before, and joins what overlaps", () => {
    const monthly = decoded({ rrule: "FREQ=MONTHLY;BYMONTHDAY=1", duration: "480h", timeZone: "UTC" })
    expect(texts(monthly, Date.UTC(2026, 4, 20), Date.UTC(2026, 4, 21))).toEqual([
      "2026-05-01T02:00:00.000Z/2026-05-21T02:00:00.000Z",
    ])
    expect(texts(monthly, Date.UTC(2026, 4, 21, 2), Date.UTC(2026, 5, 1, 2))).toEqual([])
    const always = decoded({ rrule: "FREQ=DAILY", duration: "24h", timeZone: "UTC" })
    expect(texts(always, Date.UTC(2026, 4, 20), Date.UTC(2026, 4, 22))).toEqual([
      "2026-05-19T02:00:00.000Z/2026-05-22T02:00:00.000Z",
    ])
  })

  it("begins at its start and ends at its date", () => {
    const all = [Date.UTC(2025, 11, 1), Date.UTC(2026, 3, 1)] as const
    expect(texts(decoded({ rrule: "FREQ=WEEKLY;BYDAY=SA;UNTIL=20260110T010000Z" }), ...all)).toEqual([
      "2026-01-03T01:00:00.000Z/2026-01-03T03:00:00.000Z",
      "2026-01-10T01:00:00.000Z/2026-01-10T03:00:00.000Z",
    ])
    expect(texts(decoded({ rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }), ...all)).toEqual([])
  })

  it("has the days that a calendar has, in any time zone and however the range is cut", () => {
    const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"]
    const names = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
    fc.assert(
      fc.property(
        fc.record({
          zone: fc.constantFrom(...zones),
          /** Early afternoon: no time zone here changes its clocks then. */
          minuteOfDay: fc.integer({ min: 12 * 60, max: 16 * 60 }),
          weekdays: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
          startDay: fc.integer({ min: 0, max: 400 }),
          from: fc.integer({ min: 0, max: 800 * 24 }),
          hours: fc.integer({ min: 1, max: 60 * 24 }),
          durationMinutes: fc.integer({ min: 1, max: 600 }),
        }),
        ({ zone, minuteOfDay, weekdays, startDay, from, hours, durationMinutes }) => {
          const epoch = Date.UTC(2025, 0, 1)
          const startText = new Date(epoch + startDay * dayMs + minuteOfDay * minuteMs).toISOString()
          const found = decoded({
            startTime: startText.slice(0, 19).replace("T", " "),
            timeZone: zone,
            rrule: `FREQ=WEEKLY;BYDAY=${weekdays.join(",")}`,
            duration: `${durationMinutes}m`,
          })
          const range = { from: epoch + from * hourMs, to: epoch + (from + hours) * hourMs }
          const expected: Array<number> = []
          for (let day = epoch + startDay * dayMs; day < range.to + 2 * dayMs; day += dayMs) {
            if (!weekdays.includes(names[new Date(day).getUTCDay()] ?? "")) continue
            const start = instantAt(day + minuteOfDay * minuteMs, zone)
            if (start < range.to && start + durationMinutes * minuteMs > range.from) expected.push(start)
          }
          expect(recurringRanges(found, range).map((each) => each.from)).toEqual(expected)
        },
      ),
      { numRuns: 60 },
    )
  })
})

/** The instant at which clocks in a zone show a wall-clock time, given as if it were in UTC. */
const instantAt = (wallClock: number, timeZone: string): number => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" })
  const shown = (instant: number) => Date.parse(`${format.format(instant).replace(" ", "T")}Z`)
  const guess = wallClock - (shown(wallClock) - wallClock)
  return guess - (shown(guess) - wallClock)
}
