/** What a definition must satisfy beside its codec, in view of the others of the request and of those that are stored. */
import { type Issue, IssueList } from "../codec/Issue.ts"
import { countsBeforeWindowDays } from "../counts/CountsRetention.ts"
import { definitionKeyText } from "../metadata/ObjectKey.ts"
import { adjustmentsPerSloMax } from "../slo/BudgetAdjustment.ts"
import { type MetricAgent, sourceTypeIssues } from "../slo/MetricAgent.ts"
import type { Slo } from "../slo/Slo.ts"
import { sloKind } from "../slo/SloKind.ts"
import { sourceKinds } from "../slo/SourceMetrics.ts"
import { windowDays } from "../slo/WindowLength.ts"
import { definitionKey } from "./Definition.ts"
import type { DefinitionsRead } from "./DefinitionStore.ts"
import type { DefinitionDraft, DefinitionKey, Kind } from "./Kinds.ts"
import { componentIssues, indexedReferences, lostComponentIssues, referrersOfLost } from "./References.ts"

/** What rules see besides the definition. */
export interface DraftContext {
  readonly found: DefinitionsRead
  readonly listed: ListedDrafts
  /** Longest time window, in days. */
  readonly windowMaxDays: number
}

/** The definitions of a request. */
export interface ListedDrafts {
  /** Every object that the request describes, valid or not. */
  readonly keys: ReadonlySet<string>
  /** The valid ones, by the texts of their keys. */
  readonly byKey: ReadonlyMap<string, DefinitionDraft>
  /** The texts of the keys of the valid ones of a kind that are found by a key, such as that of an SLO or a label. */
  readonly referrers: (kind: Kind, key: DefinitionKey) => ReadonlyArray<string>
}

export const listedDrafts = (
  keys: ReadonlySet<string>,
  drafts: ReadonlyArray<DefinitionDraft>,
): ListedDrafts => {
  const byKind = new Map<Kind, Map<string, Array<string>>>()
  const index = (kind: Kind): Map<string, Array<string>> => {
    const byReferred = new Map<string, Array<string>>()
    for (const draft of drafts) {
      if (draft.kind !== kind) continue
      const text = definitionKeyText(definitionKey(draft))
      for (const referred of indexedReferences(draft).map(definitionKeyText))
        byReferred.set(referred, [...(byReferred.get(referred) ?? []), text])
    }
    byKind.set(kind, byReferred)
    return byReferred
  }
  return {
    keys,
    byKey: new Map(drafts.map((draft) => [definitionKeyText(definitionKey(draft)), draft])),
    referrers: (kind, key) => (byKind.get(kind) ?? index(kind)).get(definitionKeyText(key)) ?? [],
  }
}

type DraftRule<K extends Kind> = (
  draft: Extract<DefinitionDraft, { readonly kind: K }>,
  context: DraftContext,
) => ReadonlyArray<Issue>

/** A time window that is longer than its counts are retained would lose events before they leave it. */
const windowFitsRetention: DraftRule<"SLO"> = ({ spec }, { windowMaxDays: max }) => {
  if (windowDays(spec.timeWindow) <= max) return []
  const message = `must be at most ${max} days long, as this server retains counts for ${max + countsBeforeWindowDays} days (TOCSIN_COUNTS_RETENTION_DAYS)`
  return [{ path: "spec.timeWindows[0]", code: "out_of_range", message }]
}

const componentsArePlain: DraftRule<"SLO"> = (slo, { found, listed }) => {
  const isListed = (key: DefinitionKey): boolean => listed.keys.has(definitionKeyText(key))
  const asSlo = (definition: DefinitionDraft | undefined): Slo | undefined =>
    definition?.kind === sloKind.kind ? definition : undefined
  const storedSlo = (key: DefinitionKey): Slo | undefined => asSlo(found.find(key)?.definition)
  const referrers = referrersOfLost(slo, found)
    .filter((key) => !isListed(key))
    .flatMap((key) => storedSlo(key) ?? [])
  return [
    ...componentIssues(slo, (named) => {
      const key: DefinitionKey = { kind: sloKind.kind, ...named }
      return isListed(key) ? asSlo(listed.byKey.get(definitionKeyText(key))) : storedSlo(key)
    }),
    ...lostComponentIssues(slo, referrers, found),
  ]
}

const sourceIsOfType: DraftRule<"SLO"> = (slo, { found, listed }) => {
  const { metricSource } = slo.spec.indicator ?? {}
  if (metricSource === undefined) return []
  const source = listed.byKey.get(definitionKeyText(metricSource)) ?? found.find(metricSource)?.definition
  return source !== undefined && isAgent(source) ? sourceTypeIssues(slo, source) : []
}

const isAgent = (draft: DefinitionDraft): draft is MetricAgent =>
  sourceKinds.some((kind) => kind === draft.kind)

/** Each evaluation of an SLO computes the minutes of all of its adjustments. */
const adjustmentsAreFew: DraftRule<"BudgetAdjustment"> = (draft, { found, listed }) => {
  const issues = new IssueList()
  for (const selected of indexedReferences(draft).filter(({ kind }) => kind === sloKind.kind)) {
    const adjustments = new Set([
      ...found
        .referrers(selected)
        .filter(({ kind }) => kind === draft.kind)
        .map(definitionKeyText),
      ...listed.referrers(draft.kind, selected),
    ])
    if (adjustments.size <= adjustmentsPerSloMax) continue
    const path = draft.spec.sloLabels === undefined ? "spec.slos" : "spec.sloLabels"
    const message = `selects an SLO or a label that ${adjustmentsPerSloMax} other budget adjustments select; delete some whose minutes no time window has any more`
    issues.add(path, "too_many", message)
    break
  }
  return issues.sorted()
}

/** The rules of the kinds that have some. */
const rules: { readonly [K in Kind]?: ReadonlyArray<DraftRule<K>> } = {
  SLO: [windowFitsRetention, componentsArePlain, sourceIsOfType],
  BudgetAdjustment: [adjustmentsAreFew],
}

/** The issues of one definition; their paths are relative to it. */
export const draftIssues = (draft: DefinitionDraft, context: DraftContext): ReadonlyArray<Issue> => {
  const ofKind = (rules[draft.kind] ?? []) as ReadonlyArray<DraftRule<Kind>>
  return ofKind.flatMap((rule) => rule(draft, context))
}

/** The definitions that must be read before the rules of a definition can be applied. */
export const unreadByRules = (
  draft: DefinitionDraft,
  found: DefinitionsRead,
): ReadonlyArray<DefinitionKey> =>
  draft.kind === sloKind.kind
    ? referrersOfLost(draft, found).filter((key) => found.find(key) === undefined)
    : []
