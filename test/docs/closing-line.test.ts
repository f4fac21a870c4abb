import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"

const root = mkdtempSync(join(tmpdir(), "tocsin-test-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")
const reporter = fileURLToPath(new URL("../../scripts/closing-line.mjs", import.meta.url))

/** The last line of a run of these tests. */
const closingLineOf = (tests: string): string | undefined => {
  writeFileSync(join(root, "these.test.mjs"), tests)
  const args = ["run", "--root", root, "--globals", "--reporter", reporter]
  const { stdout } = spawnSync(process.execPath, [vitest, ...args], { encoding: "utf8", cwd: root })
  return stdout.trimEnd().split("\n").at(-1)
}

describe("the closing line of a test run", () => {
  it("counts what passed and what failed", () => {
    const tests = `it("passes", () => {}); it("fails", () => { throw new Error() }); it.skip("waits", () => {})`
    expect(closingLineOf(tests)).toBe("1 passed, 1 failed, 1 skipped")
  })

  it("counts a suite that fails before its tests, and a file that cannot be read, as failures", () => {
    const suite = `describe("a suite", () => {
      beforeAll(() => { throw new Error() })
      it("never runs", () => {})
    })
    it("passes", () => {})`
    expect(closingLineOf(suite)).toBe("1 passed, 1 failed, 1 skipped")
    expect(closingLineOf(`throw new Error()`)).toBe("0 passed, 1 failed")
  })
})
