import * as Effect from "effect/Effect"
import type { IssueList } from "../codec/Issue.ts"
import { labelsMatch } from "../metadata/LabelFilter.ts"
import type { Labels } from "../metadata/Metadata.ts"
import {
  compareProjectKeys,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "../metadata/ObjectKey.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { ObjectiveState } from "../slo/ObjectiveState.ts"
import { recordKey, type SloRecord, sloState } from "../status/SloRecord.ts"
import { type SloFilter, SloStore } from "../status/SloStore.ts"
import { reviewObjectivesMax, reviewSlosMax } from "./Review.ts"

/** Which SLOs a review or a saved report is about. */
export interface SloSelection {
  /** Those that match one of them. */
  readonly filters: ReadonlyArray<SloFilter>
  /** Those that are named; what does not exist is left out. */
  readonly slos?: ReadonlyArray<ProjectKey>
  /** Of all of them, only those with these labels. */
  readonly labels?: Labels | undefined
  /** And in one of these states, unless there is none. */
  readonly statuses?: ReadonlyArray<ObjectiveState> | undefined
}

/** The SLOs of a selection, by project and name; of more than `reviewSlosMax`, some more. */
export const selectSlos = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { filters, slos = [], labels = {}, statuses = [] }: SloSelection,
) {
  const store = yield* SloStore
  const selected = new Map<string, SloRecord>()
  const add = (records: ReadonlyArray<SloRecord>): void => {
    for (const record of records) {
      const { metadata } = record.slo
      if (!labelsMatch(metadata.labels, labels)) continue
      if (statuses.length === 0 || statuses.includes(sloState(record)))
        selected.set(projectKeyText(metadata), record)
    }
  }
  for (let next = 0; next < slos.length && selected.size <= reviewSlosMax; next += pageSizeMax)
    add(yield* store.findAll(organization, slos.slice(next, next + pageSizeMax)))
  for (const filter of filters) {
    let after: ProjectKey | undefined
    while (selected.size <= reviewSlosMax) {
      const request = { limit: pageSizeMax, ...(after !== undefined && { after }) }
      const page = yield* store.page(organization, request, filter)
      add(page.items)
      const last = page.items.at(-1)
      if (!page.hasMore || last === undefined) break
      after = recordKey(last)
      yield* Effect.yieldNow
    }
  }
  return [...selected.values()].toSorted((a, b) => compareProjectKeys(recordKey(a), recordKey(b)))
})

/** Adds why so many SLOs cannot be measured together, if they cannot. */
export const addSizeIssues = (issues: IssueList, path: string, selected: ReadonlyArray<SloRecord>): void => {
  const objectives = selected.reduce((sum, { slo }) => sum + objectivesOf(slo).length, 0)
  if (selected.length > reviewSlosMax)
    issues.add(path, "too_many", `must select at most ${reviewSlosMax} SLOs`)
  else if (objectives > reviewObjectivesMax)
    issues.add(path, "too_many", `must select SLOs with at most ${reviewObjectivesMax} objectives together`)
}
