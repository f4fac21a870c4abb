import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { setTimeout as wait } from "node:timers/promises"
import { type Comparison, judge } from "./Compare.ts"
import { amount } from "./Length.ts"
import { startLoadedSource } from "./LoadedSource.ts"
import { percentile } from "./QueueLatency.ts"
import { withReadShop } from "./ReadShop.ts"
import { defineSlos } from "./Shop.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** SLOs, each with an objective for errors and one for slow requests. */
const slos = amount(1_000, 4)
/** How many of them are new, so that their older minutes are read. */
const newSlos = amount(100, 1)
const historyMs = amount(30, 10) * hourMs
/** How long metrics are scraped before the first SLO: longer than what is read again for late values. */
const scrapedMs = amount(7 * minuteMs, 1_000)
/** Until what became due while the SLOs were defined is read. */
const warmUpMs = amount(2 * minuteMs, 1_000)
const steadyMs = amount(4 * minuteMs, 3_000)
/** Older minutes are read for so long at most while the lag is measured. */
const historyReadMs = amount(6 * minuteMs, 30_000)
const sampleMs = amount(1_000, 200)

const organization = "acme"

/**
 * How far the SLOs of a loaded Prometheus lag behind: how long the first minute that is not counted has been over. Measured while only
 * new minutes are read, and then while older minutes of some SLOs are, too.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> =>
  withReadShop(
    { organization, services: slos + newSlos, historyMs, global: "{ scrape_interval: 15s }" },
    async ({ shop, prometheus, call, runtime, cpu, closeAtEnd }) => {
      const source = await startLoadedSource(prometheus.url)
      closeAtEnd(source.close)
      const services = { ...shop, services: shop.services.slice(0, slos) }
      await wait(scrapedMs)
      await runtime.runPromise(skipOlderMinutes)
      await defineSlos(call, services, source.url)
      await runtime.runPromise(readOlderMinutes)
      await wait(warmUpMs)

      const cost = async () => ({
        at: performance.now(),
        queries: source.queries(),
        ...(await cpu()),
      })
      const lagsWhile = async (isOn: (older: number) => boolean): Promise<ReadonlyArray<number>> => {
        const lags: Array<number> = []
        for (;;) {
          const sample = await runtime.runPromise(readLags)
          lags.push(...sample.lags)
          if (!isOn(sample.older)) return lags.toSorted((a, b) => a - b)
          await wait(sampleMs)
        }
      }
      const before = await cost()
      const steady = await lagsWhile(() => performance.now() - before.at < steadyMs)
      const after = await cost()
      const sloMinutes = (slos * (after.at - before.at)) / minuteMs
      console.log(`${((after.queries - before.queries) / sloMinutes).toFixed(3)} queries per SLO and minute`)

      const more = { ...shop, services: shop.services.slice(slos) }
      await defineSlos(call, more, source.url)
      const isReading = (older: number) => older > 0 && performance.now() - after.at < historyReadMs
      const whileOlder = await lagsWhile(isReading)
      const atEnd = await cost()
      console.log(
        `${atEnd.queries - after.queries} queries in ${((atEnd.at - after.at) / 1_000).toFixed(0)} s while older minutes were read`,
      )
      return [
        lagComparison(`The lag of ${slos} SLOs`, steady),
        lagComparison(`The lag of ${slos} SLOs while older minutes of ${newSlos} more are read`, whileOlder),
        {
          title: `A minute of an SLO with two objectives, of ${slos}`,
          time: "cpu",
          ...judge(
            new Map([
              ["Prometheus", [Math.max(1, (after.prometheus - before.prometheus) / sloMinutes)]],
              ["Tocsin and its PostgreSQL", [(after.server - before.server) / sloMinutes]],
            ]),
            [],
          ),
        },
      ]
    },
  )

/** Of sorted lags in milliseconds. */
const lagComparison = (title: string, lags: ReadonlyArray<number>): Comparison => {
  const shares = [
    ["half of the time", 0.5],
    ["95% of the time", 0.95],
    ["99% of the time", 0.99],
    ["at most", 1],
  ] as const
  return {
    title,
    time: "wall",
    ...judge(
      new Map([
        ["60 s", [60_000_000]],
        // A minute that is over and counted at once has no lag, of which there is no ratio.
        ...shares.map(([name, share]) => [name, [Math.max(1, percentile(lags, share)) * 1_000]] as const),
      ]),
      [{ name: "99% of the time", against: "60 s", atLeast: 1 }],
    ),
  }
}

/** Lets SLOs that are defined from now on be read from their first whole minute on. */
const skipOlderMinutes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION skip_older_minutes() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.read_to := now_ms() / 60000 * 60000; RETURN NEW; END'`
  yield* sql`
    CREATE TRIGGER skip_older_minutes BEFORE INSERT ON indicator_polls
    FOR EACH ROW EXECUTE FUNCTION skip_older_minutes()`
})

/** Undoes `skipOlderMinutes` for those that are defined later. */
const readOlderMinutes = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`DROP FUNCTION skip_older_minutes() CASCADE`,
)

/** The lag of each SLO that has minutes read, in milliseconds, and how many of them miss older minutes. */
const readLags = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = Date.now()
  const rows = yield* sql<{ readonly read_to: number; readonly recent_to: number | null }>`
    SELECT read_to, (recent::jsonb -> 'document' ->> 'to')::bigint AS recent_to FROM indicator_polls
    WHERE organization = ${organization}`
  const latest = rows
    .map(({ read_to, recent_to }) => Math.max(read_to, recent_to ?? 0))
    .filter((readTo) => readTo > 0)
  return {
    lags: latest.map((readTo) => Math.max(0, now - readTo - minuteMs)),
    older: rows.filter(({ read_to, recent_to }) => read_to === 0 || recent_to !== null).length,
  }
})
