import { PgDatabase } from "@tocsin/adapters-pg"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../test/FreePort.ts"
import { type Prometheus, startPrometheus } from "../test/peers/Prometheus.ts"
import { type Call, type Served, signIn, withServer } from "./FairnessLoad.ts"
import { cpuWithChildren } from "./ProcessCpu.ts"
import { cpuOfServer, type Shop, startShop, writeBlocks } from "./Shop.ts"

const hourMs = 3_600_000

/** A server on PostgreSQL, and a Prometheus with the history of a shop that it can read. */
export interface ReadShop {
  readonly shop: Shop
  readonly prometheus: Prometheus
  /** As an editor of the organization. */
  readonly call: Call
  /** Runs statements on the database of the server. */
  readonly runtime: ReturnType<typeof runtimeOf>
  /** The CPU time of both until now, in microseconds. */
  readonly cpu: () => Promise<{ readonly server: number; readonly prometheus: number }>
  /** Has something else closed at the end. */
  readonly closeAtEnd: (close: () => unknown) => void
}

/** Starts both, and ends them when `use` has ended. `global` are the global settings of Prometheus as YAML. */
export const withReadShop = async <A>(
  { organization, services, historyMs, global = "{}" }: ReadShopOptions,
  use: (started: ReadShop) => Promise<A>,
): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-bench-"))
  const shop = await startShop(services, Math.floor((Date.now() - historyMs) / hourMs) * hourMs)
  const closing: Array<() => unknown> = []
  try {
    const blocks = join(folder, "blocks")
    await writeBlocks(folder, blocks, shop)
    const prometheus = await startPrometheus({
      port: await freePort(),
      blocks,
      config: `
global: ${global}
scrape_configs: [{ job_name: shop, static_configs: [{ targets: ["127.0.0.1:${shop.port}"] }] }]`,
    })
    closing.push(prometheus.close)
    return await withServer("PostgreSQL", [organization], 4, async (served) => {
      const runtime = runtimeOf(served)
      closing.push(() => runtime.dispose())
      return await use({
        shop,
        prometheus,
        call: await signIn(served.pool, organization),
        runtime,
        cpu: async () => ({
          server: await cpuOfServer(served),
          prometheus: cpuWithChildren(prometheus.pid),
        }),
        closeAtEnd: (close) => closing.push(close),
      })
    })
  } finally {
    for (const close of closing.toReversed()) await close()
    shop.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface ReadShopOptions {
  readonly organization: string
  /** How many services the shop has, each of an SLO. */
  readonly services: number
  /** How long the history of their counters is, in milliseconds. */
  readonly historyMs: number
  readonly global?: string
}

/** Runs statements on the database of a server. */
export const runtimeOf = ({ database }: Served) => {
  if (database === undefined) throw new Error("the server has no PostgreSQL")
  return ManagedRuntime.make(PgDatabase.layer({ connection: database, connectionsMax: 1 }))
}
