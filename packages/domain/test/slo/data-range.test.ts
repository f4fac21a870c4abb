import * as Result from "effect/Result"
import { parseDataRange } from "../../src/status/DataRange.ts"
import { parseUtcInstant } from "../../src/codec/MinuteInstant.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const from = "2026-01-01T00:00:00Z"
const to = "2026-01-02T00:00:00Z"

describe("fields, from and to", () => {
  it("spec/status-api §8: a range is read when counts are asked for", () => {
    expect(parseDataRange({ fields: "counts", from, to })).toEqual(
      Result.succeed({ from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 2) }),
    )
  })

  it("spec/status-api §9: without fields a valid pair has no effect", () => {
    expect(parseDataRange({})).toEqual(Result.succeed(undefined))
    expect(parseDataRange({ from, to })).toEqual(Result.succeed(undefined))
  })

  it("spec/status-api §9: an empty string is treated as omitted, as for limit", () => {
    expect(parseDataRange({ fields: "", from: "", to: "" })).toEqual(Result.succeed(undefined))
    expect(parseDataRange({ fields: "", from, to })).toEqual(Result.succeed(undefined))
    expect(parseDataRange({ fields: "counts", from, to: "" })).toMatchObject({
      _tag: "Failure",
      failure: { code: "range_incomplete", propertyName: "to" },
    })
  })

  it("spec/status-api §8: fields needs from and to, and they go together", () => {
    for (const [query, propertyName] of [
      [{ fields: "counts" }, "from"],
      [{ fields: "counts", from }, "to"],
      [{ fields: "counts", to }, "from"],
      [{ from }, "to"],
      [{ to }, "from"],
    ] as const) {
      expect(parseDataRange(query)).toMatchObject({
        _tag: "Failure",
        failure: { code: "range_incomplete", propertyName },
      })
    }
  })

  it("spec/status-api §9: anything but counts is rejected", () => {
    for (const fields of [" ", "count", "Counts", "counts,counts", "counts ", "*"]) {
      expect(parseDataRange({ fields, from, to })).toMatchObject({
        _tag: "Failure",
        failure: { code: "fields_invalid", propertyName: "fields", propertyValue: fields },
      })
    }
  })

  it("spec/status-api §9: exactly 7 days are taken, a second more is rejected", () => {
    expect(Result.isSuccess(parseDataRange({ fields: "counts", from, to: "2026-01-08T00:00:00Z" }))).toBe(
      true,
    )
    expect(parseDataRange({ from, to: "2026-01-08T00:00:01Z" })).toMatchObject({
      _tag: "Failure",
      failure: { code: "range_too_long", propertyName: "to", propertyValue: "2026-01-08T00:00:01Z" },
    })
  })

  it("spec/status-api §9: from must be before to", () => {
    for (const to of [from, "2025-12-31T23:59:59Z"]) {
      expect(parseDataRange({ from, to })).toMatchObject({
        _tag: "Failure",
        failure: { code: "range_invalid" },
      })
    }
  })

  it("spec/status-api §9: each end stands for the start of its minute, so that neighbouring ranges add up", () => {
    expect(
      parseDataRange({ fields: "counts", from: "2026-01-01T10:00:59.999Z", to: "2026-01-01T10:02:30+00:00" }),
    ).toEqual(Result.succeed({ from: Date.UTC(2026, 0, 1, 10, 0), to: Date.UTC(2026, 0, 1, 10, 2) }))
  })

  it("spec/status-api §9: an end that is no date-time in UTC is rejected with its name", () => {
    expect(parseDataRange({ from: "yesterday", to })).toMatchObject({
      _tag: "Failure",
      failure: { code: "date_time_invalid", propertyName: "from", propertyValue: "yesterday" },
    })
    expect(parseDataRange({ from, to: "2026-01-02T00:00:00+01:00" })).toMatchObject({
      _tag: "Failure",
      failure: { code: "date_time_invalid", propertyName: "to" },
    })
  })
})

describe("a date-time in UTC", () => {
  it.each([
    ["2026-01-30T12:00:00Z", Date.UTC(2026, 0, 30, 12)],
    ["2026-01-30t12:00:00z", Date.UTC(2026, 0, 30, 12)],
    ["2026-01-30T12:00:00+00:00", Date.UTC(2026, 0, 30, 12)],
    ["2026-01-30T12:00:00 00:00", Date.UTC(2026, 0, 30, 12)],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["2026-01-30T12:00:00.5Z", Date.UTC(2026, 0, 30, 12, 0, 0, 500)],
    ["2026-01-30T12:00:00.123999999Z", Date.UTC(2026, 0, 30, 12, 0, 0, 123)],
  ])("spec/status-api §9: %s is read", (text, instant) => {
    expect(parseUtcInstant(text)).toBe(instant)
  })

  it.each([
    "",
    "2026-01-30",
    "2026-01-30T12:00Z",
    "2026-01-30 12:00:00Z",
    "2026-01-30T12:00:00",
    "2026-01-30T12:00:00-00:00",
    "2026-01-30T12:00:00+01:00",
    "2026-02-30T12:00:00Z",
    "2025-02-29T12:00:00Z",
    "2026-13-01T12:00:00Z",
    "2026-01-30T24:00:00Z",
    "2026-01-30T12:60:00Z",
    "2026-12-31T23:59:60Z",
    "2026-01-30T12:00:00.Z",
    "+002026-01-30T12:00:00Z",
    " 2026-01-30T12:00:00Z",
    "2026-01-30T12:00:00Z\n",
    "1767225600",
  ])("spec/status-api §9: %j is rejected", (text) => {
    expect(parseUtcInstant(text)).toBeUndefined()
  })

  it("reads back every instant that is written", () => {
    const dates = fc.date({
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(dates, (date) => {
        expect(parseUtcInstant(date.toISOString())).toBe(date.getTime())
      }),
    )
  })

  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseUtcInstant(text)))
  })
})
