import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { QuestionIsUnanswered } from "../terminal/Question.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import type { CommandFailed } from "./CommandContext.ts"
import { confirmChange } from "./Confirmation.ts"

export interface DeletionFlags {
  readonly dryRun: boolean
  readonly yes?: true | undefined
}

/** On a terminal, lists the objects (as `SLO shop/checkout`) that would be deleted and asks whether to delete them; else goes on. */
export const confirmDeletion = (
  objects: ReadonlyArray<string>,
  { dryRun, yes }: DeletionFlags,
): Effect.Effect<void, CommandFailed | QuestionIsUnanswered> => {
  const count = `${objects.length} object${objects.length === 1 ? "" : "s"}`
  return dryRun
    ? Effect.void
    : confirmChange(yes, [`This deletes ${count}:`, ...objects].join("\n  "), `Delete ${count}?`)
}

/** Prints each object that was deleted. */
export const printDeleted = (objects: ReadonlyArray<string>, { dryRun }: DeletionFlags) =>
  Effect.forEach(
    objects,
    (each) => Console.log(terminalText(`${each} deleted${dryRun ? " (dry run)" : ""}`)),
    { discard: true },
  )
