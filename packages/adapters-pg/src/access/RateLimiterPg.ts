import * as SqlClient from "effect/sql/SqlClient"
import {
  clockToleranceMs,
  logOutages,
  makeWindowTable,
  type RateLimitDecision,
  windowsInMemoryMax,
} from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { RateLimiter } from "@tocsin/domain/ports"
import type { RateLimitPolicy } from "@tocsin/domain/rate-limit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { LRUCache } from "lru-cache"
import { dropOldRows } from "../database/Retention.ts"
import { searchText } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"

/**
 * Rate limits in PostgreSQL, by its clock, so that the clocks of processes need not agree. One statement decides and
 * counts while it holds the lock of the window's row.
 *
 * Windows of one process are in memory instead.
 *
 * A process remembers until when a window is full and rejects by itself until then: a flood of rejected requests costs
 * the database about as much as the accepted ones.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ownWindows = makeWindowTable(windowsInMemoryMax)
  const full = new LRUCache<string, FullWindow>({ max: fullMax })

  const rejectionAt = (key: string, now: number): RateLimitDecision | undefined => {
    const window = full.get(key)
    if (window === undefined) return undefined
    const { until, latest } = window
    if (until > now && latest <= now + clockToleranceMs) {
      return { isAccepted: false, remaining: 0, retryAfterMs: until - now }
    }
    full.delete(key)
    return undefined
  }

  const ask = (
    organization: OrganizationId,
    { name, limit, windowMs }: RateLimitPolicy,
    subject: string,
    amount: number,
  ) => {
    // As `takeFromWindow`. Accepted times are sorted, so the number of those until a time is the position of the last one.
    // The time is a value of the inserted row, read once: a statement of one shard must not call a function that could
    // return something else there. Subqueries are avoided for the same reason.
    const expired = sql`width_bucket(excluded.decided_at - ${windowMs}::bigint, w.accepted)`
    const known = sql`width_bucket(excluded.decided_at + ${clockToleranceMs}::bigint, w.accepted)`
    const hasRoom = sql`${known} - ${expired} + ${amount}::integer <= ${limit}::integer`
    return Effect.map(
      sql<DecisionRow>`
        INSERT INTO rate_limit_windows AS w
          (organization, policy, subject, accepted, is_accepted, decided_at, expires_at)
        VALUES (${organization}, ${name}, ${searchText(subject)}, array_fill(now_ms(), ARRAY[${amount}::integer]), true,
          now_ms(),
          now_ms() + ${windowMs + clockToleranceMs}::bigint)
        ON CONFLICT (organization, policy, subject) DO UPDATE SET
          accepted = w.accepted[${expired} + 1 : ${known}] || CASE WHEN ${hasRoom}
            THEN array_fill(greatest(excluded.decided_at, w.accepted[${known}]), ARRAY[${amount}::integer])
            ELSE '{}' END,
          is_accepted = ${hasRoom}, decided_at = excluded.decided_at, expires_at = excluded.expires_at
        RETURNING is_accepted, cardinality(accepted) AS count, decided_at AS now,
          -- The request that must leave the window first: not the oldest if the window was filled under a higher limit.
          accepted[greatest(1, cardinality(accepted) - ${limit}::integer + 1)] AS leaves_first,
          accepted[greatest(1, cardinality(accepted) - ${limit}::integer + ${amount}::integer)] AS leaves_last,
          accepted[cardinality(accepted)] AS latest`,
      ([row]) => {
        if (row === undefined) throw new Error("an insert that returns nothing")
        const { is_accepted, count, leaves_first, leaves_last, latest, now } = row
        const remaining = Math.max(0, limit - count)
        const fullForMs = remaining > 0 ? 0 : leaves_first + windowMs - now
        const retryAfterMs = is_accepted ? fullForMs : leaves_last + windowMs - now
        const decision: RateLimitDecision = { isAccepted: is_accepted, remaining, retryAfterMs }
        return { decision, fullForMs, sinceLatestMs: now - latest }
      },
    )
  }

  return RateLimiter.of({
    take: (organization, policy, subject, amount = 1) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (policy.isPerProcess === true) {
          return Effect.succeed(ownWindows.take(policy, `${organization} ${subject}`, now, amount))
        }
        const key = `${organization} ${policy.name} ${policy.limit} ${subject}`
        // A request that counts as several waits for longer, which only its window knows.
        const rejection = amount === 1 ? rejectionAt(key, now) : undefined
        if (rejection !== undefined) return Effect.succeed(rejection)
        return Effect.map(
          operation("take", ask(organization, policy, subject, amount)),
          ({ decision, fullForMs, sinceLatestMs }) => {
            // Measured from before the statement, so that the process never rejects for longer than the window is full.
            if (fullForMs > 0) full.set(key, { until: now + fullForMs, latest: now - sinceLatestMs })
            else full.delete(key)
            return decision
          },
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
  // Windows that were written while the clock was ahead are empty, too.
  const isEmpty = sql`(expires_at <= now_ms() OR decided_at > now_ms() + ${futureMs}::bigint)`
  const drop = dropOldRows(sql, "rate_limit_windows", isEmpty)
  const logging = yield* logOutages("Deleting expired rate limit windows failed")
  yield* logging(operation("drop", drop)).pipe(
    Effect.ignoreCause,
    Effect.repeat(Schedule.spaced("10 seconds")),
  )
})

const operation = storeOperation("RateLimiter")

const fullMax = 10_000

/** Longer than any window. */
const futureMs = 60_000

/** Times of the process's clock, in Unix milliseconds. */
interface FullWindow {
  readonly until: number
  /** When the latest request was accepted. */
  readonly latest: number
}

interface DecisionRow {
  readonly is_accepted: boolean
  readonly count: number
  readonly now: number
  readonly leaves_first: number
  readonly leaves_last: number
  readonly latest: number
}
