import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import { polledIndicatorOf } from "@tocsin/domain/adapter"
import { readCounts } from "@tocsin/domain/features/data-source"
import { MetricSource } from "@tocsin/domain/ports"
import { anSlo, sourceUrlOf } from "@tocsin/testing/fixtures"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { startPrometheus } from "./Prometheus.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Minutes in which everything fails, from ≤ minute < to. */
const outage = [20, 40] as const

/** Minutes in which the target of the errors is not scraped. */
const gap = [28, 36] as const

/** Requests of a load balancer and errors of the application behind it, each scraped at times of its own. */
const historyOf = (start: number): string => {
  const at = (seconds: number): number => start / 1_000 + seconds
  const isIn = ([from, to]: readonly [number, number], seconds: number) =>
    seconds >= from * 60 && seconds < to * 60
  const requests = ["# TYPE lb_requests counter"]
  const errors = ["# TYPE app_errors counter"]
  let [all, bad] = [0, 0]
  for (let seconds = -600; seconds <= 70 * 60; seconds++) {
    if (seconds % 15 === 0) requests.push(`lb_requests_total ${all} ${at(seconds)}`)
    if ((seconds + 600) % 15 === 7 && !isIn(gap, seconds)) {
      errors.push(`app_errors_total ${bad} ${at(seconds)}`)
    }
    const load = Math.round(20 + 4 * Math.sin(seconds / 97))
    all += load
    if (isIn(outage, seconds)) bad += load
  }
  return `${[...requests, ...errors].join("\n")}\n# EOF\n`
}

describe("errors and requests of two targets, beside a real Prometheus", () => {
  it("spec/data-sources §1: every minute of an outage counts, also where more requests fail than there are", async () => {
    const start = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs
    const prometheus = await startPrometheus({
      port: await freePort(),
      config: "global: { scrape_interval: 15s }\n",
      history: historyOf(start),
    })
    try {
      const url = sourceUrlOf(prometheus.url)
      const range = { from: start, to: start + hourMs }
      const read = (part: object) => {
        const total = "sum(increase(lb_requests_total[1m]))"
        const slo = anSlo(
          { project: "shop", name: "edge" },
          {
            objectives: [{ name: "answered", target: 0.99 }],
            indicator: { prometheus: { url, total, ...part } },
          },
        )
        const indicator = polledIndicatorOf(slo)
        if (indicator === undefined) throw new Error("has queries")
        const source = Layer.effect(
          MetricSource,
          MetricSourcePrometheus.make({ allowCidrs: ["127.0.0.0/8"] }),
        )
        return Effect.runPromise(
          readCounts("acme", slo, indicator, { url, headers: [] }, range, start).pipe(Effect.provide(source)),
        )
      }
      const shareOf = ({ counts }: Awaited<ReturnType<typeof read>>) => {
        const sum = (of: "good" | "total") => counts.reduce((all, each) => all + each[of], 0)
        return 1 - sum("good") / sum("total")
      }
      const actual =
        (await prometheus.valueAt("sum(increase(app_errors_total[1h]))", range.to)) /
        (await prometheus.valueAt("sum(increase(lb_requests_total[1h]))", range.to))
      const errors = "sum(increase(app_errors_total[1m])) or vector(0)"
      const bad = await read({ bad: errors })
      expect(bad.counts).toHaveLength(60)
      // Where less was requested than the errors of the gap are spread over it, they are limited.
      expect(Math.abs(shareOf(bad) / actual - 1)).toBeLessThan(0.05)
      expect(bad.limited.length).toBeGreaterThan(0)
      expect(bad.problem?.reason).toBe("bad_above_total")
      // What the errors gained while their target was not scraped is in those minutes.
      expect(bad.gaps).toEqual([{ from: start + 27 * minuteMs, to: start + 37 * minuteMs }])
      for (const { good, total } of bad.counts.slice(28, 36)) expect(good / total).toBeLessThan(0.3)

      const good = await read({ good: `sum(increase(lb_requests_total[1m])) - (${errors})` })
      expect(good.counts).toHaveLength(60)
      expect(good.problem?.reason).toBe("bad_above_total")
    } finally {
      await prometheus.close()
    }
  })
})
