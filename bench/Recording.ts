import { PgDatabase, PgStores } from "@tocsin/adapters-pg"
import { Quotas, recordCountBatch, recordCounts } from "@tocsin/domain"
import { minuteMs, minuteOf } from "@tocsin/domain/codec"
import { SecretBox } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { benchBox, benchDatabase } from "./BenchDatabase.ts"
import { compare, type Comparison, judge } from "./Compare.ts"
import { keyOf, objective, organization, putObjectives } from "./CountingDatabase.ts"
import { amount, roundsOf } from "./Length.ts"
import { percentile } from "./QueueLatency.ts"

/**
 * Counts that are recorded one a request, with the statuses that follow, on a durable PostgreSQL, beside those of a batch
 * of 1,000; and the latency of such requests while few and while many are in progress.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const scope = Scope.makeUnsafe()
  const connection = await Effect.runPromise(Scope.provide(benchDatabase, scope))
  const runtime = ManagedRuntime.make(
    PgStores.storesLayer.pipe(
      Layer.provide(Layer.succeed(SecretBox, benchBox)),
      Layer.provide(PgDatabase.serverLayer({ connection })),
      Layer.merge(Layer.succeed(References.MinimumLogLevel, "Warn")),
    ),
  )
  try {
    await runtime.runPromise(putObjectives(size))
    const quotas = await Effect.runPromise(Effect.service(Quotas))
    const runEffect = <A, E>(
      effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>,
    ) =>
      runtime.runPromise(
        effect.pipe(
          Effect.provideService(Quotas, { ...quotas, countRequestsPerSecond: requestsPerSecond }),
          Effect.withTracerEnabled(false),
        ),
      )

    /** One request with one count. */
    const one = (index: number) =>
      Effect.gen(function* () {
        const at = yield* minuteOfCount
        yield* recordCounts(organization, {
          ...keyOf(index % size),
          body: [{ objective, at, good: 999, total: 1_000 + Math.floor(index / size) }],
        })
      })
    const batch = Effect.gen(function* () {
      const at = yield* minuteOfCount
      const body = Array.from({ length: size }, (_, index) => {
        const { project, name } = keyOf(index)
        return { project, slo: name, objective, at, good: 999, total: 1_000 }
      })
      yield* recordCountBatch(organization, body)
    })
    let next = 0
    const together = (atOnce: number, requests: number, index: (n: number) => number) => async () => {
      const start = performance.now()
      await runEffect(
        Effect.forEach(Array.from({ length: requests }), () => one(index(next++)), {
          concurrency: atOnce,
          discard: true,
        }),
      )
      return ((performance.now() - start) * 1_000) / requests
    }
    const inBatch = {
      name: "one of a batch of 1,000",
      round: async () => {
        const start = performance.now()
        await runEffect(batch)
        return ((performance.now() - start) * 1_000) / size
      },
    }
    const requests = amount(320, 16)
    const throughput = await compare(
      "One count, recorded",
      [
        inBatch,
        { name: "one a request, 64 at a time", round: together(64, requests, (n) => n) },
        { name: "one a request of one SLO, 64 at a time", round: together(64, requests, () => 0) },
        { name: "one a request, one at a time", round: together(1, amount(40, 4), (n) => n) },
      ],
      {
        time: "wall",
        ...roundsOf(3, 1),
        bounds: [{ name: "one a request, 64 at a time", against: inBatch.name, atLeast: 1 / 6 }],
      },
    )
    const latencies = async (perSecond: number) => {
      const times: Array<number> = []
      const total = perSecond * amount(5, 1)
      const begin = performance.now()
      await runEffect(
        Effect.forEach(
          Array.from({ length: total }, (_, n) => n),
          (n) =>
            Effect.gen(function* () {
              const due = begin + (n * 1_000) / perSecond
              yield* Effect.sleep(Math.max(0, due - performance.now()))
              yield* one(next++)
              times.push(performance.now() - due)
            }),
          { concurrency: "unbounded", discard: true },
        ),
      )
      return times.toSorted((a, b) => a - b)
    }
    const flows: Array<readonly [string, ReadonlyArray<number>]> = []
    for (const perSecond of [20, 200]) {
      const times = await latencies(amount(perSecond, 10))
      for (const share of [0.5, 0.99])
        flows.push([`p${share * 100} at ${perSecond}/s`, [percentile(times, share) * 1_000]])
    }
    return [
      throughput,
      { title: "Latency of a request with one count", time: "wall", ...judge(new Map(flows), []) },
    ]
  } finally {
    await runtime.dispose()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const size = amount(1_000, 20)

/** A higher quota than anybody needs. */
const requestsPerSecond = 10_000

const minuteOfCount = Effect.map(Clock.currentTimeMillis, (now) =>
  new Date(minuteOf(now) - minuteMs).toISOString(),
)
