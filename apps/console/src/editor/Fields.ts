import type { ErrorItem } from "../api/Client.ts"
import { ruleText } from "../api/Issues.ts"
import { t } from "../language/Text.tsx"
import { isNeeded, type Rules, rulesAt } from "./Rules.ts"
import { getAt, setAt } from "./SetAt.ts"

/** Something that is wrong with a document. */
export interface Issue {
  readonly path: string
  readonly code?: string | undefined
  /** A sentence. */
  readonly message: string
}

/** An issue that the server found. */
export const issueOf = ({ title, detail = title, code, source }: ErrorItem): Issue => ({
  path: (source?.propertyName ?? "").replace(/^definition\./, ""),
  code,
  message: ruleText(detail),
})

/** How a value is typed. `parse` gives `undefined` for what is omitted. */
export interface Typing<T> {
  readonly format: (value: unknown) => T
  readonly parse: (typed: T) => unknown
}

const textOf = (value: unknown): string => (value === undefined ? "" : String(value))

/** A text that can be omitted. */
export const optionalText: Typing<string> = { format: textOf, parse: (text) => text.trim() || undefined }

/** A text that is kept when it is empty. */
export const requiredText: Typing<string> = { format: textOf, parse: (text) => text.trim() }

/** A text with the spaces around it. */
export const exactText: Typing<string> = { format: textOf, parse: (text) => text }

/** A number; other text remains text, which the server rejects with the rule. */
export const numberText: Typing<string> = {
  format: textOf,
  parse: (text) => {
    const number = Number(text.trim().replace(",", "."))
    return text.trim() === "" || Number.isNaN(number) ? text : number
  },
}

/** A number that can be omitted. */
export const optionalNumber: Typing<string> = {
  format: textOf,
  parse: (text) => (text.trim() === "" ? undefined : numberText.parse(text)),
}

export type ByPath = Readonly<Record<string, unknown>>

/** The parts of a document that inputs are bound to, by the paths of their values. */
export interface DraftFields {
  readonly at: (path: string) => unknown
  /** Puts values at their paths; `undefined` removes one, and what contains nothing else. `typed` is how they were typed. */
  readonly put: (changed: ByPath, typed?: ByPath) => void
  /**
   * Removes values and adds others, which are those that were removed at their paths before, or these; a value that is there already
   * stays. `put` replaces some.
   */
  readonly swap: (removed: ReadonlyArray<string>, added: ByPath, put?: ByPath) => void
  /** The value that was removed at a path by `swap`. */
  readonly left: (path: string) => unknown
  /** What was typed for the value at a path as long as it says that value, and how to type something else. */
  readonly typed: <T>(path: string, typing: Typing<T>) => readonly [T, (next: T) => void]
  /**
   * The properties of an input of the text at a path. By default, an empty text is omitted unless the value is required. `also` are
   * the paths of other issues that are shown at it.
   */
  readonly field: (path: string, typing?: Typing<string>, ...also: ReadonlyArray<string>) => InputProperties
  /** The rules of the value at a path. */
  readonly rules: (path: string) => Rules
  /** Says that the value at a path is optional or what it is by default, and `text`. */
  readonly hint: (path: string, text?: string) => string
  /** The issues of a property, of everything in it, and of `also` alone, for a part of the form that is no single input. */
  readonly errorOf: (field: string, path: string, ...also: ReadonlyArray<string>) => string | undefined
  /** Every issue that the last check found. */
  readonly issues: ReadonlyArray<Issue>
  /** The issues that no part of the form has asked for. To be read after the form was rendered. */
  readonly otherIssues: () => ReadonlyArray<Issue>
}

interface InputProperties {
  readonly id: string
  readonly value: string
  readonly error: string | undefined
  readonly required: boolean
  readonly withAsterisk: false
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void
}

/** What was entered. */
export interface Changed<D> {
  readonly values: D
  /** What was typed, by the paths of its values. */
  readonly typed: ByPath
  /** What `swap` has removed, by path. */
  readonly left: ByPath
}

/** A document as it is before anything was entered. */
export const unchanged = <D>(values: D): Changed<D> => ({ values, typed: {}, left: {} })

