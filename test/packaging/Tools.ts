import { execFile, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { until } from "../crash/CrashDatabase.ts"
import { watchProcess } from "../Watchdog.ts"

/** A folder that is deleted when the tests of a file end. */
export const folder = mkdtempSync(join(tmpdir(), "tocsin-packaging-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program and returns what it prints. Fails with what it reports, and if it is not installed. */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  { cwd = folder, env = {} }: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
) =>
  new Promise<string>((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1e8 }
    execFile(program, args, options, (cause, stdout, stderr) => {
      if (cause === null) return resolve(stdout)
      const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT"
      const report = isMissing ? `${program} is needed for this test` : `${stdout}${stderr}`
      reject(new Error(`${program} ${args.join(" ")}\n${report}`, { cause }))
    })
  })

/** Installs a Go program in an exact version, and returns its path. */
export const goTool = async (module: string, version: string): Promise<string> => {
  await run("go", ["install", `${module}@${version}`], { env: { GOBIN: folder } })
  return join(folder, module.split("/").at(-1) ?? "")
}

/** Downloads a Go module in an exact version, and returns its directory. */
export const goModule = async (module: string, version: string): Promise<string> =>
  (
    JSON.parse(await run("go", ["mod", "download", "-json", `${module}@${version}`])) as {
      readonly Dir: string
    }
  ).Dir

/** Installs Python packages in exact versions, and returns the directory of their programs. */
export const pythonTools = async (...packages: ReadonlyArray<string>): Promise<string> => {
  const environment = join(folder, "python")
  await run("python3", ["-m", "venv", environment])
  await run(join(environment, "bin/pip"), ["install", "--quiet", ...packages])
  return join(environment, "bin")
}

/**
 * Starts a shell script in namespaces of its own for mounts and processes, as the first process there. What it `exec`s as
 * another user still ends with this process: the outer of two namespaces does, and all processes in it.
 */
export const startInNamespaces = (
  script: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>,
) => {
  const outer = ["--mount", "--pid", "--fork", "--kill-child", "unshare", "--pid", "--ipc", "--fork"]
  const child = watchProcess(
    spawn("unshare", [...outer, "sh", "-ec", script, "sh", ...args], {
      env: { ...env, PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  )
  let printed = ""
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  })
  return {
    ended,
    printed: () => printed,
    /** Waits until a text is printed; rejects when the program ends before. */
    until: (text: string) =>
      Promise.race([
        until(() => Promise.resolve(printed.includes(text)), 120_000),
        ended.then((code) => Promise.reject(new Error(`ended with ${code} before ${text}:\n${printed}`))),
      ]),
    /** The ID that the script's process has outside. */
    pid: () => lastDescendant(child.pid ?? 0),
  }
}

const lastDescendant = (pid: number): number => {
  const [first = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")
  return first === "" ? pid : lastDescendant(Number(first))
}
