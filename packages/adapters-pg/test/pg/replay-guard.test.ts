import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { readFileSync } from "node:fs"
import { expect, it } from "@tocsin/testing/vitest"
import { layer } from "./AdapterDatabase.ts"

const readme = readFileSync(new URL("../../../receiver/README.md", import.meta.url), "utf8")
const [, create = ""] = /"(CREATE TABLE[^"]*)"/.exec(readme) ?? []
const [, insert = ""] = /`(INSERT INTO[^`]*)`/.exec(readme) ?? []

it.live("spec/signatures §11: the replay guard of the receiver's README remembers on PostgreSQL", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(create)
    yield* sql.unsafe(create)
    /** What `rowCount` of the README's driver is. */
    const remember = (key: string, ttlSeconds: number) =>
      Effect.map(sql.unsafe(`${insert} RETURNING 1 AS one`, [key, ttlSeconds]), (rows) => rows.length === 1)
    expect(yield* remember("signature:a", 361)).toBe(true)
    expect(yield* remember("signature:a", 361)).toBe(false)
    expect(yield* remember("signature:b", 361)).toBe(true)
    const atOnce = yield* Effect.forEach(Array.from({ length: 20 }), () => remember("signature:c", 361), {
      concurrency: "unbounded",
    })
    expect(atOnce.filter((isNew) => isNew)).toHaveLength(1)
    expect(yield* remember("signature:d", -1)).toBe(true)
    expect(yield* remember("signature:d", 361)).toBe(true)
    expect(yield* remember("signature:d", 361)).toBe(false)
  }).pipe(Effect.provide(layer)),
)
