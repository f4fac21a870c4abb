import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { maintainPartitions } from "../../src/Maintenance.ts"
import { convertCounts } from "../../src/slo/CountConversion.ts"
import { convertStep, renameObjectiveTables } from "../../src/slo/ConvertCounts.ts"
import { CountsRetention } from "@tocsin/domain"
import { type Count, CountStore, DefinitionStore } from "@tocsin/domain/ports"
import { putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { exportData, sqlStateOf } from "@tocsin/adapters-pg/admin"
import { writeHeartbeat } from "../../src/delivery/QueueStatements.ts"
import { moveSlos } from "../../src/slo/MoveSlos.ts"
import { expectStatementsOfOneOrganization, recordStatements } from "../../../../test/pg/Statements.ts"
import { connection, passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"
import {
  act,
  day,
  given,
  hour,
  minute,
  ofObjectives,
  ofSlo,
  organization,
  range,
  readBoth,
  renamed,
  sloWith,
  start,
  withRoundingOf,
} from "./CountForms.ts"

const stores = Layer.mergeAll(CountStorePg.layer, DefinitionStorePg.layer, SloStorePg.layer).pipe(
  Layer.provideMerge(layer),
)

const [idleMs, waitMs] = [3_600_000, 60_000]

const tables = ["objective_hours", "objective_days", "slo_hours", "slo_days"]

/** The step, whose connection ends before its statement of this number: nothing of it is stored. */
const brokenStep = (sql: SqlClient.SqlClient, statement: number, rows: number) => {
  let sent = 0
  return Effect.provideService(
    Effect.exit(convertStep(sql, organization, ofObjectives, rows)),
    Statement.CurrentTransformer,
    (each) => Effect.suspend(() => (sent++ === statement ? Effect.interrupt : Effect.succeed(each))),
  )
}

const recordBoth = (counts: ReadonlyArray<Count>) =>
  Effect.flatMap(CountStore, (store) =>
    store.record(organization, [
      { slo: ofObjectives, counts },
      { slo: ofSlo, counts },
    ]),
  )

/** Two objectives of other indicators, in each of so many hours. */
const hourly = (hours: number): ReadonlyArray<Count> =>
  Array.from({ length: hours }, (_, n) => [
    { objective: "good", at: start + n * hour, good: n % 7, total: 10 },
    { objective: "great", at: start + n * hour + minute, good: 1.5, total: 2.25 },
  ]).flat()

/** By SLO, whatever its rows of objectives, its own rows, and the hour that is open. */
const rowsOf = (sql: SqlClient.SqlClient, slo: typeof ofSlo) =>
  Effect.forEach(
    tables,
    (table) => sql`
    SELECT row FROM (SELECT at, to_jsonb(t) - 'slo' AS row FROM ${sql(table)} t WHERE slo = ${slo.name}) r ORDER BY at`,
  )

const expectConverted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  expect(yield* rowsOf(sql, ofObjectives)).toEqual(yield* rowsOf(sql, ofSlo))
  expect((yield* sql`SELECT DISTINCT count_rows, open_hour, copied_to FROM slos`).length).toBe(1)
})

