import { Maintenance } from "@tocsin/adapters-pg"
import * as WriteCheck from "../../src/WriteCheck.ts"
import { maintainPartitions } from "../../src/Maintenance.ts"
import { listPartitions } from "../../src/database/Retention.ts"
import { historyRetentionMs, Readiness } from "@tocsin/domain/adapter"
import { dayMs } from "@tocsin/domain/codec"
import * as SqlClient from "effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { onOneServer, passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

/** Lets statements run, for which the time of the test does not wait. */
const until = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    while (!(yield* condition)) yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
  })

const failures = Effect.gen(function* () {
  const { failures } = yield* Readiness.Readiness
  return failures(yield* Clock.currentTimeMillis).map(({ message }) => message)
})

const failsWith = (...messages: ReadonlyArray<string>) =>
  until(Effect.map(failures, (found) => JSON.stringify(found) === JSON.stringify(messages)))

const context = Layer.mergeAll(layer, Readiness.layer, Layer.succeed(References.MinimumLogLevel, "None"))

describe("spec/operations §5: readiness of the database", () => {
  it.effect("checks that the database accepts writes, which a read-only one does not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* WriteCheck.checkWrites
      const readOnly = sql.withTransaction(
        Effect.andThen(sql`SET TRANSACTION READ ONLY`, WriteCheck.checkWrites),
      )
      expect(yield* Effect.flip(readOnly)).toMatchObject({ _tag: "DatabaseIsReadOnly" })
      let isAway = false
      const sometimesAway = new Proxy(sql, {
        get: (client, name) =>
          isAway && name === "withTransaction" ? () => sql`SELECT 1 / 0` : Reflect.get(client, name),
      })
      yield* Effect.provideService(Layer.build(WriteCheck.layer), SqlClient.SqlClient, sometimesAway)
      // The check before may still run, so that one step of the clock may come too early.
      const passesUntil = (...messages: ReadonlyArray<string>) =>
        Effect.raceFirst(
          failsWith(...messages),
          Effect.forever(
            Effect.andThen(
              TestClock.adjust("5 seconds"),
              Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20))),
            ),
          ),
        )
      isAway = true
      yield* passesUntil("Writing to the database failed")
      isAway = false
      yield* passesUntil()
    }).pipe(Effect.orDie, Effect.scoped, Effect.provide(context)),
  )

  it.effect("reports maintenance that fails, and retries it every minute", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Layer.build(Maintenance.layer)
      yield* sql`ALTER FUNCTION now_ms() RENAME TO away`
      yield* TestClock.adjust("1 hour")
      const readiness = yield* Readiness.Readiness
      const failedAt = yield* Clock.currentTimeMillis
      yield* until(Effect.sync(() => readiness.failures(failedAt + 30_000).length === 1))
      expect(yield* failures).toEqual([])
      yield* TestClock.adjust("1 minute")
      yield* failsWith("Maintaining partitions failed")
      yield* sql`ALTER FUNCTION away() RENAME TO now_ms`
      yield* TestClock.adjust("1 minute")
      yield* failsWith()
    }).pipe(Effect.orDie, Effect.scoped, Effect.provide(context)),
  )

  it.effect(
    "stays ready while a dump keeps expired partitions from being dropped",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const partitions = Effect.map(
          listPartitions(sql, { table: "deliveries", partitionMs: dayMs }),
          (all) => all.map(({ start }) => start),
        )
        yield* maintainPartitions
        const expired = yield* partitions
        yield* passTime(historyRetentionMs + 2 * dayMs)
        const logged: Array<string> = []
        const logger = Logger.layer([
          Logger.make<unknown, void>(({ message }) => void logged.push(String(message))),
        ])
        const [dumpReads, dumpEnds] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const dump = yield* sql`LOCK TABLE deliveries IN ACCESS SHARE MODE`.pipe(
          Effect.andThen(Deferred.succeed(dumpReads, undefined)),
          Effect.andThen(Deferred.await(dumpEnds)),
          sql.withTransaction,
          Effect.forkScoped,
        )
        yield* Deferred.await(dumpReads)
        yield* Effect.provide(Layer.build(Maintenance.layer), logger)
        expect(logged).toEqual(["Deleting expired data failed"])
        const now = yield* Clock.currentTimeMillis
        expect(yield* partitions).toEqual(expect.arrayContaining([...expired, now, now + dayMs]))
        const readiness = yield* Readiness.Readiness
        expect(readiness.failures(now + Readiness.failureCountsMs - 1)).toEqual([])
        yield* Deferred.succeed(dumpEnds, undefined)
        yield* Fiber.join(dump)
        yield* TestClock.adjust(Maintenance.maintenanceMs)
        yield* until(Effect.map(partitions, (left) => !left.some((start) => expired.includes(start))))
      }).pipe(Effect.orDie, Effect.scoped, Effect.provide(Layer.merge(layer, Readiness.layer))),
    // On a cluster, a dump locks the partitions of the workers, out of the sight of the test.
    onOneServer,
  )
})
