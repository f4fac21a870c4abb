import { noteRejection } from "../rate-limit/RejectedOrganizations.ts"
import * as Result from "effect/Result"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AnnotationPlace } from "../slo/Annotation.ts"
import { countsBeforeWindowDays, CountsRetention } from "../counts/CountsRetention.ts"
import { adjustmentsPerSloMax, type BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { sourceTypeIssues } from "../slo/MetricAgent.ts"
import type { Slo } from "../slo/Slo.ts"
import { windowDays } from "../slo/WindowLength.ts"
import {
  componentIssues,
  lostComponentIssues,
  referrersOfLost,
  indexedReferences,
  missingReferences,
  referencesOf,
  uniqueKeys,
} from "./References.ts"
import { changeDefinitions } from "./ChangeDefinitions.ts"
import type {
  AppliedDefinition,
  AppliedDocument,
  DefinitionAfter,
  Participant,
  Participation,
} from "./Participant.ts"
import { inParts } from "../work/Parts.ts"
import { type DecodeOptions, decodeDefinition, decodeDefinitions } from "./DecodeDefinition.ts"
import { definitionKey, type ReadForm, readFormsAreEqual, resolveStored } from "./Definition.ts"
import { withUnknownToClients } from "./KeepForClients.ts"
import { definitionKeyText, type OrganizationId } from "../metadata/ObjectKey.ts"
import {
  type ChangeRecord,
  type DefinitionChange,
  type DefinitionsRead,
  DefinitionStore,
} from "./DefinitionStore.ts"
import type { UnsupportedKey } from "./UnsupportedDocument.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { DefinitionsQuotaIsExceeded, Quotas } from "../quota/Quotas.ts"
import { readUsers, warningContext } from "./ReadWarnings.ts"
import { readMinutesWithEvents } from "./SparseTimeSlices.ts"
import { warningsOf } from "./WarningRules.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { Definition, DefinitionDraft, DefinitionKey } from "./Kinds.ts"

/**
 * Creates or replaces definitions in one transaction, all or none. Returns outcomes in the order of the
 * list.
 *
 * Referenced objects must exist or be in the list; the project `default` always exists. Unchanged
 * definitions are not written. A dry run validates and writes nothing. Fails with all issues, or with
 * `DefinitionsQuotaIsExceeded`.
 */
export const applyDefinitions = Effect.fn("applyDefinitions")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: DecodeOptions & ChangeOptions,
) {
  return (yield* changeByDocuments(organization, inputs, options)).applied.map(({ applied }) => applied)
})

/** Applies documents like `applyDefinitions`, with those that participants take, in one transaction, all or none. */
export const applyWithParticipants = Effect.fn("applyWithParticipants")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: DecodeOptions & ChangeOptions,
  participants: ReadonlyArray<Participant>,
) {
  const { applied, participations } = yield* changeByDocuments(organization, inputs, options, participants)
  const documents: ReadonlyArray<AppliedDocument> = [
    ...applied.map(({ index, applied }) => ({ ...applied, index })),
    ...participations.flatMap((each) => each.applied),
  ]
  return documents.toSorted((a, b) => a.index - b.index)
})

