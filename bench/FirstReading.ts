import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { setTimeout as wait } from "node:timers/promises"
import { type Comparison, judge, judgeLimit } from "./Compare.ts"
import { amount } from "./Length.ts"
import { withReadShop } from "./ReadShop.ts"
import { defineSlos, queriesOf } from "./Shop.ts"

const hourMs = 3_600_000

/** SLOs, each with an objective for errors and one for slow requests: two batches. */
const slos = amount(200, 2)
const historyMs = amount(30 * 24, 24) * hourMs
const sampleMs = amount(1_000, 200)

const organization = "acme"

/** What it costs to read the whole history of new SLOs, of which a Prometheus has the raw series. */
export const run = async (): Promise<ReadonlyArray<Comparison>> =>
  withReadShop(
    { organization, services: slos, historyMs },
    async ({ shop, prometheus, call, runtime, cpu }) => {
      const cost = async () => ({ queries: await queriesOf(prometheus), ...(await cpu()) })
      const before = await cost()
      await defineSlos(call, shop, prometheus.url)
      while ((await runtime.runPromise(countUnread)) > 0) await wait(sampleMs)
      const after = await cost()
      const server = (after.server - before.server) / slos
      const days = historyMs / (24 * hourMs)
      return [
        {
          title: `Reading ${days} days of an SLO with two objectives for the first time, of ${slos}`,
          time: "cpu",
          ...judge(
            new Map([
              ["200 ms", [200_000]],
              ["Tocsin and its PostgreSQL", [server]],
              [withQueries, [server + (after.prometheus - before.prometheus) / slos]],
            ]),
            [{ name: withQueries, against: "200 ms", atLeast: 1 }],
          ),
        },
        {
          title: `Reading ${days} days of an SLO with two objectives for the first time, of ${slos}`,
          time: "queries",
          ...judgeLimit("3 queries", 3, "Tocsin", [(after.queries - before.queries) / slos]),
        },
      ]
    },
  )

const withQueries = "Tocsin, its PostgreSQL and its queries"

/** How many SLOs miss older minutes. */
const countUnread = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly unread: number }>`
    SELECT count(*)::int AS unread FROM indicator_polls
    WHERE organization = ${organization} AND (read_to = 0 OR recent IS NOT NULL)`
  return row?.unread ?? 0
})
