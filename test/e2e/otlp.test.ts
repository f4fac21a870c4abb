import { OTLPMetricExporter as HttpExporter } from "@opentelemetry/exporter-metrics-otlp-http"
import { OTLPMetricExporter as ProtoExporter } from "@opentelemetry/exporter-metrics-otlp-proto"
import { resourceFromAttributes } from "@opentelemetry/resources"
import {
  AggregationTemporality,
  AggregationType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from "@opentelemetry/sdk-metrics"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { setTimeout as wait } from "node:timers/promises"
import { deflateSync, gzipSync } from "node:zlib"
import { expect, it } from "@tocsin/testing/vitest"
import { startStoringServer } from "./clocked-server.ts"

const store = { kind: "memory", masterKey: Redacted.make(new Uint8Array(32).fill(5)) } as const

const definitions = [
  { apiVersion: "tocsin/v1alpha", kind: "Service", metadata: { name: "shop", project: "default" } },
  ...[
    {
      name: "availability",
      otlp: {
        total: { metric: "http.server.requests", attributes: { "service.name": "checkout" } },
        bad: {
          metric: "http.server.requests",
          attributes: { "service.name": "checkout", "http.response.status_code": ["5*", "429"] },
        },
      },
    },
    {
      name: "latency",
      otlp: {
        total: { metric: "http.server.request.duration", attributes: { "service.name": ["checkout"] } },
        good: {
          metric: "http.server.request.duration",
          attributes: { "service.name": ["checkout"] },
          atMost: 0.25,
        },
      },
    },
  ].map(({ name, otlp }) => ({
    apiVersion: "tocsin/v1alpha",
    kind: "SLO",
    metadata: { name, project: "default" },
    spec: {
      service: "shop",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [{ name: "objective", target: 0.9 }],
      indicator: { otlp },
    },
  })),
]

/** Counts requests as an instrumented service does, and exports them twice. */
const runService = async (exporter: PushMetricExporter, instance: string): Promise<void> => {
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ "service.name": "checkout", "service.instance.id": instance }),
    readers: [reader],
  })
  const meter = provider.getMeter("shop")
  const requests = meter.createCounter("http.server.requests")
  const duration = meter.createHistogram("http.server.request.duration", {
    advice: { explicitBucketBoundaries: [0.1, 0.25, 1] },
  })
  const gauge = meter.createGauge("http.server.requests.open")
  for (const [count, status, seconds] of [
    [90, 200, 0.25],
    [6, 503, 2],
    [4, 429, 0.01],
  ] as const) {
    requests.add(count, { "http.response.status_code": status })
    for (let n = 0; n < count; n++) duration.record(seconds, { "http.response.status_code": status })
  }
  gauge.record(3)
  // The SDK has times in milliseconds, and a series that begins when it is exported has an unknown start.
  await wait(5)
  await reader.forceFlush()
  requests.add(100, { "http.response.status_code": 200 })
  for (let n = 0; n < 100; n++) duration.record(0.26)
  await wait(5)
  await reader.forceFlush()
  await provider.shutdown()
}

