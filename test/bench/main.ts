import { writeFileSync } from "node:fs"
import { arch, cpus, platform } from "node:os"
import type { Comparison } from "./Compare.ts"

/** The benchmarks by the name that picks them: `npm run bench -- signing verifying`. */
const benchmarks: Readonly<
  Record<string, () => Promise<{ readonly run: () => Promise<ReadonlyArray<Comparison>> }>>
> = {
  signing: () => import("./Signing.ts"),
  verifying: () => import("./Verifying.ts"),
  rendering: () => import("./Rendering.ts"),
  serving: () => import("./Serving.ts"),
  delivering: () => import("./Delivering.ts"),
  queueing: () => import("./Queueing.ts"),
  listing: () => import("./Listing.ts"),
  deliveries: () => import("./ListingDeliveries.ts"),
  counting: () => import("./Counting.ts"),
  adjusting: () => import("./Adjusting.ts"),
  backtesting: () => import("./Backtesting.ts"),
  opening: () => import("./Opening.ts"),
  rows: () => import("./Rows.ts"),
  origin: () => import("./Origin.ts"),
  fairness: () => import("./Fairness.ts"),
  hostile: () => import("./Hostile.ts"),
  querying: () => import("./Querying.ts"),
}

const selected = process.argv.slice(2)
const unknown = selected.filter((name) => !(name in benchmarks))
if (unknown.length > 0) {
  console.error(
    `No benchmark is called ${unknown.join(", ")}; there are ${Object.keys(benchmarks).join(", ")}.`,
  )
  process.exit(1)
}

const comparisons: Array<Comparison> = []
for (const [name, load] of Object.entries(benchmarks)) {
  if (selected.length > 0 && !selected.includes(name)) continue
  const { run } = await load()
  for (const comparison of await run()) {
    print(comparison)
    comparisons.push(comparison)
  }
}

const machine = {
  node: process.version,
  platform: platform(),
  arch: arch(),
  cpu: cpus()[0]?.model,
  cores: cpus().length,
}
writeFileSync("bench-results.json", `${JSON.stringify({ machine, comparisons }, undefined, 2)}\n`)
console.log("Written to bench-results.json. Compare figures within one table only.")

if (comparisons.some(({ verdicts }) => verdicts.some(({ isMet }) => !isMet))) process.exitCode = 1

function print({ title, time, measured, verdicts }: Comparison): void {
  console.log(`\n${title} (${time === "cpu" ? "CPU time" : "wall time"} per operation)`)
  const width = Math.max(...measured.map(({ name }) => name.length))
  for (const { name, microseconds, ratio } of measured)
    console.log(
      `  ${name.padEnd(width)}  ${microseconds.toFixed(2).padStart(10)} µs  ${ratio.toFixed(3).padStart(7)} ×`,
    )
  for (const { name, against, atLeast, ratio, isMet } of verdicts)
    console.log(
      `  ${isMet ? "met   " : "MISSED"}  ${name} is ${ratio.toFixed(3)} × as fast as ${against}; required: at least ${Number(atLeast.toFixed(3))}`,
    )
}
