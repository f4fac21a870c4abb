import { anSlo } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as fc from "fast-check"
import { labelsMatch } from "../../src/metadata/LabelFilter.ts"
import { projectKeyText } from "../../src/metadata/ObjectKey.ts"
import { healthOf, type HealthReviewSpec, reviewHealth } from "../../src/report/HealthReview.ts"
import { dayEnds, type DaysMet, type RollupFolder, rollUp } from "../../src/report/ReliabilityRollup.ts"
import type { SloRecord } from "../../src/status/SloRecord.ts"
import { atOnce } from "../../src/work/Parts.ts"

const day = 86_400_000
const minute = 60_000

const record = (name: string, service: string, labels: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const slo = anSlo({ project: "shop", name }, { service })
  const found: SloRecord = {
    slo: { ...slo, metadata: { ...slo.metadata, labels } },
    createdAt: 0,
    statuses: new Map(),
    project: { name: "shop" },
    service: { name: service },
  }
  return found
}

const labels = fc.record(
  {
    region: fc.subarray(["east", "west"]),
    tier: fc.subarray(["1", "2", "3"]),
  },
  { requiredKeys: [] },
)

const budget = fc.option(fc.double({ min: -2, max: 1, noNaN: true }), { nil: undefined })

const slos = fc
  .array(fc.tuple(fc.constantFrom("web", "api"), labels, budget), { maxLength: 12 })
  .map((each) =>
    each.map(
      ([service, labels, budget], index) => [record(`slo-${index}`, service, labels), budget] as const,
    ),
  )

const spec: fc.Arbitrary<HealthReviewSpec> = fc
  .record({
    rowGroupBy: fc.constantFrom(
      "project" as const,
      "service" as const,
      "label" as const,
      "customRows" as const,
    ),
    columns: fc.array(fc.record({ displayName: fc.constant("Column"), labels }), {
      minLength: 1,
      maxLength: 4,
    }),
    labelRows: fc.array(fc.record({ displayName: fc.constant("Row"), labels }), { maxLength: 3 }),
    hideUngrouped: fc.boolean(),
    thresholds: fc.record({
      redLte: fc.constantFrom(0, 0.2),
      greenGt: fc.constantFrom(0.2, 0.8),
      showNoData: fc.boolean(),
    }),
  })
  .map((given) => ({
    ...given,
    timeFrame: {
      snapshot: { point: "latest" as const },
      timeZone: { name: "UTC", rules: { offsetAt: () => 0 } },
    },
  }))

const sumOf = (counts: object): number =>
  Object.values(counts).reduce((sum: number, each: number) => sum + each, 0)

describe("the table of a system health review", () => {
  it("spec/reports §11: counts each SLO once in the total, and in each cell as its rows and columns say", () => {
    fc.assert(
      fc.property(spec, slos, (spec, given) => {
        const budgets = new Map(given.map(([{ slo }, budget]) => [projectKeyText(slo.metadata), budget]))
        const review = atOnce(
          reviewHealth(
            spec,
            given.map(([record]) => record),
            ({ slo }) => budgets.get(projectKeyText(slo.metadata)),
          ),
        )
        if (review === undefined) throw new Error("too many cells")
        const { table, slos } = review
        const countOf = (isIn: (slo: (typeof slos)[number]) => boolean) => {
          const counts = { exhausted: 0, atRisk: 0, healthy: 0, noData: 0 }
          for (const slo of slos) if (isIn(slo)) counts[slo.health]++
          return counts
        }
        expect(table.total).toEqual(countOf(({ rows }) => rows.length > 0))
        for (const [column, { total }] of table.columns.entries())
          expect(total).toEqual(countOf(({ rows, columns }) => rows.length > 0 && columns.includes(column)))
        for (const [row, { total, cells }] of table.rows.entries()) {
          expect(total).toEqual(countOf(({ rows }) => rows.includes(row)))
          expect(sumOf(total)).toBeGreaterThan(0)
          expect(spec.thresholds.showNoData || sumOf(total) > total.noData).toBe(true)
          for (const [column, cell] of cells.entries())
            expect(cell).toEqual(
              countOf(({ rows, columns }) => rows.includes(row) && columns.includes(column)),
            )
        }
        for (const [index, [{ slo }, budget]] of given.entries()) {
          const matched = spec.columns.flatMap(({ labels }, column) =>
            labelsMatch(slo.metadata.labels, labels) ? [column] : [],
          )
          expect(slos[index]?.columns).toEqual(matched)
          expect(slos[index]?.health).toBe(healthOf(budget, spec.thresholds))
          if (matched.length === 0) expect(slos[index]?.rows).toEqual([])
        }
      }),
    )
  })

  it("spec/reports §11: is healthy above greenGt, exhausted up to redLte", () => {
    const thresholds = { redLte: 0.2, greenGt: 0.8 }
    expect([undefined, -1, 0.2, 0.21, 0.8, 0.81].map((budget) => healthOf(budget, thresholds))).toEqual([
      "noData",
      "exhausted",
      "exhausted",
      "atRisk",
      "atRisk",
      "healthy",
    ])
  })
})

