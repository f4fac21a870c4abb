import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { bundledProgram } from "../test/BundledProgram.ts"
import { programsFolder } from "./Length.ts"

/** A contender in a process of its own, so that what it uses is its own alone. */
export interface ContenderProcess {
  /** Asks the process one of the questions that it answers; rejects when it fails, ends or takes over a minute. */
  readonly ask: <Answer>(question: string, value?: unknown) => Promise<Answer>
  readonly end: () => void
}

/** CPU time that the process has used so far, in microseconds; every contender answers it. */
export const cpuQuestion = "cpu"

/** Starts `module` as a process with this one's options of Node, or as it is bundled in `programsFolder`. */
export const startContender = (module: URL, name: string): ContenderProcess => {
  const program =
    programsFolder === undefined ? fileURLToPath(module) : bundledProgram(module, programsFolder)
  const child: ChildProcess = fork(program, [name], {
    // A bundle needs nothing that compiles it.
    execArgv: programsFolder === undefined ? process.execArgv : ["--expose-gc"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  let asked = 0
  let hasEnded = false
  child.on("message", (reply: Reply) => {
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  child.once("exit", () => {
    hasEnded = true
    for (const [id, settle] of waiting) settle({ id, failure: `${name} has ended` })
  })
  return {
    ask: <Answer>(question: string, value?: unknown) =>
      new Promise<Answer>((resolve, reject) => {
        const id = ++asked
        const settle = (reply: Reply): void => {
          clearTimeout(timer)
          if (reply.failure === undefined) resolve(reply.answer as Answer)
          else reject(new Error(`${name}, asked for ${question}: ${reply.failure}`))
        }
        const timer = setTimeout(() => settle({ id, failure: "no answer in time" }), answerTimeoutMs)
        if (hasEnded) return settle({ id, failure: `${name} has ended` })
        waiting.set(id, settle)
        child.send({ id, question, value } satisfies Question)
      }),
    end: () => child.kill(),
  }
}

/** Answers the questions of the process that started this one, one at a time or many. */
export const answerParent = (answers: Readonly<Record<string, (value: never) => unknown>>): void => {
  const cpu = (): number => {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  const known: Readonly<Record<string, (value: never) => unknown>> = { ...answers, [cpuQuestion]: cpu }
  process.on("message", ({ id, question, value }: Question) => {
    Promise.resolve()
      .then(() => known[question]?.(value as never))
      .then(
        (answer) => process.send?.({ id, answer } satisfies Reply),
        (error: unknown) => process.send?.({ id, failure: String(error) } satisfies Reply),
      )
  })
  process.on("disconnect", () => process.exit())
}

interface Question {
  readonly id: number
  readonly question: string
  readonly value: unknown
}

interface Reply {
  readonly id: number
  readonly answer?: unknown
  readonly failure?: string
}

const answerTimeoutMs = 60_000
