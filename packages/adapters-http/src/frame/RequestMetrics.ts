import { DirectCounter, DirectHistogram, metrics, shortBoundaries } from "@tocsin/domain/adapter"
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** The metrics of the requests of one registry. */
export class RequestMetrics {
  readonly #context: Context.Context<never>
  readonly #operations = new Map<string, OperationMetrics>()

  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  /** Counts a response to an operation, which is one of the OpenAPI document or `other`. */
  note(operation: string, status: number, seconds: number): void {
    let known = this.#operations.get(operation)
    if (known === undefined) {
      const duration = metrics.httpRequestDuration.of(operation)
      known = {
        duration: new DirectHistogram(duration, shortBoundaries, this.#context),
        responses: new Map(),
      }
      this.#operations.set(operation, known)
    }
    known.duration.observe(seconds)
    let responses = known.responses.get(status)
    if (responses === undefined) {
      responses = new DirectCounter(metrics.httpRequests.of(operation, String(status)), this.#context)
      known.responses.set(status, responses)
    }
    responses.increment()
  }
}

/** The metrics of requests in the registry of a context. */
export const requestMetrics = (context: Context.Context<never>): RequestMetrics => {
  const registry = Context.get(context, Metric.MetricRegistry)
  const known = byRegistry.get(registry)
  if (known !== undefined) return known
  const made = new RequestMetrics(Context.make(Metric.MetricRegistry, registry))
  byRegistry.set(registry, made)
  return made
}

const byRegistry = new WeakMap<Metric.MetricRegistry, RequestMetrics>()

interface OperationMetrics {
  readonly duration: DirectHistogram
  readonly responses: Map<number, DirectCounter>
}
