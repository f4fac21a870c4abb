import { existsSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { parseArgs } from "node:util"
import { benchmarks } from "./Benchmarks.ts"
import { circumstances } from "./Circumstances.ts"
import type { Comparison } from "./Compare.ts"
import { isShort } from "./Length.ts"
import { pageOfResults } from "./Page.ts"
import { pageFile, storeRun } from "./Results.ts"

const resultsFile = "bench-results.json"

const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const readArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        against: { type: "string" },
        pairs: { type: "string", default: "3" },
        save: { type: "boolean", default: false },
        page: { type: "boolean", default: false },
      },
    })
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}
Usage: npm run bench -- [--save | --page | --against REV [--pairs N]] [benchmark …]`)
  }
}

const { values, positionals } = readArguments()
const unknown = positionals.filter((name) => !benchmarks.has(name))
if (unknown.length > 0)
  fail(`No benchmark is called ${unknown.join(", ")}; there are ${[...benchmarks.keys()].join(", ")}.`)
const selected = [...benchmarks.keys()].filter(
  (name) => positionals.length === 0 || positionals.includes(name),
)

if (values.page) writeFileSync(pageFile, pageOfResults())
else if (values.against === undefined) await runHere()
else {
  const pairs = Number(values.pairs)
  if (!Number.isInteger(pairs) || pairs < 1) fail("--pairs must be a whole number of at least 1.")
  const { runAgainst } = await import("./Against.ts")
  const hasFallen = await runAgainst(values.against, selected, pairs).catch((error: unknown) =>
    fail(error instanceof Error ? error.message : String(error)),
  )
  if (hasFallen) process.exitCode = 1
}

async function runHere(): Promise<void> {
  const comparisons: Array<Comparison> = []
  for (const [name, { load, needs = [] }] of benchmarks) {
    if (!selected.includes(name)) continue
    const missing = needs.filter((program) => !isOnPath(program))
    if (missing.length > 0) {
      console.error(`${name} is left out, as it needs ${missing.join(" and ")}.`)
      continue
    }
    const where = circumstances()
    const { run } = await load()
    const found = await run()
    for (const comparison of found) print(comparison)
    comparisons.push(...found)
    if (values.save) storeRun(name, { ...where, comparisons: found })
  }
  if (isShort) await (await import("./BenchDatabase.ts")).stopSharedPostgres()
  writeFileSync(resultsFile, `${JSON.stringify({ comparisons }, undefined, 2)}\n`)
  if (values.save) writeFileSync(pageFile, pageOfResults())
  console.log(
    `Written to ${values.save ? "bench/results" : resultsFile}. Compare figures within one table only.`,
  )
  if (comparisons.some(({ verdicts }) => verdicts.some(({ isMet }) => !isMet))) process.exitCode = 1
}

function isOnPath(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)))
}

function print({ title, time, measured, verdicts }: Comparison): void {
  const what = {
    cpu: "CPU time per operation",
    wall: "wall time per operation",
    bytes: "bytes",
    queries: "queries per operation",
  }[time]
  const unit = { cpu: "µs", wall: "µs", bytes: "B ", queries: "  " }[time]
  console.log(`\n${title} (${what})`)
  const width = Math.max(...measured.map(({ name }) => name.length))
  for (const { name, microseconds, ratio } of measured)
    console.log(
      `  ${name.padEnd(width)}  ${microseconds.toFixed(2).padStart(10)} ${unit}  ${ratio.toFixed(3).padStart(7)} ×`,
    )
  for (const { name, against, atLeast, ratio, isMet } of verdicts)
    console.log(
      `  ${isMet ? "met   " : "MISSED"}  ${name} is ${ratio.toFixed(3)} × as fast as ${against}; required: at least ${Number(atLeast.toFixed(3))}`,
    )
}
