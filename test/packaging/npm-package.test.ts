import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { version } from "@tocsin/server/config/Version"
import { until } from "../crash/CrashDatabase.ts"
import { buildConsole } from "../console/console-server.ts"
import { root } from "../deploy/Files.ts"
import { bundledTocsin } from "../server/child-process.ts"
import { watchProcess } from "../Watchdog.ts"
import { folder, run } from "./Tools.ts"

const archive = join(root, `apps/server/dist/tocsin-${version}.tgz`)
const project = join(folder, "project")

beforeAll(async () => {
  buildConsole()
  bundledTocsin()
  await run("node", ["scripts/pack.mjs"], { cwd: root })
  // Run by root, PostgreSQL runs as another user, who must be able to read it.
  chmodSync(folder, 0o755)
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), "{}")
  await run("npm", ["install", "--no-audit", "--no-fund", archive], { cwd: project })
}, 300_000)

describe("the npm package", () => {
  it("has the server, its licenses and the console", async () => {
    const files = (await run("tar", ["-tzf", archive])).trim().split("\n")
    expect(files.filter((file) => !file.startsWith("package/console/")).toSorted()).toEqual([
      "package/LICENSE",
      "package/package.json",
      "package/tocsin.mjs",
      "package/tocsin.mjs.LEGAL.txt",
    ])
    expect(files).toContain("package/console/index.html")
  })

  it("runs with npx from the archive, without its optional dependencies too", async () => {
    const npx = (...args: ReadonlyArray<string>) => run("npx", ["--yes", ...args], { cwd: folder })
    expect(await npx("--package", archive, "tocsin", "--version")).toBe(`${version}\n`)
    expect(await npx("--omit=optional", "--package", archive, "tocsin", "--version")).toBe(`${version}\n`)
  })

  it("runs the demo on the embedded PostgreSQL, in the current directory", async () => {
    const demo = watchProcess(
      spawn(join(project, "node_modules/.bin/tocsin"), ["demo"], {
        cwd: project,
        env: { PATH: process.env["PATH"], PORT: "0" },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    )
    let printed = ""
    demo.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    demo.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    const ended = new Promise<number | null>((resolve) => demo.once("close", resolve))
    await Promise.race([
      until(() => Promise.resolve(/Press Ctrl-C to stop\. The data is stored in/.test(printed)), 120_000),
      ended.then((code) => Promise.reject(new Error(`ended with ${code}:\n${printed}`))),
    ])
    expect(printed).toContain("✓ signature verified")
    demo.kill("SIGINT")
    expect(await ended).toBe(0)
    expect(existsSync(join(project, ".tocsin/postgres"))).toBe(true)
  })
})