it.live(
  "spec/otlp §1: counts what SDKs of OpenTelemetry export, in protobuf and JSON, as deltas and cumulatively",
  () =>
    Effect.gen(function* () {
      const { url, send, login } = yield* startStoringServer({ store })
      const headers = yield* login
      const apply = yield* send("PUT", "/api/apply", {
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(definitions),
      })
      expect(apply.status).toBe(200)
      const indicator = (name: string) =>
        send("GET", `/api/slos/${name}/indicator`, { headers: { ...headers, project: "default" } })
      expect((yield* indicator("latency")).json).toEqual({ failures: 0 })

      const options = (temporalityPreference: AggregationTemporality) => ({
        url: `${url}/api/otlp/v1/metrics`,
        headers,
        temporalityPreference,
      })
      const { DELTA, CUMULATIVE } = AggregationTemporality
      // The start of a series is to be after the definitions, whose time is in whole milliseconds.
      yield* Effect.sleep(5)
      yield* Effect.promise(() =>
        Promise.all([
          runService(new ProtoExporter(options(CUMULATIVE)), "a"),
          runService(new ProtoExporter({ ...options(DELTA), compression: "gzip" as never }), "b"),
          runService(new HttpExporter(options(CUMULATIVE)), "c"),
          runService(new HttpExporter(options(DELTA)), "d"),
        ]),
      )

      const countsOf = (name: string) =>
        Effect.gen(function* () {
          const to = new Date(Date.now() + 60_000).toISOString()
          const from = new Date(Date.now() - 3_600_000).toISOString()
          const { json } = yield* send("GET", `/api/slos/${name}/series?from=${from}&to=${to}&step=1m`, {
            headers: { ...headers, project: "default" },
          })
          const sum = (values: ReadonlyArray<number | null>) =>
            Math.round(values.reduce<number>((total, value) => total + (value ?? 0), 0) * 1e6) / 1e6
          const { good, total } = json.objectives[0].counts
          return { good: sum(good), total: sum(total) }
        })
      expect(yield* countsOf("availability")).toEqual({ good: 4 * 190, total: 4 * 200 })
      expect(yield* countsOf("latency")).toEqual({ good: 4 * 94, total: 4 * 200 })
      const state = yield* indicator("availability")
      expect(Math.abs(Date.parse(state.json.receivedAt) - Date.now())).toBeLessThan(60_000)
    }).pipe(Effect.scoped),
)

/** Records values in a range that grows, so that the scale of the histogram falls, and exports them three times. */
const runExponential = async (exporter: PushMetricExporter, instance: string): Promise<void> => {
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ "service.name": "checkout", "service.instance.id": instance }),
    readers: [reader],
    views: [
      {
        instrumentName: "http.server.request.duration",
        aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM, options: { maxSize: 20 } },
      },
    ],
  })
  const duration = provider.getMeter("shop").createHistogram("http.server.request.duration")
  for (const values of [
    [0.2, 0.201, 0.21],
    [0.1, 0.4, 3],
    [0, 0.001, 60, 0.22],
  ]) {
    for (const value of values) duration.record(value)
    await wait(5)
    await reader.forceFlush()
  }
  await provider.shutdown()
}

it.live(
  "spec/otlp §1: counts exponential histograms of SDKs of OpenTelemetry, as deltas and cumulatively, as their scale falls",
  () =>
    Effect.gen(function* () {
      const { url, send, login } = yield* startStoringServer({ store })
      const headers = yield* login
      yield* send("PUT", "/api/apply", {
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(definitions),
      })
      const options = (temporalityPreference: AggregationTemporality) => ({
        url: `${url}/api/otlp/v1/metrics`,
        headers,
        temporalityPreference,
      })
      const { DELTA, CUMULATIVE } = AggregationTemporality
      yield* Effect.sleep(5)
      yield* Effect.promise(() =>
        Promise.all([
          runExponential(new ProtoExporter(options(CUMULATIVE)), "a"),
          runExponential(new ProtoExporter(options(DELTA)), "b"),
          runExponential(new HttpExporter(options(CUMULATIVE)), "c"),
          runExponential(new HttpExporter(options(DELTA)), "d"),
        ]),
      )
      const to = new Date(Date.now() + 60_000).toISOString()
      const from = new Date(Date.now() - 3_600_000).toISOString()
      const { json } = yield* send("GET", `/api/slos/latency/series?from=${from}&to=${to}&step=1m`, {
        headers: { ...headers, project: "default" },
      })
      const sum = (values: ReadonlyArray<number | null>) =>
        values.reduce<number>((total, value) => total + (value ?? 0), 0)
      const { good, total } = json.objectives[0].counts
      expect(sum(total)).toBeCloseTo(4 * 10, 6)
      // 0.25 is a bound at scale 0 and above, to which the values do not bring it.
      expect(sum(good)).toBeCloseTo(4 * 7, 6)
    }).pipe(Effect.scoped),
)

