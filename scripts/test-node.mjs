// Runs the whole suite on other versions of Node, which the packages under npm's `node` bring: npm run test:node -- 20.19 22 24 26
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const versions = process.argv.slice(2)
if (versions.length === 0) {
  console.error("Name at least one version: npm run test:node -- 20.19 22 24 26")
  process.exit(1)
}

const failed = []
for (const version of versions) {
  const directory = mkdtempSync(join(tmpdir(), "tocsin-node-"))
  try {
    writeFileSync(join(directory, "package.json"), "{}")
    const name = `node-${process.platform}-${process.arch}`
    run("npm", ["install", "--no-audit", "--no-fund", `${name}@${version}`], directory)
    const bin = join(directory, "node_modules", name, "bin")
    const environment = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
    console.log(`\n== Node ${version}`)
    run("node", ["--version"], root, environment)
    run("node", ["node_modules/vitest/vitest.mjs", "run"], root, environment)
  } catch (error) {
    failed.push(`${version}: ${error.message}`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
for (const line of failed) console.error(line)
process.exitCode = failed.length > 0 ? 1 : 0

function run(command, given, cwd, env = process.env) {
  const { status } = spawnSync(command, given, { cwd, env, stdio: "inherit" })
  if (status !== 0) throw new Error(`${command} ${given[0]} ended with ${status}`)
}
