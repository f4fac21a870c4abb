import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { entryPath, IssueList, joinPaths } from "../codec/Issue.ts"
import { applyDefinitions } from "../definition/ApplyDefinitions.ts"
import { tidy } from "../codec/Decimal.ts"
import { isObject } from "../codec/Leaves.ts"
import type { CountStore } from "../counts/CountStore.ts"
import type { DecodeOptions } from "../definition/DecodeDefinition.ts"
import { changeDefinitions } from "../definition/ChangeDefinitions.ts"
import { definitionKey } from "../definition/Definition.ts"
import { indexedReferences } from "../definition/References.ts"
import { changeRecordPart, type DefinitionChange, DefinitionStore } from "../definition/DefinitionStore.ts"
import { type PartChange, partChange } from "../definition/Part.ts"
import type {
  ApplyRequest,
  ChangedDefinition,
  Participant,
  RemoveRequest,
} from "../definition/Participant.ts"
import { withoutRevision } from "../metadata/Envelope.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { type BudgetAdjustment, budgetAdjustmentKind } from "../slo/BudgetAdjustment.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { readSlos } from "../status/ReadSlos.ts"
import { sloStatus } from "../status/CountsPlan.ts"
import { listedWarnings } from "../definition/WarningRules.ts"
import { SloStore } from "../status/SloStore.ts"
import { type BudgetChange, type BudgetEffects, changeToRecord } from "./BudgetChange.ts"
import type { DefinitionKey } from "../definition/Kinds.ts"
import { DefinitionsAreInvalid } from "../definition/DefinitionErrors.ts"

/** Most SLOs of which the effects of a change are computed. */
export const effectSlosMax = 100

/** Most objectives of which the effects of a change are kept. */
export const effectObjectivesMax = 1_000

/** Says what applying budget adjustments would do; fails with all issues, like `applyDefinitions`. */
export const previewBudgetChange = Effect.fn("previewBudgetChange")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: DecodeOptions,
) {
  const others = inputs.flatMap((input, index) => (describesAdjustment(input) ? [] : [index]))
  if (others.length > 0) {
    const issues = new IssueList()
    for (const index of others) {
      const path = joinPaths(inputs.length > 1 ? entryPath("", index) : "", "kind")
      issues.add(path, "not_allowed_value", "must be BudgetAdjustment")
    }
    return yield* new DefinitionsAreInvalid({ issues: issues.sorted() })
  }
  const applied = yield* applyDefinitions(organization, inputs.map(withoutRevision), {
    ...options,
    dryRun: true,
  }).pipe(
    // Without revisions, none is expected.
    Effect.catchTag("DefinitionsHaveChanged", Effect.die),
  )
  const changes = applied.flatMap(({ planned: { before, after } = {} }): ReadonlyArray<AdjustmentChange> =>
    after !== undefined && isAdjustment(after)
      ? [{ before: before !== undefined && isAdjustment(before) ? before : undefined, after }]
      : [],
  )
  const effects = yield* effectsOf(organization, changes)
  return { ...effects, warnings: listedWarnings(applied) }
})

/** Keeps a record of each change of budget adjustments, with its effects (spec/budget-adjustments §7). */
export const budgetRecord = Effect.map(
  Effect.context<CountStore | DefinitionStore | SloStore>(),
  (stores): Participant => {
    const recordOf = (
      { organization, options }: Pick<ApplyRequest | RemoveRequest, "organization" | "options">,
      changes: ReadonlyArray<BudgetAdjustment | DefinitionKey>,
    ) =>
      changes.length === 0 || options.dryRun === true
        ? Effect.succeed(undefined)
        : Effect.provideContext(recorderOf(organization, changes, options.author), stores)
    return {
      name: "budget records",
      apply: {
        share: (request) => {
          const adjustments = request.drafts.flatMap(({ draft }) => (isAdjustment(draft) ? [draft] : []))
          return Effect.map(recordOf(request, adjustments), (parts) => parts && { decide: () => ({ parts }) })
        },
      },
      remove: {
        share: (request) =>
          Effect.map(
            recordOf(request, request.definitions.filter(isAdjustment)),
            (parts) => parts && { parts: (_found, changed) => parts(changed) },
          ),
      },
    }
  },
)

const isAdjustment = <A extends { readonly kind: string }>(
  each: A,
): each is Extract<A, { readonly kind: "BudgetAdjustment" }> => each.kind === budgetAdjustmentKind.kind

const describesAdjustment = (input: unknown): boolean =>
  isObject(input) && input["kind"] === budgetAdjustmentKind.kind

/** A change of one adjustment; `after` is absent where it is deleted. */
interface AdjustmentChange {
  readonly before: BudgetAdjustment | undefined
  readonly after: BudgetAdjustment | undefined
}

/** Reads what adjustments are now, which are to be written or, given by key, deleted. */
const readChanges = (
  organization: OrganizationId,
  changes: ReadonlyArray<BudgetAdjustment | DefinitionKey>,
) =>
  Effect.gen(function* () {
    const keyed = changes.map((each) =>
      "spec" in each ? { key: each.metadata, after: each } : { key: each, after: undefined },
    )
    const found = yield* (yield* DefinitionStore).findAll(
      organization,
      "BudgetAdjustment",
      keyed.map(({ key }) => key),
    )
    const before = new Map(found.map(({ definition }) => [projectKeyText(definition.metadata), definition]))
    return keyed.map(({ key, after }): AdjustmentChange => ({
      before: before.get(projectKeyText(key)),
      after,
    }))
  })

