import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { onOneServer } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

describe("a queue whose statistics are of an empty table, while a held snapshot keeps what was settled", () => {
  it.effect(
    "looks up claims by their IDs, and does not read past what was settled",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`VACUUM ANALYZE delivery_queue`
        yield* sql`
        INSERT INTO delivery_queue
          (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
        SELECT 'acme', 'd-' || n, 0, 'shop', 'm-' || n % 200, 'n', false, 0, 0, 0, 0 FROM generate_series(1, 30000) AS n`
        yield* sql`DELETE FROM delivery_queue WHERE organization = 'acme'`
        yield* sql`
        UPDATE pg_class SET reltuples = 10, relpages = pg_relation_size(oid) / 8192
        WHERE relname LIKE 'delivery_queue%'`
        const ids = Array.from({ length: 112 }, (_, index) => `'d-${index}'`).join()
        const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`
        EXPLAIN UPDATE delivery_queue SET sending = 1 WHERE organization = 'acme' AND id = ANY (ARRAY[${ids}])`)
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n")
        expect(plan).not.toMatch(/Seq Scan/)
        expect(plan).toMatch(/delivery_queue_pkey/)
      }).pipe(Effect.provide(layer)),
    onOneServer,
  )
})
