import { hourKeyText, hoursOfRecording } from "../../src/slo/CountHours.ts"
import { emptyHour, type HourOfCounts, sliceRulesOf } from "@tocsin/domain/adapter"
import { expect, it } from "vitest"
import { anSlo } from "@tocsin/testing/fixtures"

const slo = { project: "shop", name: "checkout" }
const at = Date.UTC(2026, 0, 30, 12)

/** The hours of all SLOs of a recording: thousands, which no SLO may go through. */
class ManyHours extends Map<string, HourOfCounts> {
  override [Symbol.iterator](): never {
    throw new Error("every hour of every SLO was gone through")
  }
}

it("spec/counts §2: an SLO of a large recording looks at its own hours alone", () => {
  const composite = { target: 0.9, burnRateCondition: { value: 2, op: "gte" } } as const
  const rules = sliceRulesOf(anSlo(slo, { composite }))
  const { reads, hours } = hoursOfRecording(slo, [{ objective: "good", at, good: 1, total: 2 }], rules)
  expect(reads.map(hourKeyText)).toEqual([`shop/checkout/${at}/good`, `shop/checkout/${at}/great`])
  const read = new ManyHours()
  read.set(`shop/checkout/${at}/great`, { ...emptyHour, good: [3], total: [3] })
  const { written } = hours(read)
  expect(written.map(({ objective, hour }) => [objective, hour.good[0], hour.total[0]])).toEqual([
    ["good", 1, 2],
    ["", 0, 1],
  ])
})