describe("the conversion of the counts of an SLO", () => {
  it.effect("changes nothing that is read, whatever happens meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* renamed
      const rows = fc.integer({ min: 1, max: 20 })
      const other = fc.oneof(
        rows.map((rows) => ({ what: "convert" as const, rows })),
        fc.record({ what: fc.constant("break" as const), rows, statement: fc.nat(14) }),
        fc.constant({ what: "move" as const }),
        fc.constant({ what: "maintain" as const }),
      )
      for (const [acts, ranges] of fc.sample(
        fc.tuple(
          fc.array(fc.oneof(act, other, other), { minLength: 8, maxLength: 20 }),
          fc.array(range, { minLength: 3, maxLength: 6 }),
        ),
        4,
      )) {
        yield* given
        const expectSame = Effect.gen(function* () {
          const [a, b] = yield* readBoth(ranges)
          expect(a).toEqual(b)
        })
        for (const each of acts) {
          switch (each.what) {
            case "record":
              yield* recordBoth(each.counts)
              break
            case "judge":
              yield* putDefinitions(organization, [
                sloWith(ofObjectives, each.timeSliceTarget),
                sloWith(ofSlo, each.timeSliceTarget),
              ])
              break
            case "convert":
              yield* convertStep(sql, organization, ofObjectives, each.rows)
              break
            case "break":
              yield* brokenStep(sql, each.statement, each.rows)
              break
            case "move":
              for (const [from, to] of [
                ["shop", "moved"],
                ["moved", "shop"],
              ] as const)
                yield* sql.withTransaction(
                  Effect.andThen(
                    sql`DELETE FROM definition_references WHERE name = ${ofObjectives.name}`,
                    moveSlos(sql, organization, [{ name: ofObjectives.name, from, to }], []),
                  ),
                )
              break
            case "maintain":
              yield* maintainPartitions
              break
          }
          yield* expectSame
        }
        while (yield* convertStep(sql, organization, ofObjectives, 50)) yield* expectSame
        yield* expectSame
        yield* expectConverted
        expect(yield* sql`SELECT FROM objective_hours UNION ALL SELECT FROM objective_days`).toEqual([])
        for (const table of [...tables, "slos", "definitions"]) yield* sql`DELETE FROM ${sql(table)}`
      }
    }).pipe(Effect.provide(stores)),
  )

  it.effect(
    "copies hours again that change after they were copied, and deletes the copies of those that are gone",
    () =>
      Effect.gen(function* () {
        const sql = yield* given
        yield* renamed
        yield* recordBoth(hourly(100))
        const ofCopied = sql`SELECT copied_to FROM slos WHERE name = ${ofObjectives.name}`
        yield* convertStep(sql, organization, ofObjectives, 150)
        expect(yield* ofCopied).toEqual([{ copied_to: start + 50 * hour }])
        yield* recordBoth([{ objective: "good", at: start + 60 * hour, good: 1, total: 2 }])
        expect(yield* ofCopied).toEqual([{ copied_to: start + 50 * hour }])
        yield* recordBoth([{ objective: "good", at: start + 10 * hour, good: 1, total: 2 }])
        expect(yield* ofCopied).toEqual([{ copied_to: start + 10 * hour }])
        const gone = sql`slo = ${ofObjectives.name} AND at IN (${start + 12 * hour}, ${start + 30 * hour})`
        for (const table of ["objective_hours", "slo_hours"]) {
          // As if their counts had been deleted, those of the last one of its day in the hours only.
          yield* sql`DELETE FROM ${sql(table)} WHERE slo = ${ofSlo.name} AND at IN (${start + 12 * hour}, ${start + 30 * hour})`
        }
        yield* sql`DELETE FROM objective_hours WHERE ${gone}`
        yield* sql`DELETE FROM slo_days WHERE slo = ${ofSlo.name}`
        while (yield* convertStep(sql, organization, ofObjectives, 30));
        // The days of the other SLO are made anew of its hours.
        yield* recordBoth([{ objective: "good", at: start + 20 * hour, good: 1, total: 2 }])
        yield* recordBoth([{ objective: "good", at: start + 40 * hour, good: 1, total: 2 }])
        const days = (slo: typeof ofSlo) =>
          sql`SELECT at, sums, hours FROM slo_days WHERE slo = ${slo.name} AND at < ${start + 2 * day} ORDER BY at`
        expect(yield* days(ofObjectives)).toEqual(yield* days(ofSlo))
        expect((yield* rowsOf(sql, ofObjectives))[2]).toEqual((yield* rowsOf(sql, ofSlo))[2])
      }).pipe(Effect.provide(stores)),
  )

  it.effect("ends with the SLO, and its retention", () =>
    Effect.gen(function* () {
      const sql = yield* given
      yield* renamed
      const { change } = yield* DefinitionStore
      const remove = (key: typeof ofSlo) =>
        change(organization, [{ kind: "SLO", ...key }], () =>
          Result.succeed({ put: [], remove: [{ kind: "SLO" as const, ...key }] }),
        )
      yield* recordBoth(hourly(100))
      yield* convertStep(sql, organization, ofObjectives, 60)
      yield* remove(ofObjectives)
      expect((yield* rowsOf(sql, ofObjectives)).flat()).toEqual([])
      expect(yield* convertStep(sql, organization, ofObjectives, 60)).toBe(undefined)
      yield* putDefinitions(organization, [sloWith(ofObjectives, 0.9)])
      expect(yield* sql`SELECT count_rows FROM slos WHERE name = ${ofObjectives.name}`).toEqual([
        { count_rows: "slo" },
      ])
      yield* remove(ofObjectives)
      yield* given
      yield* recordBoth(hourly(100))
      yield* convertStep(sql, organization, ofObjectives, 60)
      yield* passTime(start + 100 * day)
      yield* Effect.provideService(maintainPartitions, CountsRetention, 39)
      yield* convertStep(sql, organization, ofObjectives, 60)
      yield* convertStep(sql, organization, ofObjectives, 60)
      expect((yield* rowsOf(sql, ofObjectives)).flat()).toEqual([])
      yield* recordBoth([{ objective: "good", at: start + 99 * day, good: 1, total: 2 }])
      yield* expectConverted
    }).pipe(Effect.provide(stores)),
  )
})

