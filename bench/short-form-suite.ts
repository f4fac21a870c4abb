import { fork } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { bundlePrograms } from "../test/Programs.ts"
import { makeDatabaseFolder, removeDatabaseFolder, watchProcess } from "../test/Watchdog.ts"
import { benchmarks } from "./Benchmarks.ts"
import type { Comparison } from "./Compare.ts"
import { programsVariable, shortFormVariable } from "./Length.ts"
import type { ShortRun } from "./ShortForm.ts"

/** What is wrong with the figures of a comparison. */
const implausible = ({ title, measured, verdicts }: Comparison): ReadonlyArray<string> => {
  // The processor time of another process has steps of 10 ms, of which a short run may take none.
  const isMeasurable = measured.every(({ microseconds }) => microseconds > 0)
  return [
    ...(measured.length < 2 ? [`${title} compares nothing`] : []),
    ...(measured.some(({ microseconds }) => microseconds > 0) ? [] : [`${title} takes no time`]),
    ...measured
      .filter(({ microseconds }) => !Number.isFinite(microseconds) || microseconds < 0)
      .map(({ name, microseconds }) => `${title}: ${name} takes ${microseconds} µs`),
    ...[...measured, ...verdicts]
      .filter(({ ratio }) => isMeasurable && !(Number.isFinite(ratio) && ratio > 0))
      .map(({ name }) => `${title}: ${name} has no ratio`),
  ]
}

/** All programs that benchmarks start in processes of their own. */
const programFiles = readdirSync(import.meta.dirname)
  .filter((name) => /(?:Contender|Server|Receiver)\.ts$/.test(name))
  .map((name) => new URL(`./${name}`, import.meta.url))

/** Tests of the benchmarks that `isMeant` is true of, in their short form. */
export const shortFormSuite = async (isMeant: (needs: ReadonlyArray<string>) => boolean): Promise<void> => {
  const names = [...benchmarks].flatMap(([name, { needs = [] }]) => (isMeant(needs) ? [name] : []))

  /** Everything of the benchmarks, also the files of PostgreSQL, which ends with this process. */
  const folder = makeDatabaseFolder()

  const programs = await bundlePrograms(programFiles, join(folder, "programs"))
  const child = watchProcess(
    fork(fileURLToPath(new URL("./ShortForm.ts", import.meta.url)), names, {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      execArgv: ["--import", "tsx", "--conditions=source", "--expose-gc"],
      env: { ...process.env, [shortFormVariable]: "1", [programsVariable]: programs, TMPDIR: folder },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    }),
  )
  let stderr = ""
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()))

  const waiting = new Map<string, (result: ShortRun) => void>()
  const results = new Map(
    names.map((name) => [name, new Promise<ShortRun>((resolve) => waiting.set(name, resolve))]),
  )
  child.on("message", (result: ShortRun) => waiting.get(result.name)?.(result))
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      for (const [name, report] of waiting)
        report({ name, comparisons: [], failure: `the process has ended: ${stderr}` })
      resolve()
    })
  })

  afterAll(async () => {
    child.kill("SIGKILL")
    await ended
    removeDatabaseFolder(folder)
  })

  describe("the benchmark", () => {
    // As the ones before it in the same process take their time.
    for (const name of names)
      it(`${name} works and returns plausible results`, { timeout: 600_000 }, async () => {
        const { comparisons, failure } = (await results.get(name)) ?? {}
        expect(failure).toBeUndefined()
        expect(comparisons?.length).toBeGreaterThan(0)
        expect(comparisons?.flatMap(implausible)).toEqual([])
        expect(new Set(comparisons?.map(({ title, time }) => `${title} ${time}`)).size).toBe(
          comparisons?.length,
        )
      })
  })
}
