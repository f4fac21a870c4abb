import { installationTables, omittedTables, organizationTables } from "../../src/transfer/ExportedTables.ts"
import { migrate } from "@tocsin/adapters-pg/admin"
import { PgDatabase } from "@tocsin/adapters-pg"
import { doubles, texts } from "../../src/database/Parameters.ts"
import { importData, insertRows } from "../../src/transfer/ImportData.ts"
import { exportWriter, formatVersion } from "../../src/transfer/ExportFormat.ts"
import { migrations } from "../../src/migrations/Migrations.ts"
import { sloHours } from "../../src/migrations/SloHours.ts"
import { convertStep, renameObjectiveTables } from "../../src/slo/ConvertCounts.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import { CountStore, SecretBox } from "@tocsin/domain/ports"
import { tableColumns } from "../../src/database/TableColumns.ts"
import { rowText } from "../../src/transfer/RowText.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { run, until, urlOf, whileOpen } from "../../../../test/crash/CrashDatabase.ts"
import { scratch, startTocsin, tocsin } from "../../../../test/server/child-process.ts"
import { newDatabase, testBox } from "../../../../test/pg/TestDatabase.ts"

const masterKey = Buffer.alloc(32, 8).toString("base64")

const environmentOf = (connection: Awaited<ReturnType<typeof newDatabase>>, key = masterKey) => ({
  DATABASE_URL: urlOf(connection),
  TOCSIN_MASTER_KEY: key,
})

/** All rows of the exported tables, as text; what a move replaces is left out. */
const contents = async (connection: Awaited<ReturnType<typeof newDatabase>>) => {
  const tables = [...installationTables, ...organizationTables].filter((table) => table !== "queue_owners")
  const rows = tables.map(async (table) => [
    table,
    (await run<{ row: string }>(connection, `SELECT t::text AS row FROM ${table} t ORDER BY 1`)).map(
      ({ row }) => row,
    ),
  ])
  return Object.fromEntries(await Promise.all(rows)) as Record<string, ReadonlyArray<string>>
}

const day = 86_400_000

const partitionOfHours = `CREATE TABLE count_hours_0 PARTITION OF count_hours FOR VALUES FROM (0) TO (${28 * day * 10_000})`

const insertHours = (first: number, last: number) =>
  `INSERT INTO count_hours SELECT 'acme', 'default', 'checkout', i * 3600000::bigint, 'good',
     array_fill(NULL::float8, ARRAY[58]) || ARRAY[0.1 + i, 'NaN'], array_fill(1e300::float8, ARRAY[60]), 0.1, i, 1, 1, 1
   FROM generate_series(${first}, ${last}) i`

const insertSloHours = (hours: number) => `
  CREATE TABLE slo_hours_0 PARTITION OF slo_hours FOR VALUES FROM (0) TO (${28 * day * 10_000});
  CREATE TABLE slo_days_0 PARTITION OF slo_days FOR VALUES FROM (0) TO (${28 * day * 10_000});
  INSERT INTO slo_hours SELECT 'acme', 'default', 'checkout', i * 3600000::bigint, '\\x0100ff5c0a' FROM generate_series(1, ${hours}) i;
  INSERT INTO slo_days SELECT 'acme', 'default', 'checkout', i * ${day}::bigint, '\\x0100', '\\x01ff' FROM generate_series(1, ${Math.ceil(hours / 24)}) i`

/** A database with `hours` rows of counts, values of every type in use, and what is hard to write in text. */
const filled = async (hours: number) => {
  const connection = await newDatabase("empty")
  await Effect.runPromise(migrate(connection))
  await run(connection, partitionOfHours)
  await run(
    connection,
    `CREATE TABLE notifications_0 PARTITION OF notifications FOR VALUES FROM (0) TO (${day})`,
  )
  await run(connection, insertHours(1, hours))
  for (const statement of insertSloHours(hours).split(";")) await run(connection, statement)
  await run(connection, `INSERT INTO public_keys VALUES ('k', '\\x00ff5c0a'::bytea)`)
  await run(
    connection,
    `INSERT INTO alert_receipts VALUES ('acme', 'k', E'\\u2028\\r\\n\\t"\\\\u0000\\\\" é 🎉', '', 9223372036854775807),
       ('o''x', E'\\\\N', 'NULL', '{}', -9007199254740993)`,
  )
  await run(
    connection,
    `INSERT INTO definitions VALUES ('acme', 'SLO', 'default', 'x', '{"a":"\\u0000"}', '{"[\\"a\\"]",NULL,"",","}', NULL, NULL, 1, 2, 3)`,
  )
  await run(connection, `INSERT INTO notifications VALUES ('acme', 'n', 5, '{}')`)
  await run(
    connection,
    `INSERT INTO delivery_queue (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used, sending)
     VALUES ('acme', 'd', 5, 'default', 'pager', 'n', true, 1, 2, 3, 4, 5)`,
  )
  await run(connection, `INSERT INTO queue_owners VALUES ('acme', 'process', 5, NULL)`)
  return connection
}

