import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { startPrometheus } from "../indicator/PrometheusServer.ts"
import { makeDatabaseFolder, removeDatabaseFolder } from "../Watchdog.ts"
import { blocksOf, GuideShell, patternOf } from "./GuideShell.ts"

const root = join(import.meta.dirname, "../..")
const readme = readFileSync(join(root, "README.md"), "utf8")

/** The code blocks of a language, in order. */
const blocks = (language: string): ReadonlyArray<string> =>
  blocksOf(readme)
    .filter((block) => block.language === language)
    .map(({ code }) => code)

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
})

/** Guides whose commands continue in the shell of the first steps, in this order. */
const continued = ["add-your-team.md", "first-page.md"]

describe("first steps", () => {
  let shell: GuideShell
  let folder: string
  /** Commands with ports that are free here. */
  let adapted: (code: string) => string
  beforeAll(async () => {
    // What `npm run tocsin` does before it starts.
    execFileSync(process.execPath, [join(root, "scripts/bundle.mjs")])
    folder = makeDatabaseFolder()
    const [port, receiverPort] = await Promise.all([freePort(), freePort()])
    const prometheus = await startPrometheus(() => () => 20)
    const { PATH = "", HOME = "" } = process.env
    shell = new GuideShell(folder, {
      // The last folder has substitutes for programs that may be missing.
      PATH: `${PATH}:${join(root, "test/server/bin")}`,
      HOME,
      XDG_CACHE_HOME: folder,
    })
    adapted = (code) =>
      code
        .replaceAll("npm run --silent tocsin --", `node ${join(root, "apps/server/dist/tocsin.mjs")}`)
        .replaceAll("http://localhost:9090", prometheus.url)
        .replaceAll("8081", port)
        .replaceAll("8443", receiverPort)
        .replace("tocsin listen", `tocsin listen --port ${receiverPort}`)
    return async () => {
      shell.close()
      await prometheus.close()
      removeDatabaseFolder(folder)
    }
  })

  it("of the README work when copied block after block", async () => {
    for (const code of blocks("sh").slice(1)) await shell.run(adapted(code))
    await shell.until((output) => output.includes("alert.triggered, attempt 1"))
    const { output } = shell
    expect(output).toContain("AlertMethod default/on-call created")
    expect(output).toContain("Test completed successfully!")
    expect(output).toContain('url: "[hidden]"')
    expect(output).not.toContain("s3cr3t")
    expect(output).toContain(`"reliability":0.9,`)
    expect(output).toContain("status: Triggered")
    expect(output).toContain("✓ signature verified")
    expect(output).toContain(
      "Checkout responds within 300 ms: Average burn rate is at least 5 over the last 5 minutes",
    )
    expect(output).toMatch(/"alertMethod":\{[^}]*"on-call"/)
  })

  for (const file of continued) {
    const commands = blocksOf(readFileSync(join(root, "docs/guides", file), "utf8")).filter(
      ({ language }) => language === "sh",
    )
    for (const [index, { code, expected }] of commands.entries())
      it(`continue in ${file}: block ${index + 1} of ${commands.length} prints what is below it`, async () => {
        const printed = await shell.run(adapted(code))
        if (expected !== undefined) expect(printed).toMatch(patternOf(expected))
      })
  }
})

const unindented = (code: string): string => code.replace(/^ +/gm, "")