it.live("spec/otlp §1: a point that is rejected for one part of an SLO's events counts for none", () =>
  Effect.gen(function* () {
    const { send, login } = yield* startStoringServer({ store })
    const headers = { ...(yield* login), "content-type": "application/json" }
    yield* send("PUT", "/api/apply", { headers, body: JSON.stringify(definitions) })
    const seconds = BigInt(Math.floor(Date.now() / 1_000))
    const push = (name: string, kind: string, point: object, coding?: "deflate") => {
      const body = JSON.stringify({
        resourceMetrics: [
          {
            resource: { attributes: [{ key: "service.name", value: { stringValue: "checkout" } }] },
            scopeMetrics: [
              {
                metrics: [
                  {
                    name,
                    [kind]: {
                      aggregationTemporality: 1,
                      isMonotonic: true,
                      dataPoints: [
                        {
                          timeUnixNano: `${seconds}000000000`,
                          startTimeUnixNano: `${seconds - 60n}000000000`,
                          count: "10",
                          ...point,
                        },
                      ],
                    },
                  },
                ],
              },
            ],
          },
        ],
      })
      return send("POST", "/api/otlp/v1/metrics", {
        headers: { ...headers, ...(coding !== undefined && { "content-encoding": coding }) },
        body: coding === undefined ? body : deflateSync(body),
      })
    }
    const metric = "http.server.request.duration"
    const range = `from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date(Date.now() + 60_000).toISOString()}`
    const counted = Effect.gen(function* () {
      const { json } = yield* send("GET", `/api/slos/latency/series?${range}&step=1m`, {
        headers: { ...headers, project: "default" },
      })
      const { good, total } = json.objectives[0].counts
      const sum = (values: ReadonlyArray<number | null>) =>
        Math.round(values.reduce<number>((all, value) => all + (value ?? 0), 0) * 1e6) / 1e6
      return [sum(good), sum(total)]
    })
    for (const [kind, point, message] of [
      ["histogram", { explicitBounds: [0.5], bucketCounts: ["4", "6"] }, "has no bucket with the bound 0.25"],
      ["histogram", {}, "has no buckets, which atMost needs"],
      ["sum", { asInt: "10" }, "has no buckets, which atMost needs"],
      ["exponentialHistogram", { scale: 21 }, "has a scale that is not a whole number from -10 to 20"],
      ["exponentialHistogram", { scale: 0.5 }, "has a scale"],
      ["exponentialHistogram", { positive: { bucketCounts: ["-1"] } }, "has buckets that cannot be read"],
      ["exponentialHistogram", { zeroCount: "x" }, "has buckets that cannot be read"],
    ] as const) {
      const { json, status } = yield* push(metric, kind, point)
      expect([status, json.partialSuccess.rejectedDataPoints]).toEqual([200, "1"])
      expect(json.partialSuccess.errorMessage).toContain(`${metric} ${message}`)
    }
    expect(yield* counted).toEqual([0, 0])
    // Ten values below 0.25.
    const exponential = { scale: 0, zeroCount: "0", positive: { offset: -5, bucketCounts: ["4", "6"] } }
    expect((yield* push(metric, "exponentialHistogram", exponential, "deflate")).json).toEqual({})
    expect(yield* counted).toEqual([10, 10])
  }).pipe(Effect.scoped),
)

