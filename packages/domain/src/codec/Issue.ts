/** Most entries of any list or map in a definition that has no limit of its own. */
export const definitionEntriesMax = 100

/** Most issues in one response. */
export const issuesMax = 1_000

/** One thing that is wrong with a definition. */
export interface Issue {
  /** Where it is, as `spec.webhook.headers[0].name`; `""` for the document as a whole. */
  readonly path: string
  /** What kind of thing it is; snake_case, a closed set. */
  readonly code: IssueCode
  /** What is wrong and what would be right, without any secret and without the value itself. */
  readonly message: string
}

/** The closed set of codes that an issue can have. */
export type IssueCode =
  | "required"
  | "wrong_type"
  | "unknown_property"
  | "not_allowed_value"
  | "invalid_format"
  | "too_long"
  | "too_many"
  | "too_few"
  | "out_of_range"
  | "duplicate"
  | "mutually_exclusive"
  | "reserved"
  | "hidden_without_stored"
  | "not_found"
  | "in_use"
  | "document_invalid"
  | WebhookUrlIssueCode
  | TemplateIssueCode

/** The closed set of what can be wrong with a webhook URL. */
export type WebhookUrlIssueCode =
  | "url_too_long"
  | "url_has_forbidden_character"
  | "url_not_https"
  | "url_not_http"
  | "url_has_query"
  | "url_has_credentials"
  | "url_has_fragment"
  | "url_host_invalid"
  | "url_host_forbidden"
  | "url_address_forbidden"
  | "url_port_invalid"
  | "url_invalid"

/** The closed set of codes that a template's issue can have. Source: spec/templates §2. */
export type TemplateIssueCode = "not_json" | "key_duplicate" | "too_large" | "too_deep" | VariableMisuseCode

/** The closed set of reasons why a token cannot be where it is. */
export type VariableMisuseCode =
  | "variable_unknown"
  | "variable_in_key"
  | "array_in_string"
  | "text_outside_string"
  | "brackets_missing"
  | "brackets_not_allowed"

/**
 * Gathers the issues of a decoding, at most `issuesMax`.
 *
 * Hostile input can have an issue in every third byte: beyond the limit issues are counted, not kept.
 */
export class IssueList {
  readonly #issues: Array<Issue> = []
  #isCut = false

  get isEmpty(): boolean {
    return this.#issues.length === 0
  }

  /** Whether further issues are discarded, so that callers can stop checking. */
  get isFull(): boolean {
    return this.#isCut
  }

  add(path: string, code: IssueCode, message: string): undefined {
    if (this.#issues.length < issuesMax) this.#issues.push({ path, code, message })
    else this.#isCut = true
  }

  /** Adds issues that were found at `path`, their own paths below it. */
  addAll(path: string, issues: ReadonlyArray<Issue>): void {
    for (const issue of issues) this.add(joinPaths(path, issue.path), issue.code, issue.message)
  }

  /** The issues in the order of their paths; of one path, in the order they were found. */
  sorted(): ReadonlyArray<Issue> {
    const sorted = this.#issues.toSorted((a, b) => comparePaths(a.path, b.path))
    if (!this.#isCut) return sorted
    const message = `There are more issues than these ${issuesMax}.`
    return [{ path: "", code: "document_invalid", message }, ...sorted]
  }
}

/** The path of a property; a name with other characters than letters, digits, `_` and `-` is quoted in brackets and cut. */
export const propertyPath = (path: string, name: string): string => {
  if (!/^[\p{L}\p{N}_-]{1,64}$/u.test(name)) return `${path}[${JSON.stringify(name.slice(0, 64))}]`
  return path === "" ? name : `${path}.${name}`
}

/** Whether a key looks like a name, and so can be repeated in an issue: a typing error can make a secret part of a key. */
export const isPlainName = (key: string): boolean => /^[A-Za-z_$][\w$.-]{0,63}$/.test(key)

/** The path of a list's entry, counted from 0. */
export const entryPath = (path: string, index: number): string => `${path}[${index}]`

/** The path of the value at `below`, relative to `path`. */
export const joinPaths = (path: string, below: string): string =>
  path === "" || below === "" || below.startsWith("[") ? path + below : `${path}.${below}`

/** Compares by characters, but indexes as numbers, so that `[2]` sorts before `[10]`. */
const comparePaths = (a: string, b: string): number => {
  const as = a.match(pathPart) ?? []
  const bs = b.match(pathPart) ?? []
  for (let at = 0; at < Math.min(as.length, bs.length); at++) {
    const left = as[at] ?? ""
    const right = bs[at] ?? ""
    const bySize = /^\d/.test(left) && /^\d/.test(right) ? Number(left) - Number(right) : 0
    if (bySize !== 0) return bySize
    if (left !== right) return left < right ? -1 : 1
  }
  return as.length - bs.length
}

const pathPart = /\d+|\D+/g
