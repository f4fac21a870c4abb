import { readDocuments } from "@tocsin/formats/documents"
import { decodeDefinition, definitionToJson, type MetricPoint } from "@tocsin/domain"
import type { OtlpIndicator } from "@tocsin/domain/adapter"
import type { Slo } from "@tocsin/domain/definitions"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import { eventsOf } from "../../src/otlp/MetricPoint.ts"
import { selectSeries } from "../../src/otlp/SelectSeries.ts"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import {
  anSlo,
  changed,
  codesOf,
  decodeOptions,
  issuesOf,
} from "../../../../test/definition/valid-definitions.ts"

const guide = readFileSync(new URL("../../../../docs/guides/opentelemetry.md", import.meta.url), "utf8")

const total = { metric: "requests", attributes: { "service.name": "checkout" } }
const bad = { metric: "requests", attributes: { code: ["5*", "429"] }, atMost: 0.5 }
const withOtlp = (otlp: unknown, rest: object = {}) => changed(anSlo(), "spec.indicator", { otlp, ...rest })

describe("an OTLP indicator", () => {
  it("spec/otlp §1: has two of good, bad and total, each with a metric and attributes", () => {
    const slo = withOtlp({ total, bad })
    expect(issuesOf(slo)).toEqual([])
    const read = decodeDefinition(slo, decodeOptions)
    if (Result.isFailure(read)) throw new Error(JSON.stringify(read.failure))
    // What was one value is written as one.
    expect(definitionToJson(read.success as Slo, "tocsin")).toMatchObject({
      spec: { indicator: { otlp: { total, bad } } },
    })
    expect(issuesOf(withOtlp({ total: { metric: "requests" }, good: bad }))).toEqual([])
  })

  it("spec/otlp §1: says what is wrong", () => {
    const prometheus = { url: "https://prometheus.example.com", good: "a", total: "b" }
    for (const [slo, issues] of [
      [withOtlp({ total }), [["spec.indicator.otlp", "required"]]],
      [withOtlp({ total, good: total, bad }), [["spec.indicator.otlp", "required"]]],
      [withOtlp({ total, bad }, { prometheus }), [["spec.indicator", "mutually_exclusive"]]],
      [
        withOtlp({
          total: {},
          bad: { metric: "m", attributes: { a: 200, b: [], c: ["x", "x"], d: [true] } },
        }),
        [
          ["spec.indicator.otlp.bad.attributes.a", "wrong_type"],
          ["spec.indicator.otlp.bad.attributes.b", "too_few"],
          ["spec.indicator.otlp.bad.attributes.c[1]", "duplicate"],
          ["spec.indicator.otlp.bad.attributes.d[0]", "wrong_type"],
          ["spec.indicator.otlp.total.metric", "required"],
        ],
      ],
    ] as const) {
      expect(codesOf(slo)).toEqual(issues)
    }
  })

  it("spec/otlp §1: the guide's definitions are valid", () => {
    const options = { vendorPrefix: "tocsin", addressPolicy: publicAddressesOnly }
    const blocks = [...guide.matchAll(/```yaml\n([^]*?)```/g)].map(([, yaml = ""]) => yaml)
    const valid = blocks.flatMap((yaml) => {
      const read = readDocuments(yaml, "application/yaml")
      if (Result.isFailure(read)) throw new Error(read.failure.message)
      return read.success.map((each) => Result.isSuccess(decodeDefinition(each, options)))
    })
    expect(valid).toEqual([true, true])
  })
})

const pointOf = (attributes: Readonly<Record<string, string>>, metric = "requests"): MetricPoint => ({
  series: "s",
  metric,
  attribute: (name) => attributes[name],
  temporality: "delta",
  at: 1,
  events: 10,
  buckets: { bounds: [0.25, 0.5], counts: [1, 2, 4] },
})

describe("the points that an indicator selects", () => {
  it("spec/otlp §1: have one of the values of each attribute, or one that begins so", () => {
    const values = fc.constantFrom("a", "ab", "b", "5*", "50", "503", "*", "")
    const attributes = fc.dictionary(fc.constantFrom("x", "y"), fc.array(values, { minLength: 1 }))
    const events = fc.record({ metric: fc.constantFrom("m", "n"), attributes })
    fc.assert(
      fc.property(
        fc.array(fc.record({ good: events, total: events }), { maxLength: 5 }),
        fc.dictionary(fc.constantFrom("x", "y"), values),
        fc.constantFrom("m", "n"),
        (indicators: ReadonlyArray<OtlpIndicator>, given, metric) => {
          const slos = indicators.map((indicator, n) => ({
            slo: { project: "p", name: String(n) },
            indicator,
          }))
          const expected = slos.flatMap(({ slo, indicator }) =>
            (["good", "total"] as const).flatMap((part) => {
              const wanted = indicator[part]
              const isSelected =
                wanted?.metric === metric &&
                Object.entries(wanted.attributes).every(([name, texts]) =>
                  texts.some((text) => {
                    const actual = Object.hasOwn(given, name) ? given[name] : undefined
                    return text.endsWith("*")
                      ? actual?.startsWith(text.slice(0, -1)) === true
                      : actual === text
                  }),
                )
              return isSelected ? [`${slo.name} ${part}`] : []
            }),
          )
          const point = {
            ...pointOf({}, metric),
            attribute: (name: string) => (Object.hasOwn(given, name) ? given[name] : undefined),
          }
          const found = selectSeries(slos)(point).found.map(({ slo, part }) => `${slo.name} ${part}`)
          expect(found.toSorted()).toEqual(expected.toSorted())
        },
      ),
    )
  })

  it("spec/otlp §1: count the values of a histogram up to the bound of a bucket", () => {
    const events = { metric: "requests", attributes: {} }
    expect(eventsOf(pointOf({}), events)).toEqual({ events: 10 })
    expect(eventsOf(pointOf({}), { ...events, atMost: 0.25 })).toEqual({ events: 1 })
    expect(eventsOf(pointOf({}), { ...events, atMost: 0.5 })).toEqual({ events: 3 })
    expect(eventsOf(pointOf({}), { ...events, atMost: 0.3 })).toBe(
      "requests has no bucket with the bound 0.3; its bounds are 0.25, 0.5",
    )
    const { buckets: _, ...sum } = pointOf({})
    expect(eventsOf(sum, { ...events, atMost: 0.25 })).toBe("requests has no buckets, which atMost needs")
  })
})
