import * as Effect from "effect/Effect"
import { labelsMatch } from "../metadata/LabelFilter.ts"
import type { Labels } from "../metadata/Metadata.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { sloState } from "../overview/SloSnapshot.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { ObjectiveState } from "../slo/ObjectiveState.ts"
import { recordKey, type SloRecord } from "../status/SloRecord.ts"
import { foldedText, SloStore } from "../status/SloStore.ts"

/** Which SLOs are selected, as lists of SLOs are filtered; what is absent or empty lets all through. */
export interface SloSelection {
  readonly projects?: ReadonlyArray<string>
  /** The name of the service, in any project. */
  readonly service?: string
  readonly services?: ReadonlyArray<ProjectKey>
  readonly search?: string
  readonly labels?: Labels
  readonly statuses?: ReadonlyArray<ObjectiveState>
}

/** An SLO that is selected, and how many objectives it has. */
interface SelectedSlo {
  readonly key: ProjectKey
  readonly objectives: number
}

/** The SLOs of a selection by project and name; of more than `max`, one more. */
export const selectSlos = Effect.fnUntraced(function* (
  organization: OrganizationId,
  selection: SloSelection,
  max: number,
) {
  const { projects = [], service, services = [], search } = selection
  const store = yield* SloStore
  // One project with its services is read by an index; of several, each SLO is looked at.
  const [project, ...otherProjects] = projects.length > 0 ? projects : services.map((each) => each.project)
  const filter = {
    ...(project !== undefined && otherProjects.every((each) => each === project) && { project }),
    ...(service !== undefined && { service }),
    ...(search !== undefined && { text: foldedText(search) }),
  }
  const matches = matcherOf(selection)
  const selected: Array<SelectedSlo> = []
  let after: ProjectKey | undefined
  for (;;) {
    const page = yield* store.page(
      organization,
      { limit: pageSizeMax, ...(after !== undefined && { after }) },
      filter,
    )
    for (const record of page.items) {
      after = recordKey(record)
      if (!matches(record)) continue
      selected.push({ key: after, objectives: objectivesOf(record.slo).length })
      if (selected.length > max) return selected
    }
    if (!page.hasMore || page.items.length === 0) return selected
    yield* Effect.yieldNow
  }
})

/** What of a selection the store does not filter by. */
const matcherOf = ({ projects = [], services = [], labels = {}, statuses = [] }: SloSelection) => {
  const ofProjects = new Set(projects)
  const ofServices = new Set(services.map(projectKeyText))
  return (record: SloRecord): boolean => {
    const { metadata, spec } = record.slo
    return (
      (ofProjects.size === 0 || ofProjects.has(metadata.project)) &&
      (ofServices.size === 0 ||
        ofServices.has(projectKeyText({ project: metadata.project, name: spec.service }))) &&
      labelsMatch(metadata.labels, labels) &&
      (statuses.length === 0 || statuses.includes(sloState(record)))
    )
  }
}
