import { cumulativeExpression } from "@tocsin/promql"
import { describe, expect, it } from "vitest"

const isSum = (expression: string): boolean => cumulativeExpression(expression).gained !== undefined

describe("an expression that returns a cumulative counter", () => {
  it.each([
    'requests_total{code="200"}',
    "sum(requests_total)",
    "sum by (job) (requests_total) + sum by (job) (retries_total)",
    "(sum(requests_total)) - sum(errors_total)",
    "sum(requests_total) * 60",
    "1000 * sum(requests_total)",
    "sum(requests_total) / 1e3",
    "sum(errors_total) or vector(0)",
    "-sum(credits)",
  ])("spec/data-sources §15: a sum of counters is read series by series: %s", (expression) => {
    expect(isSum(expression)).toBe(true)
  })

  it.each([
    "max(requests_total)",
    "count(requests_total)",
    "sum(requests_total) + 1",
    "60 / sum(requests_total)",
    "sum(a) / sum(b)",
    "sum(a) * sum(b)",
    "sum(a) > 10",
    "sum(a) or vector(1)",
    "sum(rate(requests_total[5m]))",
    "sum(requests_total offset 5m)",
    "sum(max_over_time(a[5m:1m]))",
    "clamp_max(sum(a), 10)",
    "topk(1, a)",
  ])("spec/data-sources §15: anything else is read as a difference of its values: %s", (expression) => {
    const { events } = cumulativeExpression(expression)
    expect(isSum(expression)).toBe(false)
    const before = `last_over_time((${expression})[1m:1m] offset 1m)`
    const now = `((${expression}) * 1)`
    expect(events).toBe(
      `(${now} - ${before} >= 0) or ((${now} < ${before} and ${now} >= ${before} * 0.95) * 0) or (${now} and ${before})`,
    )
  })

  it("spec/data-sources §15: a series becomes what it has gained, as an increase of a minute does", () => {
    const { events, gained } = cumulativeExpression('sum(a{b!="c"})')
    expect(events).toMatch(/^sum\(\(\(last_over_time\(a\{b!="c"\}\[1m\]\) - last_over_time\(/)
    expect(gained?.("1h").seconds).toContain('timestamp(a{b!="c"})[1h:1m]')
  })
})
