import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { makeDatabaseFolder, removeDatabaseFolder, watchProcess } from "../Watchdog.ts"

const root = join(import.meta.dirname, "../..")
const readme = readFileSync(join(root, "README.md"), "utf8")

/** The code blocks of a language, in order. */
const blocks = (language: string): ReadonlyArray<string> =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, code]) => code ?? "")

describe("the README", () => {
  it("shows code from an example, which the tests run", () => {
    const folder = join(root, "examples/src")
    const examples = readdirSync(folder).map((file) => unindented(readFileSync(join(folder, file), "utf8")))
    const code = blocks("ts")
    expect(code.length).toBeGreaterThan(0)
    for (const block of code)
      expect(examples.some((example) => example.includes(unindented(block)))).toBe(true)
  })

  it("has at most 10 KB", () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10_240)
  })

  it("links to files that exist", () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path ?? "")
    expect(links.length).toBeGreaterThan(5)
    for (const path of links) expect(existsSync(join(root, path)), path).toBe(true)
  })

  describe("first steps", () => {
    let shell: ChildProcess | undefined
    let folder: string | undefined
    afterEach(() => {
      if (shell?.pid !== undefined) killGroup(shell.pid)
      if (folder !== undefined) removeDatabaseFolder(folder)
    })

    it("work when copied block after block", async () => {
      // What `npm run tocsin` does before it starts.
      execFileSync(process.execPath, [join(root, "scripts/bundle.mjs")])
      folder = makeDatabaseFolder()
      const [port, receiverPort] = await Promise.all([freePort(), freePort()])
      // The blocks after `npm start`, run by one shell, on ports that are free here.
      const script = blocks("sh")
        .slice(1)
        .join("\necho; echo '--- block'\n")
        .replaceAll("npm run --silent tocsin --", `node ${join(root, "apps/server/dist/tocsin.mjs")}`)
        .replaceAll("8081", port)
        .replaceAll("8443", receiverPort)
        .replace("tocsin listen", `tocsin listen --port ${receiverPort}`)
      const output = await run(`set -euo pipefail\n${script}\n`, folder, {
        XDG_CACHE_HOME: folder,
      })

      expect(output).toContain("AlertMethod default/on-call created")
      expect(output).toContain("Test completed successfully!")
      expect(output).toContain('url: "[hidden]"')
      expect(output).not.toContain("s3cr3t")
      expect(output).toContain(`"reliability":0.9,`)
      expect(output).toContain("status: Triggered")
      expect(output).toContain("alert.triggered, attempt 1")
      expect(output).toContain("✓ signature verified")
      expect(output).toContain(
        "Checkout responds within 300 ms: Average burn rate is at least 5 over the last 5 minutes",
      )
      expect(output).toMatch(/"alertMethod":\{[^}]*"on-call"/)
    })

    /** Runs a script and returns its output once it has exited; its background processes are killed. */
    const run = (script: string, cwd: string, environment: Record<string, string>): Promise<string> =>
      new Promise((resolve, reject) => {
        const { PATH = "", HOME = "" } = process.env
        const child = watchProcess(
          spawn("bash", ["-c", script], {
            cwd,
            detached: true,
            // The last folder has substitutes for programs that may be missing.
            env: { PATH: `${PATH}:${join(root, "test/server/bin")}`, HOME, ...environment },
            stdio: ["ignore", "pipe", "pipe"],
          }),
        )
        shell = child
        let output = ""
        const take = (chunk: Buffer): void => {
          output += chunk.toString()
        }
        child.stdout.on("data", take)
        child.stderr.on("data", take)
        child.once("error", reject)
        child.once("exit", (code) => {
          if (code !== 0) return reject(new Error(`the script exited with ${code}:\n${output}`))
          // The receiver may print the notification a moment after the script has exited.
          const deadline = Date.now() + 60_000
          const check = (): void => {
            if (output.includes("alert.triggered, attempt 1") || Date.now() > deadline) return resolve(output)
            setTimeout(check, 20)
          }
          check()
        })
      })
  })
})

const unindented = (code: string): string => code.replace(/^ +/gm, "")

const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has exited by itself.
  }
}