const exported = async (connection: Awaited<ReturnType<typeof newDatabase>>, name: string) => {
  const file = join(scratch, name)
  const { code, stderr } = await tocsin(["database", "export", file], environmentOf(connection))
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("Exported") })
  return file
}

/** What PostgreSQL stores as text: no U+0000, and no unpaired surrogate. */
const text = fc
  .string({ unit: "binary", maxLength: 40 })
  .map((value) => value.replaceAll("\u0000", "\\u0000"))
const bigint = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const hex = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("hex"))

/** A value of each type in use, and of those that a later schema may use; null anywhere. */
const anyRow = fc.record({
  text: fc.option(text),
  texts: fc.option(fc.array(fc.option(text), { maxLength: 5 })),
  bytes: fc.option(hex),
  big: fc.option(bigint),
  double: fc.option(fc.double()),
  doubles: fc.array(fc.option(fc.double()), { maxLength: 5 }),
  flag: fc.option(fc.boolean()),
  // The largest exponent of numeric is greater than that of a number.
  numeric: fc.option(
    fc.tuple(
      bigint,
      bigint.map((value) => String(value).replace("-", "")),
    ),
  ),
  time: fc.option(fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true })),
  json: fc.option(fc.json().map((value) => value.replaceAll("\\u0000", ""))),
})

