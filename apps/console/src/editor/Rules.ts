/** The rules of a value in a document's JSON Schema, as far as forms show them. The build writes it from the codecs. */
export interface Rules {
  /** Whether the object that it belongs to must have it. */
  readonly isRequired?: boolean
  /** The only values that are allowed. */
  readonly choices?: ReadonlyArray<string>
  /** The maximum number of characters or of items, or the greatest number. */
  readonly max?: number
  /** The shortest duration, such as `5m`. */
  readonly shortest?: string
  readonly longest?: string
  /** The value of an omitted property. */
  readonly default?: string
  readonly properties?: Readonly<Record<string, Rules>>
  /** Of each item of a list. */
  readonly items?: Rules
}

/** The rules of the value at a path. */
export const rulesAt = (rules: Rules, path: string): Rules =>
  path
    .replaceAll(/\[\d+\]/g, ".[]")
    .split(".")
    .reduce<Rules>((each, part) => (part === "[]" ? each.items : each.properties?.[part]) ?? {}, rules)

/** Whether a document is without the value at a path only if it is invalid. */
export const isNeeded = (rules: Rules, path: string): boolean =>
  path
    .split(".")
    .every((_, at, parts) => rulesAt(rules, parts.slice(0, at + 1).join(".")).isRequired === true)
