import { atOnce } from "@tocsin/domain/adapter"
import { readMetrics } from "@tocsin/formats/otlp"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { bombBytes, bombs } from "../../../../test/otlp/Bombs.ts"
import { EntryCount, metricsEntriesTotalMax } from "../../src/otlp/EntryCount.ts"
import { readProtobufRequest } from "../../src/otlp/OtlpProtobuf.ts"

const parts = <A>(run: Generator<undefined, A, undefined>): readonly [count: number, result: A] => {
  for (let count = 0; ; count++) {
    const part = run.next()
    if (part.done === true) return [count, part.value]
  }
}

describe("the cost of reading metrics", () => {
  it("spec/rate-limits §9: protobuf is decoded in parts of at most 500 fields", () => {
    for (const [, body, isRejected] of bombs) {
      const entries = new EntryCount()
      let count = 0
      const decoding = readProtobufRequest(body, entries)
      const all = (): void => {
        while (decoding.next().done !== true) count++
      }
      if (isRejected) expect(all).toThrow("must have at most")
      else all()
      const decoded = isRejected ? metricsEntriesTotalMax : bombBytes / 2
      expect(count).toBeGreaterThanOrEqual(Math.floor(decoded / 500) - 1)
    }
  })

  it("spec/rate-limits §9: metrics and points are read in parts of at most 200", () => {
    const metrics = Array.from({ length: 9_000 }, (_, index) => ({
      name: `m${index % 10}`,
      sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: [{ timeUnixNano: "1", asInt: "1" }] },
    }))
    const [count, read] = parts(readMetrics({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }))
    expect(count).toBeGreaterThanOrEqual(45)
    const { read: readNames, names } = Result.getOrThrow(read)
    const [ofPoints, points] = parts(readNames(names))
    expect(ofPoints).toBeGreaterThanOrEqual(45)
    expect(Result.getOrThrow(points).points).toHaveLength(9_000)
  })

  it("every issue of a request has its path", () => {
    const read = atOnce(
      readMetrics({
        resourceMetrics: [
          { resource: { attributes: [{ key: 1 }] }, scopeMetrics: [{ metrics: [{}] }] },
          { scopeMetrics: [{ metrics: [{ name: "a" }, { name: 2 }] }, { metrics: 3 }] },
        ],
      }),
    )
    const paths = Result.isFailure(read) ? read.failure.map(({ path }) => path) : []
    expect(paths).toEqual([
      "resourceMetrics[0].resource.attributes[0].key",
      "resourceMetrics[1].scopeMetrics[0].metrics[1].name",
      "resourceMetrics[1].scopeMetrics[1].metrics",
    ])
  })

  it("spec/otlp §1: reads only decimal numbers as values", () => {
    const read = (asInt: string) => {
      const dataPoints = [{ timeUnixNano: "1000000", asInt }]
      const sum = { aggregationTemporality: 1, isMonotonic: true, dataPoints }
      const body = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "requests", sum }] }] }] }
      const { read, names } = Result.getOrThrow(atOnce(readMetrics(body)))
      return Result.getOrThrow(atOnce(read(names))).points.length
    }
    expect(["16", "1.5e1"].map(read)).toEqual([1, 1])
    expect(["0x10", "0b1", "1_000", " 1", "", "Infinity"].map(read)).toEqual([0, 0, 0, 0, 0, 0])
  })

  it("a series has the same identity as ever", () => {
    const body = {
      resourceMetrics: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
          scopeMetrics: [
            {
              scope: { name: "http", attributes: [{ key: "a", value: { intValue: "1" } }] },
              metrics: [
                {
                  name: "requests",
                  sum: {
                    aggregationTemporality: 1,
                    isMonotonic: true,
                    dataPoints: [{ timeUnixNano: "1000000", asInt: "1" }],
                  },
                },
              ],
            },
          ],
        },
      ],
    }
    const hash = (parts: ReadonlyArray<string>) =>
      createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 24)
    const origin = hash(['["service.name","shop"]', "http", "", '["a","1"]'])
    const { read, names } = Result.getOrThrow(atOnce(readMetrics(body)))
    const { points } = Result.getOrThrow(atOnce(read(names)))
    expect(points.map(({ series }) => series)).toEqual([hash([origin, "requests", ""])])
  })
})
