import { counter, gauge, observeCounter, observeGauge } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

/** The metrics of the process, as Prometheus' client libraries name them. */
export const processMetrics = {
  cpu: counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds."),
  memory: gauge("process_resident_memory_bytes", "Resident memory size in bytes."),
  startedAt: gauge("process_start_time_seconds", "Start time of the process since Unix epoch in seconds."),
  /** `quantile` is `0.5`, `0.99` or `1`. */
  eventLoopDelay: gauge(
    "tocsin_event_loop_delay_seconds",
    "Event loop delay since the last scrape, in seconds.",
    "quantile",
  ),
  build: gauge("tocsin_build_info", "1, with the version of Tocsin as label.", "version"),
} as const

/** Measures the process until the scope closes. */
export const measureProcess = (version: string) =>
  Effect.gen(function* () {
    const delay = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const histogram = monitorEventLoopDelay({ resolution: delayResolutionMs })
        histogram.enable()
        return histogram
      }),
      (histogram) => Effect.sync(() => histogram.disable()),
    )
    const delaySeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - delayResolutionMs / 1_000)
    yield* observeGauge(processMetrics.eventLoopDelay.of("0.5"), () => delaySeconds(delay.percentile(50)))
    yield* observeGauge(processMetrics.eventLoopDelay.of("0.99"), () => delaySeconds(delay.percentile(99)))
    yield* observeGauge(processMetrics.eventLoopDelay.of("1"), () => {
      const seconds = delaySeconds(delay.max)
      // The last that is read.
      delay.reset()
      return seconds
    })
    yield* observeGauge(processMetrics.memory.of(), () => process.memoryUsage.rss())
    const startedAt = Date.now() / 1_000 - process.uptime()
    yield* observeGauge(processMetrics.startedAt.of(), () => startedAt)
    yield* observeGauge(processMetrics.build.of(version), () => 1)
    yield* observeCounter(processMetrics.cpu.of(), () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    })
  })

const delayResolutionMs = 10
