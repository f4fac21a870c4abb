import type { DefinitionDocument, Warning } from "@tocsin/api"
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useEffect, useMemo, useState } from "react"
import { useLocation } from "wouter"
import { writeYamlDocument } from "@tocsin/formats/yaml"
import { bodyOf, client, type ErrorItem } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import { t } from "../language/Text.tsx"
import { annotationRows, annotationsPath, duplicateAnnotations } from "./Annotations.ts"
import { carryOver, isEqual, rebase } from "./CarryOver.ts"
import { pageOf } from "./DefinitionPages.ts"
import { focusFirst } from "./Focus.ts"
import { hideSecrets, type IsSecret, restoreSecrets } from "./Secrets.ts"
import { getAt, setAt } from "./SetAt.ts"
import { useSettled } from "./Settled.ts"
import { unsavedForms, useCloseConfirmation } from "./Unsaved.ts"

type Definition = DefinitionDocument

/** How a form and its definition are made of each other; by default, its values are the definition. */
export interface DraftOptions<V, D> {
  /** The values of a new definition. */
  readonly newValues: () => V
  readonly valuesOf?: (definition: D) => V
  readonly definitionOf?: (values: V) => D
  /** What is edited; absent for a new definition, which must not replace another one. */
  readonly edited: D | undefined
  /** What the YAML hides when it was entered. */
  readonly isSecret?: IsSecret
  /** What is wrong with the values and does not show in their definition. */
  readonly ownIssues?: (values: V) => ReadonlyArray<Issue>
}

/** Something that is wrong with a definition. */
export interface Issue {
  readonly path: string
  readonly code?: string | undefined
  /** A sentence. */
  readonly message: string
}

/** How a value is typed. `parse` gives `undefined` for what is omitted. */
export interface Typing<T> {
  readonly format: (value: unknown) => T
  readonly parse: (typed: T) => unknown
}

const textOf = (value: unknown): string => (value === undefined ? "" : String(value))

/** A text that can be omitted. */
const optionalText: Typing<string> = { format: textOf, parse: (text) => text.trim() || undefined }

/** A text that is kept when it is empty. */
export const requiredText: Typing<string> = { format: textOf, parse: (text) => text.trim() }

/** A text with the spaces around it. */
export const exactText: Typing<string> = { format: textOf, parse: (text) => text }

type ByPath = Readonly<Record<string, unknown>>

/** The parts of a draft that inputs are bound to, by the paths of their values in the definition. */
export interface DraftFields {
  readonly at: (path: string) => unknown
  /** Puts values at their paths; `undefined` removes one, and what contains nothing else. `typed` is how they were typed. */
  readonly put: (changed: ByPath, typed?: ByPath) => void
  /** What was typed for the value at a path as long as it says that value, and how to type something else. */
  readonly typed: <T>(path: string, typing: Typing<T>) => readonly [T, (next: T) => void]
  /** The properties of an input of the text at a path. `also` are the paths of other issues that are shown at it. */
  readonly field: (path: string, typing?: Typing<string>, ...also: ReadonlyArray<string>) => InputProperties
  /** The issues of some properties and of everything in them, for a part of the form that is no single input. */
  readonly errorOf: (field: string, ...paths: ReadonlyArray<string>) => string | undefined
  /** Every issue that the last check found. */
  readonly issues: ReadonlyArray<Issue>
}

interface InputProperties {
  readonly id: string
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void
}

/** The values of a form, its definition, and what the server says about it. */
export interface Draft<V, D = V> extends DraftFields {
  readonly values: V
  readonly definition: D
  /** The page of what is edited. */
  readonly page: string | undefined
  readonly set: (changed: Partial<V>) => void
  /**
   * The properties of an input of a text value. `paths` are the properties of the definition that the input is for: their
   * issues are shown at it, once it was changed or the form was submitted.
   */
  readonly input: (field: keyof V & string, ...paths: ReadonlyArray<string>) => InputProperties
  /** The warnings of the last check; none while there are issues. */
  readonly warnings: ReadonlyArray<Warning>
  /** Puts the suggestion of a warning in place. */
  readonly use: (warning: Warning) => void
  /** Whether the last check was of what is entered now. */
  readonly isChecked: boolean
  /** The issues that no part of the form has asked for. To be read after the form was rendered. */
  readonly otherIssues: () => ReadonlyArray<Issue>
  readonly isSubmitted: boolean
  readonly isSaving: boolean
  /** A failed check or save. */
  readonly error: unknown
  readonly submit: (event: FormEvent) => Promise<void>
  /** Shows what another check found. */
  readonly report: (errors: ReadonlyArray<ErrorItem>) => void
  readonly yaml: DraftYaml
  /** Changes when the values were replaced, so that a part which keeps its own begins again. */
  readonly revision: number
  /** The values were restored after the page was left: as they were, or as changes of a newer definition. */
  readonly restored: "unchanged" | "rebased" | undefined
  /** Begins again with what is stored, or with an empty form. */
  readonly discard: () => void
  /** What was entered is no longer wanted. */
  readonly forget: () => void
}

