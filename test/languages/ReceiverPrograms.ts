import { execFile, execFileSync, spawn } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { it } from "vitest"
import { freePort } from "../FreePort.ts"
import { watchProcess } from "../Watchdog.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A receiver of `docs/guides/verify-a-notification.md`. */
export interface ReceiverProgram {
  readonly language: string
  /** The version of its toolchain; `undefined` if it is not installed. */
  readonly toolchain: () => string | undefined
  /** What is missing without it. */
  readonly needs: string
  /** Whether a request that was accepted is rejected when it comes again. */
  readonly hasReplayGuard: boolean
  /** Builds it in a folder; gives the command that runs it. */
  readonly build: (folder: string) => Promise<readonly [program: string, ...args: Array<string>]>
}

const run = promisify(execFile)

/** The first group that what a command prints matches; `undefined` if it cannot be run. */
const versionOf = (command: string, argument: string, pattern: RegExp): string | undefined => {
  try {
    return pattern.exec(execFileSync(command, [argument], { encoding: "utf8", stdio: "pipe" }))?.[1]
  } catch {
    return undefined
  }
}

const source = (language: string, folder: string): string => {
  const copy = join(folder, language)
  cpSync(join(root, "examples/languages", language), copy, { recursive: true })
  return copy
}

export const receiverPrograms: ReadonlyArray<ReceiverProgram> = [
  {
    language: "TypeScript",
    toolchain: () => process.version,
    needs: "Node.js",
    hasReplayGuard: true,
    build: async () => {
      const file = join(root, "examples/src/receive-node.ts")
      return [process.execPath, "--import", "tsx", "--conditions=source", file]
    },
  },
  {
    language: "Python",
    toolchain: () => versionOf("python3", "--version", /^Python (3\.[1-9]\d)/),
    needs: "Python 3.10 or later (python3)",
    hasReplayGuard: false,
    build: async (folder) => {
      const cwd = source("python", folder)
      const python = join(cwd, "venv/bin/python")
      await run("python3", ["-m", "venv", "venv"], { cwd })
      await run(python, ["-m", "pip", "install", "--quiet", "-r", "requirements.txt"], { cwd })
      return [python, join(cwd, "receiver.py")]
    },
  },
  {
    language: "Go",
    toolchain: () => versionOf("go", "version", /\bgo(1\.(?:2[5-9]|[3-9]\d)|[2-9]\.\d+)/),
    needs: "Go 1.25 or later (go)",
    hasReplayGuard: false,
    build: async (folder) => {
      const cwd = source("go", folder)
      await run("go", ["vet", "."], { cwd })
      await run("go", ["build", "-o", "receiver", "."], { cwd })
      return [join(cwd, "receiver")]
    },
  },
  {
    language: "Java",
    toolchain: () => versionOf("javac", "--version", /^javac (1[7-9]|[2-9]\d)/),
    needs: "a JDK 17 or later (javac)",
    hasReplayGuard: false,
    build: async (folder) => {
      const cwd = source("java", folder)
      await run("javac", ["-Xlint:all", "-Werror", "-d", ".", "Receiver.java"], { cwd })
      return ["java", "-cp", cwd, "Receiver"]
    },
  },
  {
    language: "Rust",
    toolchain: () => versionOf("cargo", "--version", /^cargo (1\.(?:8[89]|9\d|\d{3})|[2-9]\.\d+)/),
    needs: "Rust 1.88 or later (cargo)",
    hasReplayGuard: false,
    build: async (folder) => {
      const cwd = source("rust", folder)
      await run("cargo", ["build", "--quiet", "--locked"], { cwd })
      return [join(cwd, "target/debug/receiver")]
    },
  },
]

/** Defines tests of a language whose toolchain is installed, and reports them as skipped otherwise. */
export const withToolchain = (
  { language, toolchain, needs }: ReceiverProgram,
  define: (version: string) => void,
): void => {
  const version = toolchain()
  if (version !== undefined) return define(version)
  const notice = `${language}: NOT TESTED, install ${needs}`
  it.skip(notice, () => undefined)
  // The default reporter only counts skipped tests.
  process.stderr.write(`${notice}\n`)
}

/** A folder for what is built, which `remove` deletes. */
export const makeBuildFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-receivers-"))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A receiver that runs. */
export interface RunningReceiver {
  readonly port: number
  /** What it has processed, a line for each notification. */
  readonly processed: () => ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

/** Starts a receiver on a free port of loopback; ends when it says that it receives. */
export const startReceiverProgram = async (
  [program, ...args]: readonly [string, ...Array<string>],
  baseUrl: string,
  authority: string,
): Promise<RunningReceiver> => {
  const port = await freePort()
  const child = watchProcess(
    spawn(program, args, {
      cwd: root,
      env: { ...process.env, TOCSIN_BASE_URL: baseUrl, AUTHORITY: authority, PORT: port, NO_PROXY: "*" },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  )
  const printed: Array<Buffer> = []
  const reported: Array<Buffer> = []
  child.stderr.on("data", (chunk: Buffer) => reported.push(chunk))
  const lines = () => Buffer.concat(printed).toString().split("\n").slice(0, -1)
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", () => reject(new Error(`${program} ended: ${Buffer.concat(reported).toString()}`)))
    child.stdout.on("data", (chunk: Buffer) => {
      printed.push(chunk)
      if (lines().includes(`receiving on port ${port}`)) resolve()
    })
  })
  return {
    port: Number(port),
    processed: () => lines().slice(1),
    stop: async () => {
      child.kill("SIGKILL")
      await ended
    },
  }
}
