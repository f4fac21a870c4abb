import { docsRoutes, prepareDocs } from "@tocsin/adapters-http/api/DocsHandlers"
import { describe, expect } from "../EffectTest.ts"
import * as Effect from "effect/Effect"
import { test } from "./delivery-client.ts"
import { send } from "./api-client.ts"

describe("documents that are prepared", () => {
  test(
    "spec/rate-limits §8: are made once, and each request gets the same one",
    Effect.gen(function* () {
      yield* prepareDocs
      for (const { path, handler } of docsRoutes) {
        const [first, second] = yield* Effect.all([handler(undefined as never), handler(undefined as never)])
        expect(second).toBe(first)
        const { status, text } = yield* send(path)
        expect(status).toBe(200)
        expect(text).toBe(Buffer.from(first.body).toString())
      }
    }),
  )
})
