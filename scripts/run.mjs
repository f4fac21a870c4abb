import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/**
 * Runs a program to its end, by default in the root of the repository, and ends this process if it fails. Returns what it prints if
 * `stdout` is `pipe`; by default, that is printed.
 */
export function run(command, args, { cwd = root, stdout = "inherit", env = {} } = {}) {
  const done = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1e8,
    stdio: ["ignore", stdout, "inherit"],
    env: { ...process.env, ...env },
  })
  if (done.status !== 0) process.exit(done.status ?? 1)
  return done.stdout
}
