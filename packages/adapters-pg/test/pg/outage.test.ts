import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as CredentialStorePg from "../../src/access/CredentialStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import { databaseLayer } from "@tocsin/adapters-pg/admin"
import * as RateLimiterPg from "../../src/access/RateLimiterPg.ts"
import * as SigningKeyStorePg from "../../src/access/SigningKeyStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import {
  AlertStore,
  type CountRead,
  CountStore,
  CredentialStore,
  DefinitionStore,
  RateLimiter,
  SecretBox,
  SigningKeyStore,
  SloStore,
  theServer,
} from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { afterEach, describe, expect, it } from "vitest"
import { alertOf, anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { faultyNetwork } from "./FaultyNetwork.ts"
import { connection, testBox } from "../../../../test/pg/TestDatabase.ts"

const network = await faultyNetwork(connection)
afterEach(() => network.repair())

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  SloStorePg.layer,
  CountStorePg.layer,
  DefinitionStorePg.layer,
  CredentialStorePg.layer,
  RateLimiterPg.layer,
  SigningKeyStorePg.layer,
).pipe(
  Layer.provide(DeliveryHints.layer),
  Layer.provideMerge(
    databaseLayer({
      connection: network.connection,
      connectionsMax: 4,
      connectTimeoutMs: 500,
      statementTimeoutMs: 250,
    }),
  ),
  Layer.provide(Layer.succeed(SecretBox, testBox)),
)

const run = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof stores>>) =>
  Effect.runPromise(Effect.provide(effect, stores))

const key = { project: "shop", name: "checkout" }
const minute = 60_000

const openAlert = (alerts: AlertStore["Service"], objective: string) =>
  alerts.change("acme", { subject: { slo: key, objective }, id: undefined }, undefined, () =>
    Result.succeed({
      put: alertOf(`alert-of-${objective}`, { subject: { slo: key, objective } }),
      receipt: { alertId: `alert-of-${objective}`, isChanged: true, deliveries: [] },
    }),
  )

/** One operation of every port, of which only whether it works matters. */
const operations = Effect.gen(function* () {
  const stores = yield* Effect.context<DefinitionStore>()
  const credentials = yield* CredentialStore
  const definitions = yield* DefinitionStore
  const limiter = yield* RateLimiter
  const slos = yield* SloStore
  const alerts = yield* AlertStore
  const counts = yield* CountStore
  const signingKeys = yield* SigningKeyStore
  const all: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
    credentials.find("acme", "ci"),
    definitions.find("acme", "SLO", key),
    Effect.provide(putDefinitions("acme", [anSlo(key)]), stores),
    limiter.take("acme", { name: "p", limit: 1_000, windowMs: 1_000 }, ""),
    slos.page("acme", { limit: 10 }),
    counts.record("acme", [{ slo: key, counts: [{ objective: "good", at: 0, good: 1, total: 1 }] }]),
    ...["good", "great"].map((objective) => openAlert(alerts, objective)),
    signingKeys.list(theServer),
    signingKeys.list("acme"),
  ]
  return all
})

const failAll = Effect.gen(function* () {
  const failures = yield* Effect.forEach(yield* operations, (each) => Effect.flip(each), {
    concurrency: "unbounded",
  })
  for (const failure of failures) {
    expect(failure).toMatchObject({ _tag: expect.stringMatching(/IsUnavailable$/), isRetryable: true })
  }
})

/** Repeats an operation: on a busy machine even a database that is there may take longer than the short limits of these tests. */
const patiently = Effect.retry({ times: 20 })

const workAll = Effect.gen(function* () {
  yield* Effect.forEach(yield* operations, patiently, { discard: true })
})

describe("when the database is unavailable", () => {
  it("every operation fails as one that may be repeated, and works once it is back", () =>
    run(
      Effect.gen(function* () {
        yield* workAll
        yield* Effect.promise(network.cut)
        yield* failAll
        yield* Effect.promise(network.repair)
        yield* workAll
      }),
    ))

  it("a process that starts meanwhile fails in the same way, and works once it is back", async () => {
    await network.cut()
    await run(
      Effect.gen(function* () {
        yield* failAll
        yield* Effect.promise(network.repair)
        yield* workAll
      }),
    )
  })

  it("an operation ends in bounded time when the database hangs, and works once it is back", () =>
    run(
      Effect.gen(function* () {
        yield* workAll
        network.hang()
        yield* failAll
        // New connections, too.
        yield* failAll
        yield* Effect.promise(network.repair)
        yield* workAll
      }),
    ))

  it("a transaction that cannot be rolled back, as its connection hangs, ends in bounded time too", () =>
    run(
      Effect.gen(function* () {
        yield* workAll
        network.hang()
        const failure = yield* Effect.flip(putDefinitions("acme", [anSlo(key)]))
        expect(failure).toMatchObject({ isRetryable: true, cause: "timed out" })
        yield* Effect.promise(network.repair)
        yield* workAll
      }),
    ))

  it("an operation that waits too long for a connection fails", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const hold = Effect.exit(sql.withTransaction(Effect.andThen(sql`SELECT 1`, Effect.sleep("1 second"))))
        yield* Effect.forkChild(Effect.all([hold, hold, hold, hold], { concurrency: "unbounded" }))
        yield* Effect.sleep(0)
        yield* failAll
      }),
    ))

  it("no acknowledged write is lost, and nothing is written partially", () =>
    run(
      Effect.gen(function* () {
        yield* patiently(putDefinitions("acme", [anSlo(key)]))
        const counts = yield* CountStore
        const record = (at: number) =>
          counts.record("acme", [
            {
              slo: key,
              counts: [
                { objective: "good", at, good: 1, total: 1 },
                { objective: "great", at, good: 1, total: 1 },
              ],
            },
          ])
        const sums = (ranges: CountRead["ranges"]) =>
          Effect.map(
            counts.sums([{ organization: "acme", slo: key, ranges }]),
            ([found]) => found?.sums ?? [],
          )
        const isWritten = yield* Effect.forEach(
          Array.from({ length: 60 }, (_, index) => index * minute),
          (at) =>
            Effect.tap(Effect.isSuccess(record(at)), () =>
              Effect.sync(() => {
                if (at % (10 * minute) === 0) network.breakConnections()
              }),
            ),
          { concurrency: 4 },
        )
        const ranges = isWritten.map((_, index) => ({ from: index * minute, to: (index + 1) * minute }))
        const minutes = yield* patiently(sums(ranges))
        for (const [index, ofMinute] of minutes.entries()) {
          expect([0, 2]).toContain(ofMinute.length)
          if (isWritten[index] === true) expect(ofMinute).toHaveLength(2)
        }
        const [whole] = yield* patiently(sums([{ from: 0, to: 60 * minute }]))
        const written = minutes.filter((ofMinute) => ofMinute.length === 2).length
        expect(whole?.map(({ total }) => total)).toEqual([written, written])
        expect(isWritten).toContain(true)
      }),
    ))
})
