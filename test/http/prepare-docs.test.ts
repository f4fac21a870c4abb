import { docsRoutes, prepareDocs } from "@tocsin/adapters-http/api/DocsHandlers"
import { describe, expect, it } from "../EffectTest.ts"
import * as Effect from "effect/Effect"
import { test } from "./delivery-client.ts"
import { send } from "./api-client.ts"

const timeOf = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const before = process.cpuUsage()
    yield* effect
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })

describe("documents that are prepared", () => {
  it.effect("spec/rate-limits §8: are all made by the time they are requested first", () =>
    Effect.gen(function* () {
      const made = yield* timeOf(prepareDocs)
      // Again nothing is left to make.
      expect(yield* timeOf(prepareDocs)).toBeLessThan(made / 5)
    }),
  )

  test(
    "spec/rate-limits §8: take a stranger's request little processor time",
    Effect.gen(function* () {
      yield* prepareDocs
      expect((yield* send("/healthz")).status).toBe(200)
      for (const { path } of docsRoutes) {
        const used = yield* timeOf(
          Effect.tap(send(path), ({ status }) => Effect.sync(() => expect(status).toBe(200))),
        )
        expect(used).toBeLessThan(200)
      }
    }),
  )
})