const changeByDocuments = Effect.fnUntraced(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: DecodeOptions & ChangeOptions,
  participants: ReadonlyArray<Participant> = [],
) {
  const { definitions: limit } = yield* Quotas
  const windowMaxDays = (yield* CountsRetention) - countsBeforeWindowDays
  const isTaken = (input: unknown): boolean => participants.some(({ takes }) => takes(input))
  const { drafts, keys, issues } = yield* inParts(() => decodeDefinitions(inputs, options, isTaken))
  const slugs = new Set<string>()
  for (const { path, draft } of drafts)
    issues.addAll(path, yield* takenSlugIssues(organization, draft, slugs))
  if (drafts.length === 0 && (issues.isFull || !inputs.some(isTaken)))
    return yield* new DefinitionsAreInvalid({ issues: issues.sorted() })
  const reads = [
    ...drafts.flatMap(({ draft }) => [definitionKey(draft), ...referencesOf(draft).map(({ key }) => key)]),
    ...participants.flatMap((each) => each.reads),
  ]
  const listed: Listed = {
    keys,
    taken: new Set(participants.flatMap(({ names = new Set<string>() }) => [...names])),
    sloByKey: new Map(
      drafts.flatMap(({ draft }) =>
        draft.kind === "SLO" ? [[definitionKeyText(definitionKey(draft)), draft] as const] : [],
      ),
    ),
    sourceByKey: new Map(
      drafts.flatMap(({ draft }) =>
        draft.kind === "Agent" || draft.kind === "Direct"
          ? [[definitionKeyText(definitionKey(draft)), draft] as const]
          : [],
      ),
    ),
    adjustmentsBySelected: adjustmentsBySelected(drafts.map(({ draft }) => draft)),
  }
  const decide = (
    found: DefinitionsRead,
    formOf: (definition: Definition) => ReadForm,
  ): Result.Result<
    DecidedChange,
    DefinitionsAreInvalid | DefinitionsQuotaIsExceeded | ReferrersAreUnread
  > => {
    const unread = drafts.flatMap(({ draft }) => unreadReferrers(draft, found))
    if (unread.length > 0) return Result.fail(new ReferrersAreUnread({ keys: unread }))
    const unresolved = new IssueList()
    const resolved = drafts.flatMap(({ path, input, draft }) => {
      if (draft.kind === "SLO") unresolved.addAll(path, windowIssues(draft, windowMaxDays))
      const checked = checkDraft(draft, input, found, listed, options)
      if (Result.isSuccess(checked)) return [checked.success]
      unresolved.addAll(path, checked.failure)
      return []
    })
    const after = afterOf(resolved, found, listed)
    const participations = participants.map((each) => each.decide(found, after))
    for (const each of participations) unresolved.addAll("", each.issues)
    if (!issues.isEmpty || !unresolved.isEmpty) {
      const all = new IssueList()
      all.addAll("", issues.sorted())
      all.addAll("", unresolved.sorted())
      return Result.fail(new DefinitionsAreInvalid({ issues: all.sorted() }))
    }
    const change = decideChange(resolved, found, formOf, options, participations)
    const created =
      change.applied.filter(({ outcome }) => outcome === "created").length +
      participations.reduce((sum, each) => sum + (each.created ?? 0), 0)
    const stored = created === 0 ? 0 : found.count()
    return stored + created <= limit
      ? Result.succeed(change)
      : Result.fail(new DefinitionsQuotaIsExceeded({ limit, stored, created }))
  }
  const change = (
    read: ReadonlyArray<DefinitionKey>,
  ): Effect.Effect<
    DecidedChange,
    DefinitionsAreInvalid | DefinitionsQuotaIsExceeded | StoreIsUnavailable,
    DefinitionStore
  > =>
    changeDefinitions(organization, uniqueKeys(read), options.author, decide).pipe(
      Effect.catchTag("ReferrersAreUnread", (unread) => change([...read, ...unread.keys])),
      Effect.tapErrorTag("DefinitionsQuotaIsExceeded", () => noteRejection(organization, "definitions")),
    )
  // Before the change, so that a store that fails leaves nothing written.
  const users = yield* readUsers(
    organization,
    drafts.map(({ draft }) => draft),
  )
  const { applied, definitions, referenced, participations } = yield* change(reads)
  const counted = yield* readMinutesWithEvents(organization, definitions).pipe(
    // What was stored is stored, also when counts cannot be read.
    Effect.catch((failure) =>
      Effect.as(Effect.logWarning("Counts could not be read for warnings", failure), {}),
    ),
  )
  const context = warningContext([...referenced, ...definitions], { ...options, ...counted }, users)
  const results: Array<{ readonly index: number; readonly applied: AppliedDefinition }> = []
  // All drafts are valid now, in their order.
  for (const [at, each] of applied.entries()) {
    // Queries are parsed, which takes a while for many.
    if (at % warnedAtOnce === warnedAtOnce - 1) yield* Effect.yieldNow
    const definition = definitions[at]
    const warnings = definition === undefined ? [] : warningsOf(definition, context)
    results.push({ index: drafts[at]?.index ?? at, applied: { ...each, warnings } })
  }
  return { applied: results, participations }
})

