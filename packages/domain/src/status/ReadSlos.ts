import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { conditionRanges } from "./MeasureCondition.ts"
import { type OrganizationId, organizationKeyText } from "../metadata/ObjectKey.ts"
import {
  DefinitionStore,
  type DefinitionStoreIsUnavailable,
  type StoredDefinition,
} from "../definition/DefinitionStore.ts"
import { type CountsReading, planCounts } from "./CountsPlan.ts"
import {
  type CountRead,
  type CountSumsRead,
  CountStore,
  type CountStoreIsUnavailable,
} from "../counts/CountStore.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { makeSumsOfParts, partsOfRanges } from "../counts/OverlappingRanges.ts"
import { isCompositeObjective, type Slo } from "../slo/Slo.ts"
import type { DueSlo } from "./SloStore.ts"
import { makeCalendarRanges, burnRateRange, type WindowAt, windowAt } from "../slo/WindowAt.ts"

export interface SloReading {
  readonly due: DueSlo
  /** The instant, in Unix milliseconds. */
  readonly now: number
  readonly at: WindowAt
  readonly counts: CountsReading
}

export const readSlos = (
  dues: ReadonlyArray<DueSlo>,
): Effect.Effect<
  ReadonlyArray<SloReading>,
  CountStoreIsUnavailable | DefinitionStoreIsUnavailable,
  CountStore | DefinitionStore
> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const calendarRanges = makeCalendarRanges()
    const wanted = dues.map((due) => {
      const at = windowAt(due.slo.definition.spec.timeWindow, now, calendarRanges)
      const policies = due.policies.map(({ definition }) => definition)
      const ranges = [at.range, burnRateRange(at), ...conditionRanges(policies, at)]
      return { due, at, organization: due.organization, slo: due.slo, ranges }
    })
    const read = yield* readCounts(wanted, now)
    return wanted.flatMap(({ due, at }, index) => {
      const counts = read[index]
      return counts === undefined ? [] : [{ due, now, at, counts }]
    })
  })

export interface CountsWanted {
  readonly organization: OrganizationId
  readonly slo: StoredDefinition<Slo>
  readonly ranges: ReadonlyArray<MinuteRange>
}

/** Reads the counts of SLOs at `now` (Unix milliseconds) in one query; returns them in the order of the SLOs. */
export const readCounts = (
  wanted: ReadonlyArray<CountsWanted>,
  now: number,
): Effect.Effect<
  ReadonlyArray<CountsReading>,
  CountStoreIsUnavailable | DefinitionStoreIsUnavailable,
  CountStore | DefinitionStore
> =>
  Effect.gen(function* () {
    const components = yield* readComponents(wanted)
    const plans = wanted.map(({ organization, slo, ranges }) =>
      planCounts(organization, slo, ranges, now, (key) =>
        components.get(organizationKeyText(organization, key)),
      ),
    )
    const found = yield* readSums(plans.flatMap(({ reads }) => reads))
    let next = 0
    return plans.map(({ reads, interpret }) => interpret(found.slice(next, (next += reads.length))))
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
        const { sums, latestAt } = found[few.length + index] ?? noSums
        return [sloText(read), { latestAt, sumsOf: makeSumsOfParts(read.ranges, sums) }] as const
      }),
    )
    return reads.map((read): CountSumsRead => {
      const many = foundBySlo.get(sloText(read))
      if (read.ranges.length <= fewRanges || many === undefined) return foundOfFew.get(read) ?? noSums
      return { latestAt: many.latestAt, sums: read.ranges.map((range) => many.sumsOf(range, read.tracks)) }
    })
  })

/** As many are read as they are: a status has a few, and the store adds them up best. */
const fewRanges = 16

const noSums: CountSumsRead = { sums: [], latestAt: new Map() }

const sloText = ({ organization, slo }: CountRead): string => organizationKeyText(organization, slo)

const readComponents = (wanted: ReadonlyArray<CountsWanted>) =>
  Effect.gen(function* () {
    const components = new Map<string, StoredDefinition<Slo>>()
    const definitions = yield* DefinitionStore
    const keys = wanted.flatMap(({ organization, slo }) =>
      slo.definition.spec.objectives
        .filter(isCompositeObjective)
        .flatMap(({ composite }) =>
          composite.components.map((component) => ({ organization, key: component.slo })),
        ),
    )
    for (const organization of new Set(keys.map((each) => each.organization))) {
      const ofOrganization = keys.filter((each) => each.organization === organization)
      const found = yield* definitions.findAll(
        organization,
        "SLO",
        ofOrganization.map(({ key }) => key),
      )
      for (const stored of found) {
        components.set(organizationKeyText(organization, stored.definition.metadata), stored)
      }
    }
    return components
  })
