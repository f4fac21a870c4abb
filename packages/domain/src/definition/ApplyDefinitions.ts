import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { countsBeforeWindowDays, CountsRetention } from "../counts/CountsRetention.ts"
import { unstoredRevision } from "../metadata/Envelope.ts"
import { definitionKeyText, type OrganizationId } from "../metadata/ObjectKey.ts"
import { DefinitionsQuotaIsExceeded, Quotas } from "../quota/Quotas.ts"
import { noteRejection } from "../rate-limit/RejectedOrganizations.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import { TaggedError } from "../TaggedError.ts"
import { inParts } from "../work/Parts.ts"
import { changeDefinitions } from "./ChangeDefinitions.ts"
import {
  type DecodeOptions,
  decodeDefinition,
  type DecodedDefinition,
  decodeDefinitions,
  takenDocuments,
} from "./DecodeDefinition.ts"
import { definitionKey, type ReadForm, readFormsAreEqual, resolveStored } from "./Definition.ts"
import { DefinitionsAreInvalid, DefinitionsHaveChanged } from "./DefinitionErrors.ts"
import type { DefinitionChange, DefinitionsRead, DefinitionStore } from "./DefinitionStore.ts"
import {
  type DraftContext,
  draftIssues,
  listedDrafts,
  type ListedDrafts,
  unreadByRules,
} from "./DraftRules.ts"
import type { Definition, DefinitionKey } from "./Kinds.ts"
import {
  type AppliedDefinition,
  type ApplyShare,
  type ChangeOptions,
  type DefinitionAfter,
  type Participation,
  Participants,
} from "./Participant.ts"
import { withReferenceHints } from "./ReferenceHints.ts"
import { indexedReferences, missingReferences, referencesOf, uniqueKeys } from "./References.ts"
import { onlyOneExpected, revisionConflicts } from "./RevisionConflicts.ts"
import { readMinutesWithEvents } from "./SparseTimeSlices.ts"
import {
  readStoppedMethodsOf,
  readUsers,
  type StoppedMethodsReader,
  warningContext,
  warningsOf,
} from "./WarningRules.ts"

/**
 * Applies documents in one transaction, all or none: creates or replaces definitions, and what the participants of the host take,
 * such as annotations. Returns outcomes in the order of the list.
 *
 * Referenced objects must exist or be in the list; the project `default` always exists. Unchanged
 * definitions are not written. A dry run validates and writes nothing. Fails with all issues, with `DefinitionsHaveChanged` if a
 * definition has another revision than its document or `expected` says, or with `DefinitionsQuotaIsExceeded`.
 */
export const applyDefinitions = Effect.fn("applyDefinitions")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: DecodeOptions & ChangeOptions & StoppedMethodsReader,
) {
  const { definitions: limit } = yield* Quotas
  const windowMaxDays = (yield* CountsRetention) - countsBeforeWindowDays
  const participants = (yield* Participants).flatMap(({ apply }) => apply ?? [])
  const isTaken = (input: unknown): boolean =>
    participants.some(({ takes }) => takes?.(input, options) === true)
  const { drafts, keys, issues } = yield* inParts(() => decodeDefinitions(inputs, options, isTaken))
  const shares: Array<ApplyShare> = []
  let documentsTaken = 0
  for (const { takes, share } of participants) {
    const documents = takenDocuments(inputs, (input) => takes?.(input, options) === true)
    documentsTaken += documents.length
    const own = yield* share({ organization, documents, drafts, options })
    if (own === undefined) continue
    shares.push(own)
    issues.addAll("", own.issues ?? [])
  }
  if (options.expected !== undefined && (inputs.length !== 1 || documentsTaken > 0)) {
    issues.addAll("", [onlyOneExpected("")])
  }
  if (drafts.length === 0 && (issues.isFull || documentsTaken === 0))
    return yield* new DefinitionsAreInvalid({ issues: issues.sorted() })
  const listed = listedDrafts(
    keys,
    drafts.map(({ draft }) => draft),
  )
  const decide = (
    found: DefinitionsRead,
    formOf: (definition: Definition) => ReadForm,
  ): Result.Result<
    DecidedChange,
    DefinitionsAreInvalid | DefinitionsHaveChanged | DefinitionsQuotaIsExceeded | ReferrersAreUnread
  > => {
    // What was changed by others can be why the rest is invalid.
    const conflicts = issues.isEmpty
      ? revisionConflicts(
          drafts.map(({ draft, ...each }) => ({ ...each, key: definitionKey(draft) })),
          found,
          options.expected,
        )
      : []
    if (conflicts.length > 0) return Result.fail(new DefinitionsHaveChanged({ conflicts }))
    const unread = drafts.flatMap(({ draft }) => unreadByRules(draft, found))
    if (unread.length > 0) return Result.fail(new ReferrersAreUnread({ keys: unread }))
    const unresolved = new IssueList()
    const context = { found, listed, windowMaxDays, shares }
    const resolved = drafts.flatMap((each) => {
      const checked = checkDraft(each, context, options)
      if (Result.isSuccess(checked)) return [checked.success]
      unresolved.addAll(each.path, checked.failure)
      return []
    })
    const after = afterOf(resolved, found, listed)
    const participations = shares.flatMap((share) => share.decide?.(found, after) ?? [])
    for (const each of participations) unresolved.addAll("", each.issues ?? [])
    if (!issues.isEmpty || !unresolved.isEmpty) {
      const all = new IssueList()
      all.addAll("", issues.sorted())
      all.addAll("", unresolved.sorted())
      return Result.fail(new DefinitionsAreInvalid({ issues: all.sorted() }))
    }
    const change = decideChange(resolved, found, formOf, options.dryRun === true, participations)
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
    DefinitionsAreInvalid | DefinitionsHaveChanged | DefinitionsQuotaIsExceeded | StoreIsUnavailable,
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
  const { applied, definitions, referenced, participations } = yield* change([
    ...drafts.flatMap(({ draft }) => [definitionKey(draft), ...referencesOf(draft).map(({ key }) => key)]),
    ...shares.flatMap(({ reads = [] }) => reads),
  ]).pipe(
    Effect.catchTag("DefinitionsAreInvalid", (invalid) => withReferenceHints(organization, invalid, drafts)),
  )
  const counted = yield* readMinutesWithEvents(organization, definitions).pipe(
    // What was stored is stored, also when counts cannot be read.
    Effect.catch((failure) =>
      Effect.as(Effect.logWarning("Counts could not be read for warnings", failure), {}),
    ),
  )
  const stopped = yield* readStoppedMethodsOf([...referenced, ...definitions], options, definitions).pipe(
    Effect.catch((failure) =>
      Effect.as(Effect.logWarning("Alert methods could not be read for warnings", failure), {}),
    ),
  )
  const context = warningContext(
    [...referenced, ...definitions],
    { ...options, ...counted, ...stopped },
    users,
    definitions,
  )
  const results: Array<readonly [index: number, AppliedDefinition]> = participations.flatMap(
    ({ applied = [] }) => applied.map(({ index, ...each }) => [index, each] as const),
  )
  // All drafts are valid now, in their order.
  for (const [at, each] of applied.entries()) {
    // Queries are parsed, which takes a while for many.
    if (at % warnedAtOnce === warnedAtOnce - 1) yield* Effect.yieldNow
    const definition = definitions[at]
    const warnings = definition === undefined ? [] : warningsOf(definition, context)
    results.push([drafts[at]?.index ?? at, { ...each, warnings }])
  }
  return results.toSorted(([a], [b]) => a - b).map(([, each]) => each)
})

