import type { DefinitionDocument, Warning } from "@tocsin/api"
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useEffect, useMemo, useState } from "react"
import { useLocation } from "wouter"
import { writeYamlDocument } from "@tocsin/formats/yaml"
import { bodyOf, client, type ErrorItem } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { issuesOr } from "../api/Issues.ts"
import { t } from "../language/Text.tsx"
import { duplicateAnnotations } from "./Annotations.ts"
import { pageOf } from "./DefinitionPages.ts"
import type { Conflict } from "./Conflicts.tsx"
import { type Changed, type DraftFields, fieldsOf, type Issue, issueOf } from "./Fields.ts"
import { focusFirst } from "./Focus.ts"
import { useMerge } from "./Merge.ts"
import type { Stored } from "./Merging.ts"
import type { Rules } from "./Rules.ts"
import { hideSecrets, hideTexts, type IsSecret, restoreSecrets } from "./Secrets.ts"
import { setAt } from "./SetAt.ts"
import { useSettled } from "./Settled.ts"
import { unsavedForms, useCloseConfirmation } from "./Unsaved.ts"

type Definition = DefinitionDocument

interface DraftOptions<D> {
  /** Of the kind, from the module `rules:KIND`. */
  readonly rules: Rules
  /** A new definition, with its properties in the order of its YAML. */
  readonly initial: () => D
  /** What is edited, with its revision; absent for a new definition, which must not replace another one. */
  readonly edited: D | undefined
  /** Throws for a definition that the form cannot show. */
  readonly show?: (definition: D) => unknown
  /** What the YAML hides when it was entered. */
  readonly isSecret?: IsSecret
  /** What the server finds only after everything else is valid. */
  readonly ownIssues?: (definition: D) => ReadonlyArray<Issue>
}

/** A definition as a form edits it, and what the server says about it. */
export interface Draft<D> extends DraftFields {
  readonly definition: D
  /** The page of what is edited. */
  readonly page: string | undefined
  /** The warnings of the last check; none while there are issues. */
  readonly warnings: ReadonlyArray<Warning>
  /** Puts the suggestion of a warning in place. */
  readonly use: (warning: Warning) => void
  /** Whether the last check was of what is entered now. */
  readonly isChecked: boolean
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
  /** What was entered was restored after the page was left: as they were, or as changes of a newer definition. */
  readonly restored: "unchanged" | "rebased" | undefined
  /** What someone else has changed as well. */
  readonly conflict: Conflict | undefined
  /** Begins again with what is stored, or with an empty form. */
  readonly discard: () => void
  /** What was entered is no longer wanted. */
  readonly forget: () => void
}

/** The definition of a draft as YAML, which is a separate form. */
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

interface Entered<D> extends Changed<D> {
  /** What the YAML says, once the form shows it. */
  readonly followed: D | undefined
  /** What was stored when it was entered. */
  readonly base: Stored<D>
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
export const useDraft = <D extends Definition>(
  kind: D["kind"],
  {
    rules,
    initial,
    edited: given,
    show: tryToShow = () => undefined,
    isSecret = () => false,
    ownIssues = () => [],
  }: DraftOptions<D>,
): Draft<D> => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  const merge = useMerge(given)
  const { edited, latest, mergedOf } = merge
  const isNew = edited === undefined
  const identity = keyOf(edited)
  const [formKey] = useState(() => `${location.pathname}${location.search}`)
  const start = (): Entered<D> => ({
    values: latest.definition ?? initial(),
    typed: {},
    left: {},
    followed: undefined,
    base: latest,
    text: undefined,
    touched: new Set(),
  })
  /** What was entered, as changes of what is stored now, unless someone has to choose. */
  const upToDate = (kept: Entered<D>): Entered<D> => {
    // A text is read first.
    const merged = kept.text === undefined ? mergedOf(kept.base, kept.values) : undefined
    return merged === undefined || merged.conflicts.length > 0
      ? kept
      : { ...kept, values: merged.document, base: latest }
  }
  const [kept] = useState(() => unsavedForms.get(formKey) as Entered<D> | undefined)
  const [restored, setRestored] = useState(
    kept && (merge.isBehind(kept.base) ? ("rebased" as const) : ("unchanged" as const)),
  )
  const [entered, setEntered] = useState(() => (kept === undefined ? start() : upToDate(kept)))
  const [submitted, setSubmitted] = useState<ReadonlyArray<Issue> | undefined>()
  const [isSaving, setIsSaving] = useState(false)
  const [saveError, setSaveError] = useState<unknown>(null)
  const [reveals, reveal] = useState(false)
  const [revision, setRevision] = useState(0)
  const { values: ofForm, typed, left, followed, text, touched } = entered
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
    const found = reader.readDefinition<D>(text, { kind, ...identity, revision: entered.base.revision })
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
  const isFollowed = ofText !== undefined && followed === ofText
  // A text that was kept gets what others have changed since.
  useEffect(() => {
    if (read === undefined || "problem" in read) return
    const merged = mergedOf(entered.base, read.hidden)
    if (merged === undefined || merged.conflicts.length > 0) return
    // With the secrets that were entered, there may be one.
    if ((mergedOf(entered.base, definition)?.conflicts.length ?? 0) > 0) return
    const values = mergedOf(entered.base, ofForm)?.document ?? ofForm
    change({ values, base: latest, text: writeYamlDocument(merged.document) })
  })
  const [unreadable, setUnreadable] = useState<D>()
  // The form follows the text once the server has found that it can.
  useEffect(() => {
    if (ofText === undefined || isFollowed || !isChecked || shapeIssue !== undefined || unreadable === ofText)
      return
    try {
      tryToShow(ofText)
      setEntered({ ...entered, values: ofText, typed: {}, followed: ofText })
      setRevision(revision + 1)
    } catch {
      setUnreadable(ofText)
    }
  })

