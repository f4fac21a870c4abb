import { urgentRowsMax } from "@tocsin/api"
import { isBurning, type ObjectiveState, objectiveState, type SloRecord } from "@tocsin/domain"
import type { Parts } from "@tocsin/domain/adapter"
import {
  compareSloRanks,
  displayNameOf,
  First,
  type SloRank,
  type SloSnapshot,
  sloState,
  tracksOf,
} from "@tocsin/domain/features/overview"
import { projectKeyText } from "@tocsin/domain/kernel"

interface Ranked extends SloRank {
  readonly record: SloRecord
}

/** Records that are ranked in one part. */
const recordsAtOnce = 100

/**
 * The snapshot of the first SLOs in the order that the console lists them in by default: those that burn now, then by state, budget
 * and name; and the state of each SLO.
 */
export function* urgentPart({ records, openAlerts }: SloSnapshot): Parts<{
  readonly part: SloSnapshot
  readonly states: ReadonlyArray<ObjectiveState>
}> {
  const first = new First<Ranked>(urgentRowsMax, compareSloRanks)
  const states: Array<ObjectiveState> = []
  for (const [index, record] of records.entries()) {
    if ((index + 1) % recordsAtOnce === 0) yield
    const state = sloState(record)
    states.push(state)
    first.add(rank(record, state, openAlerts))
  }
  const urgent = first.items.map(({ record }) => record)
  const keys = new Set(urgent.map(({ slo }) => projectKeyText(slo.metadata)))
  const part: SloSnapshot = {
    records: urgent,
    hasMore: records.length > urgent.length,
    openAlerts: new Map([...openAlerts].filter(([key]) => keys.has(key))),
  }
  return { part, states }
}

const rank = (record: SloRecord, state: ObjectiveState, openAlerts: SloSnapshot["openAlerts"]): Ranked => {
  const tracks = tracksOf(record)
  const budgets = tracks
    .filter((track) => objectiveState(track) === state)
    .map(({ errorBudgetRemainingPercentage: budget = Infinity }) => budget)
  const { slo } = record
  return {
    record,
    slo: slo.metadata,
    isBurning: openAlerts.has(projectKeyText(slo.metadata)) || tracks.some(isBurning),
    state,
    budget: Math.min(...budgets),
    displayName: displayNameOf(slo),
  }
}
