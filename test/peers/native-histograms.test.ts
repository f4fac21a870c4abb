import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import { countsAtMost, polledIndicatorOf } from "@tocsin/domain/adapter"
import { readCounts } from "@tocsin/domain/features/data-source"
import { MetricSource } from "@tocsin/domain/ports"
import { anSlo, sourceUrlOf } from "@tocsin/testing/fixtures"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { type Prometheus, startPrometheus } from "./Prometheus.ts"

const minuteMs = 60_000

/** A Prometheus 3 beside the one on the `PATH`, as Debian has an older one. */
const program = process.env["PROMETHEUS_3"]

interface Pushed {
  readonly at: number
  readonly name: string
  readonly scale: number
  readonly offset: number
  readonly counts: ReadonlyArray<number>
  readonly negative?: ReadonlyArray<number>
  readonly zeroCount?: number
}

/** Pushes cumulative exponential histograms over OTLP, which Prometheus stores as native histograms. */
const push = async (url: string, started: number, points: ReadonlyArray<Pushed>): Promise<void> => {
  const nanos = (at: number): string => `${at}000000`
  const metrics = points.map(({ at, name, scale, offset, counts, negative = [], zeroCount = 0 }) => ({
    name,
    exponentialHistogram: {
      aggregationTemporality: 2,
      dataPoints: [
        {
          startTimeUnixNano: nanos(started),
          timeUnixNano: nanos(at),
          count: String([...counts, ...negative, zeroCount].reduce((sum, each) => sum + each, 0)),
          sum: 1,
          scale,
          zeroCount: String(zeroCount),
          positive: { offset, bucketCounts: counts.map(String) },
          ...(negative.length > 0 && { negative: { offset: 0, bucketCounts: negative.map(String) } }),
        },
      ],
    },
  }))
  const response = await fetch(`${url}/api/v1/otlp/v1/metrics`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceMetrics: [{ resource: {}, scopeMetrics: [{ metrics }] }] }),
  })
  if (!response.ok) throw new Error(await response.text())
}

describe.skipIf(program === undefined)("native histograms of a real Prometheus 3 (PROMETHEUS_3)", () => {
  let prometheus: Prometheus
  beforeAll(async () => {
    prometheus = await startPrometheus({
      ...(program !== undefined && { program }),
      port: await freePort(),
      config: "global: { scrape_interval: 15s }\n",
      flags: ["--web.enable-otlp-receiver", "--enable-feature=native-histograms"],
    })
  })
  afterAll(() => prometheus?.close())

  it("spec/data-sources §12: every value counts once across a gap, and the good ones are those at most the value", async () => {
    const start = Math.floor(Date.now() / minuteMs) * minuteMs - 40 * minuteMs
    // 60 values a minute in (0.5, 1] and 30 in (1, 2]; the exporter is not reached for six minutes, and starts again after 25.
    for (let seconds = -120; seconds <= 31 * 60; seconds += 15) {
      if (seconds > 10 * 60 && seconds < 16 * 60) continue
      const since = seconds >= 25 * 60 ? seconds - 25 * 60 + 15 : seconds + 120
      const at = start + seconds * 1_000
      await push(prometheus.url, start - 120_000, [
        { at, name: "latency", scale: 0, offset: -1, counts: [since, since / 2].map(Math.floor) },
      ])
    }
    const read = async (value: number) => {
      const url = sourceUrlOf(prometheus.url)
      const slo = anSlo(
        { project: "shop", name: "web" },
        {
          objectives: [{ name: "fast", target: 0.9, value }],
          indicator: { prometheus: { url, histogram: { series: "latency", type: "native" } } },
        },
      )
      const indicator = polledIndicatorOf(slo)
      if (indicator === undefined) throw new Error("has a histogram")
      const source = Layer.effect(MetricSource, MetricSourcePrometheus.make({ allowCidrs: ["127.0.0.0/8"] }))
      return Effect.runPromise(
        readCounts(
          "acme",
          slo,
          indicator,
          { url, headers: [] },
          { from: start, to: start + 30 * minuteMs },
          start,
        ).pipe(Effect.provide(source)),
      )
    }
    const { counts, gaps, problem } = await read(1)
    expect(problem).toBeUndefined()
    expect(counts).toHaveLength(30)
    expect(gaps.length).toBeGreaterThan(0)
    const sum = (part: "good" | "total") => counts.reduce((all, each) => all + each[part], 0)
    // Extrapolation and the restart cost less than a scrape interval of values.
    expect(Math.abs(sum("total") / (30 * 90) - 1)).toBeLessThan(0.02)
    for (const { good, total } of counts) expect(good / total).toBeCloseTo(2 / 3, 2)
    // √2 is half of (1, 2].
    const half = await read(Math.SQRT2)
    for (const { good, total } of half.counts) expect(good / total).toBeCloseTo(5 / 6, 2)
  })

  it("spec/otlp §1: values at most a limit are as many as those of an exponential histogram over OTLP", async () => {
    const at = Math.floor(Date.now() / 1_000) * 1_000
    const histograms = [
      { scale: 0, offset: -5, counts: [4, 6] },
      { scale: 3, offset: -9, counts: [1, 0, 7, 2, 0, 0, 11] },
      { scale: -1, offset: -2, counts: [3, 9, 1], zeroCount: 4 },
      { scale: 2, offset: 1, counts: [5, 8], negative: [2, 0, 6], zeroCount: 3 },
      { scale: 6, offset: -40, counts: Array.from({ length: 60 }, (_, index) => (index * 7) % 5) },
    ]
    await push(
      prometheus.url,
      at - minuteMs,
      histograms.map((each, index) => ({ ...each, at, name: `h${index}` })),
    )
    for (const [index, { scale, offset, counts, negative = [], zeroCount = 0 }] of histograms.entries()) {
      // At 0 itself, Prometheus leaves out the zeros that OTLP gives it, as its zero bucket ends just above.
      for (const limit of [-3, -1.3, -1, -1e-6, 1e-6, 0.06, 0.1, 0.25, 0.7, 0.93, 1, 1.1, 1.5, 2, 3, 9]) {
        const given = await prometheus.valueAt(
          `histogram_fraction(-Inf, ${limit}, h${index}) * histogram_count(h${index})`,
          at,
        )
        const own = countsAtMost(
          {
            scale,
            zeroCount,
            zeroThreshold: 0,
            positive: { offset, counts },
            negative: { offset: 0, counts: negative },
          },
          limit,
        )[0]
        expect(own, `h${index} at ${limit}`).toBeCloseTo(given, 6)
      }
    }
  })
})
