import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { canAsk, confirm, type QuestionIsUnanswered } from "../terminal/Question.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import { CommandFailed } from "./CommandContext.ts"

/** On a terminal, says what a command would do and asks whether to do it, unless `--yes` is given; else goes on. */
export const confirmChange = (
  yes: true | undefined,
  warning: string,
  question: string,
): Effect.Effect<void, CommandFailed | QuestionIsUnanswered> =>
  Effect.gen(function* () {
    if (yes === true || !canAsk()) return
    yield* Console.error(terminalText(warning))
    if (!(yield* confirm(question)))
      return yield* new CommandFailed({ message: "canceled; nothing was changed" })
  })
