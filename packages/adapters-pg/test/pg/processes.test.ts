import { SigningKeyGeneratorNode } from "@tocsin/adapters-http/crypto"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as CredentialStorePg from "../../src/access/CredentialStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import { maintainPartitions } from "../../src/Maintenance.ts"
import { ensurePartitions, dropPartitionsBefore } from "../../src/database/Retention.ts"
import { databaseLayer } from "@tocsin/adapters-pg/admin"
import * as RateLimiterPg from "../../src/access/RateLimiterPg.ts"
import * as SigningKeyStorePg from "../../src/access/SigningKeyStorePg.ts"
import {
  CountsRetention,
  createOrganizationKey,
  ensureSigningKey,
  findPublicKey,
  organizationKeys,
  publicKeys,
  revokeOrganizationKey,
  revokeServerKey,
} from "@tocsin/domain"
import { SigningKeyCache } from "@tocsin/domain/adapter"
import { signingKeyOverlapSeconds } from "@tocsin/domain/limits"
import {
  CountStore,
  type Credential,
  credentialCacheMs,
  CredentialStore,
  RateLimiter,
  SecretBox,
} from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { texts } from "../../src/database/Parameters.ts"
import { sentBy } from "../../../../test/pg/Statements.ts"
import { connection, passTime, testBox } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

/** The ports as another process of the service has them: with connections and memories of its own. */
const aProcess = Layer.build(
  Layer.fresh(
    Layer.mergeAll(
      CredentialStorePg.layer,
      RateLimiterPg.layer,
      SigningKeyCache.layer.pipe(Layer.provideMerge(SigningKeyStorePg.layer)),
    ).pipe(
      Layer.provideMerge(databaseLayer({ connection, connectionsMax: 4, connectTimeoutMs: 20_000 })),
      Layer.provideMerge(Layer.succeed(SecretBox, testBox)),
      Layer.provideMerge(SigningKeyGeneratorNode.layer),
    ),
  ),
)

const policy = { name: "three", limit: 3, windowMs: 2_000 }
const takeOne = Effect.flatMap(RateLimiter, (limiter) => limiter.take("acme", policy, ""))

