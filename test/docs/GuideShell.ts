import { type ChildProcess, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { watchProcess } from "../Watchdog.ts"

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  readonly code: string
  /** The text block right below a block of commands: what they print. */
  readonly expected?: string | undefined
}

/**
 * The fenced blocks of a page, in order, including those of list items. A text block that follows a block of commands is its
 * expected output.
 */
export const blocksOf = (page: string): ReadonlyArray<Block> => {
  const found = [...page.matchAll(/^( *)```(\w+)\n(.*?)^\1```$/gms)]
  return found.map((match, index): Block => {
    const [whole, indent = "", language = "", code = ""] = match
    const next = found[index + 1]
    const isFollowed =
      next?.[2] === "text" && page.slice(match.index + whole.length, next.index).trim() === ""
    return {
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      expected: isFollowed ? next[3] : undefined,
    }
  })
}

/** Matches an output that has the lines of an expected one, in their order and among others. `…` is any text of a line. */
export const patternOf = (expected: string): RegExp =>
  new RegExp(
    expected
      .trim()
      .split("\n")
      .map((line) => line.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".*"))
      .join("[^\\n]*\\n(?:.*\\n)*?"),
  )

/** One shell, in which blocks are run as someone who follows a page runs them: variables and background processes stay. */
export class GuideShell {
  readonly #child: ChildProcess
  readonly #folder: string
  #output = ""
  #blocks = 0
  #changed: () => void = () => undefined
  #ended: string | undefined

  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.#folder = folder
    this.#child = watchProcess(
      spawn("bash", ["-s"], {
        cwd: folder,
        detached: true,
        env: environment,
        stdio: ["pipe", "pipe", "pipe"],
      }),
    )
    const take = (chunk: Buffer): void => {
      this.#output += chunk.toString()
      this.#changed()
    }
    const end = (how: string): void => {
      this.#ended = how
      this.#changed()
    }
    this.#child.stdout?.on("data", take)
    this.#child.stderr?.on("data", take)
    this.#child.once("error", (cause) => end(cause.message))
    this.#child.once("exit", (code) => end(`exit code ${code}`))
    // One pipe, so that what is printed has the order in which it was.
    this.#child.stdin?.write("set -euo pipefail; exec 2>&1\n")
  }

  /** All that was printed. */
  get output(): string {
    return this.#output
  }

  /** Runs a block; returns what was printed since the block before. Rejects if a command of it fails. */
  async run(code: string): Promise<string> {
    this.#blocks += 1
    const file = join(this.#folder, `block-${this.#blocks}.sh`)
    writeFileSync(file, code)
    const mark = `--- end of block ${this.#blocks} ---\n`
    const from = this.#output.length
    this.#child.stdin?.write(`. ${file} < /dev/null\necho; echo '${mark.trim()}'\n`)
    await this.until((output) => output.includes(mark, from))
    return this.#output.slice(from, this.#output.indexOf(mark, from))
  }

  /** Waits until the whole output meets a condition; rejects if the shell has ended before. */
  until(isMet: (output: string) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#changed = () => {
        if (isMet(this.#output)) resolve()
        else if (this.#ended !== undefined)
          reject(new Error(`the shell ended with ${this.#ended}:\n${this.#output}`))
      }
      this.#changed()
    })
  }

  /** Kills the shell and all that it started. */
  close(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL")
    } catch {
      // All have exited by themselves.
    }
  }
}
