import { formatAccessLine, formatLogLine, lineLogger, type LogFormat } from "../src/terminal/LogFormat.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const logged = (format: LogFormat, effect: Effect.Effect<void>): string => {
  let written = ""
  const logger = lineLogger(format, (line) => (written += line))
  Effect.runSync(Effect.provide(effect, Logger.layer([logger])))
  return written
}

const failure = Effect.annotateLogs(
  Effect.logError("Claiming deliveries failed", Cause.fail(new Error('no "route"\nto host'))),
  { organization: "acme", outageSeconds: 60 },
)

describe("the log", () => {
  it("spec/telemetry §6: has an object per line as JSON", () => {
    const text = logged("json", failure)
    expect(text.endsWith("}\n")).toBe(true)
    const { time, error, ...rest } = JSON.parse(text) as Record<string, unknown>
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(error).toContain('no "route"\nto host')
    expect(rest).toEqual({
      level: "error",
      message: "Claiming deliveries failed",
      organization: "acme",
      outageSeconds: 60,
    })
  })

  it("spec/telemetry §6: has a line to read as text, with the cause in it", () => {
    const text = logged("text", failure)
    expect(text).toMatch(
      /^\S+Z ERROR {3}Claiming deliveries failed organization=acme outageSeconds=60 error="Error: no \\"route\\"\\nto host[^\n]*"\n$/,
    )
  })

  it("spec/telemetry §6: writes the error of a cause that is logged alone", () => {
    const text = logged("text", Effect.logWarning(Cause.fail(new TypeError("no"))))
    expect(text).toMatch(/ WARNING TypeError error="TypeError: no/)
  })

  it("spec/telemetry §6: has the IDs of the span that a line is written in, if there is a tracer", () => {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      },
    })
    const work = Effect.logInfo("Working").pipe(Effect.withSpan("work"))
    const line = JSON.parse(logged("json", Effect.provideService(work, Tracer.Tracer, tracer))) as object
    expect(line).toMatchObject({ traceId: spans[0]?.traceId, spanId: spans[0]?.spanId })
    expect(logged("json", work)).not.toContain("traceId")
  })

  it("spec/telemetry §6: has a line for each request, of the same form", () => {
    const entry = {
      at: 0,
      traceId: "0af7651916cd43dd8448eb211c80319c",
      method: "GET",
      path: "/api/v2/slos",
      clientAddress: "192.0.2.7",
      status: 200,
      durationMs: 3,
    }
    const { at: _, ...fields } = entry
    expect(JSON.parse(formatAccessLine("json")(entry))).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      message: "Request",
      ...fields,
    })
    expect(formatAccessLine("text")(entry)).toBe(
      "1970-01-01T00:00:00.000Z INFO    Request traceId=0af7651916cd43dd8448eb211c80319c method=GET path=/api/v2/slos clientAddress=192.0.2.7 status=200 durationMs=3\n",
    )
  })

  it.each(["json", "text"] as const)("spec/telemetry §6: is one line as %s, whatever is logged", (format) => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.dictionary(fc.constantFrom("a", "b"), fc.anything()),
        (message, fields) => {
          const serializable = JSON.parse(
            JSON.stringify(fields, (_, value: unknown) =>
              typeof value === "bigint" ? String(value) : value,
            ),
          ) as Record<string, unknown>
          const line = formatLogLine(format, { at: 0, level: "info", message, fields: serializable })
          expect(line.split("\n").length).toBe(2)
          expect(line.endsWith("\n")).toBe(true)
        },
      ),
    )
  })
})
