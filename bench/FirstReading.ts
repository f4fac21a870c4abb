import { PgDatabase } from "@tocsin/adapters-pg"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as SqlClient from "effect/sql/SqlClient"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { freePort } from "../test/FreePort.ts"
import { startPrometheus } from "../test/peers/Prometheus.ts"
import { type Comparison, judge } from "./Compare.ts"
import { signIn, withServer } from "./FairnessLoad.ts"
import { amount } from "./Length.ts"
import { cpuWithChildren } from "./ProcessCpu.ts"
import { cpuOfServer, defineSlos, queriesOf, startShop, writeBlocks } from "./Shop.ts"

const hourMs = 3_600_000

/** SLOs, each with an objective for errors and one for slow requests: two batches. */
const slos = amount(200, 2)
const historyMs = amount(30 * 24, 24) * hourMs
const sampleMs = amount(1_000, 200)

const organization = "acme"

/** What it costs to read the whole history of new SLOs, of which a Prometheus has the raw series. */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-bench-"))
  const shop = await startShop(slos, Math.floor((Date.now() - historyMs) / hourMs) * hourMs)
  const closing: Array<() => unknown> = []
  try {
    const blocks = join(folder, "blocks")
    await writeBlocks(folder, blocks, shop)
    const prometheus = await startPrometheus({
      port: await freePort(),
      blocks,
      config: `
scrape_configs: [{ job_name: shop, static_configs: [{ targets: ["127.0.0.1:${shop.port}"] }] }]`,
    })
    closing.push(prometheus.close)
    return await withServer("PostgreSQL", [organization], 4, async (served) => {
      if (served.database === undefined) throw new Error("the server has no PostgreSQL")
      const runtime = ManagedRuntime.make(
        PgDatabase.layer({ connection: served.database, connectionsMax: 1 }),
      )
      closing.push(() => runtime.dispose())
      const call = await signIn(served.pool, organization)
      const cost = async () => ({
        queries: await queriesOf(prometheus),
        server: await cpuOfServer(served),
        prometheus: cpuWithChildren(prometheus.pid),
      })
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
          ...judge(
            new Map([
              ["3 queries", [3]],
              ["Tocsin", [(after.queries - before.queries) / slos]],
            ]),
            [{ name: "Tocsin", against: "3 queries", atLeast: 1 }],
          ),
        },
      ]
    })
  } finally {
    for (const close of closing.toReversed()) await close()
    shop.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const withQueries = "Tocsin, its PostgreSQL and its queries"

/** How many SLOs miss older minutes. */
const countUnread = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly unread: number }>`
    SELECT count(*)::int AS unread FROM indicator_polls
    WHERE organization = ${organization} AND (read_to = 0 OR recent IS NOT NULL)`
  return row?.unread ?? 0
})
