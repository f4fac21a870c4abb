import { checkPromQl, counterExpression } from "@tocsin/promql"
import { histogramExpressions } from "../../src/slo/HistogramExpressions.ts"
import { describe, expect, it } from "vitest"

describe("spec/data-sources §12: the expressions of a histogram", () => {
  it("are the bucket of the value and all events, as either version of Prometheus writes bounds", () => {
    const { goodOf, total } = histogramExpressions('latency_seconds{job="a", code!="500",}', "classic")
    expect(total).toBe('sum(increase(latency_seconds_count{job="a", code!="500"}[1m]))')
    expect(goodOf(1)).toBe(
      String.raw`sum(increase(latency_seconds_bucket{job="a", code!="500",le=~"1|1\\.0"}[1m]))`,
    )
    expect(goodOf(0.25)).toContain(String.raw`le=~"0\\.25"`)
    expect(histogramExpressions(" latency ", "classic").total).toBe("sum(increase(latency_count{}[1m]))")
  })

  it("are shares of a native histogram", () => {
    const { goodOf, total } = histogramExpressions("latency_seconds", "native")
    const growth = "sum(increase(latency_seconds[1m]))"
    expect(total).toBe("sum(histogram_count(increase(latency_seconds[1m])))")
    expect(goodOf(0.3)).toBe(`histogram_fraction(-Inf, 0.3, ${growth}) * (${total} > 0) or ${total}`)
  })

  it("are valid PromQL, also as they are sent", () => {
    for (const type of ["classic", "native"] as const) {
      for (const series of ["latency", "latency{}", 'a:latency{job="b"}']) {
        const { goodOf, total } = histogramExpressions(series, type)
        for (const expression of [goodOf(1), goodOf(0.25), goodOf(-2.5), total]) {
          expect(checkPromQl(expression), expression).toEqual([])
          const { events } = counterExpression(expression)
          expect(checkPromQl(events), expression).toEqual([])
          expect(events, expression).toContain("offset 1m")
        }
      }
    }
  })
})
