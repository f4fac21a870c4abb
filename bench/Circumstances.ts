import { execFileSync } from "node:child_process"
import { arch, cpus, loadavg, platform } from "node:os"
import type { Circumstances } from "./Results.ts"

/** The machine, its load, and the version that is measured; `+` after the revision stands for uncommitted changes. */
export const circumstances = (): Circumstances => {
  const git = (...parameters: ReadonlyArray<string>) =>
    execFileSync("git", parameters, { cwd: import.meta.dirname, encoding: "utf8" }).trim()
  const isChanged = git("status", "--porcelain", "--untracked-files=no") !== ""
  return {
    date: new Date().toISOString().slice(0, 10),
    revision: `${git("rev-parse", "--short=9", "HEAD")}${isChanged ? "+" : ""}`,
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  }
}
