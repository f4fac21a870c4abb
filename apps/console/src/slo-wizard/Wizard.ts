import type { Applied, DefinitionDocument, Warning } from "@tocsin/api"
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import rules from "virtual:rules/SLO"
import { useLocation, useSearchParams } from "wouter"
import { bodyOf, client, type ErrorItem, rejection } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import { type Changed, type DraftFields, exactText, fieldsOf, isWithin, unchanged } from "../editor/Fields.ts"
import { mergedState } from "../components/MergedNotice.tsx"
import { type Conflict, conflictsId } from "../editor/Conflicts.tsx"
import { focusFirst } from "../editor/Focus.ts"
import { type Choices, mergeStored, saveMerging, type Stored, storedOf } from "../editor/Merging.ts"
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
  const [opened] = useState(() => storedOf(given))
  const { definition: edited } = opened
  /** What is stored, as far as it is known. */
  const [latest, setLatest] = useState(opened)
  const [choices, setChoices] = useState<Choices>({})
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
  const isBehind = edited !== undefined && draft !== undefined && draft.base.revision !== latest.revision
  const [isRebased, setIsRebased] = useState(isBehind)
  const { yaml, ...entered }: Entered = draft ?? { ...unchanged(initial), methods: [], base: latest }
  const mine = yaml === undefined ? entered.values : sloOfYaml
  const merged = mine && mergeStored(entered.base, mine, latest, choices)
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
    ...checkOf(settled, isNew),
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
  const checkNow = (): Promise<Check> => queryClient.fetchQuery({ ...checkOf(body, isNew), staleTime: 0 })
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    setIsBusy(true)
    setSaveError(null)
    try {
      await action()
    } catch (error) {
      setSaveError(error)
    }
    setIsBusy(false)
  }
  const taken = new Set(isMerged ? merged.taken : [])
  /** Saves the SLO with the other definitions; `false` if someone has to choose first. */
  const saveOwn = async (own: SloDefinition, sent: ReadonlyArray<Definition>): Promise<boolean> => {
    if (yaml !== undefined) setSloOfYaml(own)
    const chosen = mergeStored(entered.base, own, latest, choices)
    const isOpen = chosen?.conflicts.some(({ path: at }) => choices[at] === undefined) === true
    for (const at of chosen?.taken ?? []) taken.add(at)
    const instead = isOpen
      ? latest
      : await saveMerging(
          latest,
          chosen?.document ?? own,
          (changed) =>
            client.PUT("/api/apply", { body: sent.map((each) => (each === own ? changed : each)) }),
          (_definition, _base, others) => others.forEach((at) => taken.add(at)),
        )
    if (instead === undefined) return true
    if (isNew) throw rejection(t("Someone else has created an SLO with this name."))
    // With what is entered, a draft has the base that its conflicts are found with.
    set({})
    setLatest(instead)
    // What was chosen was another conflict.
    if (!isOpen) setChoices({})
    focusFirst(() => [conflictsId])
    return false
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
        const { issues, applied } = await checkNow()
        if (issues.length > 0) return
        const sent = typeof body === "string" ? await documentsOf(body) : body
        const own = sent.findLast(isSlo)
        if (own === undefined || !(isNew || isSameObject(own, edited))) {
          await bodyOf(client.PUT("/api/apply", { ...requestOf(body) }))
        } else if (!(await saveOwn(own, sent))) return
        setSaved(true)
        store(draftKey, undefined)
        await queryClient.invalidateQueries()
        const { project = "", name } = applied.findLast(({ kind }) => kind === "SLO") ?? slo.metadata
        navigate(`/slos/${project}/${name}`, { state: mergedState([...taken]) })
      }),
    useOf: ({ path, suggestion }) => {
      const [, field] =
        /(?:^|\.)(spec\.indicator\.prometheus\.(?:good|bad|total|metric|histogram\.series))$/.exec(path) ?? []
      if (yaml !== undefined || field === undefined || suggestion === undefined) return undefined
      const typing = field.endsWith(".bad") ? badQuery(slo, edited) : exactText
      return () => fields.typed(field, typing)[1](suggestion)
    },
    conflict:
      conflicts.length > 0 || (isBehind && latest.definition === undefined)
        ? {
            values: conflicts,
            choices,
            choose: (at, side) => setChoices({ ...choices, [at]: side }),
          }
        : undefined,
    discard: () => {
      setDraft(undefined)
      setChoices({})
      setSloOfYaml(undefined)
      setIsRebased(false)
      setVisited(new Set())
      navigate(path)
    },
  }
}

const isSlo = (definition: Definition): definition is SloDefinition => definition.kind === "SLO"

const isSameObject = ({ metadata }: SloDefinition, edited: SloDefinition): boolean =>
  metadata.name === edited.metadata.name && metadata.project === edited.metadata.project

/** The definitions of a text that the server has accepted. */
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

const checkOf = (body: Body, isNew: boolean) => ({
  queryKey: ["slo-wizard", body, isNew],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => dryRun(body, isNew, signal),
})

/** No name of a definition that anybody would choose. */
const placeholder = "name-of-the-form-that-is-not-yet-entered"

/** References are only checked once everything else is valid, so names that are still missing are replaced by another. */
const dryRun = async (body: Body, isNew: boolean, signal: AbortSignal): Promise<Check> => {
  const missing: Array<WizardIssue> = []
  const required = (path: string) => missing.push({ step: "source", path, message: t("Is required.") })
  let sent = body
  if (typeof body !== "string") {
    const slo = body.at(-1) as SloDefinition
    const { name } = slo.metadata
    const { service } = slo.spec
    if (name === "") required("metadata.name")
    if (service === "") required("spec.service")
    if (slo.metadata.project === "") required("metadata.project")
    if (slo.spec.indicator?.prometheus?.dataSource?.name === "") {
      required("spec.indicator.prometheus.dataSource")
    }
    sent = [
      ...body.slice(0, -1),
      { ...slo, metadata: { ...slo.metadata, name: name || placeholder } },
    ] as ReadonlyArray<Definition>
  }
  const query = { dry_run: "true" } as const
  const checked = await issuesOr(
    bodyOf(client.PUT("/api/apply", { params: { query }, ...requestOf(sent), signal })),
  )
  const found = "errors" in checked ? checked.errors.map((error) => issueOf(error, sent)) : []
  const applied = "data" in checked ? checked.data : []
  const taken = isNew && applied.some(({ kind, outcome }) => kind === "SLO" && outcome !== "created")
  return {
    applied,
    warnings: "warnings" in checked ? checked.warnings : [],
    issues: [
      ...missing,
      ...found.filter(({ path }) => !missing.some((each) => isWithin(path, each.path))),
      ...(taken
        ? [
            {
              step: typeof body === "string" ? ("review" as const) : ("source" as const),
              path: "metadata.name",
              message: t("Is already in use in this project."),
            },
          ]
        : []),
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
