import * as Result from "effect/Result"
import { decodeCounts as decodeInParts } from "../../src/counts/DecodeCounts.ts"
import { atOnce } from "@tocsin/domain/adapter"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const decodeCounts = (...given: Parameters<typeof decodeInParts>) => atOnce(decodeInParts(...given))

const now = Date.UTC(2026, 0, 30, 12, 0, 30)
const retentionDays = 100
const objectives = new Set(["good", "great"])
const entry = { objective: "good", at: "2026-01-30T12:00:00Z", good: 9, total: 10 }
const issuesOf = (body: unknown): ReadonlyArray<readonly [string, string]> => {
  const result = decodeCounts(body, objectives, { now, retentionDays })
  return Result.isSuccess(result) ? [] : result.failure.issues.map(({ path, code }) => [path, code])
}

describe("a list of counts", () => {
  it("spec/counts §1: is read with its minutes", () => {
    const body = [entry, { ...entry, objective: "great", good: 0, total: 0.5 }]
    expect(decodeCounts(body, objectives, { now, retentionDays })).toEqual(
      Result.succeed([
        { objective: "good", at: Date.UTC(2026, 0, 30, 12), good: 9, total: 10 },
        { objective: "great", at: Date.UTC(2026, 0, 30, 12), good: 0, total: 0.5 },
      ]),
    )
    expect(decodeCounts([], objectives, { now, retentionDays })).toEqual(Result.succeed([]))
  })

  it("spec/counts §1: takes a good above total by the noise of binary fractions as total", () => {
    expect(0.1 + 0.2).toBeGreaterThan(0.3)
    expect(
      decodeCounts([{ ...entry, good: 0.1 + 0.2, total: 0.3 }], objectives, { now, retentionDays }),
    ).toEqual(Result.succeed([{ objective: "good", at: Date.UTC(2026, 0, 30, 12), good: 0.3, total: 0.3 }]))
    for (const [good, total] of [
      [0.3 + 1e-11, 0.3],
      [Number.MIN_VALUE, 0],
      [1_000_001, 1_000_000],
    ]) {
      expect(issuesOf([{ ...entry, good, total }])).toEqual([["[0].good", "out_of_range"]])
    }
  })

  it.each<[string, unknown, string]>([
    ["objective", undefined, "required"],
    ["objective", 1, "wrong_type"],
    ["objective", "other", "not_found"],
    ["objective", "__proto__", "not_found"],
    ["at", undefined, "required"],
    ["at", 1_769_774_400, "wrong_type"],
    ["at", "2026-01-30", "invalid_format"],
    ["at", "2026-01-30T12:00:01Z", "invalid_format"],
    ["at", "2026-01-30T12:00:00.001Z", "invalid_format"],
    ["at", "2026-01-30T12:06:00Z", "out_of_range"],
    ["at", "2025-10-22T12:00:00Z", "out_of_range"],
    ["good", undefined, "required"],
    ["good", null, "required"],
    ["good", "9", "wrong_type"],
    ["good", -1, "out_of_range"],
    ["good", 10.5, "out_of_range"],
    ["total", Number.NaN, "wrong_type"],
    ["total", Number.POSITIVE_INFINITY, "out_of_range"],
    ["total", 2 ** 53, "out_of_range"],
    ["note", "x", "unknown_property"],
  ])("spec/counts §1: %s %j is rejected as %s", (name, value, code) => {
    const path = name === "good" && value === 10.5 ? "[1].good" : `[1].${name}`
    expect(
      issuesOf([
        { ...entry, objective: "great" },
        { ...entry, [name]: value },
      ]),
    ).toEqual([[path, code]])
  })

  it.each<[string, object, { good: number; total: number }]>([
    ["good and bad", { good: 9, bad: 1 }, { good: 9, total: 10 }],
    ["bad and total", { bad: 1, total: 10 }, { good: 9, total: 10 }],
    ["all three", { good: 9, bad: 1, total: 10 }, { good: 9, total: 10 }],
    ["all three, which agree at 12 digits", { good: 0.1, bad: 0.2, total: 0.3 }, { good: 0.1, total: 0.3 }],
    ["only bad events", { bad: 10, total: 10 }, { good: 0, total: 10 }],
    ["bad above total by noise", { bad: 0.1 + 0.2, total: 0.3 }, { good: 0, total: 0.3 }],
    ["no events", { good: 0, bad: -0 }, { good: 0, total: 0 }],
    ["an omitted value as null", { good: null, bad: 1, total: 10 }, { good: 9, total: 10 }],
    ["the largest", { good: 2 ** 53 - 2, bad: 1 }, { good: 2 ** 53 - 2, total: 2 ** 53 - 1 }],
  ])("spec/counts §1: %s are good and total events", (_, events, expected) => {
    const body = [{ objective: "good", at: "2026-01-30T12:00:00Z", ...events }]
    expect(decodeCounts(body, objectives, { now, retentionDays })).toEqual(
      Result.succeed([{ objective: "good", at: Date.UTC(2026, 0, 30, 12), ...expected }]),
    )
  })

  it.each<[object, ReadonlyArray<readonly [string, string]>]>([
    [{ bad: 1 }, [["[0].total", "required"]]],
    [{ good: 1 }, [["[0].total", "required"]]],
    [{ total: 1 }, [["[0].good", "required"]]],
    [{ bad: 11, total: 10 }, [["[0].bad", "out_of_range"]]],
    [
      { good: 11, bad: 12, total: 10 },
      [
        ["[0].bad", "out_of_range"],
        ["[0].good", "out_of_range"],
      ],
    ],
    [{ good: 9, bad: 2, total: 10 }, [["[0].total", "not_allowed_value"]]],
    [{ good: 8, bad: 1, total: 10 }, [["[0].total", "not_allowed_value"]]],
    [{ good: 2 ** 53 - 1, bad: 1 }, [["[0].bad", "out_of_range"]]],
    [{ good: 9, bad: "1" }, [["[0].bad", "wrong_type"]]],
    [
      { bad: -1, total: 2 ** 53 },
      [
        ["[0].bad", "out_of_range"],
        ["[0].total", "out_of_range"],
      ],
    ],
  ])("spec/counts §1: %j has each of its issues", (events, expected) => {
    expect(issuesOf([{ objective: "good", at: "2026-01-30T12:00:00Z", ...events }])).toEqual(expected)
  })

  it("spec/counts §1: the last minute ahead and the oldest one kept are taken", () => {
    expect(issuesOf([{ ...entry, at: "2026-01-30T12:05:00Z" }])).toEqual([])
    expect(issuesOf([{ ...entry, at: "2025-12-30T12:01:00Z" }])).toEqual([])
  })

  it("spec/counts §1: the same objective and minute twice is rejected", () => {
    const again = { ...entry, at: "2026-01-30T12:00:00+00:00", good: 1 }
    expect(issuesOf([entry, { ...entry, objective: "great" }, again])).toEqual([["[2]", "duplicate"]])
  })

  it("spec/counts §1: every bad entry is named, by index", () => {
    const body = [{}, 7, null, [entry], entry, { ...entry, objective: "other", good: 11 }]
    expect(issuesOf(body)).toEqual([
      ["[0].at", "required"],
      ["[0].good", "required"],
      ["[0].objective", "required"],
      ["[0].total", "required"],
      ["[1]", "wrong_type"],
      ["[2]", "wrong_type"],
      ["[3]", "wrong_type"],
      ["[5].good", "out_of_range"],
      ["[5].objective", "not_found"],
    ])
  })

  it("spec/counts §1: a body that is no list, or too long a list, is rejected as a whole", () => {
    for (const body of [null, {}, "x", 1, entry]) expect(issuesOf(body)).toEqual([["", "wrong_type"]])
    expect(issuesOf(Array.from({ length: 10_001 }, () => entry))).toEqual([["", "too_many"]])
  })

  it("never throws, for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const result = decodeCounts(body, objectives, { now, retentionDays })
        if (Result.isFailure(result)) expect(result.failure.issues.length).toBeGreaterThan(0)
      }),
    )
  })
})
