import type { Applied, DefinitionDocument, Warning } from "@tocsin/api"
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import rules from "virtual:rules/SLO"
import { useLocation, useSearchParams } from "wouter"
import { bodyOf, client, type ErrorItem, rejection } from "../api/Client.ts"
import { documentsQuery, useDocuments } from "../api/Definitions.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import { type Changed, type DraftFields, exactText, fieldsOf, isWithin, unchanged } from "../editor/Fields.ts"
import type { Conflict } from "../editor/Conflicts.tsx"
import { useMerge } from "../editor/Merge.ts"
import { applyTogether, asNew, revisionProblem, type Stored, storedOf } from "../editor/Merging.ts"
import { useSettled } from "../editor/Settled.ts"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import {
  badQuery,
  type Definition,
  definitionsOf,
  type Existing,
  newSlo,
  type SloDefinition,
  type Step,
  stepOfPath,
  steps,
} from "./SloDocument.ts"

/** An issue of what would be applied; `path` is that in the SLO, or is empty for another definition. */
interface WizardIssue {
  readonly step: Step
  readonly path: string
  readonly message: string
}

type AppliedList = Applied["data"]

interface Check {
  readonly issues: ReadonlyArray<WizardIssue>
  readonly applied: AppliedList
  readonly warnings: ReadonlyArray<Warning>
}

/** What is entered in the wizard, and what the server says about it. */
export interface Wizard {
  readonly edited: SloDefinition | undefined
  readonly slo: SloDefinition
  /** The fields of the SLO; their issues are shown once their step was left or submitted. */
  readonly draft: DraftFields
  /** The alert methods of policies that are created, each `project/name`. */
  readonly methods: ReadonlyArray<string>
  readonly setMethods: (methods: ReadonlyArray<string>) => void
  /** The definitions as they were edited by hand, instead of the form's definitions. */
  readonly yaml: string | undefined
  readonly setYaml: (yaml: string | undefined) => void
  readonly definitions: ReadonlyArray<Definition>
  readonly existing: Existing
  readonly step: Step
  readonly goTo: (step: Step) => void
  /** Goes to the next step if this one has no issues, and shows them otherwise. */
  readonly next: () => Promise<void>
  readonly isBusy: boolean
  readonly issuesOf: (step: Step) => ReadonlyArray<WizardIssue>
  readonly isVisited: (step: Step) => boolean
  readonly check: Check | undefined
  readonly isChecking: boolean
  readonly error: unknown
  readonly save: () => Promise<void>
  readonly discard: () => void
  /** What puts the suggestion of a warning in place; `undefined` where no field has it. */
  readonly useOf: (warning: Warning) => (() => void) | undefined
  readonly isDraft: boolean
  /** The SLO was changed after the draft was begun. */
  readonly isRebased: boolean
  /** What someone else has changed as well. */
  readonly conflict: Conflict | undefined
}

/** What was entered. It is plain data, so that it can be stored. */
interface Entered extends Changed<SloDefinition> {
  readonly methods: ReadonlyArray<string>
  readonly yaml?: string | undefined
  /** The SLO as it was when it was edited. */
  readonly base: Stored<SloDefinition>
}

const debounceMs = 400

/** Reads a draft that was kept in this tab. */
const storedDraft = (key: string): Entered | undefined => {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? "null") as Entered | null) ?? undefined
  } catch {
    return undefined
  }
}

