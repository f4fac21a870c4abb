import { SigningKeyGeneratorNode } from "@tocsin/adapters-http/crypto"
import { makeSecretBox } from "@tocsin/adapters-http/server"
import { PgStores } from "@tocsin/adapters-pg"
import { migrate, type PgConnection } from "@tocsin/adapters-pg/admin"
import { migrations } from "../../src/migrations/Migrations.ts"
import { ensureSigningKey, findSlo, recordCounts } from "@tocsin/domain"
import { SigningKeyCache } from "@tocsin/domain/adapter"
import { SecretBox } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { aMethod, anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { newDatabase } from "../../../../test/pg/TestDatabase.ts"

const storesUnder = (
  connection: PgConnection,
  masterKeyByte: number,
  options: Partial<PgStores.PgStoresOptions> = {},
) =>
  SigningKeyCache.layer.pipe(
    Layer.provideMerge(PgStores.layer({ connection, connectionsMax: 4, ...options })),
    Layer.provideMerge(SigningKeyGeneratorNode.layer),
    Layer.provide(
      Layer.succeed(
        SecretBox,
        makeSecretBox({ current: Redacted.make(new Uint8Array(32).fill(masterKeyByte)), previous: [] }),
      ),
    ),
  )

const key = { project: "shop", name: "checkout" }
const query: Parameters<typeof findSlo>[1] = key

describe("the stores on PostgreSQL", () => {
  it("start from an empty database and persist everything across processes", async () => {
    const connection = await newDatabase("empty")
    const fill = Effect.gen(function* () {
      yield* putDefinitions("acme", [anSlo(key), aMethod({ project: "shop", name: "pager" })])
      const at = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
      const body = [{ objective: "good", at, good: 99, total: 100 }]
      yield* recordCounts("acme", { ...key, body })
      const { keyId } = yield* ensureSigningKey
      return { keyId, record: yield* findSlo("acme", query) }
    })
    const read = Effect.gen(function* () {
      const { keyId } = yield* ensureSigningKey
      return { keyId, record: yield* findSlo("acme", query) }
    })
    const before = await Effect.runPromise(Effect.provide(fill, storesUnder(connection, 1)))
    expect(before.record.record.statuses.get("good")).toMatchObject({ reliability: 0.99 })
    expect(await Effect.runPromise(Effect.provide(read, storesUnder(connection, 1)))).toEqual(before)
  })

  it("reject a wrong master key and a newer schema before anything else", async () => {
    const connection = await newDatabase("empty")
    const start = (masterKeyByte: number) =>
      Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(storesUnder(connection, masterKeyByte)))))
    await Effect.runPromise(Effect.scoped(Layer.build(storesUnder(connection, 1))))
    expect(await start(2)).toMatchObject({ _tag: "MasterKeyIsWrong" })
    await Effect.runPromise(migrate(connection, [...migrations, ["SELECT 1"]]))
    expect(await start(1)).toMatchObject({ _tag: "SchemaIsNewer" })
  })
  it("do not migrate if they may not, and start if there is nothing to migrate", async () => {
    const connection = await newDatabase("empty")
    const start = Effect.scoped(Layer.build(storesUnder(connection, 1, { migrates: false })))
    expect(await Effect.runPromise(Effect.flip(start))).toMatchObject({
      _tag: "SchemaIsOlder",
      version: 0,
      known: migrations.length,
    })
    await Effect.runPromise(migrate(connection))
    await Effect.runPromise(start)
  })
})
