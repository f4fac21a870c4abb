import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { CountStore, type Recording, SecretBox, SloStore } from "@tocsin/domain/ports"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import * as SqlClient from "effect/sql/SqlClient"
import { PgDatabase } from "@tocsin/adapters-pg"
import { anSlo, putDefinitions, removeSlos } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import { runScript } from "../../../../test/pg/RunScript.ts"
import { newDatabase, testBox, onOneServer } from "../../../../test/pg/TestDatabase.ts"

/** A database on which a deadlock is not resolved: a transaction in one waits for its timeout, and fails. */
const stores = Layer.unwrap(
  Effect.promise(async () => {
    const connection = await newDatabase("schema")
    await Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.unsafe(
        "DO $$BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET deadlock_timeout = 3600000'; END$$",
      ),
    ).pipe(Effect.provide(PgDatabase.layer({ connection })), Effect.runPromise)
    return Layer.mergeAll(SloStorePg.layer, CountStorePg.layer, DefinitionStorePg.layer).pipe(
      Layer.provide([DeliveryHints.layer, Layer.succeed(SecretBox, testBox)]),
      Layer.provideMerge(PgDatabase.layer({ connection })),
    )
  }),
)

const minute = 60_000
const keyOf = (name: string) => ({ project: "shop", name })

/** An SLO with an objective of its own, and one over that of other SLOs. */
const overOthers = (name: string, others: ReadonlyArray<string>): Slo =>
  anSlo(keyOf(name), {
    objectives: [
      { name: "good", target: 0.9 },
      {
        name: "whole",
        target: 0.9,
        composite: {
          maxDelay: durationOf("5m"),
          components: others.map((other) => ({
            slo: keyOf(other),
            objective: "good",
            weight: 1,
            whenDelayed: "Ignore",
          })),
        },
      },
    ],
  })

// Each is locked when another of them is recorded, in a circle too.
const slos = [
  overOthers("a", ["f"]),
  overOthers("b", ["a"]),
  overOthers("c", ["a", "b"]),
  overOthers("d", ["e"]),
  overOthers("e", ["d", "c"]),
  overOthers("f", ["e", "b"]),
]
const names = slos.map(({ metadata }) => metadata.name)

describe("recording counts from many sides at once", () => {
  it.effect("loses nothing and runs into no deadlock, while statuses and definitions are written", () =>
    Effect.gen(function* () {
      const counts = yield* CountStore
      const store = yield* SloStore
      yield* putDefinitions("acme", slos)
      const record = (at: number) =>
        Effect.gen(function* () {
          const some = (yield* Random.shuffle(names)).slice(0, 4)
          const recordings: ReadonlyArray<Recording> = some.map((name) => ({
            slo: keyOf(name),
            counts: [{ objective: "good", at, good: 1, total: 2 }],
          }))
          expect(yield* counts.record("acme", recordings)).toEqual([])
          return some
        })
      const refresh = Effect.gen(function* () {
        const due = yield* store.dueForStatus(Number.MAX_SAFE_INTEGER, 4, 1_000)
        yield* store.writeStatuses(
          due.map(({ organization, slo, revision }) => {
            const { project, name } = slo.definition.metadata
            return { organization, slo: { project, name }, revision, statuses: new Map() }
          }),
        )
      })
      const define = Effect.flatMap(Random.shuffle(slos), (shuffled) =>
        putDefinitions("acme", shuffled.slice(0, 3)),
      )
      const refreshing = yield* Effect.forkChild(
        Effect.all([Effect.forever(refresh), Effect.forever(refresh)], { concurrency: 2 }),
      )
      const recorded = yield* Effect.forEach(
        Array.from({ length: 120 }, (_, index) => index),
        (index) => Effect.tap(record(index * minute), () => (index % 4 === 0 ? define : Effect.void)),
        { concurrency: 10 },
      )
      // It ends by itself only when it fails.
      expect(refreshing.pollUnsafe()).toBeUndefined()
      yield* Fiber.interrupt(refreshing)

      const ranges = [
        { from: 0, to: 120 * minute },
        { from: 0, to: 200 * minute },
      ]
      const found = yield* counts.sums(
        names.map((name) => ({ organization: "acme", slo: keyOf(name), ranges })),
      )
      for (const [index, name] of names.entries()) {
        const total = 2 * recorded.filter((some) => some.includes(name)).length
        expect(total).toBeGreaterThan(0)
        expect(found[index]?.sums.map((sums) => sums.map(({ total }) => total))).toEqual([[total], [total]])
      }
    }).pipe(Effect.provide(stores)),
  )

  it.effect("leaves no counts of an SLO that is removed meanwhile", () =>
    Effect.gen(function* () {
      const counts = yield* CountStore
      const sql = yield* SqlClient.SqlClient
      const slo = keyOf("a")
      const counted = { objective: "good", good: 1, total: 1 }
      const one = {
        slo,
        counts: [
          { ...counted, at: 0 },
          { ...counted, at: 60 * minute },
        ],
      }
      for (let round = 0; round < 10; round++) {
        yield* putDefinitions("acme", [anSlo(slo)])
        const [before] = yield* Effect.all(
          [
            Effect.replicateEffect(counts.record("acme", [one]), 5),
            removeSlos("acme", [slo]),
            Effect.replicateEffect(counts.record("acme", [one]), 5),
          ],
          { concurrency: "unbounded" },
        )
        expect(before.flat().every(({ name }) => name === "a")).toBe(true)
        const left = yield* sql`SELECT 1 FROM slo_hours UNION ALL SELECT 1 FROM slo_days`
        expect(left).toEqual([])
      }
    }).pipe(Effect.provide(stores)),
  )

  it.effect(
    "makes a composite created meanwhile wait for them, so that it is never returned without them",
    () =>
      Effect.gen(function* () {
        const counts = yield* CountStore
        const store = yield* SloStore
        const sql = yield* SqlClient.SqlClient
        yield* putDefinitions("acme", [anSlo(keyOf("a"))])
        // Who records stops as the last row is written, until the lock is given back.
        yield* runScript(`
        CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END';
        CREATE TRIGGER wait_here BEFORE UPDATE OF latest_at ON slos FOR EACH ROW EXECUTE FUNCTION wait_here()`)
        const holder = yield* sql.reserve
        yield* holder.executeUnprepared("SELECT pg_advisory_lock(42)", [], undefined)
        const recorded = yield* Effect.forkChild(
          counts.record("acme", [
            { slo: keyOf("a"), counts: [{ objective: "good", at: 0, good: 1, total: 1 }] },
          ]),
        )
        const waiting = Effect.map(
          sql`SELECT 1 FROM pg_locks l JOIN pg_stat_activity USING (pid)
          WHERE NOT granted AND datname = current_database()`,
          (rows) => rows.length,
        )
        yield* Effect.repeat(waiting, { until: (count) => count === 1, times: 2_000 })
        const defined = yield* Effect.forkChild(putDefinitions("acme", [overOthers("whole", ["a"])]))
        const whole = store.findForStatus("acme", keyOf("whole"))
        const seen = yield* Effect.repeat(Effect.all([waiting, whole]), {
          until: ([count, found]) => count === 2 || Option.isSome(found),
          times: 1_000,
        })
        expect(seen).toEqual([2, Option.none()])
        yield* holder.executeUnprepared("SELECT pg_advisory_unlock(42)", [], undefined)
        expect(yield* Fiber.join(recorded)).toEqual([])
        yield* Fiber.join(defined)
        expect(Option.isSome(yield* whole)).toBe(true)
      }).pipe(Effect.scoped, Effect.provide(stores)),
    onOneServer,
  )
})
