// Does everything CI does, in the order that fails fastest; stops at the first step that fails.
import { spawnSync } from "node:child_process"

const steps = ["format:check", "lint", "types", "unused", "test:packed", "test"]
for (const step of steps) {
  console.log(`\n== npm run ${step}`)
  const run = spawnSync(`npm run --silent ${step}`, { stdio: "inherit", shell: true })
  if (run.status !== 0) {
    console.error(`\nverify: ${step} failed`)
    process.exit(run.status ?? 1)
  }
}
