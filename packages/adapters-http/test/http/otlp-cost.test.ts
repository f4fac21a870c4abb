import { Quotas } from "@tocsin/domain"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { gzipSync } from "node:zlib"
import { bombs } from "../../../../test/otlp/Bombs.ts"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

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
      const [, bomb = new Uint8Array()] = bombs[0] ?? []
      const statuses: Array<number> = []
      for (let request = 0; request < 11; request++)
        statuses.push((yield* post(headers, Buffer.from(bomb))).status)
      // A request counts 32 times.
      expect(statuses).toEqual([...Array.from({ length: 9 }, () => 400), 429, 429])
    }).pipe(Effect.provide(apiServer)),
  )
})