/** The definition of a draft as YAML, which is a form of its own. */
export interface DraftYaml {
  /** With secrets hidden, unless `reveals`. */
  readonly text: string
  readonly change: (text: string) => void
  /** It was changed, and the form was not changed since. */
  readonly isChanged: boolean
  /** The form does not show what the YAML says; absent: it does. */
  readonly problem: string | undefined
  readonly reset: () => void
  readonly hasSecrets: boolean
  readonly reveals: boolean
  readonly reveal: (reveals: boolean) => void
}

/** What was entered. */
interface Entered<V, D> {
  readonly values: V
  /** What was typed, by the paths of its values. */
  readonly typed: ByPath
  /** The document that the values were filled in from. */
  readonly document: D | undefined
  /** What was stored when it was entered. */
  readonly base: D | undefined
  /** The YAML as it was typed, until the form is changed. */
  readonly text: string | undefined
  readonly touched: ReadonlySet<string>
}

/** The ID of the text area of the YAML. */
export const yamlId = "yaml"

const debounceMs = 300

/** With such an issue, a definition does not have the shape that a form can show. */
const shapeCodes: ReadonlySet<string> = new Set(["wrong_type", "not_allowed_value"])

/** The draft of a definition: form and YAML show the same, a dry run checks it while it is edited, and it is saved. */
export const useDraft = <V extends object, D extends Definition = V extends Definition ? V : never>(
  kind: D["kind"],
  {
    newValues,
    valuesOf = (definition) => definition as object as V,
    definitionOf = (values) => values as object as D,
    edited: given,
    isSecret = () => false,
    ownIssues = () => [],
  }: DraftOptions<V, D>,
): Draft<V, D> => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  const [edited] = useState(given)
  const isNew = edited === undefined
  const identity = keyOf(edited)
  const [formKey] = useState(() => `${location.pathname}${location.search}`)
  const start = (): Entered<V, D> => ({
    values: isNew ? newValues() : valuesOf(edited),
    typed: {},
    document: edited,
    base: edited,
    text: undefined,
    touched: new Set(),
  })
  const isBehind = ({ base }: Entered<V, D>): boolean => edited !== undefined && !isEqual(base, edited)
  /** What was entered, as changes of what is stored now. */
  const upToDate = (kept: Entered<V, D>): Entered<V, D> => {
    const { document, base, values, text } = kept
    // A text is read first.
    if (!edited || !base || !document || text !== undefined || !isBehind(kept)) return kept
    const now = rebase(edited, base, document)
    return { ...kept, values: rebase(valuesOf(now), valuesOf(document), values), document: now, base: edited }
  }
  const [kept] = useState(() => unsavedForms.get(formKey) as Entered<V, D> | undefined)
  const [restored, setRestored] = useState(
    kept && (isBehind(kept) ? ("rebased" as const) : ("unchanged" as const)),
  )
  const [entered, setEntered] = useState(() => (kept === undefined ? start() : upToDate(kept)))
  const [submitted, setSubmitted] = useState<ReadonlyArray<Issue> | undefined>()
  const [isSaving, setIsSaving] = useState(false)
  const [saveError, setSaveError] = useState<unknown>(null)
  const [reveals, reveal] = useState(false)
  const [revision, setRevision] = useState(0)
  const { values, typed, document, text, touched } = entered

  const known = useMemo(() => document && definitionOf(valuesOf(document)), [document])
  const ofForm =
    document === undefined ? definitionOf(values) : (carryOver(document, known, definitionOf(values)) as D)
  const { shown, secrets } = hideSecrets(ofForm, isSecret)
  const { data: reader, error: readerError } = useQuery({
    queryKey: ["yaml-reader"],
    // It is large and seldom needed.
    queryFn: () => import("./ReadYaml.ts"),
    enabled: text !== undefined,
    staleTime: Infinity,
  })
  const read = useMemo(() => {
    if (text === undefined || reader === undefined) return undefined
    const found = reader.readDefinition<D>(text, { kind, ...identity })
    if ("problem" in found) return found
    return { definition: restoreSecrets(found.definition, secrets), hidden: found.definition }
    // Until the form follows the text, its secrets stay those that were entered before.
  }, [text, reader])
  const ofText = read !== undefined && "definition" in read ? read.definition : undefined
  const definition = ofText ?? ofForm

  const settled = useSettled(definition, debounceMs)
  const check = useQuery({
    queryKey: ["draft", settled, isNew],
    queryFn: async ({ signal }) => ({ settled, ...(await dryRun(settled, isNew, signal)) }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const isChecked =
    check.data !== undefined && JSON.stringify(check.data.settled) === JSON.stringify(definition)
  const shapeIssue = isChecked ? check.data.issues.find(({ code = "" }) => shapeCodes.has(code)) : undefined
  const isFollowed = ofText !== undefined && document === ofText
  // A text that was kept gets what others have changed since.
  useEffect(() => {
    if (!edited || !entered.base || read === undefined || "problem" in read || !isBehind(entered)) return
    const rebased = writeYamlDocument(rebase(edited, entered.base, read.hidden))
    change({ ...upToDate({ ...entered, text: undefined }), text: rebased })
  })
  const [unreadable, setUnreadable] = useState<D>()
  // The form follows the text once the server has found that it can.
  useEffect(() => {
    if (ofText === undefined || isFollowed || !isChecked || shapeIssue !== undefined || unreadable === ofText)
      return
    try {
      const followed = valuesOf(ofText)
      definitionOf(followed)
      setEntered({ ...entered, values: followed, typed: {}, document: ofText })
      setRevision(revision + 1)
    } catch {
      setUnreadable(ofText)
    }
  })

  const typedAt = <T>(path: string, { format, parse }: Typing<T>): readonly [T, (next: T) => void] => {
    const value = getAt(values, path)
    const kept = typed[path] as T | undefined
    return [
      kept !== undefined && isEqual(parse(kept), value) ? kept : format(value),
      (next) => put({ [path]: parse(next) }, { [path]: next }),
    ]
  }
  const found = submitted ?? check.data?.issues ?? []
  const [annotations] = typedAt(annotationsPath, annotationRows)
  const own =
    text === undefined
      ? [...duplicateAnnotations(annotations), ...ownIssues(values)].filter(({ path }) =>
          found.every((each) => each.path !== path),
        )
      : []
  const issues = [...found, ...own]
  const shownIssues = new Set<Issue>()
  const fields = new Map<string, string>()
  const errorOf = (field: string, ...paths: ReadonlyArray<string>): string | undefined => {
    for (const path of paths) if (!fields.has(path)) fields.set(path, field)
    const its = issues.filter(({ path }) => paths.some((each) => isWithin(path, each)))
    for (const issue of its) shownIssues.add(issue)
    if (submitted === undefined && !touched.has(field)) return undefined
    return [...new Set(its.map(({ message }) => message))].join(" ") || undefined
  }
  const show = (wrong: ReadonlyArray<Issue>): void => {
    setSubmitted(wrong)
    const ids = wrong.flatMap(({ path }) => [...fields].find(([each]) => isWithin(path, each))?.[1] ?? [])
    focusFirst(() => (text === undefined || isFollowed ? ids : [yamlId]))
  }
  const change = (next: Partial<Entered<V, D>>): void => {
    setSubmitted(undefined)
    setSaveError(null)
    const changed = upToDate({ ...entered, ...next })
    unsavedForms.set(formKey, changed)
    setEntered(changed)
  }
  const set = (changed: Partial<V>): void =>
    change({
      values: { ...values, ...changed },
      text: undefined,
      touched: new Set([...touched, ...Object.keys(changed)]),
    })
  const put = (changed: ByPath, typedNow: ByPath = {}): void =>
    change({
      values: Object.entries(changed).reduce((whole, [path, value]) => setAt(whole, path, value), values),
      typed: { ...typed, ...typedNow },
      text: undefined,
      touched: new Set([...touched, ...Object.keys(changed)]),
    })
  /** Why the form does not show what the YAML says. */
  const yamlProblem = (): string | undefined => {
    if (text === undefined || isFollowed) return undefined
    if (read !== undefined && "problem" in read) return read.problem
    if (shapeIssue !== undefined) return t("Fix these errors to update the form.")
    if (ofText !== undefined && unreadable === ofText)
      return t("The form can’t show this YAML. The YAML is saved as it is.")
    return undefined
  }
  const forget = (): void => void unsavedForms.delete(formKey)
  useCloseConfirmation()

  return {
    values,
    definition,
    page: edited && pageOf(edited),
    set,
    errorOf,
    at: (path) => getAt(values, path),
    put,
    typed: typedAt,
    field: (path, typing = optionalText, ...also) => {
      const [value, type] = typedAt(path, typing)
      const onChange: InputProperties["onChange"] = ({ currentTarget }) => type(currentTarget.value)
      return { id: path, value, error: errorOf(path, path, ...also), onChange }
    },
    input: (field, ...paths) => ({
      id: field,
      value: String(values[field]),
      error: errorOf(field, ...paths),
      onChange: ({ currentTarget: { value } }) => set({ [field]: value } as Partial<V>),
    }),
    issues,
    warnings: issues.length > 0 ? [] : (check.data?.warnings ?? []),
    use: ({ path, suggestion }) => {
      if (suggestion === undefined) return
      change({ text: writeYamlDocument(setAt(hideSecrets(definition, isSecret).shown, path, suggestion)) })
    },
    isChecked,
    otherIssues: () => issues.filter((issue) => !shownIssues.has(issue)),
    isSubmitted: submitted !== undefined,
    isSaving,
    error: saveError ?? check.error ?? readerError,
    report: (errors) => show(errors.map(issueOf)),
    submit: async (event) => {
      event.preventDefault()
      if (text !== undefined && ofText === undefined) return focusFirst(() => [yamlId])
      setIsSaving(true)
      setSaveError(null)
      try {
        const { issues: wrong } = await dryRun(definition, isNew)
        const all = [...wrong, ...own.filter(({ path }) => wrong.every((each) => each.path !== path))]
        if (all.length === 0) {
          await client.PUT("/api/apply", { body: definition })
          forget()
          await queryClient.invalidateQueries()
          return navigate(pageOf(definition) ?? "/")
        }
        show(all)
      } catch (error) {
        setSaveError(error)
      }
      setIsSaving(false)
    },
    yaml: {
      text: text ?? writeYamlDocument(reveals ? ofForm : shown),
      change: (next) => change({ text: next }),
      isChanged: text !== undefined,
      problem: yamlProblem(),
      reset: () => change({ text: undefined }),
      hasSecrets: secrets.size > 0,
      reveals,
      reveal,
    },
    revision,
    restored,
    discard: () => {
      forget()
      setRestored(undefined)
      setSubmitted(undefined)
      setSaveError(null)
      setEntered(start())
      setRevision(revision + 1)
    },
    forget,
  }
}

/** The name and the project of what is edited. */
const keyOf = (edited: Definition | undefined): Partial<DefinitionKey> =>
  (edited?.metadata ?? {}) as Partial<DefinitionKey>

/** Whether a path is that of a property or within it. */
const isWithin = (path: string, property: string): boolean =>
  path === property || path.startsWith(`${property}.`) || path.startsWith(`${property}[`)

/** References are only checked once everything else is valid, so a name that is still missing is replaced by another. */
const dryRun = async (
  definition: Definition,
  isNew: boolean,
  signal?: AbortSignal,
): Promise<{ readonly issues: ReadonlyArray<Issue>; readonly warnings: ReadonlyArray<Warning> }> => {
  const isUnnamed = definition.metadata?.name === ""
  const body = isUnnamed
    ? ({ ...definition, metadata: { ...definition.metadata, name: placeholderName } } as Definition)
    : definition
  const query = { dry_run: "true" } as const
  const checked = await issuesOr(
    bodyOf(client.PUT("/api/apply", { params: { query }, body, ...(signal && { signal }) })),
  )
  if ("errors" in checked) {
    const found = checked.errors.map(issueOf)
    return { issues: isUnnamed ? [unnamed(), ...found] : found, warnings: [] }
  }
  const { data, warnings } = checked
  if (isUnnamed) return { issues: [unnamed()], warnings }
  const isTaken = isNew && data[0]?.outcome !== "created"
  return {
    issues: isTaken ? [{ path: "metadata.name", message: t("Is already in use in this project.") }] : [],
    warnings,
  }
}

const unnamed = (): Issue => ({ path: "metadata.name", message: t("Is required.") })

/** No name of a definition that anybody would choose. */
const placeholderName = "name-of-the-form-that-is-not-yet-entered"

const issueOf = ({ title, detail = title, code, source }: ErrorItem): Issue => ({
  path: (source?.propertyName ?? "").replace(/^definition\./, ""),
  code,
  message: ruleText(detail),
})
