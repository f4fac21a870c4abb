import { HashNode } from "@tocsin/adapters-http/crypto"
import { RateLimiterMemory } from "@tocsin/adapters-memory"
import { layer as limiterLayer, make } from "../../src/access/RateLimiterPg.ts"
import { proveCredential } from "@tocsin/domain"
import { clockToleranceMs } from "@tocsin/domain/adapter"
import { RateLimiter } from "@tocsin/domain/ports"
import * as CredentialStorePg from "../../src/access/CredentialStorePg.ts"
import * as SqlClient from "effect/sql/SqlClient"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const policies = [
  { name: "one", limit: 1, windowMs: 3_000 },
  { name: "three", limit: 3, windowMs: 1_000 },
  { name: "many", limit: 20, windowMs: 1_000 },
]

type Step =
  | {
      readonly kind: "take"
      readonly policy: (typeof policies)[number]
      readonly subject: string
      readonly amount: number
    }
  | { readonly kind: "pass"; readonly milliseconds: number }
  | { readonly kind: "restart"; readonly lowered: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("take" as const),
      policy: fc.constantFrom(...policies),
      subject: fc.constantFrom("", "192.0.2.1"),
      amount: fc.constantFrom(1, 1, 1, 2, 3, 7),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      milliseconds: fc.oneof(
        fc.integer({ min: 0, max: 700 }),
        fc.integer({ min: -2 * clockToleranceMs, max: 2 * clockToleranceMs }),
        fc.integer({ min: -4_000, max: 4_000 }),
        fc.constantFrom(-3_600_000, 3_600_000),
      ),
    }),
  },
  // A new process, which has cached nothing, and in which every limit may be lower than before.
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("restart" as const), lowered: fc.integer({ min: 0, max: 2 }) }),
  },
)

describe("rate limits in memory and in PostgreSQL", () => {
  it.effect.prop(
    "spec/rate-limits §6: decide alike, whatever the clock does",
    [fc.array(step, { minLength: 10, maxLength: 50 })],
    ([steps]) =>
      Effect.gen(function* () {
        // One for each window: a request to one window can remove requests from the future from the others in memory.
        const memories = new Map<string, RateLimiter["Service"]>()
        let pg = yield* make
        let lowered = 0
        yield* passTime(100_000_000)
        for (const [index, one] of steps.entries()) {
          if (one.kind === "pass") yield* passTime(one.milliseconds)
          else if (one.kind === "restart") {
            pg = yield* make
            lowered = one.lowered
          } else {
            const policy = { ...one.policy, limit: Math.max(1, one.policy.limit - lowered) }
            const amount = Math.min(one.amount, policy.limit)
            const window = `${policy.name} ${one.subject}`
            const memory = memories.get(window) ?? RateLimiterMemory.make(1)
            memories.set(window, memory)
            const expected = yield* memory.take("acme", policy, one.subject, amount)
            const actual = yield* pg.take("acme", policy, one.subject, amount)
            expect({ index, ...actual }).toEqual({ index, ...expected })
          }
        }
      }).pipe(Effect.provide(layer)),
    { timeout: 120_000, fastCheck: { numRuns: 15 } },
  )
})

it.effect(
  "spec/rate-limits §6: a window that has room after it was full is not taken for full when the clock goes back",
  () =>
    Effect.gen(function* () {
      const policy = { name: "three", limit: 3, windowMs: 1_000 }
      const limiter = yield* make
      const take = (amount: number) => limiter.take("acme", policy, "", amount)
      yield* passTime(100_000_000)
      yield* take(3)
      yield* passTime(3_600_000)
      yield* take(2)
      yield* passTime(-3_600_000)
      expect(yield* take(1)).toEqual({ isAccepted: true, remaining: 2, retryAfterMs: 0 })
    }).pipe(Effect.provide(layer)),
)

describe("requests of strangers", () => {
  it.effect(
    "spec/rate-limits §3: failed requests for a token write nothing, whatever organization they name",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const limiter = yield* make
        const tags: Array<string> = []
        for (let attempt = 0; attempt < 20; attempt++) {
          const clientSecret = Redacted.make("wrong")
          const failure = proveCredential(`unknown-${attempt}`, { clientId: "me", clientSecret }, "192.0.2.1")
          tags.push((yield* Effect.flip(Effect.provideService(failure, RateLimiter, limiter)))._tag)
        }
        expect(new Set(tags.slice(0, 5))).toEqual(new Set(["CredentialsAreInvalid"]))
        expect(new Set(tags.slice(5))).toEqual(new Set(["RateLimitIsExceeded"]))
        expect(yield* sql`SELECT FROM rate_limit_windows`).toHaveLength(0)
      }).pipe(
        Effect.provide(
          Layer.mergeAll(CredentialStorePg.layer, HashNode.layer).pipe(Layer.provideMerge(layer)),
        ),
      ),
  )
})

describe("closed sessions", () => {
  it.effect("spec/console §1: a session that one process closes is closed for all others at once", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* CredentialStorePg.make(4_000), yield* CredentialStorePg.make(4_000)]
      expect(yield* other.isSessionClosed("acme", "s-1")).toBe(false)
      yield* one.closeSession("acme", "s-1", 1_000)
      expect(yield* other.isSessionClosed("acme", "s-1")).toBe(true)
    }).pipe(Effect.provide(layer)),
  )
})

describe("the deletion of expired windows", () => {
  it.effect(
    "deletes every window that is empty, also those that were written while the clock was ahead",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* passTime(100_000_000)
        yield* sql`
        INSERT INTO rate_limit_windows (organization, policy, subject, accepted, is_accepted, decided_at, expires_at)
        SELECT 'acme', kind, n::text, ARRAY[at], true, at, at + 3000
        FROM (VALUES ('expired', 99997000), ('counting', 99997001), ('ahead', 103600000)) AS k (kind, at),
          generate_series(1, 1200) AS n`
        // Built last: it deletes at once, and then every 10 s.
        yield* Layer.build(limiterLayer)
        const kinds = sql<{ policy: string; count: number }>`
        SELECT policy, count(*)::integer AS count FROM rate_limit_windows GROUP BY policy ORDER BY policy`
        yield* Effect.repeat(Effect.andThen(realPause, kinds), { until: (rows) => rows.length === 1 })
        expect(yield* kinds).toEqual([{ policy: "counting", count: 1_200 }])
        yield* passTime(10_000)
        yield* Effect.repeat(Effect.andThen(realPause, kinds), { until: (rows) => rows.length === 0 })
      }).pipe(Effect.provide(layer)),
  )
})

const realPause = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