describe("several processes on one database", () => {
  it.effect("spec/rate-limits §1: hold a limit together, exactly", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([aProcess, aProcess, aProcess])
      const takeEverywhere = Effect.forEach(
        Array.from({ length: 60 }, (_, index) => processes[index % 3] ?? processes[0]),
        (process) => Effect.provide(takeOne, process),
        { concurrency: "unbounded" },
      )
      for (let window = 0; window < 3; window++) {
        const decisions = yield* takeEverywhere
        expect(decisions.filter(({ isAccepted }) => isAccepted)).toHaveLength(3)
        yield* passTime(policy.windowMs)
      }
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/rate-limits §1: ask the database once about a window that is full, and reject by themselves until it is not",
    () =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([aProcess, aProcess])
        yield* Effect.provide(Effect.replicateEffect(takeOne, 3), one)
        const refused = yield* sentBy(Effect.provide(Effect.replicateEffect(takeOne, 100), other))
        expect(refused.sent).toHaveLength(1)
        expect(refused.value.every(({ isAccepted }) => !isAccepted)).toBe(true)
        yield* passTime(1_999)
        const still = yield* sentBy(Effect.provide(takeOne, other))
        expect(still).toMatchObject({ sent: [], value: { isAccepted: false, retryAfterMs: 1 } })
        yield* passTime(1)
        expect(yield* Effect.provide(takeOne, other)).toMatchObject({ isAccepted: true })
      }).pipe(Effect.provide(layer)),
  )

  it.effect("notice within 5 s that a credential was disabled by another one", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([aProcess, aProcess])
      const credential: Credential = {
        organization: "acme",
        clientId: "ci",
        role: "viewer",
        secretHash: "hash",
        isDisabled: false,
        createdAt: 1,
      }
      const find = Effect.flatMap(CredentialStore, (store) => store.find("acme", "ci"))
      yield* Effect.provide(
        Effect.flatMap(CredentialStore, (store) => store.create(credential)),
        one,
      )
      expect(yield* Effect.provide(find, other)).toEqual(Option.some(credential))
      expect((yield* sentBy(Effect.provide(find, other))).sent).toEqual([])
      yield* Effect.provide(
        Effect.flatMap(CredentialStore, (store) => store.disable("acme", "ci")),
        one,
      )
      expect(yield* Effect.provide(find, one)).toMatchObject({ value: { isDisabled: true } })
      yield* TestClock.adjust(credentialCacheMs)
      expect(credentialCacheMs).toBeLessThan(5_000)
      expect(yield* Effect.provide(find, other)).toMatchObject({ value: { isDisabled: true } })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("spec/signatures §5: agree on one signing key when they start at once", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([aProcess, aProcess, aProcess])
      const keys = yield* Effect.forEach(processes, (process) => Effect.provide(ensureSigningKey, process), {
        concurrency: "unbounded",
      })
      expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(1)
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/signatures §18: revoke keys together, and sign with the new one after at most 30 s on the other process",
    () =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([aProcess, aProcess])
        const both = [one, other]
        const server = yield* Effect.provide(ensureSigningKey, one)
        yield* Effect.provide(createOrganizationKey("acme"), one)
        yield* passTime(signingKeyOverlapSeconds * 1_000)
        const [own] = (yield* Effect.provide(organizationKeys("acme"), one)).keys
        const leaked = own?.keyId ?? ""
        const published = (organization: string | undefined) =>
          Effect.map(publicKeys(organization), (keys) => keys.map(({ keyId }) => keyId))
        expect(yield* Effect.provide(published("acme"), other)).toEqual([leaked])
        expect(yield* Effect.provide(published(undefined), other)).toEqual([server.keyId])

        // Of two admins, one revokes the key, and the other finds it revoked.
        const revoked = yield* Effect.forEach(
          both,
          (process) => Effect.provide(Effect.result(revokeOrganizationKey("acme", leaked)), process),
          { concurrency: "unbounded" },
        )
        expect(revoked.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
        const [{ keys } = { keys: [] }] = revoked.flatMap((result) =>
          Result.isSuccess(result) ? [result.success] : [],
        )
        expect(keys).toMatchObject([{ state: "active" }])
        const [added] = yield* Effect.provide(revokeServerKey(server.keyId), one)
        expect(added).toMatchObject({ state: "active" })

        yield* passTime(SigningKeyCache.signingKeyCacheMs)
        for (const process of both) {
          expect(yield* Effect.provide(published("acme"), process)).toEqual([keys[0]?.keyId])
          expect(yield* Effect.provide(published(undefined), process)).toEqual([added?.keyId])
          // What it signed before can still be verified.
          expect(yield* Effect.provide(findPublicKey(leaked, "acme"), process)).toMatchObject({
            keyId: leaked,
          })
        }
      }).pipe(Effect.provide(layer)),
  )

  it.effect("spec/counts §3: keep counts for as long as the operator says, and drop what is older", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* putDefinitions("acme", [anSlo({ project: "shop", name: "checkout" })])
      const key = { project: "shop", name: "checkout" }
      const counts = yield* CountStore
      const minutes = [0, 3_600_000].map((at) => ({ objective: "good", at, good: 1, total: 1 }))
      yield* counts.record("acme", [{ slo: key, counts: minutes }])
      const day = 86_400_000
      const kept = sql`SELECT 1 FROM slo_hours UNION ALL SELECT 2 FROM slo_days`
      const maintain = Effect.provideService(maintainPartitions, CountsRetention, 39)
      // What is older goes once everything of its 28 days is.
      yield* passTime((28 + 39) * day - 1)
      yield* maintain
      expect(yield* kept).toHaveLength(3)
      yield* passTime(1)
      yield* maintain
      expect(yield* kept).toEqual([])
      // The partitions of the present and of the next span are there before they are needed.
      const tables = [56, 84].flatMap((n) => [`slo_hours_${n * day}`, `slo_days_${n * day}`])
      const names = yield* sql`SELECT relname FROM pg_class WHERE relname = ANY(${texts(tables)})`
      expect(names).toHaveLength(4)
    }).pipe(
      Effect.provide(Layer.provideMerge(Layer.mergeAll(DefinitionStorePg.layer, CountStorePg.layer), layer)),
    ),
  )

  it.effect("make and drop partitions side by side", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([aProcess, aProcess, aProcess])
      const table = { table: "count_hours", partitionMs: 1_000 }
      const everywhere = <A, E>(act: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
        Effect.forEach(
          processes,
          (process) => Effect.provide(Effect.flatMap(SqlClient.SqlClient, act), process),
          {
            concurrency: "unbounded",
          },
        )
      const sql = yield* SqlClient.SqlClient
      const starts = Effect.map(
        sql<{ name: string }>`
          SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'count_hours'::regclass`,
        (rows) => rows.map(({ name }) => Number(name.slice("count_hours_".length))).toSorted((a, b) => a - b),
      )
      yield* dropPartitionsBefore(sql, table, Number.MAX_SAFE_INTEGER)
      yield* everywhere((sql) => ensurePartitions(sql, table, 1_500, 4_000))
      expect(yield* starts).toEqual([1_000, 2_000, 3_000, 4_000])
      yield* everywhere((sql) => dropPartitionsBefore(sql, table, 3_999))
      expect(yield* starts).toEqual([3_000, 4_000])
      yield* everywhere((sql) => dropPartitionsBefore(sql, table, Number.MAX_SAFE_INTEGER))
      expect(yield* starts).toEqual([])
    }).pipe(Effect.provide(layer)),
  )
})
