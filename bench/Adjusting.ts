import { budgetRecord } from "@tocsin/domain/features/budget-change"
import { applyDefinitions, participantsLayer, refreshStatuses } from "@tocsin/domain"
import { dayMs, hourMs, minuteMs, minuteOf } from "@tocsin/domain/codec"
import { CountStore, SloStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { decodeOptions } from "../test/definition/valid-definitions.ts"
import { benchDatabase } from "./BenchDatabase.ts"
import { type Comparison, judge } from "./Compare.ts"
import { countStores, fillCounts, keyOf, objective, organization, putObjectives } from "./CountingDatabase.ts"
import { amount } from "./Length.ts"

const objectives = amount(10_000, 80)
const adjusted = amount(100, 10)
const rounds = amount(5, 1)

/**
 * On a durable PostgreSQL with 31 days of minutes of 10,000 objectives, all of whose statuses are kept current: from the request
 * that adjusts a day of 100 SLOs until all of their statuses have it, and meanwhile from a count of another organization until its
 * status has that.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const scope = Scope.makeUnsafe()
  try {
    const connection = await Effect.runPromise(Scope.provide(benchDatabase, scope))
    const { adjusting, others } = await Effect.runPromise(
      measure.pipe(
        Effect.provide(participantsLayer([budgetRecord]).pipe(Layer.provideMerge(countStores(connection)))),
        Effect.provideService(References.MinimumLogLevel, "Warn"),
        Effect.withTracerEnabled(false),
      ),
    )
    const times = (limit: string, entries: Readonly<Record<string, ReadonlyArray<number>>>) =>
      new Map(Object.entries({ [limit]: Array.from({ length: rounds }, () => 10_000_000), ...entries }))
    return [
      {
        title: `An adjustment of a day of ${adjusted} of ${objectives.toLocaleString("en")} SLOs, until their statuses have it`,
        time: "wall",
        ...judge(times("10 s", { "the request": adjusting.request, "all statuses": adjusting.statuses }), [
          { name: "all statuses", against: "10 s", atLeast: 1 },
        ]),
      },
      {
        title: "A count of another organization, until its status has it: the slowest one",
        time: "wall",
        ...judge(times("10 s", { before: others.before, "during adjustments": others.during }), []),
      },
    ]
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const measure = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const other = { project: "shop", name: "checkout" }
  yield* putObjectives(objectives)
  const now = yield* Clock.currentTimeMillis
  yield* fillCounts(now)
  yield* putDefinitions("other", [anSlo(other)])
  yield* sql`UPDATE slos SET due_at = ${now} WHERE organization = ${organization}`

  const reliabilityOf = (of: string, key: typeof other, track: string) =>
    Effect.map(
      Effect.flatMap(SloStore, (store) => store.find(of, key)),
      (found) => Option.getOrUndefined(found)?.statuses.get(track)?.reliability,
    )
  const until = (isDone: Effect.Effect<boolean, unknown, SloStore | SqlClient.SqlClient>) =>
    Effect.gen(function* () {
      const start = performance.now()
      while (!(yield* isDone)) {
        if (performance.now() - start > 120_000)
          return yield* Effect.die(new Error("nothing has changed in 2 minutes"))
        yield* Effect.sleep("20 millis")
      }
      return (performance.now() - start) * 1_000
    })

  // A count of the other organization after the other, each with another share of good events.
  let counted = 0
  const countOfOther = Effect.gen(function* () {
    const at = minuteOf(yield* Clock.currentTimeMillis) - minuteMs
    const good = ++counted % 1_000
    yield* (yield* CountStore).record("other", [
      { slo: other, counts: [{ objective: "good", at: at - (counted % 2) * minuteMs, good, total: 1_000 }] },
    ])
    const before = yield* reliabilityOf("other", other, "good")
    return yield* until(Effect.map(reliabilityOf("other", other, "good"), (after) => after !== before))
  })
  const slowest = (while_: { isOver: boolean }) =>
    Effect.gen(function* () {
      let longest = 0
      do {
        longest = Math.max(longest, yield* countOfOther)
        yield* Effect.sleep("50 millis")
      } while (!while_.isOver)
      return longest
    })

  const adjust = (round: number) =>
    Effect.gen(function* () {
      const start = performance.now()
      const day = Math.floor(now / hourMs) * hourMs - (round + 2) * dayMs
      yield* applyDefinitions(
        organization,
        [
          {
            apiVersion: "tocsin/v1alpha",
            kind: "BudgetAdjustment",
            metadata: { name: `day-${round}`, project: "p-0" },
            spec: {
              reason: "A day without service.",
              slos: Array.from({ length: adjusted }, (_, index) => keyOf(index * 7)),
              period: { startTime: new Date(day).toISOString(), duration: "24h" },
              set: { good: 0, total: 1_000 },
            },
          },
        ],
        decodeOptions,
      )
      const request = (performance.now() - start) * 1_000
      const names = Array.from({ length: adjusted }, (_, index) => keyOf(index * 7))
      // A day of 28 is bad in each round.
      const isDone = Effect.gen(function* () {
        const values = yield* Effect.forEach(names, (key) => reliabilityOf(organization, key, objective))
        return values.every((value) => value !== undefined && value < 1 - (round + 0.9) / 28)
      })
      yield* until(isDone)
      return { request, statuses: (performance.now() - start) * 1_000 }
    })

  const measured = Effect.gen(function* () {
    // Until all statuses are current for the first time.
    yield* until(
      Effect.map(
        sql`SELECT FROM slos WHERE organization = ${organization} AND statuses NOT LIKE '%reliability%' LIMIT 1`,
        (rows) => rows.length === 0,
      ),
    )
    const [before, during, request, statuses] = [[], [], [], []] as [
      Array<number>,
      Array<number>,
      Array<number>,
      Array<number>,
    ]
    for (let round = 0; round < rounds; round++) {
      const calm = { isOver: false }
      const [quiet] = yield* Effect.all(
        [
          slowest(calm),
          Effect.andThen(
            Effect.sleep(amount(5_000, 500)),
            Effect.sync(() => (calm.isOver = true)),
          ),
        ],
        { concurrency: 2 },
      )
      before.push(quiet)
      const busy = { isOver: false }
      const [slow, took] = yield* Effect.all(
        [slowest(busy), Effect.tap(adjust(round + 0), () => Effect.sync(() => (busy.isOver = true)))],
        { concurrency: 2 },
      )
      during.push(slow)
      request.push(took.request)
      statuses.push(took.statuses)
    }
    const alerts = yield* sql`SELECT FROM alerts WHERE organization = ${organization} LIMIT 1`
    if (alerts.length > 0)
      return yield* Effect.die(new Error("an adjustment of the past has opened an alert"))
    return { adjusting: { request, statuses }, others: { before, during } }
  })
  return yield* Effect.raceFirst(measured, refreshStatuses)
})
