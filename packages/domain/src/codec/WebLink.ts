import * as Result from "effect/Result"
import type { Codec } from "./Codec.ts"
import { string } from "./Leaves.ts"
import { controlCharacters } from "./PlainText.ts"

/** Longest link, in characters. */
const webLinkMaxCharacters = 2_000

/** Control and format characters, as ranges like `controlCharacters`. */
const invisible = `${controlCharacters}\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb`

/** A link that opens the host and port that it shows. Its scheme is https, or http too if `isHttpAllowed`. */
export const webLink = ({
  isHttpAllowed,
}: {
  readonly isHttpAllowed: boolean
}): Codec<string, unknown, string> => {
  const text = string({
    max: webLinkMaxCharacters,
    format: {
      // User information shows another host than the one that is opened.
      pattern: new RegExp(
        `^http${isHttpAllowed ? "s?" : "s"}://[^\\s\\\\/?#@${invisible}]+(?:[/?#][^\\s\\\\${invisible}]*)?$`,
        "u",
      ),
      message: `must be a URL that begins with https://${isHttpAllowed ? " or http://" : ""}, without user information and control characters`,
    },
  })
  return {
    ...text,
    read: (value, path, issues, context) => {
      const link = text.read(value, path, issues, context)
      return link === undefined || opensShownHost(link)
        ? link
        : issues.add(
            path,
            "invalid_format",
            "must have a valid host and port, written as a browser opens them: with xn-- for other than ASCII letters, without escapes",
          )
    },
  }
}

/** Whether the URL parser takes the host and port as they are, but for the case of letters and the default port. */
const opensShownHost = (text: string): boolean => {
  const [scheme = "", rest = ""] = text.split("://", 2)
  const shown = rest.split(/[/?#]/, 1)[0] ?? ""
  const opened = Result.try(() => new URL(text))
  const defaultPort = scheme === "https" ? /:443$/ : /:80$/
  return (
    Result.isSuccess(opened) &&
    opened.success.port !== "0" &&
    opened.success.host === shown.toLowerCase().replace(defaultPort, "")
  )
}
