import { DirectHistogram, metrics, shortBoundaries } from "@tocsin/domain/adapter"
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** The metrics of the operations of one registry. */
export class OperationMetrics {
  readonly #context: Context.Context<never>
  readonly #durations = new Map<string, DirectHistogram>()
  #inFlight = 0

  constructor(context: Context.Context<never>) {
    this.#context = context
    Metric.registerUnsafe(metrics.databaseOperationsInFlight.of(), context, {
      get: () => ({ value: this.#inFlight }),
      update: () => {},
      modify: () => {},
    })
  }

  begin(): void {
    this.#inFlight++
  }

  /** Notes the end of an operation; `isFailed` because of the database. */
  end(operation: string, seconds: number, isFailed: boolean): void {
    this.#inFlight--
    let duration = this.#durations.get(operation)
    if (duration === undefined) {
      const metric = metrics.databaseOperationDuration.of(operation)
      duration = new DirectHistogram(metric, shortBoundaries, this.#context)
      this.#durations.set(operation, duration)
    }
    duration.observe(seconds)
    if (isFailed) metrics.databaseOperationsFailed.of(operation).updateUnsafe(1, this.#context)
  }
}

/** The metrics of operations in the registry of a context. */
export const operationMetrics = (context: Context.Context<never>): OperationMetrics => {
  const registry = Context.get(context, Metric.MetricRegistry)
  const known = byRegistry.get(registry)
  if (known !== undefined) return known
  const made = new OperationMetrics(Context.make(Metric.MetricRegistry, registry))
  byRegistry.set(registry, made)
  return made
}

const byRegistry = new WeakMap<Metric.MetricRegistry, OperationMetrics>()
