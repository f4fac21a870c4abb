import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Comparison } from "./Compare.ts"

/** Where and when a benchmark ran. `load` is the load average of the minute before it. */
export interface Circumstances {
  readonly date: string
  readonly revision: string
  readonly node: string
  readonly platform: string
  readonly cpu: string
  readonly cores: number
  readonly load: number
}

/** One run of one benchmark. */
export interface Run extends Circumstances {
  readonly comparisons: ReadonlyArray<Comparison>
}

/** The runs of each benchmark that has any, by its name. */
export type Results = ReadonlyMap<string, ReadonlyArray<Run>>

const folder = fileURLToPath(new URL("./results", import.meta.url))

/** The page of the benchmarks in the documentation. */
export const pageFile = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url))

/** The text of that page, with places for misses and results. */
export const pageText = (): string => readFileSync(new URL("./page.md", import.meta.url), "utf8")

/** How many runs of a benchmark are kept: the latest ones. */
const keptRuns = 5

/** The stored runs of the benchmarks of these names, the earliest run first. */
export const readResults = (names: Iterable<string>): Results =>
  new Map([...names].map((name) => [name, readRuns(name)] as const).filter(([, runs]) => runs.length > 0))

/** Stores a run of a benchmark beside those before it. */
export const storeRun = (name: string, run: Run): void => {
  mkdirSync(folder, { recursive: true })
  const runs = [...readRuns(name), rounded(run)].slice(-keptRuns)
  writeFileSync(fileOf(name), `${JSON.stringify(runs, undefined, 1)}\n`)
}

const readRuns = (name: string): ReadonlyArray<Run> =>
  existsSync(fileOf(name)) ? (JSON.parse(readFileSync(fileOf(name), "utf8")) as ReadonlyArray<Run>) : []

const fileOf = (name: string): string => join(folder, `${name}.json`)

/** No more digits than a measurement has. */
const rounded = (run: Run): Run => ({
  ...run,
  comparisons: run.comparisons.map((comparison) => ({
    ...comparison,
    measured: comparison.measured.map((each) => ({
      ...each,
      microseconds: digits(each.microseconds),
      ratio: digits(each.ratio),
    })),
    verdicts: comparison.verdicts.map((each) => ({
      ...each,
      ratio: digits(each.ratio),
      atLeast: digits(each.atLeast),
    })),
  })),
})

const digits = (value: number): number => Number(value.toPrecision(4))
