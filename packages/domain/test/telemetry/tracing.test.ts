import { currentTraceparent, parseTraceparent, RequestTraceparent, withSpan } from "@tocsin/domain/adapter"
import { traceparentOf } from "../../src/telemetry/Tracing.ts"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })
    .filter((text) => !/^0+$/.test(text))

/** A tracer that keeps its spans. */
const keeping = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    },
  })
  return { spans, tracer }
}

describe("the header traceparent", () => {
  it("spec/telemetry §3: is read as it is written", () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, sampled) => {
        const span = Tracer.externalSpan({ traceId, spanId, sampled })
        expect(parseTraceparent(traceparentOf(span))).toMatchObject({ traceId, spanId, sampled })
      }),
    )
  })

  it.each([
    [undefined, undefined],
    ["", undefined],
    ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", undefined],
    ["00-00000000000000000000000000000000-b7ad6b7169203331-01", undefined],
    ["00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", undefined],
    ["00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01", undefined],
    ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", undefined],
    ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nx: y", undefined],
    ["ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", undefined],
    ["01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", true],
    ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-02", false],
    ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03", true],
  ])("spec/telemetry §3: %j is sampled: %s", (text, sampled) => {
    expect(parseTraceparent(text)?.sampled).toBe(sampled)
  })
})

describe("spans", () => {
  const nested = Effect.void.pipe(Effect.withSpan("driver"), withSpan("operation"))

  it("spec/telemetry §3: are made for a tracer of the host, with those within", () => {
    const { spans, tracer } = keeping()
    Effect.runSync(Effect.provideService(nested, Tracer.Tracer, tracer))
    expect(spans.map(({ name }) => name)).toEqual(["operation", "driver"])
  })

  it("spec/telemetry §3: are not made when the host has turned tracing off", () => {
    const { spans, tracer } = keeping()
    Effect.runSync(nested.pipe(Effect.provideService(Tracer.Tracer, tracer), Effect.withTracerEnabled(false)))
    expect(spans).toEqual([])
  })

  it("spec/telemetry §3: are not made without a tracer, nor within", () => {
    const current = Effect.option(Effect.currentSpan).pipe(Effect.withSpan("driver"), withSpan("operation"))
    const found = Effect.runSync(current)
    expect(found._tag === "Some" ? found.value.spanId : "none").toMatch(/^(none|noop)$/)
  })

  it("spec/telemetry §4: are what an event continues; without a tracer it is the request", () => {
    const given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    const requested = Effect.provideService(currentTraceparent, RequestTraceparent, given)
    expect(Effect.runSync(requested)).toBe(given)
    expect(Effect.runSync(currentTraceparent)).toBeUndefined()
    const { spans, tracer } = keeping()
    const traced = Effect.runSync(
      requested.pipe(withSpan("operation"), Effect.provideService(Tracer.Tracer, tracer)),
    )
    const [span] = spans
    expect(span && traceparentOf(span)).toBe(traced)
  })
})
