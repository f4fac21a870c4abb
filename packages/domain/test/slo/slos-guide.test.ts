import { RangeList } from "../../src/codec/MinuteRange.ts"
import { durationOf } from "@tocsin/domain/codec"
import type { StoredDefinition } from "@tocsin/domain/ports"
import { objectiveStatus } from "@tocsin/domain/slo"
import { anSlo, calendarOf } from "@tocsin/testing/fixtures"
import type { CalendarUnit, Slo } from "@tocsin/domain/definitions"
import { calendarRange } from "../../src/slo/WindowAt.ts"
import { planCounts } from "../../src/status/CountsPlan.ts"
import type { Component } from "../../src/slo/CompositeObjective.ts"
import { readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"

const text = readFileSync(path.resolve(import.meta.dirname, "../../../../docs/guides/slos.md"), "utf8")

/** The cells of the table that begins with this heading, row by row, without the marks of code. */
const rowsOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = text.split("\n")
  const at = lines.findIndex((line) => line.replaceAll(/[ `]+/g, " ").startsWith(`| ${heading} |`))
  expect(at, heading).toBeGreaterThan(-1)
  const end = lines.findIndex((line, index) => index > at && !line.startsWith("|"))
  return lines.slice(at + 2, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.replaceAll("`", "").trim()),
  )
}

const numberIn = (cell = ""): number => Number(cell.replaceAll(",", ""))

describe("docs/guides/slos.md", () => {
  it("spec/slos §5: shows calendar windows as computed", () => {
    const rows = rowsOf("Window")
    expect(rows.length).toBeGreaterThan(4)
    for (const [length = "", startTime = "", timeZone = "", at = "", begins = "", ends = ""] of rows) {
      const [count, unit] = length.split(" ")
      const window = {
        unit: unit as CalendarUnit,
        count: Number(count),
        calendar: calendarOf({ startTime, timeZone }),
      }
      expect(calendarRange(window, Date.parse(at)), length).toEqual({
        from: Date.parse(begins),
        to: Date.parse(ends),
      })
    }
  })

  it("spec/slos §3, spec/slos §2: shows worked values as computed", () => {
    const rows = rowsOf("Method")
    expect(new Set(rows.map(([method]) => method))).toEqual(new Set(["Occurrences", "Timeslices"]))
    for (const [, good, total, reliability, percentage, seconds] of rows) {
      const counts = { good: numberIn(good), total: numberIn(total) }
      const status = objectiveStatus(0.99, 28 * 86_400_000, counts, undefined)
      expect(status.reliability).toBeCloseTo(numberIn(reliability), 11)
      expect(status.errorBudgetRemainingPercentage).toBeCloseTo(numberIn(percentage), 11)
      expect(status.errorBudgetRemaining).toBeCloseTo(numberIn(seconds), 6)
    }
  })

  it("spec/slos §6: shows the composite of its example", () => {
    const rows = rowsOf("whenDelayed")
    const components = rows.map(([whenDelayed, weight], index): Component => ({
      slo: { project: "shop", name: `slo-${index}` },
      objective: "good",
      weight: numberIn(weight),
      whenDelayed: whenDelayed as Component["whenDelayed"],
    }))
    const plain = anSlo({ project: "shop", name: "checkout" })
    const objectives = [
      { name: "whole", target: 0.95, composite: { maxDelay: durationOf("10m"), components } },
    ]
    const definition: Slo = { ...plain, spec: { ...plain.spec, objectives } }
    const stored: StoredDefinition<Slo> = { definition, version: "", createdAt: 0, updatedAt: 0 }
    const hour = { from: Date.UTC(2026, 0, 30, 11), to: Date.UTC(2026, 0, 30, 12) }
    const found = rows.map(([, , minutes, shares, without]) => {
      const sum = (minutes: number) => ({
        objective: "good",
        good: 0,
        total: minutes,
        minutes,
        goodShares: numberIn(shares),
        goodMinutes: 0,
      })
      return { sums: [[sum(numberIn(minutes))], [sum(50 - numberIn(without))]], latestAt: new Map() }
    })
    const reading = planCounts("acme", stored, new RangeList([hour]), hour.to - 1, () => undefined).interpret(
      [{ sums: [[]], latestAt: new Map() }, ...found],
    )
    const counts = reading.goodTotal("whole", hour)
    const [, good, total, reliability, percentage] =
      /= ([\d.]+), `total` .* = ([\d.]+): a `reliability` of\s+([\d.]+), .* of (-[\d.]+)\./.exec(text) ?? []
    expect(counts).toEqual({ good: numberIn(good), total: numberIn(total) })
    const status = objectiveStatus(0.95, 3_600_000, counts, undefined)
    expect(status.reliability).toBeCloseTo(numberIn(reliability), 11)
    expect(status.errorBudgetRemainingPercentage).toBeCloseTo(numberIn(percentage), 11)
    for (const [, , minutes, shares, without, n, s] of rows) {
      expect(numberIn(n)).toBeGreaterThanOrEqual(numberIn(minutes))
      expect(numberIn(n) - numberIn(minutes)).toBeLessThanOrEqual(numberIn(without))
      expect(numberIn(s)).toBeGreaterThanOrEqual(numberIn(shares))
    }
  })
})
