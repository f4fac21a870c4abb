import { execFileSync, spawn } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import { makeDatabaseFolder, removeDatabaseFolder, watchProcess } from "../Watchdog.ts"

/** How a program ended. */
interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program that runs, and what it has printed. */
export interface Running {
  readonly stdout: () => string
  readonly stderr: () => string
  /** Waits until the output, of either kind, matches, and gives the match; rejects when the program ends before. */
  readonly until: (pattern: RegExp) => Promise<RegExpMatchArray>
  /** Writes to stdin, and ends it. */
  readonly write: (input: string) => void
  /** Writes to stdin, as someone types. */
  readonly type: (input: string) => void
  /** Reads nothing more of what it prints, as `head` does at its end. */
  readonly stopReading: () => void
  readonly kill: (signal: "SIGTERM" | "SIGINT" | "SIGKILL") => void
  readonly ended: Promise<Ended>
}

/** A folder that is deleted when the tests of a file end; programs have it as their home. */
export const scratch = makeDatabaseFolder()
afterAll(() => removeDatabaseFolder(scratch))

/** A data directory that nothing has used. */
export const dataDirectory = (): string => {
  const made = mkdtempSync(join(scratch, "data-"))
  chmodSync(made, 0o755)
  return made
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Starts the command line, as the bundle that `npm start` runs: that starts in a tenth of the time. */
export const startTocsin = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  folder = root,
): Running => startNode([bundledTocsin(), ...args], environment, folder)

/** Starts another build of the command line. */
export const startProgram = (
  file: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
): Running => startNode([file, ...args], environment)

/** Starts the same bundle, by itself as a program, in a folder that has nothing else. */
export const startTocsinAlone = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
): Running => {
  const file = join(folderOfFile, "tocsin.mjs")
  if (!existsSync(file)) {
    mkdirSync(folderOfFile)
    copyTocsin(folderOfFile)
  }
  // Its first line has the first Node.js of the PATH run it.
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)
  return start(file, args, { PATH, ...environment }, folderOfFile)
}

/** Copies the bundle, and the console, if that is built. */
export const copyTocsin = (folder: string): void => {
  const built = dirname(bundledTocsin())
  for (const name of ["tocsin.mjs", "lib", "console"]) {
    if (existsSync(join(built, name))) cpSync(join(built, name), join(folder, name), { recursive: true })
  }
}

/** Where the bundle is that runs alone. */
export const folderOfFile = join(scratch, "alone")

/**
 * Starts the command line in a terminal of 80 columns, which `script` of util-linux makes. What it prints to stderr is in stdout.
 */
export const startInTerminal = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
): Running => {
  const words = [process.execPath, bundledTocsin(), ...args].map(
    (word) => `'${word.replaceAll("'", "'\\''")}'`,
  )
  return start(
    "script",
    ["-qefc", `stty cols 80; exec ${words.join(" ")}`, "/dev/null"],
    { SHELL: "/bin/sh", TERM: "xterm", ...environment },
    root,
  )
}

/** Runs a command to its end. */
export const tocsin = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
  startTocsin(args, environment).ended

const startNode = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  folder = root,
): Running => start(process.execPath, args, environment, folder)

let bundle: string | undefined

/** The path of the bundled server, built from the current source. */
const bundledTocsin = (): string => {
  if (bundle === undefined) {
    execFileSync(process.execPath, [join(root, "scripts/bundle.mjs")])
    bundle = join(root, "apps/server/dist/tocsin.mjs")
  }
  return bundle
}

/**
 * Gives a program the given environment, and nothing of this process's but where programs are. A server that is stopped
 * does not wait for load balancers, which are not there.
 */
const start = (
  program: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Running => {
  const child = watchProcess(
    spawn(program, args, {
      cwd,
      env: {
        PATH: process.env["PATH"],
        HOME: scratch,
        TOCSIN_DRAIN_SECONDS: "0",
        TOCSIN_LOG_FORMAT: "text",
        ...environment,
      },
      stdio: "pipe",
    }),
  )
  const printed = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk: Buffer) => (printed.stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (printed.stderr += chunk.toString()))
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...printed })))
  return {
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const match = printed.stdout.match(pattern) ?? printed.stderr.match(pattern)
          if (match !== null) resolve(match)
        }
        child.stdout.on("data", check)
        child.stderr.on("data", check)
        child.once("close", (code) => {
          check()
          reject(new Error(`ended with ${code} before ${pattern}:\n${printed.stdout}\n${printed.stderr}`))
        })
        check()
      }),
    write: (input) => void child.stdin.end(input),
    type: (input) => void child.stdin.write(input),
    stopReading: () => {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    kill: (signal) => void child.kill(signal),
    ended,
  }
}
