import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

describe("the dependency rule", () => {
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tocsin-lint-"))
    cpSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const isRejected = (path: string, source: string): boolean => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, source)
    const { stdout } = spawnSync(
      process.execPath,
      [join(root, "node_modules/oxlint/bin/oxlint"), "--format=json", file],
      { cwd: folder, encoding: "utf8" },
    )
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: ReadonlyArray<{ code: string }> }
    return diagnostics.some(({ code }) => code.includes("no-restricted"))
  }

  const importing = (module: string): string => `export * as imported from "${module}"\n`

  it.each([
    ["packages/domain/src/A.ts", importing("node:fs")],
    ["packages/domain/src/A.ts", importing("@tocsin/adapters-http")],
    ["packages/domain/src/A.ts", importing("yaml")],
    ["packages/domain/src/A.ts", importing("effect/Either")],
    ["packages/domain/src/A.ts", "export const now = Date.now()\n"],
    ["packages/domain/src/A.ts", "export const answer = fetch('https://localhost')\n"],
    ["packages/adapters-memory/src/A.ts", importing("@tocsin/adapters-http")],
    ["packages/adapters-memory/src/A.ts", importing("node:crypto")],
    ["packages/api/src/A.ts", importing("@tocsin/adapters-http")],
    ["packages/api/src/A.ts", importing("node:crypto")],
    ["packages/adapters-http/src/A.ts", importing("@tocsin/adapters-memory")],
    ["packages/adapters-http/src/A.ts", importing("@tocsin/adapters-egress")],
    ["packages/adapters-http/src/A.ts", importing("undici")],
    ["packages/adapters-http/src/A.ts", importing("@tocsin/promql")],
    ["packages/adapters-prometheus/src/A.ts", importing("@tocsin/adapters-http")],
    ["packages/adapters-mcp/src/A.ts", importing("@tocsin/adapters-http")],
    ["packages/adapters-clients/src/A.ts", importing("@tocsin/adapters-http")],
    ["packages/adapters-egress/src/A.ts", importing("@tocsin/adapters-http")],
    ["packages/formats/src/A.ts", importing("@tocsin/adapters-http")],
    ["packages/formats/src/A.ts", importing("node:fs")],
    ["packages/promql/src/A.ts", importing("@tocsin/domain/codec")],
    ["packages/promql/src/A.ts", importing("node:fs")],
    ["apps/cli/src/A.ts", importing("@tocsin/server/server/Server")],
    ["apps/cli/src/A.ts", importing("@tocsin/adapters-http")],
    ["apps/cli/src/A.ts", importing("@tocsin/adapters-http/server")],
    ["apps/cli/src/A.ts", importing("@tocsin/adapters-pg/admin")],
    ["apps/console/src/A.ts", importing("@tocsin/adapters-http")],
    ["apps/console/src/A.ts", importing("@tocsin/domain/kernel")],
    ["apps/console/src/A.ts", importing("effect")],
    ["apps/console/src/A.ts", 'export { resends } from "@tocsin/api"\n'],
  ])("refuses in %s: %s", (path, source) => {
    expect(isRejected(path, source)).toBe(true)
  })

  it.each([
    ["packages/domain/src/A.ts", importing("effect")],
    ["packages/domain/src/A.ts", importing("rrule-temporal")],
    ["packages/domain/src/A.ts", importing("./B.ts")],
    ["packages/adapters-memory/src/A.ts", importing("@tocsin/domain")],
    ["packages/adapters-http/src/A.ts", importing("@tocsin/domain")],
    ["packages/adapters-http/src/A.ts", importing("@tocsin/api")],
    ["packages/api/src/A.ts", importing("@tocsin/domain")],
    ["packages/api/src/A.ts", importing("effect/Schema")],
    ["packages/adapters-http/src/A.ts", importing("node:crypto")],
    ["packages/formats/src/A.ts", importing("@tocsin/domain/codec")],
    ["packages/adapters-egress/src/A.ts", importing("undici")],
    ["packages/adapters-prometheus/src/A.ts", importing("@tocsin/promql/series")],
    ["packages/adapters-mcp/src/A.ts", importing("@modelcontextprotocol/server")],
    ["packages/formats/src/A.ts", importing("node:crypto")],
    ["packages/promql/src/A.ts", importing("@lezer/common")],
    ["packages/promql/src/A.ts", importing("@prometheus-io/lezer-promql")],
    ["packages/promql/src/A.ts", importing("effect/Result")],
    ["packages/promql/src/A.ts", importing("re2js")],
    ["packages/promql/src/A.ts", importing("./B.ts")],
    ["apps/cli/src/A.ts", importing("@tocsin/api")],
    ["apps/console/src/A.ts", importing("@tocsin/domain/forms")],
  ])("takes in %s: %s", (path, source) => {
    expect(isRejected(path, source)).toBe(false)
  })
})
