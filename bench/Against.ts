import { spawnSync, type SpawnSyncReturns } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { type Change, changesOf, type Measurements, measurementsOf } from "./Changes.ts"
import type { Comparison } from "./Compare.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * Builds a second checkout of `revision` in a temporary folder and runs each benchmark there and here, `pairs` times
 * each, in turn and every other time in reverse. Prints what became slower; returns whether anything did.
 */
export const runAgainst = async (
  revision: string,
  names: ReadonlyArray<string>,
  pairs: number,
): Promise<boolean> => {
  const commit = output(git("rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`)).trim()
  const folder = mkdtempSync(join(tmpdir(), "tocsin-bench-against-"))
  const before = join(folder, "before")
  try {
    console.log(`Building ${commit.slice(0, 12)} in ${before}`)
    output(git("clone", "--quiet", "--shared", "--no-checkout", root, before))
    output(run("git", ["-C", before, "checkout", "--quiet", "--detach", commit]))
    install(before)
    const { status, stdout } = run("npx", ["tsc", "-b"], before)
    // Modules are written nevertheless, and a benchmark that needs what is wrong is reported as one that does not work.
    if (status !== 0) console.log(`The old version has errors of types:\n${stdout.trim()}`)
    let hasFallen = false
    for (const name of names) {
      const changes = alternate(name, before, pairs)
      for (const change of changes) {
        print(change)
        hasFallen ||= change.isSlower
      }
    }
    return hasFallen
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const alternate = (name: string, before: string, pairs: number): ReadonlyArray<Change> => {
  console.log(`\n${name}`)
  const rounds: Array<{ readonly before: Measurements; readonly after: Measurements }> = []
  for (let pair = 0; pair < pairs; pair++) {
    const folders = [
      ["before", before],
      ["after", root],
    ] as const
    const round: Record<"before" | "after", Measurements> = { before: new Map(), after: new Map() }
    for (const [which, folder] of pair % 2 === 0 ? folders : folders.toReversed()) {
      const measured = measureIn(folder, name)
      if (measured === undefined) {
        console.log(`  does not work ${which === "before" ? "in the old version" : "any more"}`)
        return which === "before"
          ? []
          : [{ title: name, contender: "the benchmark", ratio: 0, isSlower: true }]
      }
      round[which] = measured
    }
    rounds.push(round)
  }
  return changesOf(rounds)
}

/** The results of one benchmark of a checkout; undefined if it does not work. Exit code 1 also means that a ratio was missed. */
const measureIn = (folder: string, name: string): Measurements | undefined => {
  const results = join(folder, "bench-results.json")
  rmSync(results, { force: true })
  const { stderr } = run(
    process.execPath,
    [
      "--import",
      "tsx",
      "--expose-gc",
      existsSync(join(folder, "bench/main.ts")) ? "bench/main.ts" : "test/bench/main.ts",
      name,
    ],
    folder,
  )
  if (!existsSync(results)) {
    console.error(stderr.trim().split("\n").slice(-10).join("\n"))
    return undefined
  }
  const { comparisons } = JSON.parse(readFileSync(results, "utf8")) as {
    readonly comparisons: ReadonlyArray<Comparison>
  }
  return measurementsOf(comparisons)
}

/** Hard links to the packages of this checkout, if it has the same ones; else those of the cache of npm. */
const install = (folder: string): void => {
  const lockOf = (of: string) => readFileSync(join(of, "package-lock.json"), "utf8")
  if (lockOf(folder) !== lockOf(root)) {
    output(run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], folder), "npm ci failed")
    return
  }
  const modules = output(run("find", [root, "-type", "d", "-name", "node_modules", "-prune", "-print"]))
  for (const path of modules.trim().split("\n")) {
    const target = join(folder, relative(root, path))
    // A folder of packages that the old version does not have.
    if (existsSync(dirname(target))) output(run("cp", ["-al", path, target]))
  }
}

const print = ({ title, contender, ratio, isSlower }: Change): void =>
  console.log(`  ${isSlower ? "SLOWER" : "      "}  ${ratio.toFixed(3)} × as fast: ${title}: ${contender}`)

const git = (...parameters: ReadonlyArray<string>) => run("git", ["-C", root, ...parameters])

const run = (command: string, parameters: ReadonlyArray<string>, cwd = root): SpawnSyncReturns<string> =>
  spawnSync(command, parameters, { cwd, encoding: "utf8", maxBuffer: 1e9 })

const output = (
  { status, stdout, stderr, error }: SpawnSyncReturns<string>,
  failed = "A command failed",
): string => {
  if (status === 0) return stdout
  throw new Error(`${failed}: ${error?.message ?? `${stdout}${stderr}`.trim()}`)
}