/**
 * Changes a stored budget adjustment, with the record of the change, which has the effects of `planned`. `revise` decides in the
 * transaction; it must be pure.
 */
export const reviseAdjustment = <E>(
  organization: OrganizationId,
  planned: BudgetAdjustment,
  author: string,
  revise: (stored: BudgetAdjustment | undefined) => Result.Result<BudgetAdjustment, E>,
) =>
  Effect.gen(function* () {
    const key = definitionKey(planned)
    const recordOf = yield* recorderOf(organization, [planned], author)
    yield* changeDefinitions(organization, [key], author, (found): Result.Result<DefinitionChange, E> => {
      const stored = found.find(key)?.definition
      const before = stored !== undefined && isAdjustment(stored) ? stored : undefined
      return Result.map(revise(before), (after) => ({
        put: [{ definition: after, references: indexedReferences(after) }],
        remove: [],
        parts: recordOf([{ before, after }]),
      }))
    })
  })

/** Makes the record of a change of adjustments, with its effects, once it is known which of them change. */
const recorderOf = (
  organization: OrganizationId,
  changes: ReadonlyArray<BudgetAdjustment | DefinitionKey>,
  author: string | undefined,
) =>
  Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const id = yield* uuidV7
    const effects = yield* effectsOf(organization, yield* readChanges(organization, changes))
    return (changed: ReadonlyArray<ChangedDefinition>): ReadonlyArray<PartChange> => {
      const adjustments = changed.flatMap(({ before, after }): BudgetChange["adjustments"] => {
        const definition = after ?? before
        if (definition === undefined || !isAdjustment(definition)) return []
        const outcome = before === undefined ? "created" : after === undefined ? "deleted" : "updated"
        return [{ outcome, definition }]
      })
      if (adjustments.length === 0) return []
      const change = { id, at, ...(author !== undefined && { author }), adjustments, effects }
      return [partChange(changeRecordPart, changeToRecord(change))]
    }
  })

/** What a change does, with what is not stored with it: servers of earlier versions could not read it. */
interface PreviewedEffects extends BudgetEffects {
  readonly objectives: ReadonlyArray<BudgetEffects["objectives"][number] & { readonly badRemoved: number }>
}

/** The metrics of the affected SLOs with and without changes, at the same time, and the bad events that no longer count. */
const effectsOf = (organization: OrganizationId, changes: ReadonlyArray<AdjustmentChange>) =>
  Effect.gen(function* () {
    const touched = changes.flatMap(({ before, after }) =>
      [before, after].filter((each) => each !== undefined),
    )
    const slos = yield* affectedSlos(organization, touched)
    const store = yield* SloStore
    const found = yield* Effect.forEach(slos.slice(0, effectSlosMax), (key) =>
      store.findForStatus(organization, key),
    )
    const changed = new Set(touched.map(({ metadata }) => projectKeyText(metadata)))
    const written = changes.flatMap(({ after }) => after ?? [])
    // Without conditions to measure.
    const before = found.flatMap((due) => (Option.isSome(due) ? [{ ...due.value, policies: [] }] : []))
    const after = before.map((due) => ({
      ...due,
      adjustments: [
        ...due.adjustments.filter(({ metadata }) => !changed.has(projectKeyText(metadata))),
        ...written,
      ],
    }))
    const readings = yield* readSlos([...before, ...after])
    const statuses = readings.map(({ due, at, counts }) => sloStatus(due.slo.definition, at, counts))
    const badOf = (index: number, track: string): number => {
      const reading = readings[index]
      const { good, total } = reading?.counts.events(track, reading.at.range) ?? { good: 0, total: 0 }
      return total - good
    }
    const objectives = before.flatMap(({ slo: { definition } }, index) =>
      Array.from(statuses[index] ?? [], ([track, status]) => ({
        project: definition.metadata.project,
        slo: definition.metadata.name,
        ...(track !== overallTrack && { objective: track }),
        before: status,
        after: statuses[before.length + index]?.get(track) ?? {},
        badRemoved: tidy(badOf(index, track) - badOf(before.length + index, track)),
      })),
    )
    const effects: PreviewedEffects = {
      isPartial: slos.length > effectSlosMax || objectives.length > effectObjectivesMax,
      objectives: objectives.slice(0, effectObjectivesMax),
    }
    return effects
  })

/** The SLOs that adjustments adjust, and those with composite objectives over them, in order; of many only the first. */
const affectedSlos = (organization: OrganizationId, adjustments: ReadonlyArray<BudgetAdjustment>) =>
  Effect.gen(function* () {
    const definitions = yield* DefinitionStore
    const adjusted = yield* Effect.forEach(adjustments, ({ metadata, spec }) =>
      spec.sloLabels === undefined
        ? Effect.succeed(spec.slos ?? [])
        : Effect.map(
            definitions.list(
              organization,
              { kind: "SLO", project: metadata.project, labels: spec.sloLabels.filter },
              { limit: effectSlosMax + 1 },
            ),
            ({ items }) => items.map(({ definition }): ProjectKey => definition.metadata),
          ),
    )
    const keys = adjusted.flat().map(({ project, name }) => ({ kind: "SLO" as const, project, name }))
    const composites = yield* definitions.referrers(organization, "SLO", keys)
    const byText = new Map([...keys, ...composites].map((key) => [projectKeyText(key), key]))
    return [...byText.values()].toSorted((a, b) => (projectKeyText(a) < projectKeyText(b) ? -1 : 1))
  })
