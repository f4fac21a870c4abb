/** Maximum number of entries of a list or map of a definition without its own limit. */
export const definitionEntriesMax = 100

/** Most issues in one response. */
export const issuesMax = 1_000

/** A violation of a rule by the value at a path. */
export interface Issue {
  /** For example `spec.webhook.headers[0].name`; `""` for the whole document. */
  readonly path: string
  /** Which rule it is, for programs; the message is for people. */
  readonly code: IssueCode
  /** The rule and its limit, never the value. */
  readonly message: string
}

/** A closed set of codes in snake_case. */
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

export type WebhookUrlIssueCode =
  | "url_too_long"
  | "url_has_forbidden_character"
  | "url_escape_invalid"
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

export type TemplateIssueCode = "not_json" | "key_duplicate" | "too_large" | "too_deep" | VariableMisuseCode

export type VariableMisuseCode =
  | "variable_unknown"
  | "variable_in_key"
  | "array_in_string"
  | "text_outside_string"
  | "brackets_missing"
  | "brackets_not_allowed"

/** Collects at most `issuesMax` issues, since hostile input can have one in every third byte. */
export class IssueList {
  readonly #issues: Array<Issue> = []
  #isCut = false

  get isEmpty(): boolean {
    return this.#issues.length === 0
  }

  /** Whether issues were discarded, so that callers can stop checking. */
  get isFull(): boolean {
    return this.#isCut
  }

  /** Discards the issue if there are `issuesMax` already. Returns `undefined`, so that a reader can return the call. */
  add(path: string, code: IssueCode, message: string): undefined {
    if (this.#issues.length < issuesMax) this.#issues.push({ path, code, message })
    else this.#isCut = true
  }

  /** Adds issues whose paths are relative to `path`. */
  addAll(path: string, issues: ReadonlyArray<Issue>): void {
    for (const issue of issues) this.add(joinPaths(path, issue.path), issue.code, issue.message)
  }

  /** Sorted by path; for one path, in the order of discovery. */
  sorted(): ReadonlyArray<Issue> {
    const sorted = this.#issues.toSorted((a, b) => comparePaths(a.path, b.path))
    if (!this.#isCut) return sorted
    const message = `There are more issues than these ${issuesMax}.`
    return [{ path: "", code: "document_invalid", message }, ...sorted]
  }
}

/** Quotes and cuts a name with characters other than letters, digits, `_` and `-`. */
export const propertyPath = (path: string, name: string): string => {
  if (!/^[\p{L}\p{N}_-]{1,64}$/u.test(name)) return `${path}[${JSON.stringify(name.slice(0, 64))}]`
  return path === "" ? name : `${path}.${name}`
}

/** Whether a key looks like a name and can be repeated in a message: a typo can put a secret into a key. */
export const isPlainName = (key: string): boolean => /^[A-Za-z_$][\w$.-]{0,63}$/.test(key)

/** The path of a list entry, such as `spec.objectives[0]`. The index starts at 0. */
export const entryPath = (path: string, index: number): string => `${path}[${index}]`

/** The path of what is below another path, such as `spec` and `[0].name`. */
export const joinPaths = (path: string, below: string): string =>
  path === "" || below === "" || below.startsWith("[") ? path + below : `${path}.${below}`

/** Orders paths of properties. Compares numbers by value, so that `[2]` sorts before `[10]`. */
export const comparePaths = (a: string, b: string): number => {
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
