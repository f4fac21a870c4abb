import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import { maintainPartitions } from "../../src/Maintenance.ts"
import { contentBytes, historyRetentionMs } from "@tocsin/domain/adapter"
import { AlertStore, DeliveryLog } from "@tocsin/domain/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { aNotificationContent, notify, settleAllDue } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  DeliveryQueuePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provideMerge(layer))

const organization = "acme"
const hook = { project: "shop", name: "hook" }
const day = 86_400_000

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Layer.Success<typeof stores>>) =>
  it.effect(name, () => Effect.provide(effect, stores))

const listed = (of = organization) =>
  Effect.flatMap(DeliveryLog, (log) =>
    Effect.map(log.list(of, {}, { limit: 500 }), ({ items }) =>
      items.map(({ notification }) => notification.id),
    ),
  )

const queued = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ id: string }>`SELECT id FROM delivery_queue ORDER BY id`, (rows) =>
    rows.map(({ id }) => id),
  ),
)

describe("deliveries in PostgreSQL", () => {
  test(
    "spec/delivery §7: store the content of a notification once, however many alert methods it notifies",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const text = randomBytes((103 * 1024) / 2).toString("hex")
      const content = { ...aNotificationContent(organization), conditions: [text] }
      const deliveries = Array.from({ length: 100 }, (_, index) => ({
        id: `d-${String(index).padStart(3, "0")}`,
        alertMethod: { project: "shop", name: `m-${index}` },
      }))
      const change = {
        event: { content, deliveries },
        receipt: { alertId: content.alertId, isChanged: true, deliveries: [] },
      }
      const lookup = { subject: { slo: { project: "shop", name: "checkout" } }, id: undefined }
      yield* (yield* AlertStore).change(organization, lookup, undefined, () => Result.succeed(change))
      const [stored] = yield* sql<{ contents: number; rows: number }>`
        SELECT (SELECT sum(octet_length(content)) FROM notifications)::integer AS contents,
          (SELECT sum(pg_column_size(d.*)) FROM deliveries d)::integer
            + (SELECT sum(pg_column_size(q.*)) FROM delivery_queue q)::integer AS rows`
      expect(stored?.contents).toBeGreaterThan(text.length)
      expect(stored?.contents).toBeLessThan(text.length + 1024)
      expect(stored?.rows).toBeLessThan(100 * 1024)
      const { items } = yield* (yield* DeliveryLog).list(organization, {}, { limit: 500 })
      expect(items.map(({ notification }) => notification)).toEqual(
        deliveries.toReversed().map(({ id }) => ({ ...content, id })),
      )
    }),
  )

  test(
    "are added when maintenance has not created the partitions of the day",
    Effect.gen(function* () {
      yield* passTime(1_000 * day)
      const ids = yield* notify(organization, [hook])
      expect(yield* listed()).toEqual(ids)
      expect(yield* settleAllDue({ kind: "delivered" })).toEqual(ids)
      expect(yield* listed()).toEqual(ids)
    }),
  )

  test(
    "are deleted after their retention, waiting or settled, in every organization",
    Effect.gen(function* () {
      yield* notify(organization, [hook])
      yield* settleAllDue({ kind: "delivered" })
      const old = [...(yield* notify(organization, [hook])), ...(yield* notify("another", [hook, hook]))]
      yield* passTime(day)
      const recent = yield* notify(organization, [hook])
      yield* passTime(historyRetentionMs - 1)
      yield* maintainPartitions
      expect(yield* listed()).toHaveLength(3)
      expect(yield* queued).toEqual([...old, ...recent].toSorted())
      yield* passTime(1)
      yield* maintainPartitions
      expect(yield* listed()).toEqual(recent)
      expect(yield* listed("another")).toEqual([])
      expect(yield* queued).toEqual(recent)
    }),
  )

  test(
    "spec/rate-limits §7: count toward the quota of notifications until their partition is dropped, whatever the clock did",
    Effect.gen(function* () {
      const store = yield* AlertStore
      const stored = Effect.map(store.storedNotifications(organization), (all) =>
        all.toSorted((a, b) => (a.deletedAt ?? 0) - (b.deletedAt ?? 0)),
      )
      const bytes = contentBytes(aNotificationContent(organization))
      yield* passTime(day / 2)
      yield* notify(organization, [hook])
      yield* notify(organization, [hook])
      // The rest was stored while the clock was ahead by three days.
      yield* passTime(3 * day)
      yield* notify(organization, [hook])
      yield* notify("another", [hook])
      yield* passTime(-3 * day)
      const first = { bytes: 2 * bytes, deletedAt: day + historyRetentionMs }
      const ahead = { bytes, deletedAt: 4 * day + historyRetentionMs }
      expect(yield* stored).toEqual([first, ahead])
      yield* passTime(day / 2 + historyRetentionMs - 1)
      yield* maintainPartitions
      expect(yield* stored).toEqual([first, ahead])
      yield* passTime(1)
      yield* maintainPartitions
      expect(yield* stored).toEqual([ahead])
      yield* passTime(3 * day)
      yield* maintainPartitions
      expect(yield* stored).toEqual([])
      expect(yield* store.storedNotifications("another")).toEqual([])
    }),
  )

  test(
    "spec/rate-limits §7: are counted for transactions that run at the same time, in few rows",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const digits = [..."0123456789abcdef"]
      // As of several processes: those of one would share transactions.
      const one = Layer.build(Layer.fresh(AlertStorePg.layer).pipe(Layer.provide(DeliveryHints.layer)))
      const each = yield* Effect.replicateEffect(Effect.map(one, Context.get(AlertStore)), 8)
      yield* Effect.forEach(
        each,
        (store, index) =>
          Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7], (part) => {
            const n = 8 * index + part
            const lookup = { subject: { slo: { project: "shop", name: `slo-${n}` } }, id: undefined }
            const change = {
              event: {
                content: aNotificationContent(organization),
                deliveries: [{ id: `d-${n}-${digits[n % 16]}`, alertMethod: hook }],
              },
              receipt: { alertId: "a", isChanged: true, deliveries: [] },
            }
            return store.change(organization, lookup, undefined, () => Result.succeed(change))
          }),
        { concurrency: "unbounded" },
      )
      const bytes = contentBytes(aNotificationContent(organization))
      const all = yield* (yield* AlertStore).storedNotifications(organization)
      expect(all.reduce((sum, each) => sum + each.bytes, 0)).toBe(64 * bytes)
      expect(yield* sql`SELECT FROM notification_sizes`).toHaveLength(16)
    }).pipe(Effect.scoped),
  )

  test(
    "no longer know a process that ended a day ago, unless it still owns something",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* passTime(2 * day)
      yield* sql`INSERT INTO queue_processes (id, alive_until)
        VALUES ('recent', ${day}), ('owner', ${day - 1}), ('old', ${day - 1})`
      yield* sql`INSERT INTO queue_owners (organization, owner, epoch) VALUES ('acme', 'owner', 1), ('b', NULL, 1)`
      yield* maintainPartitions
      expect(yield* sql`SELECT id FROM queue_processes ORDER BY id`).toEqual([
        { id: "owner" },
        { id: "recent" },
      ])
    }),
  )
})
