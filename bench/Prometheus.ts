import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { freePort } from "../test/FreePort.ts"
import { type Prometheus, startPrometheus } from "../test/peers/Prometheus.ts"
import { type Comparison, judge } from "./Compare.ts"
import { countBytes } from "./CountingDatabase.ts"
import { type Call, clientSecret, type Served, signIn, withServer } from "./FairnessLoad.ts"
import { amount, isShort } from "./Length.ts"
import { cpuWithChildren } from "./ProcessCpu.ts"
import { pyrraRules, slothRules } from "./PrometheusRules.ts"
import { runtimeOf } from "./ReadShop.ts"
import { cpuOfServer, defineSlos, type Shop, startShop, writeBlocks } from "./Shop.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** SLOs, each with an objective for errors and one for slow requests. */
const slos = amount(100, 2)
const historyMs = amount(28 * 24, 24) * hourMs
/** Pyrra's longest interval. */
const roundMs = amount(150_000, 5_000)
const rounds = amount(4, 1)

/**
 * The cost of SLOs a Prometheus keeps raw series of, per SLO and hour: the rules of Sloth and of Pyrra in the Prometheus itself,
 * beside Tocsin with its PostgreSQL and what its queries cost the Prometheus. What the Prometheus takes without any of them is
 * taken off. All run at the same time, each with a Prometheus of its own that has the same history and scrapes the same server.
 * Besides, what counts take on disk, and what a point of PromQL costs.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-bench-"))
  const from = Math.floor((Date.now() - historyMs) / hourMs) * hourMs
  const shop = await startShop(slos, from)
  const closing: Array<() => Promise<void>> = []
  let rawBytes = 0
  const open = async (name: string, rules?: ReadonlyArray<object>): Promise<Prometheus> => {
    const blocks = join(folder, name)
    await writeBlocks(folder, blocks, shop, name === sloth)
    if (rules === undefined) rawBytes = bytesOf(blocks)
    const prometheus = await startPrometheus({
      port: await freePort(),
      blocks,
      config: `
scrape_configs: [{ job_name: shop, static_configs: [{ targets: ["127.0.0.1:${shop.port}"] }] }]
${rules === undefined ? "" : "rule_files: [rules.yml]"}`,
      ...(rules !== undefined && { files: { "rules.yml": JSON.stringify({ groups: rules }) } }),
    })
    closing.push(prometheus.close)
    return prometheus
  }
  try {
    const alone = await open("alone")
    const read = await open("read")
    const withSloth = await open(sloth, slothRules(shop.objectives))
    const withPyrra = await open(pyrra, pyrraRules(shop.objectives))
    return await withServer("PostgreSQL", [organization], 4, async (served) => {
      const runtime = runtimeOf(served)
      closing.push(() => runtime.dispose())
      const cpu = async () => ({
        alone: cpuWithChildren(alone.pid),
        [sloth]: cpuWithChildren(withSloth.pid),
        [pyrra]: cpuWithChildren(withPyrra.pid),
        [tocsin]: cpuWithChildren(read.pid) + (await cpuOfServer(served)),
      })
      const call = await signIn(served.pool, organization)
      await defineSlos(call, shop, read.url)
      while (!(await hasRead(call, shop))) await wait(amount(10_000, 500))
      const sloDays = slos * (historyMs / dayMs)
      const raw = rawBytes / sloDays
      const stored = (await runtime.runPromise(countBytes)) / sloDays
      const points = await costOfPoints(served, withSloth)

      const times = new Map<string, Array<number>>([sloth, pyrra, tocsin].map((name) => [name, []]))
      for (let round = 0; round < rounds; round++) {
        const before = await cpu()
        await wait(roundMs)
        const after = await cpu()
        const perSloHour = (name: keyof typeof after) =>
          ((after[name] - before[name] - (after.alone - before.alone)) * (hourMs / roundMs)) / slos
        for (const [name, own] of times) own.push(Math.max(0, perSloHour(name as keyof typeof after)))
      }
      return [
        {
          title: `An hour of an SLO with two objectives over 28 days, of ${slos}`,
          time: "cpu",
          ...judge(times, [
            { name: tocsin, against: sloth, atLeast: 1 },
            { name: tocsin, against: pyrra, atLeast: 1 },
          ]),
        },
        {
          title: `What a day of an SLO takes on disk, of ${slos} over 28 days`,
          time: "bytes",
          ...judge(
            new Map([
              ["Prometheus, raw series", [raw]],
              ["Tocsin, tables of counts", [stored]],
            ]),
            [{ name: "Tocsin, tables of counts", against: "Prometheus, raw series", atLeast: 1 / 2 }],
          ),
        },
        {
          title: `A point of 28 days by the hour of ${slos} SLOs in PromQL`,
          time: "cpu",
          ...judge(points, [{ name: tocsinQuery, against: recordedQuery, atLeast: 1 / 2 }]),
        },
      ]
    })
  } finally {
    await Promise.all(closing.map((close) => close()))
    shop.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the blocks of a Prometheus take on disk, in bytes. */
const bytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

/**
 * CPU time of a point of the burn rate over 28 days by the hour: of all SLOs in Tocsin with its PostgreSQL, and of what Sloth's rules
 * recorded, as Prometheus stores it.
 */
const costOfPoints = async (
  served: Served,
  recorded: Prometheus,
): Promise<ReadonlyMap<string, ReadonlyArray<number>>> => {
  const end = Math.floor((Date.now() - 4 * hourMs) / hourMs) * 3_600
  const range = { start: String(end - (historyMs - 5 * hourMs) / 1_000), end: String(end), step: "1h" }
  const basic = Buffer.from(`${organization}:${clientSecret}`).toString("base64")
  const measure = async (
    url: string,
    query: string,
    cpu: () => Promise<number>,
    headers: Record<string, string> = {},
  ): Promise<number> => {
    const before = await cpu()
    const response = await fetch(`${url}/api/v1/query_range?${new URLSearchParams({ query, ...range })}`, {
      headers,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${query} was answered ${response.status}: ${text.slice(0, 500)}`)
    const { data } = JSON.parse(text) as {
      readonly data: { readonly result: ReadonlyArray<{ readonly values: ReadonlyArray<unknown> }> }
    }
    const count = data.result.reduce((sum, { values }) => sum + values.length, 0)
    if (count === 0) throw new Error(`${query} has no points`)
    return ((await cpu()) - before) / count
  }
  const figures = new Map<string, Array<number>>([
    [recordedQuery, []],
    [tocsinQuery, []],
  ])
  for (let round = 0; round < amount(6, 1); round++) {
    // The organization may query again by then.
    await wait(amount(5_000, 0))
    const ofRecorded = await measure(recorded.url, "slo:sli_error:ratio_rate5m", () =>
      Promise.resolve(cpuWithChildren(recorded.pid)),
    )
    const ofTocsin = await measure(`${served.url}/api/prometheus`, "burn_rate", () => cpuOfServer(served), {
      authorization: `Basic ${basic}`,
    })
    if (round === 0 && !isShort) continue
    figures.get(recordedQuery)?.push(ofRecorded)
    figures.get(tocsinQuery)?.push(ofTocsin)
  }
  return figures
}

const recordedQuery = "Prometheus, recorded series"
const tocsinQuery = "Tocsin and its PostgreSQL"

const organization = "acme"
const sloth = "Sloth's rules"
const pyrra = "Pyrra's rules"
const tocsin = "Tocsin, its PostgreSQL and its queries"

/** Whether every SLO has been read up to some minutes ago. */
const hasRead = async (call: Call, { services }: Shop): Promise<boolean> => {
  for (const service of services) {
    const { readTo } = (await call("GET", `/api/slos/${service}/indicator`)) as { readonly readTo?: string }
    if (readTo === undefined || Date.parse(readTo) < Date.now() - 3 * minuteMs) return false
  }
  return true
}
