import { execFileSync } from "node:child_process"

/** Runs a program to its end; returns what it prints. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Record<string, string> = {},
): string => {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      // The tools look for newer versions of themselves otherwise.
      env: {
        ...process.env,
        DENO_NO_UPDATE_CHECK: "1",
        DO_NOT_TRACK: "1",
        npm_config_audit: "false",
        npm_config_fund: "false",
        ...env,
      },
    })
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** What a command prints on both outputs. */
export const runWithErrors = (command: string, args: ReadonlyArray<string>, cwd: string): string =>
  run("sh", ["-c", '"$@" 2>&1', "sh", command, ...args], cwd)