  const found = submitted ?? check.data?.issues ?? []
  const own =
    text === undefined
      ? [...duplicateAnnotations(ofForm, typed), ...ownIssues(ofForm)].filter(({ path }) =>
          found.every((each) => each.path !== path),
        )
      : []
  const issues = [...found, ...own]
  const { idsOf, ...fields } = fieldsOf({
    values: ofForm,
    typed,
    left,
    rules,
    issues,
    isShown: (path) => submitted !== undefined || touched.has(path),
    change: (changed, paths) =>
      change({ ...changed, text: undefined, touched: new Set([...touched, ...paths]) }),
  })
  const show = (wrong: ReadonlyArray<Issue>): void => {
    setSubmitted(wrong)
    const ids = idsOf(wrong)
    focusFirst(() => (text === undefined || isFollowed ? ids : [yamlId]))
  }
  const change = (next: Partial<Entered<D>>): void => {
    setSubmitted(undefined)
    setSaveError(null)
    keep(upToDate({ ...entered, ...next }))
  }
  const keep = (changed: Entered<D>): void => {
    unsavedForms.set(formKey, changed)
    setEntered(changed)
  }
  /** Why the form does not show what the YAML says. */
  const yamlProblem = (): string | undefined => {
    if (text === undefined || isFollowed) return undefined
    if (read !== undefined && "problem" in read) return read.problem
    if (shapeIssue !== undefined) return t("Fix these errors to update the form.")
    if (ofText !== undefined && unreadable === ofText)
      return t("The form can’t show this YAML. The YAML is saved as it is.")
    return undefined
  }
  const conflicts = mergedOf(entered.base, definition)?.conflicts ?? []
  /** Shows both changes in the form. */
  const showMerged = (values: D, base: Stored<D>): void => {
    keep({ ...entered, values, typed: {}, text: undefined, base })
    setRevision((known) => known + 1)
  }
  const forget = (): void => void unsavedForms.delete(formKey)
  useCloseConfirmation()

  return {
    ...fields,
    definition,
    page: edited && pageOf(edited),
    warnings: issues.length > 0 ? [] : (check.data?.warnings ?? []),
    use: ({ path, suggestion }) => {
      if (suggestion === undefined) return
      change({ text: writeYamlDocument(setAt(hideSecrets(definition, isSecret).shown, path, suggestion)) })
    },
    isChecked,
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
        // What only the form finds is shown with what the server finds.
        if (own.length > 0 || isUnnamed(definition)) {
          const { issues: wrong } = await dryRun(definition, isNew)
          show([...wrong, ...own.filter(({ path }) => wrong.every((each) => each.path !== path))])
        } else {
          // What others have changed can be why a definition is valid, so only the save itself shows that.
          const saved = await issuesOr(merge.save(entered.base, definition, [definition], showMerged))
          if ("errors" in saved) show(saved.errors.map(issueOf))
          else if (saved.isSaved) {
            forget()
            await queryClient.invalidateQueries()
            return navigate(pageOf(definition) ?? "/", { state: saved.state })
          } else if (saved.isTaken) show([nameIsTaken()])
        }
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
    conflict: merge.conflictOf(
      entered.base,
      conflicts.map((each) => ({ ...each, mine: hideTexts(each.mine, secrets) })),
    ),
    discard: () => {
      forget()
      setRestored(undefined)
      merge.forget()
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

/** References are only checked once everything else is valid, so a name that is still missing is replaced by another. */
const dryRun = async (
  definition: Definition,
  isNew: boolean,
  signal?: AbortSignal,
): Promise<{ readonly issues: ReadonlyArray<Issue>; readonly warnings: ReadonlyArray<Warning> }> => {
  const body = isUnnamed(definition)
    ? ({ ...definition, metadata: { ...definition.metadata, name: placeholderName } } as Definition)
    : definition
  const query = { dry_run: "true" } as const
  const checked = await issuesOr(
    bodyOf(client.PUT("/api/apply", { params: { query }, body, ...(signal && { signal }) })),
  )
  if ("errors" in checked) {
    const found = checked.errors.map(issueOf)
    return { issues: isUnnamed(definition) ? [unnamed(), ...found] : found, warnings: [] }
  }
  const { data, warnings } = checked
  if (isUnnamed(definition)) return { issues: [unnamed()], warnings }
  const isTaken = isNew && data[0]?.outcome !== "created"
  return {
    issues: isTaken ? [nameIsTaken()] : [],
    warnings,
  }
}

const isUnnamed = (definition: Definition): boolean => definition.metadata?.name === ""

const nameIsTaken = (): Issue => ({
  path: "metadata.name",
  message: t("Is already in use in this project."),
})

const unnamed = (): Issue => ({ path: "metadata.name", message: t("Is required.") })

/** No name of a definition that anybody would choose. */
const placeholderName = "name-of-the-form-that-is-not-yet-entered"
