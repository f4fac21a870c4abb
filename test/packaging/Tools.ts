import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

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
