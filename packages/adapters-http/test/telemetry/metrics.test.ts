import { MetricsServer } from "@tocsin/adapters-http"
import { measureProcess } from "@tocsin/adapters-http/server"
import { processMetrics } from "../../src/telemetry/ProcessMetrics.ts"
import { MemoryStores } from "@tocsin/adapters-memory"
import {
  count,
  metrics,
  noteRejection,
  observe,
  observeGauge,
  RejectedOrganizations,
} from "@tocsin/domain/adapter"
import { AlertStore, StoreIsUnavailable } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { afterEach, describe, expect, it, vi } from "vitest"

afterEach(() => {
  vi.restoreAllMocks()
})

const families = [...Object.values(metrics), ...Object.values(processMetrics)]

describe("the metrics", () => {
  it.each(families)("spec/telemetry §1: $name has the name, unit and help of its type", (family) => {
    expect(family.name).toMatch(/^(tocsin|process)_[a-z0-9]+(_[a-z0-9]+)*$/)
    expect(family.name.endsWith("_total")).toBe(family.type === "counter")
    if (family.type === "histogram") expect(family.name).toMatch(/_seconds$/)
    expect(family.help).toMatch(/^([A-Z]|1\b).*\.$/)
    for (const label of family.labels) expect(label).toMatch(/^[a-z]+$/)
  })

  it("spec/telemetry §1: have names of their own", () => {
    const names = families.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it("spec/telemetry §1: are no longer there when what they observe has ended", async () => {
    const read = Effect.map(Metric.snapshot, (all) => all.map(({ id }) => id))
    const { during, after } = await Effect.runPromise(
      Effect.gen(function* () {
        const during = yield* Effect.scoped(
          Effect.andThen(
            observeGauge(metrics.deliveryAttemptsInFlight.of(), () => 3),
            read,
          ),
        )
        return { during, after: yield* read }
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())),
    )
    expect(during).toEqual(["tocsin_delivery_attempts_in_flight"])
    expect(after).toEqual([])
  })
})

/** The metrics server over stores in memory, or others, with what happens before it is asked. */
const served = <A>(
  ask: (url: string) => Promise<A>,
  before: Effect.Effect<void> = Effect.void,
  stores: typeof MemoryStores.layer = MemoryStores.layer,
): Promise<A> =>
  Effect.gen(function* () {
    yield* measureProcess("1.2.3")
    const url = yield* MetricsServer.make({ host: "127.0.0.1", port: 0 })
    yield* before
    return yield* Effect.promise(() => ask(url))
  }).pipe(
    Effect.scoped,
    Effect.provide(stores),
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provideService(RejectedOrganizations, new Map()),
    Effect.runPromise,
  )

const textOf = async (url: string) => (await fetch(url)).text()

describe("the server of the metrics", () => {
  it("spec/telemetry §1: serves them in the format of Prometheus, and nothing else", async () => {
    const { answer, text, statuses } = await served(async (url) => {
      const answer = await fetch(url)
      const text = await answer.text()
      const base = url.replace("/metrics", "")
      const statuses = [
        (await fetch(`${url}?x=y`)).status,
        (await fetch(url, { method: "HEAD" })).status,
        (await fetch(url, { method: "POST", body: "x" })).status,
        (await fetch(`${base}/`)).status,
        (await fetch(`${base}/api/get/slo`)).status,
      ]
      return { answer, text, statuses }
    })
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    expect(statuses).toEqual([200, 200, 405, 404, 404])
    expect(text).toContain('\ntocsin_build_info{version="1.2.3"} 1\n')
    expect(text).toMatch(/\nprocess_cpu_seconds_total [\d.]+\n/)
    expect(text).toMatch(/\ntocsin_event_loop_delay_seconds\{quantile="0\.99"\} [\d.e-]+\n/)
    expect(text).toContain("\ntocsin_ready 1\n")
    expect(text).toContain("\n# TYPE tocsin_alerts_open gauge\ntocsin_alerts_open 0\n")
    expect(text).toContain(
      "\n# TYPE tocsin_indicator_history_backlog gauge\ntocsin_indicator_history_backlog 0\n",
    )
    // Whose increase is watched.
    for (const reason of ["http_status", "connect_refused", "dns_not_found", "response_invalid"])
      expect(text).toContain(`\ntocsin_deliveries_settled_total{state="exhausted",reason="${reason}"} 0\n`)
  })

  it("spec/telemetry §1: has what was counted and measured, and how many organizations are over a quota", async () => {
    const happened = Effect.gen(function* () {
      yield* count(metrics.deliveryAttempts.of("failed", "timeout"), 2)
      yield* observe(metrics.deliveryArrival.of(), 0.3)
      yield* observe(metrics.deliveryArrival.of(), 100_000)
      for (const organization of ["acme", "acme", "other"]) yield* noteRejection(organization, "alerts")
    })
    const text = await served(textOf, Effect.provideService(happened, RejectedOrganizations, new Map()))
    expect(text).toContain('\ntocsin_delivery_attempts_total{outcome="failed",reason="timeout"} 2\n')
    expect(text).toContain('\ntocsin_delivery_arrival_seconds_bucket{le="0.1"} 0\n')
    expect(text).toContain('\ntocsin_delivery_arrival_seconds_bucket{le="0.5"} 1\n')
    expect(text).toContain('\ntocsin_delivery_arrival_seconds_bucket{le="+Inf"} 2\n')
    expect(text).toContain('\ntocsin_rate_limited_requests_total{limit="alerts"} 3\n')
    expect(text).not.toContain("acme")
    const counted = await served(
      textOf,
      Effect.forEach(["acme", "acme", "other"], (organization) => noteRejection(organization, "alerts"), {
        discard: true,
      }),
    )
    expect(counted).toContain('\ntocsin_organizations_over_quota{limit="alerts"} 2\n')
  })

  it("spec/telemetry §1: leaves out a gauge that cannot be read, and has the others", async () => {
    const cause = { operation: "countOpen", isRetryable: true, cause: "secret" }
    const away = Layer.effect(
      AlertStore,
      Effect.map(Effect.service(AlertStore), (store) => ({
        ...store,
        countOpen: Effect.fail(new StoreIsUnavailable({ store: "AlertStore", ...cause })),
      })),
    )
    const text = await served(textOf, Effect.void, Layer.provideMerge(away, MemoryStores.layer))
    expect(text).not.toContain("tocsin_alerts_open")
    expect(text).not.toContain("secret")
    expect(text).toContain("\ntocsin_status_oldest_due_age_seconds 0\n")
  })

  it("spec/telemetry §1: reads them once for requests that arrive together", async () => {
    let reads = 0
    const counting = Layer.effect(
      AlertStore,
      Effect.map(Effect.service(AlertStore), (store) => ({
        ...store,
        countOpen: Effect.sync(() => ++reads),
      })),
    )
    // The clock stands still, so that none comes later than the others.
    vi.spyOn(performance, "now").mockReturnValue(performance.now())
    await served(
      (url) => Promise.all(Array.from({ length: 20 }, () => textOf(url))),
      Effect.void,
      Layer.provideMerge(counting, MemoryStores.layer),
    )
    expect(reads).toBe(1)
  })
})
