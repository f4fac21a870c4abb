import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/**
 * The `traceparent` of the request that work is done for, if it had one: what traces are continued by while the host has
 * no tracer.
 */
export const RequestTraceparent = Context.Reference<string | undefined>(
  "@tocsin/domain/internal/telemetry/RequestTraceparent",
  { defaultValue: () => undefined },
)

/** Whether somebody receives the spans of a fiber: the host has a tracer, and tracing is on. */
export const isTraced = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer && fiber.getRef(References.TracerEnabled)

/** A context in which there are no spans unless somebody receives them. */
export const withoutIdleSpans = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.get(context, Tracer.Tracer) === Tracer.nativeTracer
    ? Context.add(context, References.TracerEnabled, false)
    : context

/** Runs an effect in a span if somebody receives it; otherwise as it is, without any span within. */
export const withSpan =
  (name: string, options: Tracer.SpanOptionsNoTrace = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>> =>
    Effect.withFiber((fiber) =>
      isTraced(fiber)
        ? Effect.withSpan(effect, name, options)
        : (Effect.withTracerEnabled(effect, false) as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>),
    )

/** The `traceparent` of what happens now: of the current span, or else of the request. */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.withFiber((fiber) => {
  if (!isTraced(fiber)) return Effect.succeed(fiber.getRef(RequestTraceparent))
  const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
  return Effect.succeed(span === undefined ? fiber.getRef(RequestTraceparent) : traceparentOf(span))
})

/** Writes version 00 of the header `traceparent` (W3C Trace Context, section 3.2.2). */
export const traceparentOf = ({ traceId, spanId, sampled }: Tracer.AnySpan): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/**
 * Reads the header `traceparent` as the span it names (W3C Trace Context, section 3.2); undefined if it is invalid, so that
 * a new trace begins. Of a version that is not known, the part that every version has is read.
 */
export const parseTraceparent = (text: string | undefined): Tracer.ExternalSpan | undefined => {
  const match = text === undefined ? null : traceparent.exec(text)
  if (match === null) return undefined
  const [, version = "", traceId = "", spanId = "", flags = "", rest = ""] = match
  if (version === "ff" || (version === "00" && rest !== "")) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
