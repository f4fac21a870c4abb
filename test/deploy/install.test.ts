import { spawn } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const scripts = fileURLToPath(new URL("../../scripts", import.meta.url))

const server = ["ci", "--omit=peer", "--workspace=apps/server", "--workspace=apps/console"]
const options = ["--include=dev", "--include=optional", "--no-audit", "--no-fund", "--no-progress"]

/**
 * Installs what it is asked for into the `node_modules` of its folder as npm does, after it has noted its arguments; waits for
 * the file `go-on` if the file `wait` is there, and fails for each line of the file `fail`.
 */
const npm = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
const parameters = process.argv.slice(2)
appendFileSync("calls", JSON.stringify(parameters) + "\\n")
if (parameters[0] === "ci") rmSync("node_modules", { recursive: true, force: true })
const isWhole = !parameters.includes("--workspace=apps/server")
const paths = ["node_modules/effect", ...(isWhole ? ["node_modules/vitest"] : [])]
for (const path of paths) mkdirSync(path, { recursive: true })
writeFileSync("node_modules/effect/package.json", "{}")
while (existsSync("wait") && !existsSync("go-on")) await new Promise((resolve) => setTimeout(resolve, 10))
if (existsSync("fail")) {
  const [, ...rest] = readFileSync("fail", "utf8").trim().split("\\n")
  if (rest.length === 0) rmSync("fail")
  else writeFileSync("fail", rest.join("\\n"))
  process.exit(7)
}
for (const path of paths) writeFileSync(path + "/package.json", "{}")
const packages = Object.fromEntries(paths.map((path) => [path, {}]))
writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }))
`

describe("scripts/install.mjs", () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tocsin-install-"))
    mkdirSync(join(folder, "scripts"))
    for (const name of ["install.mjs", "progress.mjs"])
      cpSync(join(scripts, name), join(folder, "scripts", name))
    writeFileSync(join(folder, "npm.mjs"), npm)
    const packages = { "": {}, "node_modules/effect": {}, "node_modules/vitest": {} }
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages }))
    age("package-lock.json", 60)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it("installs what the server needs, adds the rest for the tests, and installs nothing twice", async () => {
    expect(await install("server")).toMatchObject({ code: 0, calls: [[...server, ...options, fromCache]] })
    expect(await install("server")).toMatchObject({ code: 0, calls: [] })
    expect(await install()).toMatchObject({ calls: [["install", "--no-save", ...options, fromCache]] })
    expect(await install()).toMatchObject({ calls: [] })
    expect(await install("server")).toMatchObject({ calls: [] })
  })

  it("installs everything in a new clone for the tests, after which a start needs nothing", async () => {
    expect(await install()).toMatchObject({ calls: [["ci", ...options, fromCache]] })
    expect(await install("server")).toMatchObject({ calls: [] })
  })

  it("installs as much as before when the lock file has changed", async () => {
    await install("server")
    age("node_modules/.package-lock.json", 120)
    expect(await install("server")).toMatchObject({ calls: [[...server, ...options, fromCache]] })
    await install()
    age("node_modules/.package-lock.json", 120)
    expect(await install("server")).toMatchObject({ calls: [["ci", ...options, fromCache]] })
  })

  it("starts from scratch after an install that was interrupted", async () => {
    writeFileSync(join(folder, "wait"), "")
    const first = start("server")
    await first.until("1 of 1 packages")
    await first.kill()
    rmSync(join(folder, "wait"))
    expect(await install("server")).toMatchObject({ calls: [[...server, ...options, fromCache]] })
  })

  it("keeps what is installed when the rest could not be added, and adds it afresh", async () => {
    await install("server")
    writeFileSync(join(folder, "wait"), "")
    const adding = start()
    await adding.until("1 of 2 packages")
    await adding.kill()
    rmSync(join(folder, "wait"))
    const partly = join(folder, "node_modules/vitest/partly.txt")
    writeFileSync(partly, "")
    expect(await install("server")).toMatchObject({ calls: [] })
    expect(await install()).toMatchObject({ calls: [["install", "--no-save", ...options, fromCache]] })
    expect(existsSync(partly)).toBe(false)
    expect(existsSync(join(folder, "node_modules/effect/package.json"))).toBe(true)
    expect(await install()).toMatchObject({ calls: [] })
  })

  it("installs again if the list of installed packages was cut off", async () => {
    await install("server")
    writeFileSync(join(folder, "node_modules/.package-lock.json"), '{"packages"')
    expect(await install("server")).toMatchObject({ code: 0, calls: [[...server, ...options, fromCache]] })
  })

  it("asks the registry if the cache of npm has no such version, and fails with the code of npm", async () => {
    writeFileSync(join(folder, "fail"), "once")
    const second = await install("server")
    expect(second).toMatchObject({ code: 0 })
    expect(second.calls).toEqual([
      [...server, ...options, fromCache],
      [...server, ...options],
    ])
    rmSync(join(folder, "node_modules"), { recursive: true })
    writeFileSync(join(folder, "fail"), "once\nagain")
    expect(await install("server")).toMatchObject({ code: 7 })
  })

  const fromCache = "--prefer-offline"

  /** Sets the time of a file to that many seconds ago. */
  const age = (file: string, seconds: number): void => {
    const at = new Date(Date.now() - seconds * 1_000)
    utimesSync(join(folder, file), at, at)
  }

  const start = (...parameters: ReadonlyArray<string>) => {
    rmSync(join(folder, "calls"), { force: true })
    const child = spawn(process.execPath, [join(folder, "scripts/install.mjs"), ...parameters], {
      env: { PATH: process.env["PATH"], npm_execpath: join(folder, "npm.mjs") },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    })
    let printed = ""
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    child.stderr.setEncoding("utf8")
    return {
      ended,
      /** Until it has printed the text; rejects if it ends before. */
      until: (text: string): Promise<void> =>
        new Promise((resolve, reject) => {
          void ended.then(() => reject(new Error(`it ended:\n${printed}`)))
          child.stderr.on("data", (part: string) => {
            printed += part
            if (printed.includes(text)) resolve()
          })
        }),
      /** As Ctrl-C does: with its npm. */
      kill: (): Promise<number | null> => {
        process.kill(-(child.pid ?? 0), "SIGINT")
        return ended
      },
    }
  }

  const install = async (...parameters: ReadonlyArray<string>) => {
    const code = await start(...parameters).ended
    const calls = join(folder, "calls")
    const lines = existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []
    return { code, calls: lines.map((line) => JSON.parse(line) as ReadonlyArray<string>) }
  }
})
