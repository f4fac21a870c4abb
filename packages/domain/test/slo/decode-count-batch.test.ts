import * as Result from "effect/Result"
import { readCountBatch } from "../../src/counts/DecodeCountBatch.ts"
import { atOnce } from "@tocsin/domain/adapter"
import { describe, expect, it } from "vitest"
import { countsPerRequestMax } from "../../src/counts/DecodeCounts.ts"

const now = Date.UTC(2026, 0, 30, 12, 0, 30)
const retentionDays = 100
const at = Date.UTC(2026, 0, 30, 12)
const entry = {
  project: "shop",
  slo: "checkout",
  objective: "good",
  at: "2026-01-30T12:00:00Z",
  good: 9,
  total: 10,
}

const objectivesBySlo = new Map([
  ["checkout", new Set(["good", "great"])],
  ["search", new Set(["fast"])],
])

const resolve = (body: unknown) =>
  Result.flatMap(atOnce(readCountBatch(body, { now, retentionDays })), (batch) =>
    atOnce(batch.resolve(({ name }) => objectivesBySlo.get(name))),
  )

const issuesOf = (body: unknown) => {
  const result = resolve(body)
  return Result.isSuccess(result) ? [] : result.failure.issues.map(({ path, code }) => [path, code])
}

describe("a list of counts of several SLOs", () => {
  it("spec/counts §2: becomes a recording for each SLO, its counts in their order", () => {
    const later = "2026-01-30T12:01:00Z"
    const body = [
      entry,
      { ...entry, slo: "search", objective: "fast" },
      { ...entry, objective: "great" },
      { ...entry, at: later },
    ]
    expect(resolve(body)).toEqual(
      Result.succeed([
        {
          slo: { project: "shop", name: "checkout" },
          counts: [
            { objective: "good", at, good: 9, total: 10 },
            { objective: "great", at, good: 9, total: 10 },
            { objective: "good", at: at + 60_000, good: 9, total: 10 },
          ],
        },
        {
          slo: { project: "shop", name: "search" },
          counts: [{ objective: "fast", at, good: 9, total: 10 }],
        },
      ]),
    )
    expect(resolve([])).toEqual(Result.succeed([]))
  })

  it("spec/counts §2: takes bad events instead of good or total ones, and not an invalid number", () => {
    const { good: _, ...withoutGood } = entry
    const { total: __, ...withoutTotal } = entry
    const body = [
      { ...withoutGood, bad: 1 },
      { ...withoutTotal, objective: "great", bad: 1 },
    ]
    expect(resolve(body)).toEqual(
      Result.succeed([
        {
          slo: { project: "shop", name: "checkout" },
          counts: [
            { objective: "good", at, good: 9, total: 10 },
            { objective: "great", at, good: 9, total: 10 },
          ],
        },
      ]),
    )
    expect(issuesOf([{ ...entry, bad: 2 }])).toEqual([["[0].total", "not_allowed_value"]])
    expect(issuesOf([{ ...entry, bad: "1" }])).toEqual([["[0].bad", "wrong_type"]])
    expect(issuesOf([{ ...withoutGood }])).toEqual([["[0].good", "required"]])
  })

  it("spec/counts §2: names each SLO once that is to be looked up, also those of entries with issues", () => {
    const body = [entry, { ...entry, good: 11 }, { ...entry, project: "ops", at: 1 }]
    const batch = atOnce(readCountBatch(body, { now, retentionDays }))
    expect(Result.isSuccess(batch) && batch.success.slos).toEqual([
      { project: "shop", name: "checkout" },
      { project: "ops", name: "checkout" },
    ])
  })

  it("spec/counts §2: every issue is reported at once, by the index of its entry", () => {
    expect(
      issuesOf([
        { ...entry, good: 11 },
        { ...entry, slo: "unknown" },
        { ...entry, objective: "other" },
        { ...entry, slo: undefined, project: "Shop", objective: "" },
        "none",
        { ...entry, slo: "search", at: "2026-01-30T12:00:30Z", more: 1 },
        entry,
        entry,
      ]),
    ).toEqual([
      ["[0].good", "out_of_range"],
      ["[1].slo", "not_found"],
      ["[2].objective", "not_found"],
      ["[3].objective", "required"],
      ["[3].project", "invalid_format"],
      ["[3].slo", "required"],
      ["[4]", "wrong_type"],
      ["[5].at", "invalid_format"],
      ["[5].more", "unknown_property"],
      ["[5].objective", "not_found"],
      ["[7]", "duplicate"],
    ])
  })

  it("spec/counts §2: the same objective and minute of another SLO or project is no repetition", () => {
    expect(issuesOf([entry, { ...entry, project: "ops" }])).toEqual([])
    const twice = resolve([entry, entry])
    expect(Result.isFailure(twice) && twice.failure.issues[0]?.message).toBe(
      "has the SLO, objective and minute of [0]",
    )
  })

  it("spec/counts §2: a list of as many as one request can bring is read, one more is not", () => {
    const entries = Array.from({ length: countsPerRequestMax }, (_, index) => ({
      ...entry,
      at: new Date(at - index * 60_000).toISOString(),
    }))
    expect(issuesOf(entries)).toEqual([])
    expect(issuesOf([...entries, entry])).toEqual([["", "too_many"]])
    expect(issuesOf({})).toEqual([["", "wrong_type"]])
  })
})