const daysMet = fc
  .tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 }))
  .map(([days, met]): DaysMet => ({ days, daysMet: Math.min(days, met) }))

interface DaysFolder {
  readonly days: ReadonlyArray<DaysMet>
  readonly folders: ReadonlyArray<DaysFolder>
}

const folderOfDepth = (depth: number): fc.Arbitrary<DaysFolder> =>
  fc.record({
    days: fc.array(daysMet, { maxLength: 3 }),
    folders: depth === 0 ? fc.constant([]) : fc.array(folderOfDepth(depth - 1), { maxLength: 2 }),
  })

describe("a reliability roll-up", () => {
  it("spec/reports §11: has a score that is the sum of the scores of its SLOs by their weights, which add up to 1", () => {
    fc.assert(
      fc.property(fc.array(folderOfDepth(3), { maxLength: 3 }), (given) => {
        const days = new Map<string, DaysMet>()
        const folderOf = ({ days: ofFolder, folders }: DaysFolder): RollupFolder => ({
          displayName: "Folder",
          slos: ofFolder.map((each) => {
            const key = { project: "shop", name: `slo-${days.size}` }
            days.set(projectKeyText(key), each)
            return key
          }),
          folders: folders.map(folderOf),
        })
        const folders = given.map(folderOf)
        const rollup = atOnce(
          rollUp(folders, new Map(), (key) => days.get(projectKeyText(key)) ?? { days: 0, daysMet: 0 }),
        )
        expect(rollup.slos).toHaveLength(days.size)
        const weighed = rollup.slos.flatMap(({ score, weight }) =>
          score === undefined || weight === undefined ? [] : [{ score, weight }],
        )
        expect(weighed).toHaveLength([...days.values()].filter((each) => each.days > 0).length)
        if (weighed.length === 0) {
          expect(rollup.score).toBeUndefined()
          return
        }
        expect(weighed.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9)
        expect(rollup.score).toBeCloseTo(
          weighed.reduce((sum, { score, weight }) => sum + score * weight, 0),
          9,
        )
        const top = rollup.folders.filter(({ depth }) => depth === 0)
        expect(top.reduce((sum, { weight = 0 }) => sum + weight, 0)).toBeCloseTo(1, 9)
      }),
    )
  })

  it("spec/reports §11: has one end for each day in UTC, the last of them the end of the period", () => {
    const start = Date.UTC(2026, 0, 1)
    fc.assert(
      fc.property(fc.nat({ max: 3_000 }), fc.integer({ min: 1, max: 10_000 }), (from, minutes) => {
        const period = { from: start + from * minute, to: start + (from + minutes) * minute }
        const ends = dayEnds(period)
        expect(ends.at(-1)).toBe(period.to - minute)
        expect(new Set(ends.map((end) => Math.floor(end / day))).size).toBe(ends.length)
        expect(ends.slice(0, -1).every((end) => (end + minute) % day === 0)).toBe(true)
        expect(ends).toHaveLength(Math.floor((period.to - 1) / day) - Math.floor(period.from / day) + 1)
      }),
    )
  })
})
