import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, expect, it, vi } from "vitest"
import { watchProcess } from "../Watchdog.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")

/** What the run keeps in the folder for temporary files is here. */
const folder = mkdtempSync(join(tmpdir(), "tocsin-killed-"))
chmodSync(folder, 0o755)

let run: ChildProcess | undefined
afterEach(() => {
  run?.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

/** The processes of the databases that are ready in a folder. */
const postmasters = (): ReadonlyArray<number> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("postmaster.pid"))
    .map((path) => readFileSync(join(folder, path), "utf8").split("\n"))
    .filter((lines) => lines[7]?.startsWith("ready"))
    .map(([pid]) => Number(pid))

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)

it.runIf(existsSync("/proc/self"))(
  "a run of the tests that is killed leaves no PostgreSQL and no files behind",
  { timeout: 180_000 },
  async () => {
    // The first uses the PostgreSQL of the run; the second starts a server that has one of its own.
    const files = ["test/pg/secrets.test.ts", "test/server/store.test.ts"]
    const { DATABASE_URL: _, ...environment } = process.env
    run = watchProcess(
      spawn(process.execPath, [vitest, "run", "--root", root, ...files], {
        cwd: root,
        env: { ...environment, TMPDIR: folder },
        stdio: "ignore",
      }),
    )
    const pids = await vi.waitFor(
      () => {
        const found = postmasters()
        expect(found.length).toBeGreaterThanOrEqual(2)
        return found
      },
      { timeout: 120_000, interval: 5 },
    )
    run.kill("SIGKILL")
    await vi.waitFor(
      () => {
        expect(pids.filter(isAlive)).toEqual([])
        expect(readdirSync(folder).filter((name) => name.startsWith("tocsin"))).toEqual([])
      },
      { timeout: 40_000, interval: 50 },
    )
  },
)
