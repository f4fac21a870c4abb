import { prepareDocs } from "@tocsin/adapters-http/server"
import { docsRoutes } from "../../src/api/DocsHandlers.ts"
import { describe, expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../../test/http/delivery-client.ts"
import { send } from "../../../../test/http/api-client.ts"

describe("documents that are prepared", () => {
  test(
    "spec/rate-limits §8: are made once, and each request gets the same one",
    Effect.gen(function* () {
      yield* prepareDocs
      for (const { path, handler } of docsRoutes) {
        // What is prepared is there before anything else can happen; making it would take turns of the event loop.
        const turn = Effect.callback<"not prepared">((resume) => {
          setImmediate(() => resume(Effect.succeed("not prepared")))
        })
        const first = yield* Effect.raceFirst(handler(undefined as never), turn)
        if (first === "not prepared") throw new Error(`${path} is ${first}`)
        expect(yield* handler(undefined as never)).toBe(first)
        const { status, text } = yield* send(path)
        expect(status).toBe(200)
        expect(text).toBe(Buffer.from(first.body).toString())
      }
    }),
  )
})