describe("the conversion of all counts", () => {
  const organizations = ["acme", "globex"]
  const slos = ["a", "b", "c"].map((name) => ({ project: "shop", name }))

  const givenAll = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE slos ALTER COLUMN count_rows SET DEFAULT 'objective'`
    for (const organization of organizations) {
      yield* putDefinitions(
        organization,
        slos.map((slo) => sloWith(slo, 0.9)),
      )
      yield* (yield* CountStore).record(
        organization,
        slos.map((slo) => ({ slo, counts: hourly(40) })),
      )
    }
    return sql
  })

  const readAll = Effect.map(
    Effect.flatMap(CountStore, (store) =>
      store.sums(
        organizations.flatMap((organization) =>
          slos.map((slo) => ({
            organization,
            slo,
            ranges: [{ from: start + 30 * minute, to: start + 39 * hour }],
          })),
        ),
      ),
    ),
    (found) =>
      found.map(({ sums }) =>
        sums.map((each) => each.toSorted((a, b) => (a.objective < b.objective ? -1 : 1))),
      ),
  )

  /** However long steps take on this machine. */
  const noRest = () => 0

  it.live("is done by one process at a time, while counts are recorded and read", () =>
    Effect.gen(function* () {
      const sql = yield* givenAll
      yield* renamed
      const before = yield* readAll
      const both = yield* Effect.forkChild(
        Effect.all([convertCounts(sql, "one", noRest), convertCounts(sql, "other", noRest)], {
          concurrency: 2,
        }),
      )
      for (let n = 0; n < 20; n++) {
        yield* (yield* CountStore).record("acme", [
          {
            slo: slos[n % 3] ?? ofSlo,
            counts: [{ objective: "good", at: start + (60 - n) * hour, good: 1, total: 2 }],
          },
        ])
        expect(withRoundingOf(before, yield* readAll)).toEqual(before)
      }
      expect(Math.max(...(yield* Fiber.join(both)))).toBe(idleMs)
      expect(yield* sql`SELECT DISTINCT count_rows, copied_to FROM slos`).toEqual([
        { count_rows: "slo", copied_to: null },
      ])
      expect(yield* sql`SELECT FROM objective_hours UNION ALL SELECT FROM objective_days`).toEqual([])
      expect(withRoundingOf(before, yield* readAll)).toEqual(before)
    }).pipe(Effect.provide(stores)),
  )

  it.live("waits for a process that has begun, until it has stopped for a minute", () =>
    Effect.gen(function* () {
      const sql = yield* givenAll
      yield* renamed
      yield* sql`INSERT INTO count_conversion (id, owner, owned_until) VALUES (1, 'other', now_ms() + 60_000)`
      expect(yield* convertCounts(sql, "one")).toBe(waitMs)
      expect(yield* sql`SELECT FROM slos WHERE copied_to IS NOT NULL OR count_rows = 'slo'`).toEqual([])
      yield* sql`UPDATE count_conversion SET owned_until = now_ms() - 1`
      expect(yield* Effect.provide(convertCounts(sql, "one", noRest), recordStatements)).toBe(idleMs)
      yield* expectStatementsOfOneOrganization
      expect(yield* sql`SELECT FROM slos WHERE copied_to IS NOT NULL OR count_rows <> 'slo'`).toEqual([])
    }).pipe(Effect.provide(stores)),
  )

  it.live("takes longer steps for an SLO whose copied hours keep changing, and then the others first", () =>
    Effect.gen(function* () {
      const sql = yield* givenAll
      yield* renamed
      yield* (yield* CountStore).record("acme", [{ slo: slos[0] ?? ofSlo, counts: hourly(300) }])
      // As if a late count of the first hour were recorded after each step that has not copied all.
      yield* sql.unsafe(`
        CREATE FUNCTION set_back() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN NEW.copied_to = ${start}; NEW.count_rows = 'objective'; RETURN NEW; END $$`)
      const setBackIf = (condition: string) =>
        sql.unsafe(`
          CREATE OR REPLACE TRIGGER set_back BEFORE UPDATE OF copied_to ON slos FOR EACH ROW
          WHEN (NEW.organization = 'acme' AND NEW.name = 'a' AND ${condition}) EXECUTE FUNCTION set_back()`)
      const left = sql`SELECT organization, name FROM slos WHERE count_rows <> 'slo' OR copied_to IS NOT NULL`
      yield* setBackIf("true")
      expect(yield* convertCounts(sql, "one", noRest)).toBe(waitMs)
      expect(yield* left).toEqual([{ organization: "acme", name: "a" }])
      yield* setBackIf("NEW.count_rows = 'objective'")
      expect(yield* convertCounts(sql, "one", noRest)).toBe(idleMs)
      yield* sql`DROP FUNCTION set_back CASCADE`
      expect(yield* left).toEqual([])
    }).pipe(Effect.provide(stores)),
  )

  it.live("leaves an SLO with a row that cannot be read as it is, and converts the others", () =>
    Effect.gen(function* () {
      const sql = yield* givenAll
      yield* renamed
      for (const [name, hours] of [
        ["a", "packed = NULL, minute_good = '{1,2}', minute_total = '{1,2}'"],
        ["b", "packed = '\\x63', minute_good = NULL, minute_total = NULL"],
      ] as const)
        yield* sql.unsafe(
          `UPDATE objective_hours SET ${hours} WHERE organization = 'acme' AND slo = '${name}' AND at = ${start + 20 * hour}`,
        )
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message, fiber }) => {
        logged.push([message, fiber.getRef(References.CurrentLogAnnotations)])
      })
      yield* Effect.provide(convertCounts(sql, "one", noRest), Logger.layer([logger]))
      expect(yield* sql`SELECT organization, name FROM slos WHERE count_rows <> 'slo' ORDER BY name`).toEqual(
        [
          { organization: "acme", name: "a" },
          { organization: "acme", name: "b" },
        ],
      )
      expect(JSON.stringify(logged)).toContain("shop/a")
      expect(JSON.stringify(logged)).toContain("shop/b")
      expect(JSON.stringify(logged)).not.toContain("shop/c")
      const after =
        yield* sql`SELECT slo, count(*)::integer AS rows FROM objective_hours GROUP BY slo ORDER BY slo`
      expect(after.map(({ slo }) => slo)).toEqual(["a", "b"])
    }).pipe(Effect.provide(stores)),
  )
})

describe("the tables with rows of objectives", () => {
  it.effect("are not renamed while a server of an earlier version may run, or others use SLOs", () =>
    Effect.gen(function* () {
      const sql = yield* given
      const rename = renameObjectiveTables(sql)
      yield* passTime(start)
      yield* sql`UPDATE schema_migrations SET applied_at = now()`
      expect(yield* rename).toBe(false)
      yield* sql`UPDATE schema_migrations SET applied_at = 'epoch'`
      yield* sql`INSERT INTO queue_processes (id, alive_until) VALUES ('earlier', now_ms() - 599_000)`
      expect(yield* rename).toBe(false)
      yield* passTime(1_001)
      yield* writeHeartbeat(sql, "this", 10_000)
      const isLocked = Deferred.makeUnsafe<void>()
      const other = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.andThen(
            sql`SELECT FROM slos FOR NO KEY UPDATE`,
            Effect.andThen(Deferred.succeed(isLocked, undefined), Effect.never),
          ),
        ),
      )
      yield* Deferred.await(isLocked)
      expect(yield* rename).toBe(false)
      yield* Fiber.interrupt(other)
      expect(yield* sql`SELECT to_regclass('count_hours') IS NULL AS renamed`).toEqual([{ renamed: false }])
      yield* renamed
      expect(yield* rename).toBe(true)
    }).pipe(Effect.provide(stores)),
  )

  it.effect("are not renamed if a server of an earlier version comes back after an outage", () =>
    Effect.gen(function* () {
      const sql = yield* given
      yield* passTime(start)
      yield* sql`UPDATE schema_migrations SET applied_at = 'epoch'`
      yield* sql`INSERT INTO queue_processes (id, alive_until) VALUES ('earlier', now_ms() - 900_000)`
      const run = yield* Effect.forkChild(convertCounts(sql, "one"))
      const hasBegun = Effect.map(sql`SELECT FROM count_conversion`, (rows) => rows.length > 0)
      yield* Effect.repeat(hasBegun, { until: (begun) => begun })
      yield* sql`UPDATE queue_processes SET alive_until = now_ms() + 10_000`
      // It may still be about to wait.
      yield* Effect.repeat(Effect.andThen(sql`SELECT`, TestClock.adjust(waitMs)), {
        until: () => run.pollUnsafe() !== undefined,
      })
      expect(yield* Fiber.join(run)).toBe(waitMs)
      expect(yield* sql`SELECT to_regclass('count_hours') IS NULL AS renamed`).toEqual([{ renamed: false }])
    }).pipe(Effect.provide(stores)),
  )

  it.effect("are exported as before", () =>
    Effect.gen(function* () {
      const sql = yield* given
      yield* recordBoth(hourly(50))
      const rows = Effect.gen(function* () {
        const chunks: Array<string> = []
        const mac = { update: () => {}, digest: () => "", matches: () => true }
        const counts = yield* exportData(connection, "id", mac, (text) =>
          Effect.sync(() => chunks.push(text)),
        )
        return [[...counts], chunks.slice(1)] as const
      })
      const before = yield* rows
      expect(new Map(before[0]).get("count_hours")).toBe(150)
      yield* renamed
      expect(yield* rows).toEqual(before)
      yield* convertStep(sql, organization, ofObjectives, 60)
      expect(new Map((yield* rows)[0]).get("count_hours")).toBe(150)
    }).pipe(Effect.provide(stores)),
  )

  it.effect("are found by no statement of an earlier server, also one that its connection has prepared", () =>
    Effect.gen(function* () {
      const sql = yield* given
      yield* recordBoth(hourly(2))
      const statements = [
        "SELECT * FROM count_hours WHERE organization = $1",
        "SELECT sum(good) FROM count_days WHERE organization = $1 GROUP BY objective",
        `INSERT INTO count_hours (organization, project, slo, at, objective, good, total, minutes, good_shares, good_minutes)
          VALUES ($1, 'shop', 'a', ${start}, 'good', 1, 1, 1, 1, 1) ON CONFLICT (organization, project, slo, at, objective)
          DO UPDATE SET good = excluded.good`,
        "DELETE FROM count_days WHERE organization = $1",
      ]
      yield* sql.withTransaction(
        Effect.gen(function* () {
          for (const statement of statements) yield* sql.unsafe(statement, ["nobody"])
        }),
      )
      const [before] = yield* readBoth([{ from: start, to: start + day }])
      yield* renamed
      for (const statement of statements) {
        const failure = yield* Effect.flip(sql.unsafe(statement, ["nobody"]))
        expect(sqlStateOf(failure)).toBe("42P01")
      }
      expect((yield* readBoth([{ from: start, to: start + day }]))[0]).toEqual(before)
    }).pipe(Effect.provide(stores)),
  )
})
