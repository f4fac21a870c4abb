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
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { LRUCache } from "lru-cache"
import { dropOldRows } from "../database/Retention.ts"
import { searchText } from "../database/Parameters.ts"
import { storeOperation, togetherOperation } from "../database/PortOperation.ts"

/**
 * Rate limits in PostgreSQL, by its clock, so that the clocks of processes need not agree. One statement decides and
 * counts while it holds the lock of the window's row.
 *
 * Windows of one process are in memory instead.
 *
 * The requests of a process that arrive while it asks about their window are counted by one statement, after the one before: those
 * that it would count one by one only wait for the lock of the row.
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

  /** Asks, and remembers whether the window is full. */
  const decide = ({ key, organization, policy, subject }: Window, amount: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(ask(organization, policy, subject, amount), (decided) => {
        const { fullForMs, sinceLatestMs } = decided
        // Measured from before the statement, so that the process never rejects for longer than the window is full.
        if (fullForMs > 0) full.set(key, { until: now + fullForMs, latest: now - sinceLatestMs })
        else full.delete(key)
        return decided
      }),
    )

  /**
   * Decides on requests of one window that count once each, in their order: with one statement if all are accepted or rejected, and
   * otherwise with one more for those that the window has capacity for.
   */
  const decideTogether = (window: Window, count: number) =>
    Effect.gen(function* () {
      const known = rejectionAt(window.key, yield* Clock.currentTimeMillis)
      if (known !== undefined) return Array.from({ length: count }, () => known)
      const decisions: Array<RateLimitDecision> = []
      let asked = Math.min(count, window.policy.limit)
      for (;;) {
        const { decision, fullForMs } = yield* decide(window, asked)
        const { isAccepted, remaining } = decision
        if (isAccepted) {
          for (let left = asked - 1; left >= 0; left--) {
            decisions.push({
              isAccepted,
              remaining: remaining + left,
              retryAfterMs: left === 0 ? decision.retryAfterMs : 0,
            })
          }
        }
        const waiting = count - decisions.length
        if (waiting === 0) return decisions
        if (remaining === 0) {
          const rejection = { isAccepted: false, remaining, retryAfterMs: fullForMs }
          return [...decisions, ...Array.from({ length: waiting }, () => rejection)]
        }
        asked = Math.min(waiting, remaining)
      }
    })

  const takeOne = togetherOperation("RateLimiter", "take", takenTogetherMax, (windows: Windows) =>
    Effect.map(decideTogether(windows[0], windows.length), (decisions) =>
      decisions.map((decision) => Result.succeed(decision)),
    ),
  )

  return RateLimiter.of({
    take: (organization, policy, subject, amount = 1) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (policy.isPerProcess === true) {
          return Effect.succeed(ownWindows.take(policy, `${organization} ${subject}`, now, amount))
        }
        const key = `${organization} ${policy.name} ${policy.limit} ${subject}`
        const window = { key, organization, policy, subject }
        // A request that counts as several waits for longer, which only its window knows.
        if (amount !== 1) {
          return Effect.map(operation("take", decide(window, amount)), ({ decision }) => decision)
        }
        const rejection = rejectionAt(key, now)
        return rejection === undefined ? takeOne(key, window) : Effect.succeed(rejection)
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

/** Maximum number of requests of a window that one statement counts. */
const takenTogetherMax = 100

/** A window, and its key in this process. */
interface Window {
  readonly key: string
  readonly organization: OrganizationId
  readonly policy: RateLimitPolicy
  readonly subject: string
}

/** The window of requests that are counted together, once for each of them. */
type Windows = readonly [Window, ...ReadonlyArray<Window>]

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