describe("moving the data of a database", () => {
  it("spec/operations §7: names each table of the database as exported or left out", async () => {
    const rows = await run<{ name: string }>(
      await newDatabase("schema"),
      `SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
       AND relkind IN ('r', 'p') AND NOT relispartition
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = pg_class.oid AND d.deptype = 'e')`,
    )
    expect([...installationTables, ...organizationTables, ...Object.keys(omittedTables)].toSorted()).toEqual(
      rows.map(({ name }) => name).toSorted(),
    )
  })

  it("spec/operations §7: imports every row as it was, from a file that only its owner reads", async () => {
    const source = await filled(2_500)
    for (const name of ["all.ndjson", "all.ndjson.gz"]) {
      const file = await exported(source, name)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const target = await newDatabase("empty")
      expect(await tocsin(["database", "import", file], environmentOf(target))).toMatchObject({ code: 0 })
      const original = await contents(source)
      expect(original["count_hours"]).toHaveLength(2_500)
      expect(original["slo_hours"]).toHaveLength(2_500)
      expect(await contents(target)).toEqual(original)
      expect(await run(target, "SELECT owner, epoch, next_due_at FROM queue_owners")).toEqual([
        { owner: null, epoch: 5, next_due_at: 0 },
      ])
    }
  })

  it("spec/operations §8: refuses a truncated or changed export, and continues with the whole one", async () => {
    const source = await filled(2_500)
    const file = await exported(source, "whole.ndjson")
    const text = readFileSync(file, "utf8")
    const target = await newDatabase("empty")
    const importText = async (name: string, content: string) => {
      writeFileSync(join(scratch, name), content)
      return tocsin(["database", "import", join(scratch, name)], environmentOf(target))
    }
    const lines = text.trimEnd().split("\n")
    expect(await importText("truncated", `${lines.slice(0, -1).join("\n")}\n`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("it is truncated"),
    })
    const served = await tocsin(["serve"], { ...environmentOf(target), PORT: "0" })
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining("import that is not complete") })
    const row = lines.findLastIndex((line) => line.startsWith("["))
    const changed = lines.with(row, (lines[row] ?? "").replace("acme", "acmf").replace("o'x", "o'y"))
    expect(await importText("changed", `${changed.join("\n")}\n`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the authentication code differs"),
    })
    expect(await importText("whole", text)).toMatchObject({ code: 0 })
    expect(await contents(target)).toEqual(await contents(source))
    expect(await importText("again", text)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("this file is already imported completely; run `tocsin doctor`"),
    })
    const other = readFileSync(await exported(source, "other.ndjson"), "utf8")
    expect(await importText("other", other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the database is not empty"),
    })
  })

  it("spec/operations §8: imports into an emptied database whose counts have been converted", async () => {
    const source = await filled(50)
    const file = await exported(source, "converted.ndjson")
    const target = await newDatabase("empty")
    await Effect.runPromise(migrate(target))
    const rename = async (from: string, to: string) => {
      for (const rows of ["hours", "days"])
        await run(target, `ALTER TABLE ${from}_${rows} RENAME TO ${to}_${rows}`)
    }
    await rename("count", "objective")
    expect(await tocsin(["database", "import", file], environmentOf(target))).toMatchObject({ code: 0 })
    expect(await tocsin(["database", "import", file], environmentOf(target))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already imported completely"),
    })
    await rename("objective", "count")
    expect(await contents(target)).toEqual(await contents(source))
  })

  it("spec/operations §8: continues an import that was killed", async () => {
    const source = await filled(60_000)
    const file = await exported(source, "killed.ndjson")
    const target = await newDatabase("empty")
    await Effect.runPromise(migrate(target))
    await run(target, partitionOfHours)
    // The import waits for this row, which another transaction holds, and so is not complete when it is killed.
    await whileOpen(target, insertHours(30_000, 30_000), async () => {
      const importing = startTocsin(["database", "import", file], environmentOf(target))
      await until(async () => {
        const [progress] = await run<{ chunks: number }>(target, "SELECT chunks FROM data_imports")
        return (progress?.chunks ?? 0) > 5
      }, 120_000)
      importing.kill("SIGKILL")
      await importing.ended
      const [progress] = await run<{ is_complete: boolean }>(target, "SELECT is_complete FROM data_imports")
      expect(progress).toEqual({ is_complete: false })
    })
    expect(await tocsin(["database", "import", file], environmentOf(target))).toMatchObject({ code: 0 })
    expect(await contents(target)).toEqual(await contents(source))
  })

  it("spec/operations §7: imports exports of each earlier schema, whose counts stay in rows of objectives until they are converted", async () => {
    const slo = { project: "default", name: "checkout" }
    const arrays = `{${Array.from({ length: 60 }, (_, index) => index).join()}}`
    for (let schemaVersion = 1; schemaVersion <= migrations.indexOf(sloHours); schemaVersion++) {
      const writer = exportWriter({ update: () => undefined, digest: () => "mac", matches: () => true })
      const chunk = (table: string, row: Readonly<Record<string, unknown>>) =>
        writer.chunk({
          table,
          organization: "acme",
          columns: Object.keys(row),
          rows: [JSON.stringify(Object.values(row).map(String))],
        })
      const hour = {
        organization: "acme",
        project: slo.project,
        slo: slo.name,
        at: 3_600_000,
        objective: "good",
      }
      const sums = { good: 1770, total: 1770, minutes: 59, good_shares: 59, good_minutes: 59 }
      const text = [
        writer.header({
          format: "tocsin-export",
          formatVersion,
          schemaVersion,
          id: "e",
          exportedAt: "2026-01-01T00:00:00.000Z",
          sealingKeys: [],
        }),
        chunk("organizations", { organization: "acme", revision: 1 }),
        chunk("slos", { organization: "acme", ...slo, service: "web", version: 1 }),
        // Of a span whose days are in no chunk.
        chunk("count_hours", {
          ...hour,
          at: 56 * day,
          minute_good: arrays,
          minute_total: arrays,
          ...sums,
        }),
        chunk("count_hours", { ...hour, minute_good: arrays, minute_total: arrays, ...sums }),
        chunk("count_days", { ...hour, at: 0, ...sums }),
        writer.end(),
      ].join("")
      const target = await newDatabase("empty")
      const lines = (async function* () {
        await Promise.resolve()
        yield* text.trimEnd().split("\n")
      })()
      await importData(target, lines, {
        update: () => undefined,
        digest: () => "mac",
        matches: () => true,
      }).pipe(Effect.provideService(SecretBox, testBox), Effect.runPromise)
      const read = Effect.gen(function* () {
        const store = yield* CountStore
        const range = { from: 0, to: day }
        const [found] = yield* store.sums([{ organization: "acme", slo, ranges: [range] }])
        return [
          found?.sums,
          yield* store.hours([{ organization: "acme", slo, range, tracks: new Set(["good"]) }]),
        ]
      })
      await Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`SELECT FROM pg_class WHERE relname = ${`count_days_${56 * day}`}`).toHaveLength(1)
        const before = yield* read
        expect(before[0]).toEqual([
          [{ objective: "good", good: 1770, total: 1770, minutes: 59, goodShares: 59, goodMinutes: 59 }],
        ])
        expect(yield* sql`SELECT count_rows, open_hour FROM slos`).toEqual([
          { count_rows: "objective", open_hour: null },
        ])
        const store = yield* CountStore
        const recorded = { objective: "good", at: 3 * 3_600_000, good: 1, total: 2 }
        expect(yield* store.record("acme", [{ slo, counts: [recorded] }])).toEqual([])
        expect((yield* read)[0]).toEqual([
          [{ objective: "good", good: 1771, total: 1772, minutes: 60, goodShares: 59.5, goodMinutes: 60 }],
        ])
        expect(yield* sql`SELECT FROM slo_hours`).toEqual([])
        const imported = yield* read
        yield* sql`UPDATE schema_migrations SET applied_at = 'epoch'`
        expect(yield* renameObjectiveTables(sql)).toBe(true)
        while (yield* convertStep(sql, "acme", slo, 1)) expect(yield* read).toEqual(imported)
        expect(yield* read).toEqual(imported)
        expect(yield* sql`SELECT count_rows, open_hour, copied_to FROM slos`).toEqual([
          { count_rows: "slo", open_hour: 56 * day, copied_to: null },
        ])
      }).pipe(
        Effect.provide(CountStorePg.layer.pipe(Layer.provideMerge(PgDatabase.layer({ connection: target })))),
        Effect.runPromise,
      )
    }
  })

  it("spec/operations §7: reads back every value of every type that was written", async () => {
    await Effect.gen(function* () {
      const client = yield* SqlClient.SqlClient
      const columns = `a text, b text[], c bytea, d bigint, e double precision, f double precision[], g boolean, h numeric,
        i timestamptz, j jsonb`
      const names = [..."abcdefghij"]
      yield* client.unsafe(`CREATE TABLE original (${columns})`)
      yield* client.unsafe(`CREATE TABLE copied (${columns})`)
      for (const row of fc.sample(anyRow, 500)) {
        yield* client`INSERT INTO original VALUES (${row.text}::text, ${row.texts === null ? null : texts(row.texts)}::text[],
          decode(${row.bytes}::text, 'hex'), ${row.big === null ? null : String(row.big)}::text::bigint,
          ${row.double === null ? null : String(row.double)}::text::float8, ${doubles(row.doubles)}::float8[],
          ${row.flag}::boolean, ${row.numeric === null ? null : row.numeric.join(".")}::text::numeric,
          ${row.time === null ? null : row.time.toISOString()}::text::timestamptz, ${row.json}::text::jsonb)`
      }
      const rows = yield* client<{
        row: string
      }>`SELECT ${rowText(client, "original", names)} AS row FROM original`
      expect(rows.every(({ row }) => !row.includes("\n"))).toBe(true)
      const types = new Map((yield* tableColumns(client, "copied")).map(({ name, type }) => [name, type]))
      yield* insertRows(client, { table: "copied", columns: names, rows: rows.map(({ row }) => row) }, types)
      const read = (table: string) =>
        client.unsafe<{ row: string }>(`SELECT t::text AS row FROM ${table} t ORDER BY t::text COLLATE "C"`)
      expect(yield* read("copied")).toEqual(yield* read("original"))
      expect(rows).toHaveLength(500)
    }).pipe(
      Effect.provide(PgDatabase.layer({ connection: await newDatabase("empty"), connectionsMax: 1 })),
      Effect.runPromise,
    )
  })

  it("spec/operations §8: refuses a newer format and a newer schema", async () => {
    const file = await exported(await filled(1), "newer.ndjson")
    const [first = "", ...rest] = readFileSync(file, "utf8").split("\n")
    const target = await newDatabase("empty")
    for (const [field, message] of [
      ["formatVersion", "format version 99"],
      ["schemaVersion", "schema version 99"],
    ] as const) {
      const header = JSON.stringify({ ...JSON.parse(first), [field]: 99 })
      writeFileSync(file, [header, ...rest].join("\n"))
      expect(await tocsin(["database", "import", file], environmentOf(target))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(message),
      })
    }
  })
})