/** Definitions whose warnings are found without letting other work in between. */
const warnedAtOnce = 8

/** More definitions must be read before the change can be decided. */
class ReferrersAreUnread extends TaggedError("ReferrersAreUnread")<{
  readonly keys: ReadonlyArray<DefinitionKey>
}> {}

/** Takes what is kept from the stored definition, and checks that every referenced object is stored or in the list. */
const checkDraft = (
  { input, draft }: DecodedDefinition,
  context: DraftContext & { readonly shares: ReadonlyArray<ApplyShare> },
  options: DecodeOptions & ChangeOptions,
): Result.Result<Definition, ReadonlyArray<Issue>> => {
  const { found, listed, shares } = context
  const issues = new IssueList()
  const exists = (key: DefinitionKey): boolean =>
    listed.keys.has(definitionKeyText(key)) ||
    found.find(key) !== undefined ||
    shares.some((share) => share.exists?.(key, found) === true)
  issues.addAll("", missingReferences(draft, exists))
  issues.addAll("", draftIssues(draft, context))
  const stored = found.find(definitionKey(draft))?.definition
  const whole = stored === undefined ? undefined : options.whole?.(input, stored)
  const resolved = Result.flatMap(
    whole === undefined ? Result.succeed(draft) : decodeDefinition(whole, options),
    (each) => resolveStored(each, stored),
  )
  if (Result.isFailure(resolved)) issues.addAll("", resolved.failure)
  return Result.isSuccess(resolved) && issues.isEmpty ? resolved : Result.fail(issues.sorted())
}

const afterOf = (
  definitions: ReadonlyArray<Definition>,
  found: DefinitionsRead,
  { keys }: ListedDrafts,
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
  dryRun: boolean,
  participations: ReadonlyArray<Participation>,
): DecidedChange => {
  const stored = definitions.map((definition) => found.find(definitionKey(definition)))
  const applied = definitions.map((after, index): Omit<AppliedDefinition, "warnings"> => {
    const { definition: before, version: revision = unstoredRevision } = stored[index] ?? {}
    const key = definitionKey(after)
    const planned = dryRun ? { planned: { before, revision, after } } : {}
    if (before === undefined) return { key, outcome: "created", ...planned }
    const isEqual = readFormsAreEqual(formOf(before), formOf(after))
    return { key, outcome: isEqual ? "unchanged" : "updated", ...planned }
  })
  const changed = definitions
    .map((after, index) => ({ before: stored[index]?.definition, after }))
    .filter((_, index) => !dryRun && applied[index]?.outcome !== "unchanged")
  return {
    put: changed.map(({ after }) => ({ definition: after, references: indexedReferences(after) })),
    remove: [],
    parts: dryRun ? [] : participations.flatMap(({ parts }) => parts?.(changed) ?? []),
    applied,
    definitions,
    referenced: uniqueKeys(
      definitions.flatMap((definition) => referencesOf(definition).map(({ key }) => key)),
    ).flatMap((key) => found.find(key)?.definition ?? []),
    participations,
  }
}
