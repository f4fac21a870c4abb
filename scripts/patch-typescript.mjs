// Makes TypeScript report the diagnostics of Effect. npm runs this after every install, including those without tools.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

if (existsSync(join(dirname(fileURLToPath(import.meta.url)), "../node_modules/@effect/tsgo"))) {
  const { status } = spawnSync("effect-tsgo patch", { shell: true, stdio: "inherit" })
  process.exitCode = status ?? 1
}
