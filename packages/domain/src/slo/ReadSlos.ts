import { Clock, Effect } from "effect"
import { measuredRanges } from "../alerting/Measure.ts"
import { organizationKeyText } from "../definition/Definition.ts"
import { DefinitionStore, type DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import { type CountsPlan, type CountsTold, planCounts } from "./CountsPlan.ts"
import { type CountRead, type CountsFound, CountStore, type CountStoreIsUnavailable } from "./CountStore.ts"
import { makeSumsOfParts, partsOfRanges } from "./OverlappingRanges.ts"
import type { BudgetingMethod } from "./Slo.ts"
import type { SloDue } from "./SloStore.ts"
import { burnRateRange, type WindowAt, windowAt } from "./WindowAt.ts"

/** An SLO with everything that its status is computed from, as it stands at one instant. */
export interface SloReading {
  readonly due: SloDue
  /** The instant, in Unix milliseconds. */
  readonly now: number
  readonly at: WindowAt
  readonly told: CountsTold
}

/** Reads the counts of SLOs, and those of their components, all at once. */
export const readSlos = (
  dues: ReadonlyArray<SloDue>,
): Effect.Effect<
  ReadonlyArray<SloReading>,
  CountStoreIsUnavailable | DefinitionStoreIsUnavailable,
  CountStore | DefinitionStore
> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const planned = dues.map((due) => {
      const at = windowAt(due.slo.definition.spec.timeWindow, now)
      const policies = due.policies.map(({ definition }) => definition)
      const ranges = [at.range, burnRateRange(at), ...measuredRanges(policies, at)]
      return { due, at, plan: planCounts(due.organization, due.slo, ranges, now) }
    })
    const read = yield* readPlans(planned.map(({ plan }) => plan))
    return planned.flatMap(({ due, at }, index) => {
      const told = read[index]
      return told === undefined ? [] : [{ due, now, at, told }]
    })
  })

/** Reads what plans ask for, of all of them at once; one for each, in their order. */
export const readPlans = (
  plans: ReadonlyArray<CountsPlan>,
): Effect.Effect<
  ReadonlyArray<CountsTold>,
  CountStoreIsUnavailable | DefinitionStoreIsUnavailable,
  CountStore | DefinitionStore
> =>
  Effect.gen(function* () {
    const methods = yield* readMethods(plans.flatMap(({ reads }) => reads.slice(1)))
    const found = yield* readSums(plans.flatMap(({ reads }) => reads))
    let next = 0
    return plans.map(({ reads, tell }) => {
      const foundOf = found.slice(next, (next += reads.length))
      const organization = reads[0]?.organization ?? ""
      return tell(foundOf, (slo) => methods.get(organizationKeyText(organization, slo)))
    })
  })

/**
 * Reads sums; of an SLO of which many ranges are wanted, which then overlap as the windows of a series do, every time is
 * read once.
 */
const readSums = (reads: ReadonlyArray<CountRead>) =>
  Effect.gen(function* () {
    const store = yield* CountStore
    const few = reads.filter(({ ranges }) => ranges.length <= fewRanges)
    const wantedBySlo = new Map<string, CountRead>()
    for (const read of reads) {
      if (read.ranges.length <= fewRanges) continue
      const ranges = [...(wantedBySlo.get(sloText(read))?.ranges ?? []), ...read.ranges]
      wantedBySlo.set(sloText(read), { ...read, ranges })
    }
    const parts = [...wantedBySlo.values()].map((read) => ({ ...read, ranges: partsOfRanges(read.ranges) }))
    const found = yield* store.sums([...few, ...parts])
    const foundOfFew = new Map(few.map((read, index) => [read, found[index]]))
    const foundBySlo = new Map(
      parts.map((read, index) => {
        const { sums, latestAt } = found[few.length + index] ?? nothingFound
        return [sloText(read), { latestAt, sumsOf: makeSumsOfParts(read.ranges, sums) }] as const
      }),
    )
    return reads.map((read): CountsFound => {
      const many = foundBySlo.get(sloText(read))
      if (read.ranges.length <= fewRanges || many === undefined) return foundOfFew.get(read) ?? nothingFound
      return { latestAt: many.latestAt, sums: read.ranges.map((range) => many.sumsOf(range, read.tracks)) }
    })
  })

/** As many are read as they are: a status has a few, and the store adds them up best. */
const fewRanges = 16

const nothingFound: CountsFound = { sums: [], latestAt: new Map() }

const sloText = ({ organization, slo }: CountRead): string => organizationKeyText(organization, slo)

/** The budgeting methods of the SLOs that are read as components, with one look for each organization. */
const readMethods = (components: ReadonlyArray<CountRead>) =>
  Effect.gen(function* () {
    const methods = new Map<string, BudgetingMethod>()
    const definitions = yield* DefinitionStore
    for (const organization of new Set(components.map((component) => component.organization))) {
      const keys = components.filter((component) => component.organization === organization)
      const found = yield* definitions.findAll(
        organization,
        "SLO",
        keys.map(({ slo }) => slo),
      )
      for (const { definition } of found) {
        methods.set(organizationKeyText(organization, definition.metadata), definition.spec.budgetingMethod)
      }
    }
    return methods
  })
