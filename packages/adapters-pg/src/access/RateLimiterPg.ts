import * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import { RateLimiter, RateLimiterIsUnavailable } from "@tocsin/domain/rate-limit/RateLimiter"
import type { RateLimitPolicy } from "@tocsin/domain/rate-limit/RateLimitPolicy"
import type { RateLimitDecision } from "@tocsin/domain/rate-limit/SlidingWindow"
import { logOutages } from "@tocsin/domain/OutageLog"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { LRUCache } from "lru-cache"
import { dropOldRows } from "../database/Retention.ts"
import { searchText } from "../database/Parameters.ts"
import { portOperation } from "../database/PortOperation.ts"

/**
 * Rate limits in PostgreSQL, by its clock. One statement decides and counts while it holds the lock of the window's row.
 *
 * A process remembers until when a window is full and rejects by itself until then: a flood of rejected requests costs
 * the database about as much as the accepted ones.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const fullUntil = new LRUCache<string, number>({ max: fullMax })

  const refusalAt = (key: string, policy: RateLimitPolicy, now: number): RateLimitDecision | undefined => {
    const until = fullUntil.get(key)
    if (until === undefined) return undefined
    // A window is full for at most its own length: a longer time means that the clock was set back.
    if (until > now && until - now <= policy.windowMs) {
      return { isAccepted: false, remaining: 0, retryAfterMs: until - now }
    }
    fullUntil.delete(key)
    return undefined
  }

  const ask = (organization: OrganizationId, { name, limit, windowMs }: RateLimitPolicy, subject: string) =>
    Effect.map(
      // The clock and the list are read after the row is locked. The new list is computed in one place; the decision is
      // then derived from the stored row.
      sql<DecisionRow>`
        INSERT INTO rate_limit_windows AS w
          (organization, policy, subject, accepted, is_accepted, decided_at, expires_at)
        SELECT ${organization}, ${name}, ${searchText(subject)}, ARRAY[now], true, now, now + ${windowMs}::bigint
        FROM clock_ms() AS now
        ON CONFLICT (organization, policy, subject) DO UPDATE
        SET (accepted, is_accepted, decided_at, expires_at) = (
          SELECT decided.list, room, now, decided.list[cardinality(decided.list)] + ${windowMs}::bigint
          FROM clock_ms() AS now
          CROSS JOIN LATERAL (SELECT greatest(now, w.accepted[cardinality(w.accepted)]) AS time) t
          CROSS JOIN LATERAL (
            SELECT ARRAY(SELECT at FROM unnest(w.accepted) AS at WHERE at + ${windowMs}::bigint > time ORDER BY at)
              AS counting
          ) c
          CROSS JOIN LATERAL (SELECT cardinality(counting) < ${limit} AS room) r
          CROSS JOIN LATERAL (SELECT CASE WHEN room THEN counting || time ELSE counting END AS list) decided
        )
        RETURNING is_accepted, cardinality(accepted) AS count, decided_at AS now,
          -- The request that must leave the window first: not the oldest if the window was filled under a higher limit.
          accepted[greatest(1, cardinality(accepted) - ${limit} + 1)] AS leaves_first`,
      ([row]): RateLimitDecision => {
        if (row === undefined) throw new Error("an insert that returns nothing")
        const { is_accepted, count, leaves_first, now } = row
        const remaining = Math.max(0, limit - count)
        return {
          isAccepted: is_accepted,
          remaining,
          retryAfterMs: remaining > 0 ? 0 : leaves_first + windowMs - now,
        }
      },
    )

  return RateLimiter.of({
    take: (organization, policy, subject) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const key = `${organization} ${policy.name} ${policy.limit} ${subject}`
        const refusal = refusalAt(key, policy, now)
        if (refusal !== undefined) return Effect.succeed(refusal)
        return Effect.tap(
          operation("take", ask(organization, policy, subject)),
          // Measured from before the statement, so that the process never rejects for longer than the window is full.
          ({ retryAfterMs }) =>
            Effect.sync(() => {
              if (retryAfterMs > 0) fullUntil.set(key, now + retryAfterMs)
            }),
        )
      }),
  })
})

/** The rate limits of a database, and a fiber that deletes empty windows. */
export const layer: Layer.Layer<RateLimiter, never, SqlClient.SqlClient> = Layer.effect(
  RateLimiter,
  Effect.tap(make, () => Effect.forkScoped(dropEmptyWindows)),
)

const dropEmptyWindows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const drop = dropOldRows(sql, "rate_limit_windows", sql`expires_at <= clock_ms()`)
  const logging = yield* logOutages("Deleting expired rate limit windows failed")
  yield* logging(operation("drop", drop)).pipe(
    Effect.ignoreCause,
    Effect.repeat(Schedule.spaced("10 seconds")),
  )
})

const operation = portOperation((failure) => new RateLimiterIsUnavailable(failure))

const fullMax = 10_000

interface DecisionRow {
  readonly is_accepted: boolean
  readonly count: number
  readonly now: number
  readonly leaves_first: number
}
