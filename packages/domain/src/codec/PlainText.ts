import { string } from "./Leaves.ts"
import type { Codec } from "./Codec.ts"

/** Control characters as ranges, because the patterns of a JSON Schema are also read without Unicode properties. */
export const controlCharacters = "\\u0000-\\u001f\\u007f-\\u009f"

/** With bidirectional embeddings, overrides and isolates, which make a text look like another one. */
const misleading = `${controlCharacters}\\u202a-\\u202e\\u2066-\\u2069`

/** A line that shows what it is, of at most `max` characters. */
export const plainLine = ({ max }: { readonly max: number }): Codec<string, unknown, string> =>
  string({
    max,
    format: {
      pattern: new RegExp(`^[^${misleading}]*$`, "u"),
      message: "must not contain control characters or bidirectional overrides",
    },
  })

/** A text of several lines that shows what it is, of at most `max` characters. */
export const plainText = ({ max, isBlank = true }: PlainTextRules): Codec<string, unknown, string> =>
  string({
    max,
    format: {
      pattern: new RegExp(`^${isBlank ? "" : "(?=[\\s\\S]*\\S)"}(?:[^${misleading}]|[\\n\\r\\t])*$`, "u"),
      message: `${isBlank ? "" : "must not be blank; "}must not contain control characters, other than line breaks and tabs, or bidirectional overrides`,
    },
  })

interface PlainTextRules {
  readonly max: number
  /** Whether it can consist of white space only. Default: true. */
  readonly isBlank?: boolean
}
