import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { startClockedServer } from "./clocked-server.ts"

it.effect(
  "spec/rate-limits §4, spec/rate-limits §1: the eleventh list request in a second is 429 with Retry-After, in each version on its own",
  () =>
    Effect.gen(function* () {
      const server = yield* startClockedServer()
      const headers = yield* server.login
      for (const version of ["v2", "v1"]) {
        const list = server.send("GET", `/api/${version}/slos`, { headers })
        const statuses = yield* Effect.forEach(Array.from({ length: 25 }), () => list, {
          concurrency: "unbounded",
        })
        expect(statuses.filter(({ status }) => status === 200)).toHaveLength(10)
        const refused = statuses.filter(({ status }) => status === 429)
        expect(refused).toHaveLength(15)
        for (const { headers, json } of refused) {
          expect(headers.get("retry-after")).toBe("1")
          expect(json.errors[0].code).toBe("rate_limit_exceeded")
        }
        yield* TestClock.adjust("999 millis")
        expect((yield* list).status).toBe(429)
        yield* TestClock.adjust("1 millis")
        expect((yield* list).status).toBe(200)
      }
    }),
)

it.effect(
  "spec/rate-limits §4, spec/rate-limits §1: the second token in three seconds is 429 with Retry-After, for each organization on its own",
  () =>
    Effect.gen(function* () {
      const { token } = yield* startClockedServer()
      expect((yield* token()).status).toBe(200)
      const refused = yield* token()
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3"])
      expect((yield* token(undefined, "other")).status).toBe(200)
      yield* TestClock.adjust("2999 millis")
      const later = yield* token()
      expect([later.status, later.headers.get("retry-after")]).toEqual([429, "1"])
      yield* TestClock.adjust("1 millis")
      expect((yield* token()).status).toBe(200)
    }),
)

it.effect("spec/rate-limits §3: wrong secrets never lock an organization out", () =>
  Effect.gen(function* () {
    const { token } = yield* startClockedServer()
    const guesses = yield* Effect.forEach(
      Array.from({ length: 50 }),
      () => token("a wrong secret that is long"),
      {
        concurrency: 10,
      },
    )
    const statuses = new Set(guesses.map(({ status }) => status))
    expect(statuses).toEqual(new Set([401, 429]))
    for (const { status, headers } of guesses) {
      if (status === 429) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
      else expect(headers.get("www-authenticate")).toContain("Basic")
    }
    expect((yield* token()).status).toBe(200)
  }),
)