it.live("spec/otlp §3: says which data points it rejects, and why, and counts the others", () =>
  Effect.gen(function* () {
    const { send, login } = yield* startStoringServer({ store })
    const headers = { ...(yield* login), "content-type": "application/json" }
    yield* send("PUT", "/api/apply", { headers, body: JSON.stringify(definitions) })
    const now = Date.now()
    const at = (ms: number) => `${BigInt(Math.floor(now / 1_000 + ms / 1_000)) * 1_000_000_000n}`
    const point = (ms: number, value: object, code = 200) => ({
      attributes: [{ key: "http.response.status_code", value: { intValue: String(code) } }],
      startTimeUnixNano: at(ms - 1_000),
      timeUnixNano: at(ms),
      ...value,
    })
    const sum = (dataPoints: ReadonlyArray<object>, rest: object = {}) => ({
      name: "http.server.requests",
      sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints, ...rest },
    })
    const exported = (metrics: ReadonlyArray<object>, init: RequestInit = {}) =>
      send("POST", "/api/otlp/v1/metrics", {
        headers,
        body: JSON.stringify({
          resourceMetrics: [
            {
              resource: { attributes: [{ key: "service.name", value: { stringValue: "checkout" } }] },
              scopeMetrics: [{ metrics }],
            },
          ],
        }),
        ...init,
      })
    const histogram = {
      name: "http.server.request.duration",
      histogram: {
        aggregationTemporality: 1,
        dataPoints: [point(-1_000, { count: "3", explicitBounds: [0.5], bucketCounts: ["1", 2] })],
      },
    }
    const answer = yield* exported([
      sum([
        point(-1_000, { asInt: "10" }),
        point(-2_000, { asInt: -1 }),
        point(600_000, { asInt: 1 }),
        point(-90_000_000, { asDouble: 1 }),
        { asInt: 1 },
        point(-3_000, { flags: 1 }),
      ]),
      sum([point(-1_000, { asInt: 1 })], { isMonotonic: false }),
      sum([point(-1_000, { asInt: 1 })], { aggregationTemporality: 0 }),
      { name: "http.server.requests", gauge: { dataPoints: [point(-1_000, { asInt: 1 })] } },
      { name: "http.server.requests", sum: "none" },
      { name: "others", sum: "none" },
      histogram,
    ])
    expect(answer.status).toBe(200)
    const { rejectedDataPoints, errorMessage } = answer.json.partialSuccess
    expect(rejectedDataPoints).toBe("9")
    expect(errorMessage.split("; ")).toEqual([
      "a point of http.server.requests has no value of at least 0",
      "a point of http.server.requests has no time",
      "http.server.requests is a sum that can decrease",
      "only sums that never decrease, and histograms, count events",
      "http.server.requests has no aggregation temporality",
      "http.server.requests is a gauge",
      "only sums that never decrease, and histograms, count events",
      "and 4 more reasons",
    ])
    const { json } = yield* send("GET", "/api/v2/slos", { headers })
    expect(json.data.map((slo: { name: string }) => slo.name)).toContain("availability")

    for (const [init, status, code] of [
      [{ body: "{" }, 400, "body_not_json"],
      [{ body: '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{}]}]}]}' }, 400, "wrong_type"],
      [{ headers: { ...headers, "content-type": "text/plain" } }, 415, "unsupported_media_type"],
      [{ headers: { ...headers, "content-encoding": "br" } }, 415, "unsupported_content_encoding"],
      [{ headers: { ...headers, "content-encoding": "gzip" } }, 400, "body_not_gzip"],
      [{ headers: { ...headers, "content-encoding": "deflate" } }, 400, "body_not_deflate"],
      [
        {
          headers: { ...headers, "content-encoding": "deflate" },
          body: deflateSync(new Uint8Array(2 * 1024 * 1024 + 1)),
        },
        413,
        "body_too_large",
      ],
      [
        {
          headers: { ...headers, "content-encoding": "gzip" },
          body: gzipSync(new Uint8Array(2 * 1024 * 1024 + 1)),
        },
        413,
        "body_too_large",
      ],
      [
        {
          headers: { ...headers, "content-type": "application/x-protobuf" },
          body: new Uint8Array([10, 200, 1, 2]),
        },
        400,
        "document_invalid",
      ],
      [{ headers: { "content-type": "application/json", organization: "acme" } }, 401, undefined],
    ] as const) {
      const failed = yield* exported([], init as RequestInit)
      expect([failed.status, failed.json.errors[0].code]).toEqual([
        status,
        code ?? failed.json.errors[0].code,
      ])
    }
  }).pipe(Effect.scoped),
)
