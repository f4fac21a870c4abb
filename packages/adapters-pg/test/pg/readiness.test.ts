import { Maintenance } from "@tocsin/adapters-pg"
import * as WriteCheck from "../../src/WriteCheck.ts"
import { Readiness } from "@tocsin/domain/adapter"
import * as SqlClient from "effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { layer } from "./AdapterDatabase.ts"

/** Lets statements run, for which the time of the test does not wait. */
const until = <R>(condition: Effect.Effect<boolean, never, R>) =>
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
})
