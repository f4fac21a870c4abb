import { EntryCount, metricsEntriesTotalMax } from "@tocsin/formats/internal/otlp/EntryCount"
import { readMetrics } from "@tocsin/formats/otlp"
import { readProtobufRequest } from "@tocsin/formats/internal/otlp/OtlpProtobuf"
import { metricsRequestMaxBytes } from "../../src/otlp/OtlpHandlers.ts"
import { Quotas } from "@tocsin/domain"
import { atOnce } from "@tocsin/domain/adapter"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

/** A field of a message, in protobuf. */
const field = (number: number, content: Uint8Array): Buffer => {
  const length: Array<number> = []
  for (let left = content.length; ; left = Math.floor(left / 128)) {
    length.push(left < 128 ? left : (left % 128) + 128)
    if (left < 128) break
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), content])
}
const repeated = (number: number, content: Uint8Array, bytes: number): Buffer => {
  const one = field(number, content)
  return Buffer.concat(Array.from({ length: Math.floor(bytes / one.length) }, () => one))
}
const nothing = new Uint8Array()
const size = metricsRequestMaxBytes - 64

/** Requests of 2 MiB that compress to some kilobytes. */
const bombs: ReadonlyArray<readonly [what: string, body: Buffer, isRejected: boolean]> = [
  ["resources", repeated(1, nothing, size), true],
  ["scopes", field(1, repeated(2, nothing, size)), true],
  ["metrics", field(1, field(2, repeated(2, nothing, size))), true],
  ["attributes", field(1, field(1, repeated(1, nothing, size))), true],
  [
    "attributes of attributes",
    field(1, field(1, field(1, field(2, field(6, repeated(1, nothing, size)))))),
    true,
  ],
  ["unknown fields", Buffer.alloc(size, Buffer.from([0x78, 0])), false],
]

const parts = <A>(run: Generator<undefined, A, undefined>): readonly [count: number, result: A] => {
  for (let count = 0; ; count++) {
    const part = run.next()
    if (part.done === true) return [count, part.value]
  }
}

const post = (headers: Readonly<Record<string, string>>, body: Buffer) =>
  send("/api/otlp/v1/metrics", {
    method: "POST",
    headers: { ...headers, "content-type": "application/x-protobuf", "content-encoding": "gzip" },
    body: gzipSync(body),
  })

describe("the cost of metrics over OTLP", () => {
  for (const [what, body, isRejected] of bombs) {
    it.effect(`spec/otlp §5: a request full of ${what} is bounded by its entries`, () =>
      Effect.gen(function* () {
        const { status, text } = yield* post(yield* headersOf("acme"), body)
        expect([status, text.includes("must have at most")]).toEqual([isRejected ? 400 : 200, isRejected])
      }).pipe(Effect.provide(apiServer)),
    )
  }

  it.effect("spec/otlp §5: a request that is rejected counts toward the quota", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      const statuses = yield* Effect.forEach([1, 2, 3], () => post(headers, Buffer.from("not protobuf")))
      expect(statuses.map(({ status }) => status)).toEqual([400, 400, 429])
      expect(statuses.flatMap(errorsOf).at(-1)?.detail).toBe("The limit count-requests is 2 in 1 s.")
    }).pipe(
      Effect.provide(apiServer),
      Effect.provideService(Quotas, { ...Quotas.defaultValue(), countRequestsPerSecond: 2 }),
    ),
  )

  it.effect("spec/otlp §5: the bytes after decompression count, before they are decoded", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      const [, bomb = nothing] = bombs[0] ?? []
      const statuses: Array<number> = []
      for (let request = 0; request < 11; request++)
        statuses.push((yield* post(headers, Buffer.from(bomb))).status)
      // A request counts 32 times.
      expect(statuses).toEqual([...Array.from({ length: 9 }, () => 400), 429, 429])
    }).pipe(Effect.provide(apiServer)),
  )

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
      const decoded = isRejected ? metricsEntriesTotalMax : size / 2
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
