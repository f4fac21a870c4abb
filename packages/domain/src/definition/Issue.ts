/** One thing that is wrong with a definition. Source: decision 0111. */
export interface Issue {
  /** Where it is, as `spec.webhook.headers[0].name`; `""` for the document as a whole. */
  readonly path: string
  /** What kind of thing it is; snake_case, a closed set. */
  readonly code: IssueCode
  /** What is wrong and what would be right, without any secret. */
  readonly message: string
}

/** The closed set of codes that an issue can have. Source: decision 0111. */
export type IssueCode =
  | "required"
  | "wrong_type"
  | "unknown_property"
  | "not_allowed_value"
  | "invalid_format"
  | "too_long"
  | "too_short"
  | "too_many"
  | "too_few"
  | "out_of_range"
  | "duplicate"
  | "mutually_exclusive"
  | "reserved"
  | "not_json"
  | "template_invalid"
  | "unknown_variable"
  | "url_invalid"
  | "hidden_without_stored"
  | "not_found"
  | "in_use"
  | "document_invalid"

/** Issues in the order they are told: by path, then by code. */
export const sortIssues = (issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> =>
  issues.toSorted((a, b) => compare(a.path, b.path) || compare(a.code, b.code))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