/** Definitions whose warnings are found without letting other work in between. */
const warnedAtOnce = 8

/** How definitions are changed. */
export interface ChangeOptions {
  /** Whether the request is only validated and its outcomes returned; nothing is written. Default: false. */
  readonly dryRun?: boolean
  /** Who makes the change: the client ID of the credential. */
  readonly author?: string
  /** Whether a public client makes it, which drops the properties that it does not know: they are kept. */
  readonly isPublicClient?: boolean
  /** Creates the record that is stored with the change; absent: none. A dry run stores no record. */
  readonly recordOf?: RecordOf
  /** Annotations that a deletion deletes too. */
  readonly removedAnnotations?: ReadonlyArray<AnnotationPlace>
  /** Documents without effect, of kinds that have no definitions, that a deletion deletes too; `path` is that of their issues. */
  readonly removedUnsupported?: ReadonlyArray<{ readonly path: string; readonly key: UnsupportedKey }>
}

/** Says what to keep of a change of these definitions; must be pure. */
export type RecordOf = (
  changed: ReadonlyArray<{ readonly before: Definition | undefined; readonly after: Definition | undefined }>,
) => ChangeRecord | undefined

/** Nothing was written. */
export class DefinitionsAreInvalid extends TaggedError("DefinitionsAreInvalid")<{
  /** All issues of all definitions, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** Every object that the list names, and its valid SLOs. */
interface Listed {
  readonly keys: ReadonlySet<string>
  /** What participants take, by the texts of the keys. */
  readonly taken: ReadonlySet<string>
  readonly sloByKey: ReadonlyMap<string, Slo>
  /** Its valid Agents and Directs. */
  readonly sourceByKey: ReadonlyMap<string, DefinitionDraft>
  /** The adjustments of the list by the SLOs and labels that they select. */
  readonly adjustmentsBySelected: ReadonlyMap<string, ReadonlyArray<string>>
}

/** More definitions must be read before the change can be decided. */
class ReferrersAreUnread extends TaggedError("ReferrersAreUnread")<{
  readonly keys: ReadonlyArray<DefinitionKey>
}> {}

const unreadReferrers = (draft: DefinitionDraft, found: DefinitionsRead): ReadonlyArray<DefinitionKey> =>
  draft.kind === "SLO" ? referrersOfLost(draft, found).filter((key) => found.find(key) === undefined) : []

/** Takes what is kept from the stored definition, and checks that every referenced object is stored or in the list. */
const checkDraft = (
  draft: DefinitionDraft,
  input: unknown,
  found: DefinitionsRead,
  listed: Listed,
  options: DecodeOptions & ChangeOptions,
): Result.Result<Definition, ReadonlyArray<Issue>> => {
  const issues = new IssueList()
  const exists = (key: DefinitionKey): boolean =>
    listed.keys.has(definitionKeyText(key)) ||
    listed.taken.has(definitionKeyText(key)) ||
    found.find(key) !== undefined ||
    (key.kind === "AlertMethod" && found.unsupported(key) !== undefined)
  issues.addAll("", missingReferences(draft, exists))
  if (draft.kind === "SLO") {
    issues.addAll("", checkComponents(draft, found, listed))
    issues.addAll("", checkSourceType(draft, found, listed))
  }
  if (draft.kind === "BudgetAdjustment") issues.addAll("", tooManyAdjustments(draft, found, listed))
  const stored = found.find(definitionKey(draft))?.definition
  const whole =
    stored !== undefined && options.isPublicClient === true ? withUnknownToClients(input, stored) : undefined
  const resolved = Result.flatMap(
    whole === undefined ? Result.succeed(draft) : decodeDefinition(whole, options),
    (each) => resolveStored(each, stored),
  )
  if (Result.isFailure(resolved)) issues.addAll("", resolved.failure)
  return Result.isSuccess(resolved) && issues.isEmpty ? resolved : Result.fail(issues.sorted())
}

/**
 * A slug leads to one page; of two projects that take it at once, the earlier one has it. `earlier` has the slugs of earlier projects
 * of the list; adds that of this one.
 */
const takenSlugIssues = Effect.fnUntraced(function* (
  organization: OrganizationId,
  draft: DefinitionDraft,
  earlier: Set<string>,
) {
  if (draft.kind !== "Project" || draft.spec.statusPage === undefined) return []
  const { slug } = draft.spec.statusPage
  const { findStatusPage } = yield* DefinitionStore
  const found = Option.getOrUndefined(yield* findStatusPage(slug))
  const isOwn =
    found === undefined || (found.organization === organization && found.project === draft.metadata.name)
  if (isOwn && !earlier.has(slug)) {
    earlier.add(slug)
    return []
  }
  const issue: Issue = {
    path: "spec.statusPage.slug",
    code: "duplicate",
    message: "is the slug of another status page of this server; choose another one",
  }
  return [issue]
})

/** A time window that is longer than its counts are retained would lose events before they leave it. */
const windowIssues = ({ spec }: Slo, maxDays: number): ReadonlyArray<Issue> => {
  if (windowDays(spec.timeWindow) <= maxDays) return []
  const message = `must be at most ${maxDays} days long, as this server retains counts for ${maxDays + countsBeforeWindowDays} days (TOCSIN_COUNTS_RETENTION_DAYS)`
  return [{ path: "spec.timeWindows[0]", code: "out_of_range", message }]
}

const checkComponents = (slo: Slo, found: DefinitionsRead, listed: Listed): ReadonlyArray<Issue> => {
  const isListed = (key: DefinitionKey): boolean => listed.keys.has(definitionKeyText(key))
  const storedSlo = (key: DefinitionKey): Slo | undefined => {
    const stored = found.find(key)?.definition
    return stored?.kind === "SLO" ? stored : undefined
  }
  const referrers = referrersOfLost(slo, found)
    .filter((key) => !isListed(key))
    .flatMap((key) => storedSlo(key) ?? [])
  return [
    ...componentIssues(slo, (named) => {
      const key: DefinitionKey = { kind: "SLO", ...named }
      return isListed(key) ? listed.sloByKey.get(definitionKeyText(key)) : storedSlo(key)
    }),
    ...lostComponentIssues(slo, referrers, found),
  ]
}

const checkSourceType = (slo: Slo, found: DefinitionsRead, listed: Listed): ReadonlyArray<Issue> => {
  const { metricSource } = slo.spec.indicator ?? {}
  if (metricSource === undefined) return []
  const source =
    listed.sourceByKey.get(definitionKeyText(metricSource)) ?? found.find(metricSource)?.definition
  return source?.kind === "Agent" || source?.kind === "Direct" ? sourceTypeIssues(slo, source) : []
}

const adjustmentsBySelected = (
  drafts: ReadonlyArray<DefinitionDraft>,
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const bySelected = new Map<string, Array<string>>()
  for (const draft of drafts) {
    if (draft.kind !== "BudgetAdjustment") continue
    for (const selected of selectedBy(draft).map(definitionKeyText)) {
      const others = bySelected.get(selected) ?? []
      others.push(definitionKeyText(definitionKey(draft)))
      bySelected.set(selected, others)
    }
  }
  return bySelected
}

/** Each evaluation of an SLO computes the minutes of all of its adjustments. */
const tooManyAdjustments = (
  draft: BudgetAdjustment,
  found: DefinitionsRead,
  { adjustmentsBySelected }: Listed,
): ReadonlyArray<Issue> => {
  const issues = new IssueList()
  for (const selected of selectedBy(draft)) {
    const adjustments = new Set([
      ...found
        .referrers(selected)
        .filter(({ kind }) => kind === "BudgetAdjustment")
        .map(definitionKeyText),
      ...(adjustmentsBySelected.get(definitionKeyText(selected)) ?? []),
    ])
    if (adjustments.size <= adjustmentsPerSloMax) continue
    const path = draft.spec.sloLabels === undefined ? "spec.slos" : "spec.sloLabels"
    const message = `selects an SLO or a label that ${adjustmentsPerSloMax} other budget adjustments select; delete some whose minutes no time window has any more`
    issues.add(path, "too_many", message)
    break
  }
  return issues.sorted()
}

/** The SLOs and labels that an adjustment is found by. */
const selectedBy = (adjustment: BudgetAdjustment): ReadonlyArray<DefinitionKey> =>
  indexedReferences(adjustment).filter(({ kind }) => kind === "SLO")

const afterOf = (
  definitions: ReadonlyArray<Definition>,
  found: DefinitionsRead,
  { keys }: Listed,
): DefinitionAfter => {
  const byKey = new Map(definitions.map((each) => [definitionKeyText(definitionKey(each)), each]))
  return (key) => {
    const text = definitionKeyText(key)
    return keys.has(text) ? (byKey.get(text) ?? "invalid") : found.find(key)?.definition
  }
}

interface DecidedChange extends DefinitionChange {
  readonly applied: ReadonlyArray<Omit<AppliedDefinition, "warnings">>
  /** As they are stored after the change, in the order of `applied`. */
  readonly definitions: ReadonlyArray<Definition>
  /** What they refer to, as it was stored before the change. */
  readonly referenced: ReadonlyArray<Definition>
  readonly participations: ReadonlyArray<Participation>
}

const decideChange = (
  definitions: ReadonlyArray<Definition>,
  found: DefinitionsRead,
  formOf: (definition: Definition) => ReadForm,
  { dryRun = false, recordOf }: Pick<ChangeOptions, "dryRun" | "recordOf">,
  participations: ReadonlyArray<Participation>,
): DecidedChange => {
  const applied = definitions.map((definition): Omit<AppliedDefinition, "warnings"> => {
    const key = definitionKey(definition)
    const before = found.find(key)?.definition
    const planned = dryRun ? { planned: { before, after: definition } } : {}
    if (before === undefined) return { key, outcome: "created", ...planned }
    const isEqual = readFormsAreEqual(formOf(before), formOf(definition))
    return { key, outcome: isEqual ? "unchanged" : "updated", ...planned }
  })
  const changed = definitions.filter((_, index) => applied[index]?.outcome !== "unchanged")
  return {
    put: dryRun
      ? []
      : changed.map((definition) => ({
          definition,
          references: indexedReferences(definition),
        })),
    remove: [],
    record: dryRun
      ? undefined
      : recordOf?.(changed.map((after) => ({ before: found.find(definitionKey(after))?.definition, after }))),
    ...(!dryRun && {
      annotations: {
        put: participations.flatMap(({ annotations }) => annotations?.put ?? []),
        remove: participations.flatMap(({ annotations }) => annotations?.remove ?? []),
      },
      unsupported: {
        put: participations.flatMap(({ unsupported }) => unsupported?.put ?? []),
        // A definition replaces the document of its kind and name.
        remove: [
          ...participations.flatMap(({ unsupported }) => unsupported?.remove ?? []),
          ...definitions
            .map(definitionKey)
            .filter((key) => key.kind === "AlertMethod" && found.find(key) === undefined)
            .filter((key) => found.unsupported(key) !== undefined),
        ],
      },
    }),
    applied,
    definitions,
    referenced: uniqueKeys(
      definitions.flatMap((definition) => referencesOf(definition).map(({ key }) => key)),
    ).flatMap((key) => found.find(key)?.definition ?? []),
    participations,
  }
}
