import * as Effect from "effect/Effect"
import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, boolean, literals, number } from "../codec/Leaves.ts"
import { type ChangeRecord, DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { listById, type PageQuery, readPage } from "../pagination/Page.ts"
import { budgetAdjustment, budgetAdjustmentKind } from "../slo/BudgetAdjustment.ts"
import { defaultProjectName } from "../slo/Project.ts"
import { objectiveStatusCodec } from "../status/ObjectiveStatus.ts"
import { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

const unbounded = { max: Number.MAX_SAFE_INTEGER }

/** The metrics of an objective as they were without a change, and with it, at the same time. */
const objectiveEffect = object({
  project: anyString,
  slo: anyString,
  /** Absent for the legacy composite. */
  objective: exactOptional(anyString),
  before: objectiveStatusCodec,
  after: objectiveStatusCodec,
})

const effects = object({
  /** Whether some objectives are left out, as there are too many. */
  isPartial: boolean,
  /** In the order of projects, SLOs, and objectives. */
  objectives: list(objectiveEffect, unbounded),
})

/** What a change of budget adjustments does to the metrics of SLOs. */
export type BudgetEffects = TypeOf<typeof effects>

const budgetChange = object({
  id: anyString,
  /** Unix milliseconds. */
  at: number({}),
  /** The client ID of the credential. */
  author: exactOptional(anyString),
  /** As they were written, or were when they were deleted. */
  adjustments: list(
    object({ outcome: literals(["created", "updated", "deleted"]), definition: budgetAdjustment }),
    unbounded,
  ),
  effects,
})

/** One change of budget adjustments: who made it, and what it did at that time. */
export type BudgetChange = TypeOf<typeof budgetChange>

const storedChange = stored(budgetChange, [])

export const changeToRecord = (change: BudgetChange): ChangeRecord => ({
  id: change.id,
  text: storedChange.write(change).json,
  keys: change.adjustments.map(({ definition: { kind, metadata } }) => ({
    kind,
    project: metadata.project,
    name: metadata.name,
  })),
})

/** Most changes of one page of a list: each can have many objectives. */
export const budgetChangesPageMax = 20

export interface ListBudgetChangesQuery extends PageQuery {
  readonly project?: string | undefined
  /** Of an adjustment; its project is `default` unless given. */
  readonly name?: string | undefined
}

/** Lists the changes of budget adjustments, newest first: of all, or of one. */
export const listBudgetChanges = (organization: OrganizationId, query: ListBudgetChangesQuery) =>
  readPage(changeList, query, (page) =>
    Effect.gen(function* () {
      const key = query.name ? { project: query.project || defaultProjectName, name: query.name } : undefined
      const found = yield* (yield* DefinitionStore).records(
        organization,
        key === undefined ? budgetAdjustmentKind.kind : { kind: budgetAdjustmentKind.kind, ...key },
        { ...page, limit: Math.min(page.limit, budgetChangesPageMax) },
      )
      return { ...found, items: yield* Effect.forEach(found.items, readChange) }
    }),
  )

/** The client ID of the credential that last changed an adjustment; `undefined` if none is recorded. */
export const authorOf = (organization: OrganizationId, adjustment: ProjectKey) =>
  Effect.gen(function* () {
    const { project, name } = adjustment
    const key = { kind: budgetAdjustmentKind.kind, project, name }
    const { items } = yield* (yield* DefinitionStore).records(organization, key, { limit: 1 })
    const [latest] = yield* Effect.forEach(items, readChange)
    return latest?.author
  })

const readChange = ({ text }: Pick<ChangeRecord, "text">) =>
  Effect.mapError(
    Effect.fromResult(storedChange.read(text, { sealed: [] })),
    (cause) =>
      new StoreIsUnavailable({ store: "DefinitionStore", operation: "records", isRetryable: false, cause }),
  )

const changeList = listById("budget-adjustments/changes", ({ id }: BudgetChange) => id)
