import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/**
 * A counter of a registry that is updated without looking it up: for what happens with every request. `context` has the
 * registry.
 */
export class DirectCounter {
  #count = 0

  /** Registers the counter, at 0. Create one instance per metric and registry. */
  constructor(metric: Metric.Counter<number>, context: Context.Context<never>) {
    register(metric, context, () => ({ count: this.#count, incremental: true }))
  }

  /** Adds 1. */
  increment(): void {
    this.#count++
  }
}

/** A histogram of a registry, as `DirectCounter`; `boundaries` are those of the metric, in ascending order. */
export class DirectHistogram {
  readonly #boundaries: ReadonlyArray<number>
  readonly #counts: Array<number>
  #count = 0
  #sum = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  /** Registers the histogram, without values. Create one instance per metric and registry. */
  constructor(
    metric: Metric.Histogram<number>,
    boundaries: ReadonlyArray<number>,
    context: Context.Context<never>,
  ) {
    this.#boundaries = boundaries
    this.#counts = boundaries.map(() => 0)
    register(metric, context, () => this.#state())
  }

  /** Records a value, in the unit of `boundaries`; a value that equals a boundary is in the bucket below it. */
  observe(value: number): void {
    const bucket = this.#boundaries.findIndex((boundary) => value <= boundary)
    if (bucket !== -1) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count++
    this.#sum += value
    this.#min = Math.min(this.#min, value)
    this.#max = Math.max(this.#max, value)
  }

  #state(): Metric.HistogramState {
    let below = 0
    return {
      buckets: this.#boundaries.map((boundary, index) => [boundary, (below += this.#counts[index] ?? 0)]),
      count: this.#count,
      sum: this.#sum,
      min: this.#min,
      max: this.#max,
    }
  }
}

const register = <Input, State>(
  metric: Metric.Metric<Input, State>,
  context: Context.Context<never>,
  get: () => State,
): void => {
  Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} })
}
