import { layer as hashLayer } from "@tocsin/adapters-http/crypto/HashNode"
import { layer as transportLayer } from "@tocsin/adapters-http/egress/WebhookTransportUndici"
import { DeliveryQueue } from "@tocsin/domain/notification/DeliveryQueue"
import { unknownHealth } from "@tocsin/domain/notification/EndpointHealth"
import { dispatchDeliveries } from "@tocsin/domain/notification/DispatchDeliveries"
import { Signer } from "@tocsin/domain/signature/Signer"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Exit, Layer, Logger, LogLevel, ManagedRuntime, Scope } from "effect"
import { aMethod } from "../contract/deliveries.ts"
import { putDefinitions } from "../contract/slo-definitions.ts"
import { testKey } from "../signature/TestKey.ts"
import { compare, type Comparison } from "./Compare.ts"
import { startContender } from "./ContenderProcess.ts"
import { fillQueue, queueDatabase, queueLayer } from "./QueueDatabase.ts"

/**
 * The queue on a durable PostgreSQL, with the database and the receiver on the same machine: deliveries that are
 * claimed, rendered, signed, sent over TLS and settled with their attempt, against 400 µs each (2,500 a second); and
 * one claim of 100 deliveries as history and idle endpoints grow.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const scope = Effect.runSync(Scope.make())
  const receiver = startContender(new URL("./QueueReceiver.ts", import.meta.url), "receiver")
  try {
    const connection = await Effect.runPromise(Scope.extend(queueDatabase, scope))
    const { port, ca } = await receiver.ask<{ readonly port: number; readonly ca: string }>("address")
    const runtime = ManagedRuntime.make(
      Layer.mergeAll(
        queueLayer(connection),
        transportLayer({ allowCidrs: ["127.0.0.0/8", "::1/128"], caPem: ca }),
        hashLayer,
        Layer.succeed(Signer, { current: Effect.succeed(testKey) }),
        Logger.minimumLogLevel(LogLevel.Warning),
      ),
    )
    const asked = <A, E>(
      effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Context<typeof runtime>>,
    ) => runtime.runPromise(Effect.withTracerEnabled(effect, false))
    try {
      const keys = Array.from({ length: methodsCount }, (_, index) => ({
        project: "shop",
        name: `m-${index}`,
      }))
      await asked(
        putDefinitions(
          "acme",
          keys.map((key) => aMethod(key, { url: `https://localhost:${port}/${key.name}` })),
        ),
      )
      const delivering = await compare(
        "A delivery on PostgreSQL: claimed, rendered, signed, sent over TLS, settled with its attempt",
        [
          { name: "400 µs (2,500 a second)", round: async () => 400 },
          { name: "one process", round: () => asked(deliver) },
        ],
        {
          time: "wall",
          rounds: 5,
          warmUps: 1,
          bounds: [{ name: "one process", against: "400 µs (2,500 a second)", atLeast: 1 }],
        },
      )
      const claiming: Array<Comparison> = []
      const base = await asked(claimTime)
      for (const [what, grow] of growth) {
        await asked(grow)
        const name = `with ${what}`
        claiming.push(
          await compare(
            `Claiming 100 deliveries, ${what}`,
            [
              { name: "at first", round: async () => base },
              { name, round: () => asked(claimTime) },
            ],
            {
              time: "wall",
              rounds: 3,
              warmUps: 1,
              bounds: [{ name, against: "at first", atLeast: 1 / 1.3 }],
            },
          ),
        )
      }
      return [delivering, ...claiming]
    } finally {
      await runtime.dispose()
    }
  } finally {
    receiver.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const methodsCount = 200
const deliveriesCount = 10_000

const deliver = Effect.scoped(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* fillQueue(deliveriesCount, methodsCount)
    yield* settleDown
    const start = performance.now()
    yield* dispatchDeliveries({ baseUrl: "https://tocsin.example.com", shutdownGraceMs: 1_000 })
    yield* Effect.iterate(true, {
      while: (isLeft) => isLeft,
      body: () =>
        Effect.delay(
          Effect.map(sql`SELECT FROM deliveries LIMIT 1`, (rows) => rows.length > 0),
          20,
        ),
    })
    return ((performance.now() - start) * 1_000) / deliveriesCount
  }),
)

/** The median of 30 claims of 100 deliveries, in microseconds. */
const claimTime = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const times: Array<number> = []
  for (let count = 0; count < 30; count++) {
    yield* fillQueue(100, methodsCount)
    const start = performance.now()
    const { claims } = yield* queue.claim({ limit: 100, leaseMs: 30_000 })
    times.push((performance.now() - start) * 1_000)
    yield* queue.settle(
      claims.map(({ claimId }) => ({
        claimId,
        attempt: { number: 1, startedAt: 0, durationMs: 3, headMs: 2, status: 204 },
        outcome: { kind: "delivered" },
        random: 0,
      })),
    )
    if (claims.length !== 100) return yield* Effect.dieMessage(`${claims.length} claims`)
  }
  return times.toSorted((a, b) => a - b)[15] ?? 0
})

const settledRows = (count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
      INSERT INTO settled_deliveries
      SELECT 'acme', uuidv7()::text, 'shop', 'm-' || n % ${methodsCount}, '{}', 'delivered', 1, 1,
        now_ms(), now_ms(), now_ms()
      FROM generate_series(1, ${count}) AS n;
      INSERT INTO delivery_attempts SELECT 'acme', uuidv7()::text, 1, now_ms(), '{}'
      FROM generate_series(1, ${count}) AS n`),
  ).pipe(Effect.zipRight(settleDown))

const idleEndpoints = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    INSERT INTO endpoints (organization, project, name, health, is_disabled, in_flight_max, in_flight)
    SELECT 'acme', 'idle', 'm-' || n, '${JSON.stringify(unknownHealth)}', false, 5, 0
    FROM generate_series(1, 100000) AS n`),
).pipe(Effect.zipRight(Effect.suspend(() => settleDown)))

const settleDown = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.zipRight(sql.unsafe("VACUUM ANALYZE"), sql.unsafe("CHECKPOINT")),
)

const growth = [
  ["1,000 settled deliveries", settledRows(1_000)],
  ["100,000 settled deliveries", settledRows(99_000)],
  ["1,000,000 settled deliveries", settledRows(900_000)],
  ["100,000 idle endpoints besides", idleEndpoints],
] as const
