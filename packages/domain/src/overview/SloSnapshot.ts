import * as Effect from "effect/Effect"
import { AlertStore, type OpenAlerts } from "../alerting/AlertStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import type { Slo } from "../slo/Slo.ts"
import { type ObjectiveState, objectiveState, worseState } from "../slo/ObjectiveState.ts"
import type { ObjectiveStatus } from "../status/ObjectiveStatus.ts"
import { recordKey, type SloRecord } from "../status/SloRecord.ts"
import { SloStore } from "../status/SloStore.ts"

/** Most SLOs of an organization that are read together; by default, more than it can have. */
export const snapshotSlosMax = 20_000

/** All SLOs of an organization with their present status. */
export interface SloSnapshot {
  /** By project and name, in the order of code points. */
  readonly records: ReadonlyArray<SloRecord>
  /** Whether there are more SLOs. */
  readonly hasMore: boolean
  /** By `projectKeyText`; SLOs without open alerts have no entry. */
  readonly openAlerts: ReadonlyMap<string, OpenAlerts>
}

/** Reads the first `snapshotSlosMax` SLOs of an organization after a key, and which of them have open alerts. */
export const readSloSnapshot = Effect.fnUntraced(function* (
  organization: OrganizationId,
  after?: ProjectKey,
) {
  const store = yield* SloStore
  const records: Array<SloRecord> = []
  let hasMore = true
  while (hasMore && records.length < snapshotSlosMax) {
    const last = records.at(-1)
    const from = last === undefined ? after : recordKey(last)
    const request = { limit: pageSizeMax, ...(from !== undefined && { after: from }) }
    const page = yield* store.page(organization, request)
    records.push(...page.items)
    hasMore = page.hasMore && page.items.length > 0
    yield* Effect.yieldNow
  }
  const snapshot: SloSnapshot = { records, hasMore, openAlerts: yield* readOpenAlerts(organization) }
  return snapshot
})

/** Reads which SLOs of an organization have open alerts, as in `SloSnapshot`. */
export const readOpenAlerts = Effect.fnUntraced(function* (organization: OrganizationId) {
  const open = yield* (yield* AlertStore).openBySlo(organization)
  return new Map(open.map((alerts): [string, OpenAlerts] => [projectKeyText(alerts.slo), alerts]))
})

/** An objective of an SLO, or the legacy composite over all of them, with its status. */
export interface TrackStatus extends ObjectiveStatus {
  /** The name of the objective; that of the legacy composite is `overallTrack`. */
  readonly track: string
  /** Absent for the legacy composite, and if the objective has none. */
  readonly displayName?: string
  /** The required share of good events, 0 ≤ target < 1. */
  readonly target: number
}

/** The objectives of a record in order; the legacy composite is first, as in the console. */
export const tracksOf = (record: SloRecord): ReadonlyArray<TrackStatus> => {
  const known = tracksByRecord.get(record)
  if (known !== undefined) return known
  const { slo, statuses } = record
  const { composite } = slo.spec
  const tracks: ReadonlyArray<TrackStatus> = [
    ...(composite === undefined
      ? []
      : [{ track: overallTrack, target: composite.target, ...statuses.get(overallTrack) }]),
    ...objectivesOf(slo).map(({ name, displayName, target }) => ({
      track: name,
      ...(displayName !== undefined && { displayName }),
      target,
      ...statuses.get(name),
    })),
  ]
  tracksByRecord.set(record, tracks)
  return tracks
}

/** An overview asks for the tracks of each record several times, and a record stays as it is. */
const tracksByRecord = new WeakMap<SloRecord, ReadonlyArray<TrackStatus>>()

/** The state of an SLO: the most urgent one of its objectives. */
export const sloState = (record: SloRecord): ObjectiveState =>
  tracksOf(record).map(objectiveState).reduce(worseState, "noData")

/** The name that people read. */
export const displayNameOf = ({ metadata: { name, displayName } }: Pick<Slo, "metadata">): string =>
  displayName ?? name
