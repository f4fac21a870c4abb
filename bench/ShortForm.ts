import { inspect } from "node:util"
import { benchmarks } from "./Benchmarks.ts"
import { stopSharedPostgres } from "./BenchDatabase.ts"
import type { Comparison } from "./Compare.ts"

/** What one benchmark returned, or why it failed. */
export interface ShortRun {
  readonly name: string
  readonly comparisons: ReadonlyArray<Comparison>
  readonly failure?: string
}

/** Runs the benchmarks of the arguments one after the other, in the process that a test starts for it, and sends it each result. */
for (const name of process.argv.slice(2)) {
  const result = await runOne(name)
  await new Promise<void>((resolve) => process.send?.(result, () => resolve()))
}
await stopSharedPostgres()
process.disconnect?.()

async function runOne(name: string): Promise<ShortRun> {
  try {
    const loaded = await benchmarks.get(name)?.load()
    if (loaded === undefined) throw new Error("there is no such benchmark")
    return { name, comparisons: await loaded.run() }
  } catch (error) {
    return { name, comparisons: [], failure: inspect(error, { depth: 5 }) }
  }
}
