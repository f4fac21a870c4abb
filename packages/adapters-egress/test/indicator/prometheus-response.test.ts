import * as fc from "fast-check"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { readSeriesResponse } from "../../src/PrometheusResponse.ts"

/** Labels that look like the parts at which a response is divided. */
const labels = fc.constantFrom('"values":[[', "]]", "},{", ']]},{"metric":{', "a\\", "")

const response = (result: unknown, extra: object = {}) => ({
  status: "success",
  data: { resultType: "matrix", result, ...extra },
})

const read = (body: string, status = 200) => readSeriesResponse(status, body, (text) => text)

/** Reads it, and counts how often other work gets a turn. */
const readTakingTurns = async (body: string) => {
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  const result = await read(body)
  clearImmediate(next)
  return { result, turns }
}

const seriesOf = (label: string, points: number, first = 0) => ({
  metric: { label, "]]": "]]" },
  values: Array.from({ length: points }, (_, index) => [first + index * 60.5, `${index / 7}`]),
})

describe("the response to a range query", () => {
  it("is read the same whatever its length, white space and order of fields are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(labels, fc.constantFrom(1, 7, 4_000)), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(0, 1, 4),
        fc.boolean(),
        async (shapes, indent, isReversed) => {
          const all = shapes.map(([label, points], index) => seriesOf(`${index}${label}`, points))
          const written = all.map(({ metric, values }) =>
            isReversed ? { values, histograms: [], metric } : { metric, values },
          )
          const body = JSON.stringify(
            response(written, { stats: { "]]": "x".repeat(70_000) } }),
            null,
            indent,
          )
          const result = Result.getOrThrow(await read(body))
          expect(result.map(({ labels }) => labels)).toEqual(all.map(({ metric }) => metric))
          for (const [index, { samples }] of result.entries()) {
            const { values = [] } = all[index] ?? {}
            expect(samples).toEqual(
              values.map(([at, value]) => ({ at: Math.round(Number(at) * 1_000), value: Number(value) })),
            )
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  it("lets other work have its turn while much of it is read, with and without white space", async () => {
    for (const indent of [0, 2]) {
      for (const result of [
        [seriesOf("one", 60_000)],
        Array.from({ length: 20_000 }, (_, index) => seriesOf(`${index}`, 1)),
      ]) {
        const body = JSON.stringify(response(result), null, indent)
        const { result: all, turns } = await readTakingTurns(body)
        expect(Result.getOrThrow(all)).toHaveLength(result.length)
        expect(turns).toBeGreaterThan(body.length / (2 * 64 * 1_024))
      }
    }
  })

  it("is rejected unread where much of it cannot be divided into parts", async () => {
    const reasonOf = async (body: string, status?: number) => {
      const result = await read(body, status)
      return Result.isFailure(result) ? result.failure.reason : "read"
    }
    const numbers = Array.from({ length: 200_000 }, () => 1)
    expect(await reasonOf(JSON.stringify(response(numbers)))).toBe("response_too_large")
    expect(await reasonOf(JSON.stringify(response([{ metric: {}, values: [numbers] }])))).toBe(
      "response_invalid",
    )
    expect(await reasonOf(JSON.stringify({ error: numbers }), 502)).toBe("http_status")
    const cut = JSON.stringify(response([seriesOf("one", 60_000)])).slice(0, -1_000)
    expect(await reasonOf(cut)).toMatch(/^response_/)
  })
})
