import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readResponse } from "./ApiClient.ts"
import { terminalText } from "../terminal/TerminalText.ts"

/** A warning of a response, with codes of later versions too. */
const WarningText = Schema.Struct({
  path: Schema.String,
  message: Schema.String,
  suggestion: Schema.optional(Schema.String),
})

const WarningTexts = Schema.Array(WarningText)

/** A warning of a response as it is printed. */
export interface WarningText {
  readonly path: string
  readonly message: string
  readonly suggestion?: string | undefined
}

const Warned = Schema.Struct({ warnings: WarningTexts })

/** The warnings of a response; none if it has none. */
export const warningsOfResponse = (response: string): Effect.Effect<ReadonlyArray<WarningText>> =>
  Effect.match(readResponse(Warned, response), {
    onSuccess: ({ warnings }) => warnings,
    onFailure: () => [],
  })

/** Prints warnings to stderr, each with its place; `placeOf` returns it for a path. */
export const printWarnings = (
  warnings: ReadonlyArray<WarningText>,
  placeOf = (path: string): string => path,
): Effect.Effect<void> =>
  Effect.forEach(
    warnings,
    (warning) => Console.error(terminalText(`Warning: ${warningText(warning, placeOf(warning.path))}`)),
    { discard: true },
  )

/** A warning over one line, or two with a suggestion. */
export const warningText = ({ path, message, suggestion }: WarningText, place = path): string =>
  [
    [place, message].filter((part) => part !== "").join(": "),
    ...(suggestion === undefined ? [] : [suggestion.replaceAll(/^/gm, "    ")]),
  ].join("\n")
