import { maintainPartitions } from "../../src/Maintenance.ts"
import { deletedRevisionsDays, historyRetentionMs } from "@tocsin/domain/adapter"
import { idempotencyKeyLifetimeMs } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const day = 86_400_000
const now = 100 * day

const insertReceipt = (key: string, expiresAt: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO alert_receipts (organization, key, fingerprint, receipt, expires_at)
      VALUES ('acme', ${key}, 'f', '{}', ${expiresAt})`,
  )

const insertAlert = (id: string, resolvedAt: number | null) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO alerts
        (organization, id, subject, project, slo, status, triggered_at, resolved_at, position, alert)
      VALUES ('acme', ${id}, ${id}, 'shop', 'checkout', 'resolved', 0, ${resolvedAt}, 1, '{}')`,
  )

const left = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ name: string }>`
      SELECT key AS name FROM alert_receipts UNION ALL SELECT id FROM alerts ORDER BY name`,
    (rows) => rows.map(({ name }) => name),
  ),
)

describe("retention", () => {
  it.effect("deletes what has expired, and keeps the rest", () =>
    Effect.gen(function* () {
      yield* passTime(now)
      yield* insertReceipt("expired", now)
      yield* insertReceipt("valid", now + 1)
      yield* insertAlert("open", null)
      yield* insertAlert("old", now - historyRetentionMs)
      yield* insertAlert("recent", now - historyRetentionMs + 1)
      yield* maintainPartitions
      expect(yield* left).toEqual(["open", "recent", "valid"])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("spec/reports §3: keeps the alerts of a period until its report is made", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* passTime(now)
      yield* insertAlert("listed", now - historyRetentionMs)
      yield* sql`
        INSERT INTO slos (organization, project, name, service, version)
        VALUES ('acme', 'shop', 'checkout', 'web', 1)`
      yield* sql`
        INSERT INTO report_schedules VALUES ('acme', 'shop', 'checkout', 0, ${2 * now}, ${2 * now})`
      yield* maintainPartitions
      expect(yield* left).toEqual(["listed"])
      yield* sql`UPDATE report_schedules SET period_from = 1`
      yield* maintainPartitions
      expect(yield* left).toEqual([])
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/definitions §13: drops what was deleted, and what was before, 30 days after the deletion",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* passTime(now)
        yield* sql`
        INSERT INTO organizations VALUES ('acme', 1, 900), ('globex', 1, 200)`
        const over = now - deletedRevisionsDays * day - 1
        for (const [organization, name, number, outcome, at] of [
          ["acme", "old", 1, "created", over - 5],
          ["acme", "old", 2, "updated", over - 4],
          ["acme", "old", 3, "deleted", over],
          ["acme", "recent", 1, "created", over - 5],
          ["acme", "recent", 4, "deleted", over + 1],
          ["acme", "again", 1, "created", over - 5],
          ["acme", "again", 2, "deleted", over - 3],
          ["acme", "again", 5, "created", over - 2],
          ["acme", "kept", 1, "created", 1],
          ["globex", "old", 1, "created", over - 5],
          ["globex", "old", 2, "deleted", over - 4],
        ] as const) {
          yield* sql`
          INSERT INTO definition_revisions VALUES (${organization}, 'Service', 'shop', ${name}, ${number}, ${at}, NULL,
            ${outcome}, false, NULL, '{}', 100)`
        }
        yield* maintainPartitions
        const kept = yield* sql<{ readonly name: string; readonly number: number }>`
        SELECT name, number FROM definition_revisions ORDER BY organization, name, number`
        expect(kept.map(({ name, number }) => `${name} ${number}`)).toEqual([
          "again 5",
          "kept 1",
          "recent 1",
          "recent 4",
        ])
        const sizes = yield* sql<{ readonly bytes: number }>`
        SELECT history_bytes AS bytes FROM organizations ORDER BY organization`
        expect(sizes.map(({ bytes }) => bytes)).toEqual([400, 0])
      }).pipe(Effect.provide(layer)),
  )

  it.effect("deletes more rows than one statement does", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* passTime(now)
      yield* sql`
        INSERT INTO alert_receipts (organization, key, fingerprint, receipt, expires_at)
        SELECT 'o-' || n % 3, n::text, 'f', '{}', ${now}::bigint - n FROM generate_series(0, 2500) AS n`
      yield* insertReceipt("valid", now + 1)
      yield* maintainPartitions
      expect(yield* left).toEqual(["valid"])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("deletes closed sessions a week after their tokens have expired", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* passTime(now)
      yield* sql`
        INSERT INTO closed_sessions (organization, session_id, expires_at)
        VALUES ('acme', 'old', ${now - 7 * day}), ('acme', 'recent', ${now - 7 * day + 1})`
      yield* maintainPartitions
      expect(yield* sql`SELECT session_id FROM closed_sessions`).toEqual([{ session_id: "recent" }])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("what was written while the clock was ahead expires within its lifetime from then on", () =>
    Effect.gen(function* () {
      yield* passTime(now)
      yield* insertReceipt("ahead", now + 400 * day)
      yield* insertReceipt("fresh", now + idempotencyKeyLifetimeMs)
      yield* insertAlert("resolved-ahead", now + 400 * day)
      yield* maintainPartitions
      expect(yield* left).toEqual(["ahead", "fresh", "resolved-ahead"])
      yield* passTime(idempotencyKeyLifetimeMs)
      yield* maintainPartitions
      expect(yield* left).toEqual(["resolved-ahead"])
      yield* passTime(historyRetentionMs - idempotencyKeyLifetimeMs)
      yield* maintainPartitions
      expect(yield* left).toEqual([])
    }).pipe(Effect.provide(layer)),
  )
})