const store = (key: string, draft: Entered | undefined): void => {
  try {
    if (draft === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // The draft is lost with the page when the browser stores nothing.
  }
}

/** The state of the wizard: its step is in the address, its values are kept in the tab until they are saved. */
export const useWizard = (given?: SloDefinition): Wizard => {
  const merge = useMerge(given)
  const { edited, latest } = merge
  /** The SLO of the YAML that could not be saved. */
  const [sloOfYaml, setSloOfYaml] = useState<SloDefinition>()
  const { apiVersion, organization } = useSession()
  const [path, navigate] = useLocation()
  const [search] = useSearchParams()
  const queryClient = useQueryClient()
  const draftKey = `tocsin.slo-draft.${organization}.${edited === undefined ? "" : `${edited.metadata.project}/${edited.metadata.name}`}`
  const blank = newSlo(apiVersion)
  const initial = latest.definition ?? edited ?? blank
  const [draft, setDraft] = useState(() => storedDraft(draftKey))
  const [isRebased, setIsRebased] = useState(
    edited !== undefined && draft !== undefined && merge.isBehind(draft.base),
  )
  const { yaml, ...entered }: Entered = draft ?? { ...unchanged(initial), methods: [], base: latest }
  const mine = yaml === undefined ? entered.values : sloOfYaml
  const merged = mine && merge.mergedOf(entered.base, mine)
  const conflicts = merged?.conflicts ?? []
  // YAML is merged when it is saved.
  const isMerged = yaml === undefined && merged !== undefined && conflicts.length === 0
  const current = isMerged ? merged.document : entered.values
  const base = isMerged ? latest : entered.base
  // A draft that was stored has properties of a new SLO in the order in which they were entered.
  const slo =
    edited === undefined
      ? {
          ...current,
          metadata: { ...blank.metadata, ...current.metadata },
          spec: { ...blank.spec, ...current.spec },
        }
      : current
  const [visited, setVisited] = useState<ReadonlySet<Step>>(new Set())
  const [isBusy, setIsBusy] = useState(false)
  const [saveError, setSaveError] = useState<unknown>(null)
  const [saved, setSaved] = useState(false)
  const existing = useExisting()
  const definitions = definitionsOf(slo, entered.methods, existing)
  const step = steps.find((each) => each === search.get("step")) ?? "source"
  const isNew = edited === undefined
  const body: Body = yaml ?? definitions
  const settled = useSettled(body, debounceMs)
  const query = useQuery({
    ...checkOf(settled, edited),
    placeholderData: keepPreviousData,
    enabled: existing.services !== undefined,
    staleTime: 5_000,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const check = query.data
  useEffect(() => store(draftKey, saved ? undefined : draft), [draftKey, draft, saved])

  const goTo = (to: Step): void => {
    setVisited(new Set([...visited, step]))
    navigate(`${path}?step=${to}`)
    scrollTo({ top: 0 })
  }
  const checkNow = (): Promise<Check> => queryClient.fetchQuery({ ...checkOf(body, edited), staleTime: 0 })
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    setIsBusy(true)
    setSaveError(null)
    try {
      await action()
    } catch (error) {
      setSaveError(error)
      // Someone else may have created what the wizard would create.
      for (const kind of ["projects", "services", "alertpolicies"] as const)
        void queryClient.invalidateQueries({ queryKey: documentsQuery(kind).queryKey })
    }
    setIsBusy(false)
  }
  const reject = (issues: ReadonlyArray<WizardIssue>): void =>
    void queryClient.setQueryData<Check>(checkOf(body, edited).queryKey, {
      applied: [],
      warnings: [],
      issues,
    })
  const saveAll = async (): Promise<void> => {
    // The check says what is wrong with a text that is not YAML.
    const sent = typeof body === "string" ? await documentsOf(body).catch(() => undefined) : body
    const isNamed = ({ metadata }: { readonly metadata?: unknown }): boolean => !!metadata
    if (!sent?.every(isNamed) || (yaml === undefined && missingOf(slo).length > 0))
      return void (await checkNow())
    const found = sent.filter(isSlo).findLast(({ metadata }) => isNew || isSameObject(metadata, edited))
    const othersOf = (own: SloDefinition | undefined) =>
      sent.map((each) => {
        if (each === found && own !== undefined) return own
        return isCreated(each, existing) ? asNew(each) : each
      })
    if (found === undefined) {
      const { data } = await applyTogether(othersOf(undefined))
      return finish(data.findLast(({ kind }) => kind === "SLO") ?? slo.metadata)
    }
    const problem = isNew ? undefined : revisionProblem(found.revision, entered.base.revision)
    if (problem !== undefined) throw rejection(problem)
    const own = isMerged ? entered.values : (storedOf(found).definition as SloDefinition)
    if (yaml !== undefined) setSloOfYaml(own)
    // With what is entered, a draft has the base that its conflicts are found with.
    else if (draft === undefined) set({})
    const outcome = await merge.save(entered.base, own, othersOf(own), (values, now) => {
      if (yaml === undefined) set({ values, base: now })
    })
    if (outcome.isSaved) return finish(own.metadata, outcome.state)
    if (outcome.isTaken) reject([nameIsTaken(body)])
  }
  const finish = async (
    { project = "default", name }: { readonly project?: string; readonly name: string },
    state: object = {},
  ): Promise<void> => {
    setSaved(true)
    store(draftKey, undefined)
    await queryClient.invalidateQueries()
    navigate(`/slos/${project}/${name}`, { state })
  }
  const issuesOf = (of: Step) => check?.issues.filter((issue) => issue.step === of) ?? []
  const set = (changed: Partial<Entered>): void =>
    setDraft({ ...entered, values: slo, yaml, base, ...changed })
  const fields = fieldsOf({
    ...entered,
    values: slo,
    rules,
    issues: issuesOf(step),
    isShown: () => visited.has(step),
    change: set,
  })
  return {
    edited,
    slo,
    draft: fields,
    methods: entered.methods,
    setMethods: (methods) => set({ methods }),
    yaml,
    setYaml: (text) => {
      setSloOfYaml(undefined)
      set({ yaml: text })
    },
    definitions,
    existing,
    step,
    goTo,
    isBusy,
    check,
    issuesOf,
    isDraft: draft !== undefined,
    isChecking: query.isFetching || JSON.stringify(settled) !== JSON.stringify(body),
    error: saveError ?? query.error,
    isVisited: (each) => visited.has(each),
    isRebased,
    next: () =>
      attempt(async () => {
        const { issues } = await checkNow()
        const to = steps[steps.indexOf(step) + 1]
        if (to === undefined) return
        if (issues.some((issue) => issue.step === step)) setVisited(new Set([...visited, step]))
        else goTo(to)
      }),
    save: () =>
      attempt(async () => {
        setVisited(new Set(steps))
        const saved = await issuesOr(saveAll())
        if (saved !== undefined) reject(saved.errors.map((error) => issueOf(error, body)))
      }),
    useOf: ({ path, suggestion }) => {
      const [, field] =
        /(?:^|\.)(spec\.indicator\.prometheus\.(?:good|bad|total|metric|histogram\.series))$/.exec(path) ?? []
      if (yaml !== undefined || field === undefined || suggestion === undefined) return undefined
      const typing = field.endsWith(".bad") ? badQuery(slo, edited) : exactText
      return () => fields.typed(field, typing)[1](suggestion)
    },
    conflict: merge.conflictOf(entered.base, conflicts),
    discard: () => {
      setDraft(undefined)
      merge.forget()
      setSloOfYaml(undefined)
      setIsRebased(false)
      setVisited(new Set())
      navigate(path)
    },
  }
}

const isSlo = (definition: Definition): definition is SloDefinition => definition.kind === "SLO"

const isSameObject = (
  { name, project }: Pick<AppliedList[number], "name" | "project">,
  edited: SloDefinition,
): boolean => name === edited.metadata.name && (project ?? "default") === edited.metadata.project

/** Whether a definition beside the edited one must not replace another one. */
const isCreated = (definition: Definition, { projects, services, policies }: Existing): boolean => {
  if (definition.revision !== undefined) return false
  if (definition.kind === "SLO") return true
  if (definition.kind === "Project") return projects?.has(definition.metadata.name) === false
  if (definition.kind !== "Service" && definition.kind !== "AlertPolicy") return false
  const { project = "default", name } = definition.metadata
  return (definition.kind === "Service" ? services : policies)?.has(`${project}/${name}`) === false
}

/** The definitions of a text. */
const documentsOf = async (yaml: string): Promise<ReadonlyArray<Definition>> =>
  (await import("../editor/ReadYaml.ts")).readDefinitions<Definition>(yaml)

const useExisting = (): Existing => {
  const projects = useDocuments("projects")
  const services = useDocuments("services")
  const policies = useDocuments("alertpolicies")
  const keys = (
    documents: ReadonlyArray<DefinitionDocument<"Service"> | DefinitionDocument<"AlertPolicy">>,
  ) => new Set(documents.map(({ metadata }) => `${metadata.project}/${metadata.name}`))
  return {
    projects: projects.data && new Set(projects.data.map(({ metadata }) => metadata.name)),
    services: services.data && keys(services.data),
    policies: policies.data && keys(policies.data),
  }
}

/** Definitions, or YAML that was edited by hand. */
type Body = ReadonlyArray<Definition> | string

/** A body as a request takes it. */
const requestOf = (body: Body) =>
  typeof body === "string"
    ? {
        body: body as unknown as Definition,
        bodySerializer: (text: unknown) => text as string,
        headers: { "content-type": "application/yaml" },
      }
    : { body: body as Array<Definition> }

const checkOf = (body: Body, edited: SloDefinition | undefined) => ({
  queryKey: ["slo-wizard", body, edited?.metadata],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => dryRun(body, edited, signal),
})

/** No name of an SLO that anybody would choose. */
const placeholder = "name-of-the-form-that-is-not-yet-entered"

/** What is not entered yet. */
const missingOf = ({ metadata, spec }: SloDefinition): ReadonlyArray<WizardIssue> =>
  Object.entries({
    "metadata.name": metadata.name,
    "spec.service": spec.service,
    "metadata.project": metadata.project,
    "spec.indicator.prometheus.dataSource": spec.indicator?.prometheus?.dataSource?.name,
  }).flatMap(([path, value]): ReadonlyArray<WizardIssue> =>
    value === "" ? [{ step: "source", path, message: t("Is required.") }] : [],
  )

const nameIsTaken = (body: Body): WizardIssue => ({
  step: typeof body === "string" ? "review" : "source",
  path: "metadata.name",
  message: t("Is already in use in this project."),
})

/** References are only checked once everything else is valid, so names that are still missing are replaced by another. */
const dryRun = async (body: Body, edited: SloDefinition | undefined, signal: AbortSignal): Promise<Check> => {
  const slo = typeof body === "string" ? undefined : (body.at(-1) as SloDefinition)
  const missing = slo === undefined ? [] : missingOf(slo)
  const sent =
    typeof body === "string" || slo === undefined
      ? body
      : [
          ...body.slice(0, -1),
          { ...slo, metadata: { ...slo.metadata, name: slo.metadata.name || placeholder } },
        ]
  const query = { dry_run: "true" } as const
  const checked = await issuesOr(
    bodyOf(client.PUT("/api/apply", { params: { query }, ...requestOf(sent), signal })),
  )
  const found = "errors" in checked ? checked.errors.map((error) => issueOf(error, sent)) : []
  const applied = "data" in checked ? checked.data : []
  const taken = applied.some(
    (each) =>
      each.kind === "SLO" &&
      each.outcome !== "created" &&
      !(edited !== undefined && isSameObject(each, edited)),
  )
  return {
    applied,
    warnings: "warnings" in checked ? checked.warnings : [],
    issues: [
      ...missing,
      ...found.filter(({ path }) => !missing.some((each) => isWithin(path, each.path))),
      ...(taken ? [nameIsTaken(body)] : []),
    ],
  }
}

/** Several definitions have the index of theirs before the path, as `[2].spec`. */
const issueOf = ({ title, detail = title, source }: ErrorItem, body: Body): WizardIssue => {
  const full = source?.propertyName ?? ""
  const message = ruleText(detail)
  const [, index, path = ""] = /^\[(\d+)\]\.?(.*)$/.exec(full) ?? [undefined, undefined, full]
  if (typeof body === "string") return { step: "review", path: full, message }
  const definition = index === undefined ? body.at(-1) : body[Number(index)]
  if (definition?.kind === "SLO") return { step: stepOfPath(path), path, message }
  const [field, step] =
    definition?.kind === "Project"
      ? (["metadata.project", "source"] as const)
      : definition?.kind === "Service"
        ? (["spec.service", "source"] as const)
        : (["spec.alertPolicies", "alerts"] as const)
  return { step, path: field, message }
}
