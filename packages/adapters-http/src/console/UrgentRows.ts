import { urgentRowsMax } from "@tocsin/api"
import { type ObjectiveState, objectiveState, objectiveStates, type SloRecord } from "@tocsin/domain"
import type { Parts } from "@tocsin/domain/adapter"
import { displayNameOf, type SloSnapshot, sloState, tracksOf } from "@tocsin/domain/features/overview"
import { projectKeyText } from "@tocsin/domain/kernel"
import { roundedBudget } from "./SloRows.ts"

interface Ranked {
  readonly record: SloRecord
  readonly urgency: number
  readonly budget: number
}

/** Records that are ranked in one part. */
const recordsAtOnce = 100

/**
 * The snapshot of the first SLOs in the order that the console lists them in by default: by state, budget and name; and the state
 * of each SLO.
 */
export function* urgentPart({ records, openAlerts }: SloSnapshot): Parts<{
  readonly part: SloSnapshot
  readonly states: ReadonlyArray<ObjectiveState>
}> {
  const first: Array<Ranked> = []
  const states: Array<ObjectiveState> = []
  for (const [index, record] of records.entries()) {
    if ((index + 1) % recordsAtOnce === 0) yield
    const state = sloState(record)
    states.push(state)
    const ranked = rank(record, state)
    const last = first.at(-1)
    if (first.length === urgentRowsMax && last !== undefined && compare(last, ranked) <= 0) continue
    const at = first.findLastIndex((other) => compare(other, ranked) <= 0) + 1
    first.splice(at, 0, ranked)
    first.splice(urgentRowsMax)
  }
  const urgent = first.map(({ record }) => record)
  const keys = new Set(urgent.map(({ slo }) => projectKeyText(slo.metadata)))
  const part: SloSnapshot = {
    records: urgent,
    hasMore: records.length > urgent.length,
    openAlerts: new Map([...openAlerts].filter(([key]) => keys.has(key))),
  }
  return { part, states }
}

/** The budget is that of the most urgent objective, with the digits that the console has. */
const rank = (record: SloRecord, state: ObjectiveState): Ranked => {
  const budgets = tracksOf(record)
    .filter((track) => objectiveState(track) === state)
    .map(({ errorBudgetRemainingPercentage: budget }) =>
      budget === undefined ? Infinity : roundedBudget(budget),
    )
  return { record, urgency: objectiveStates.indexOf(state), budget: Math.min(...budgets) }
}

const compare = (a: Ranked, b: Ranked): number => {
  if (a.urgency !== b.urgency) return a.urgency - b.urgency
  if (a.budget !== b.budget) return a.budget < b.budget ? -1 : 1
  const names = collator.compare(displayNameOf(a.record.slo), displayNameOf(b.record.slo))
  if (names !== 0) return names
  return projectKeyText(a.record.slo.metadata) < projectKeyText(b.record.slo.metadata) ? -1 : 1
}

const collator = new Intl.Collator("en", { numeric: true })
