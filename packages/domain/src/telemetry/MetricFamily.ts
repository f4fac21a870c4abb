import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"

/** The metrics of one name: one for each combination of the values of its labels. */
export interface MetricFamily<M, Labels extends ReadonlyArray<string>> {
  /** As Prometheus has it, with its unit: `tocsin_delivery_attempts_total`. */
  readonly name: string
  /** What it measures, as a sentence. */
  readonly help: string
  /** The type of each metric, as Prometheus names it. */
  readonly type: "counter" | "gauge" | "histogram"
  /** The names of the labels. */
  readonly labels: Labels
  /** The metric with the values of its labels, in their order. Values come from closed sets, as each takes memory. */
  readonly of: (...values: { readonly [I in keyof Labels]: string }) => M
}

type Counter = Metric.Counter<number>
type Gauge = Metric.Gauge<number>
type Histogram = Metric.Histogram<number>

/** Something that is counted. */
export const counter = <const Labels extends ReadonlyArray<string> = []>(
  name: string,
  help: string,
  ...labels: Labels
): MetricFamily<Counter, Labels> =>
  family("counter", name, help, labels, (attributes) =>
    Metric.counter(name, { description: help, incremental: true, attributes }),
  )

/** A state that is read when the metrics are. */
export const gauge = <const Labels extends ReadonlyArray<string> = []>(
  name: string,
  help: string,
  ...labels: Labels
): MetricFamily<Gauge, Labels> =>
  family("gauge", name, help, labels, (attributes) => Metric.gauge(name, { description: help, attributes }))

/** A distribution, usually of seconds, in buckets up to `boundaries`. */
export const histogram = <const Labels extends ReadonlyArray<string> = []>(
  name: string,
  help: string,
  boundaries: ReadonlyArray<number>,
  ...labels: Labels
): MetricFamily<Histogram, Labels> =>
  family("histogram", name, help, labels, (attributes) =>
    Metric.histogram(name, { description: help, boundaries, attributes }),
  )

const family = <M, const Labels extends ReadonlyArray<string>>(
  type: MetricFamily<M, Labels>["type"],
  name: string,
  help: string,
  labels: Labels,
  make: (attributes: Readonly<Record<string, string>>) => M,
): MetricFamily<M, Labels> => {
  const metrics = new Map<string, M>()
  return {
    name,
    help,
    type,
    labels,
    of: (...values) => {
      const key = values.join("\n")
      const known = metrics.get(key)
      if (known !== undefined) return known
      const metric = make(Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ""])))
      metrics.set(key, metric)
      return metric
    },
  }
}

/** Counts once, or `by` times. */
export const count = (metric: Counter, by = 1): Effect.Effect<void> => Metric.update(metric, by)

/** Adds a value to a distribution: of times, in seconds. */
export const observe = (metric: Histogram, value: number): Effect.Effect<void> => Metric.update(metric, value)

/** Has a gauge read its value when the metrics are read, until the scope closes. */
export const observeGauge = (metric: Gauge, read: () => number): Effect.Effect<void, never, Scope.Scope> =>
  whileOpen(metric, () => ({ value: read() }))

/** Has a counter read its value, which never falls, when the metrics are read, until the scope closes. */
export const observeCounter = (
  metric: Counter,
  read: () => number,
): Effect.Effect<void, never, Scope.Scope> => whileOpen(metric, () => ({ count: read(), incremental: true }))

const whileOpen = <Input, State>(metric: Metric.Metric<Input, State>, get: () => State) =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.sync(() =>
          Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} }),
        ),
      ),
      (registration) => Effect.sync(registration.remove),
    ),
  )
