import * as Data from "effect/Data"

/**
 * As `Data.TaggedError`, with a message for whoever logs the error: what its tag says in words, and the fields that tell
 * what is wrong and have no secrets. A `message` among the fields is the message instead.
 *
 * `CountsAreInvalid` with an issue says `counts are invalid: [0].total: must be at least good`.
 */
export const TaggedError: typeof Data.TaggedError = <Tag extends string>(tag: Tag) => {
  const Base = Data.TaggedError(tag)<Fields>
  class WithMessage extends Base {
    constructor(fields?: Fields) {
      super({ ...fields, message: fields?.["message"] ?? errorMessage(tag, fields ?? {}) })
      // Like that of every error, it is no field.
      Object.defineProperty(this, "message", { enumerable: false })
    }
  }
  return WithMessage as never
}

type Fields = Readonly<Record<string, unknown>>

const errorMessage = (tag: string, fields: Fields): string => {
  const words = tag
    .split(/(?=[A-Z])/)
    .map((word) => names.get(word) ?? word.toLowerCase())
    .join(" ")
  const named = namingFields.flatMap((name) => {
    const value = fields[name]
    return typeof value === "string" || typeof value === "number" ? [`${name} ${shortened(`${value}`)}`] : []
  })
  const facts = [
    ...(named.length === 0 ? [] : [named.join(", ")]),
    ...(typeof fields["detail"] === "string" ? [shortened(fields["detail"])] : []),
    ...(Array.isArray(fields["issues"]) ? [issuesText(fields["issues"])] : []),
  ]
  return [words, ...facts].join(": ")
}

/** Words that are not written in lower case. */
const names = new Map([
  ["Id", "ID"],
  ["Json", "JSON"],
  ["Postgres", "PostgreSQL"],
  ["Slo", "SLO"],
  ["Slos", "SLOs"],
])

/** Fields that name an object or the rule that is broken. Others, such as a value that was sent, may be secret. */
const namingFields = [
  "store",
  "operation",
  "reason",
  "part",
  "kind",
  "project",
  "name",
  "id",
  "keyId",
  "clientId",
  "port",
  "version",
  "limit",
  "maxBytes",
  "required",
]

const issuesText = (issues: ReadonlyArray<unknown>): string => {
  const texts = issues.slice(0, issuesTold).map((issue) => {
    const { path, message } = Object(issue)
    return shortened(path === "" ? `${message}` : `${path}: ${message}`)
  })
  const more = issues.length - texts.length
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join("; ")
}

const issuesTold = 10

/** On one line, as names and paths are what a client sent. */
const shortened = (text: string): string => {
  // eslint-disable-next-line no-control-regex
  const line = text.slice(0, textMaxCharacters).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
  return text.length > textMaxCharacters ? `${line}…` : line
}

const textMaxCharacters = 300
