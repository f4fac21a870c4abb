import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { freePort } from "../test/FreePort.ts"
import { type Prometheus, startPrometheus } from "../test/peers/Prometheus.ts"
import { type Comparison, judge } from "./Compare.ts"
import { type Call, signIn, withServer } from "./FairnessLoad.ts"
import { amount } from "./Length.ts"
import { cpuWithChildren } from "./ProcessCpu.ts"
import { pyrraRules, slothRules } from "./PrometheusRules.ts"
import { cpuOfServer, defineSlos, queriesOf, type Shop, startShop, writeBlocks } from "./Shop.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

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
 * Besides, what reading the history for the first time costs.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-bench-"))
  const from = Math.floor((Date.now() - historyMs) / hourMs) * hourMs
  const shop = await startShop(slos, from)
  const opened: Array<Prometheus> = []
  const open = async (name: string, rules?: ReadonlyArray<object>): Promise<Prometheus> => {
    const blocks = join(folder, name)
    await writeBlocks(folder, blocks, shop, name === sloth)
    const prometheus = await startPrometheus({
      port: await freePort(),
      blocks,
      config: `
scrape_configs: [{ job_name: shop, static_configs: [{ targets: ["127.0.0.1:${shop.port}"] }] }]
${rules === undefined ? "" : "rule_files: [rules.yml]"}`,
      ...(rules !== undefined && { files: { "rules.yml": JSON.stringify({ groups: rules }) } }),
    })
    opened.push(prometheus)
    return prometheus
  }
  try {
    const alone = await open("alone")
    const read = await open("read")
    const withSloth = await open(sloth, slothRules(shop.objectives))
    const withPyrra = await open(pyrra, pyrraRules(shop.objectives))
    return await withServer("PostgreSQL", [organization], 4, async (served) => {
      const cpu = async () => ({
        alone: cpuWithChildren(alone.pid),
        [sloth]: cpuWithChildren(withSloth.pid),
        [pyrra]: cpuWithChildren(withPyrra.pid),
        [tocsin]: cpuWithChildren(read.pid) + (await cpuOfServer(served)),
      })
      const call = await signIn(served.pool, organization)
      const beforeReading = await cpu()
      const queriesBefore = await queriesOf(read)
      await defineSlos(call, shop, read.url)
      while (!(await hasRead(call, shop))) await wait(amount(10_000, 500))
      const afterReading = await cpu()
      const queries = (await queriesOf(read)) - queriesBefore
      console.log(`The history of ${slos} SLOs was read with ${queries} queries`)
      const firstRead =
        afterReading[tocsin] - beforeReading[tocsin] - (afterReading.alone - beforeReading.alone)

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
          title: `Reading 28 days of an SLO for the first time, of ${slos}`,
          time: "cpu",
          ...judge(
            new Map([
              ["200 ms", [200_000]],
              [tocsin, [firstRead / slos]],
            ]),
            [{ name: tocsin, against: "200 ms", atLeast: 1 }],
          ),
        },
      ]
    })
  } finally {
    await Promise.all(opened.map(({ close }) => close()))
    shop.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

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