interface Bound<D> extends Changed<D> {
  readonly rules: Rules
  readonly issues: ReadonlyArray<Issue>
  /** Whether the issues of a field are shown. */
  readonly isShown: (field: string) => boolean
  readonly change: (changed: Changed<D>, paths: ReadonlyArray<string>) => void
}

/** Binds fields to a document. `idsOf` are the fields that show issues. */
export const fieldsOf = <D>({ values, typed, left, rules, issues, isShown, change }: Bound<D>) => {
  const shown = new Set<Issue>()
  const fields = new Map<string, string>()
  const put: DraftFields["put"] = (changed, typedNow = {}) =>
    change({ values: setAll(values, changed), typed: { ...typed, ...typedNow }, left }, Object.keys(changed))
  const swap: DraftFields["swap"] = (removed, added, replaced = {}) => {
    const gone = Object.fromEntries(
      removed.map((path) => [path, getAt(values, path)] as const).filter(([, value]) => value !== undefined),
    )
    const rest = setAll(values, {
      ...Object.fromEntries(removed.map((path) => [path, undefined])),
      ...replaced,
    })
    const whole = Object.entries(added).reduce(
      (to, [path, value]) => (getAt(to, path) === undefined ? setAt(to, path, left[path] ?? value) : to),
      rest,
    )
    change({ values: whole, typed, left: { ...left, ...gone } }, [...removed, ...Object.keys(added)])
  }
  const typedAt: DraftFields["typed"] = (path, typing) => [
    typedText(values, typed, path, typing),
    (next) => put({ [path]: typing.parse(next) }, { [path]: next }),
  ]
  const errorOf: DraftFields["errorOf"] = (field, own, ...also) => {
    for (const path of [own, ...also]) if (!fields.has(path)) fields.set(path, field)
    const its = issues.filter(({ path }) => isWithin(path, own) || also.includes(path))
    for (const issue of its) shown.add(issue)
    return isShown(field) ? [...new Set(its.map(({ message }) => message))].join(" ") || undefined : undefined
  }
  const bound: DraftFields = {
    at: (path) => getAt(values, path),
    put,
    swap,
    left: (path) => left[path],
    typed: typedAt,
    field: (path, given, ...also) => {
      const typing = given ?? (rulesAt(rules, path).isRequired ? requiredText : optionalText)
      const [value, type] = typedAt(path, typing)
      return {
        id: path,
        value,
        error: errorOf(path, path, ...also),
        required: rulesAt(rules, path).isRequired === true && typing.parse("") === "",
        withAsterisk: false,
        onChange: ({ currentTarget }) => type(currentTarget.value),
      }
    },
    rules: (path) => rulesAt(rules, path),
    hint: (path, text) => {
      const { default: value } = rulesAt(rules, path)
      const first = value === undefined ? t("Optional.") : t("Default: {value}.", { value })
      return [isNeeded(rules, path) ? undefined : first, text].filter(Boolean).join(" ")
    },
    errorOf,
    issues,
    otherIssues: () => issues.filter((issue) => !shown.has(issue)),
  }
  return {
    ...bound,
    idsOf: (wrong: ReadonlyArray<Issue>) =>
      wrong.flatMap(({ path }) => [...fields].find(([each]) => isWithin(path, each))?.[1] ?? []),
  }
}

const setAll = <D>(values: D, changed: ByPath): D =>
  Object.entries(changed).reduce((whole, [path, value]) => setAt(whole, path, value), values)

/** What was typed for the value at a path, as long as it says that value. */
export const typedText = <T>(
  values: unknown,
  typed: ByPath,
  path: string,
  { format, parse }: Typing<T>,
): T => {
  const value = getAt(values, path)
  const kept = typed[path] as T | undefined
  return kept !== undefined && isEqual(parse(kept), value) ? kept : format(value)
}

/** Both were made by the same function, so that equal ones have their properties in the same order. */
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Whether a path is a property's path or within it. */
export const isWithin = (path: string, property: string): boolean =>
  path === property || path.startsWith(`${property}.`) || path.startsWith(`${property}[`)
