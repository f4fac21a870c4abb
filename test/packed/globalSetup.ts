import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { run, runWithErrors } from "./Run.ts"

const root = join(import.meta.dirname, "../..")

/** Packs the packages, and installs all but the server into an empty project outside the repository, with the tools that they are tried with. */
export default function setup(test: TestProject): () => void {
  // The documentation site has a test of its own: npm run test:help.
  run(process.execPath, [join(root, "scripts/pack.mjs")], root, { HELP: "off" })
  const tarballs = readdirSync(join(root, "packed")).map((name) => join(root, "packed", name))
  const project = mkdtempSync(join(tmpdir(), "tocsin-packed-"))
  cpSync(join(root, "test/packed/tools"), project, { recursive: true })
  const refusedTools = refusedBy(runWithErrors("npm", ["install"], project))
  const packages = tarballs.filter((file) => !file.includes("tocsin-server"))
  const refused = refusedBy(runWithErrors("npm", ["install", ...packages], project))
  test.provide("packed", {
    project,
    tarballs,
    // The runtimes that the tests use ask for newer versions of Node.js.
    refused: refused.filter((name) => !refusedTools.includes(name)),
  })
  return () => rmSync(project, { recursive: true, force: true })
}

/** The packages that npm says the present Node.js is too old for. */
const refusedBy = (output: string): ReadonlyArray<string> =>
  [...output.matchAll(/EBADENGINE\s+package: '([^']+)'/g)].map(([, name = ""]) => name)

declare module "vitest" {
  interface ProvidedContext {
    readonly packed: {
      /** The folder of the project. */
      readonly project: string
      readonly tarballs: ReadonlyArray<string>
      /** Packages that do not support the present Node.js. */
      readonly refused: ReadonlyArray<string>
    }
  }
}
