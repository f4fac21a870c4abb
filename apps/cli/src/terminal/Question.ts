import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"

/** Whether someone is there to answer. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** The input ended without an answer. */
export class QuestionIsUnanswered extends Data.TaggedError("QuestionIsUnanswered") {
  override get message(): string {
    return "canceled"
  }
}

export interface QuestionOptions {
  readonly default?: string
  /** Does not show what is typed. */
  readonly isHidden?: boolean
}

/** Asks on the terminal. */
export const ask = (
  question: string,
  { default: byDefault, isHidden = false }: QuestionOptions = {},
): Effect.Effect<string | undefined, QuestionIsUnanswered> =>
  Effect.tryPromise({
    try: async (signal) => {
      const prompt = `${question}${byDefault === undefined ? "" : ` [${byDefault}]`}: `
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
      // From here on, only the interface echoes what is typed, and so must exist before the prompt.
      const lines = createInterface({
        input: process.stdin,
        output: isHidden ? nowhere : process.stderr,
        terminal: true,
      })
      lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"))
      const closed = new Promise<never>((_, reject) => {
        lines.once("close", () => reject(new Error("closed")))
      })
      if (isHidden) process.stderr.write(prompt)
      try {
        const answer = await Promise.race([lines.question(isHidden ? "" : prompt, { signal }), closed])
        return answer.trim() || byDefault
      } finally {
        lines.close()
        if (isHidden) process.stderr.write("\n")
      }
    },
    catch: () => new QuestionIsUnanswered(),
  })

/** Asks whether to go on; any answer but `y` or `yes` is no. */
export const confirm = (question: string): Effect.Effect<boolean, QuestionIsUnanswered> =>
  Effect.map(ask(`${question} (y/N)`), (answer) => /^y(es)?$/i.test(answer ?? ""))
