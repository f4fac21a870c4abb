import { string } from "./Leaves.ts"
import type { Codec } from "./Codec.ts"

/** Bidirectional embeddings, overrides and isolates make a text look like another one. */
const bidirectional = "\\u202a-\\u202e\\u2066-\\u2069"

/** A line that shows what it is, of at most `max` characters. */
export const plainLine = ({ max }: { readonly max: number }): Codec<string> =>
  string({
    max,
    format: {
      pattern: new RegExp(`^[^\\p{Cc}${bidirectional}]*$`, "u"),
      message: "must not contain control characters or bidirectional overrides",
    },
  })

/** A text of several lines that shows what it is, of at most `max` characters. */
export const plainText = ({ max, isBlank = true }: PlainTextRules): Codec<string> =>
  string({
    max,
    format: {
      pattern: new RegExp(
        `^${isBlank ? "" : "(?=[^]*\\S)"}(?:[^\\p{Cc}${bidirectional}]|[\\n\\r\\t])*$`,
        "u",
      ),
      message: `${isBlank ? "" : "must not be blank; "}must not contain control characters, other than line breaks and tabs, or bidirectional overrides`,
    },
  })

interface PlainTextRules {
  readonly max: number
  /** Whether it can consist of white space only. Default: true. */
  readonly isBlank?: boolean
}
