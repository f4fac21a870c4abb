import { noteRejection, RejectedOrganizations } from "../../src/rate-limit/RejectedOrganizations.ts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"

describe("the log of rejected requests", () => {
  it.effect("spec/telemetry §6: has at most one line a minute for each organization and limit", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message, logLevel, fiber }) =>
      lines.push([logLevel, message, fiber.getRef(References.CurrentLogAnnotations)]),
    )
    const line = (fields: object) => ["Info", ["A limit rejected requests"], fields]
    return Effect.gen(function* () {
      yield* noteRejection("acme", "alerts")
      yield* noteRejection("acme", "alerts")
      yield* noteRejection("other", "alerts")
      yield* noteRejection("acme", "definitions")
      yield* noteRejection("", "failed-credentials")
      expect(lines.splice(0)).toEqual([
        line({ organization: "acme", limit: "alerts" }),
        line({ organization: "other", limit: "alerts" }),
        line({ organization: "acme", limit: "definitions" }),
        line({ limit: "failed-credentials" }),
      ])
      for (let second = 0; second < 120; second++) {
        yield* TestClock.adjust(1_000)
        yield* noteRejection("acme", "alerts")
      }
      expect(lines).toEqual(Array(2).fill(line({ organization: "acme", limit: "alerts" })))
    }).pipe(Effect.provideService(RejectedOrganizations, new Map()), Effect.provide(Logger.layer([logger])))
  })
})
