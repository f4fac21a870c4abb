import {
  isCalendarWindow,
  isCompositeObjective,
  type PlainObjective,
  type Slo,
} from "@tocsin/domain/definitions"
import { modelCalendarRange } from "./CalendarModel.ts"

/*
 * The status of an SLO, slowly and plainly: it goes through the window minute by minute and looks what was counted in
 * each. It knows no sums, hours or days.
 */

const minute = 60_000

/** Everything that a status depends on. */
export interface ModelWorld {
  readonly slo: Slo
  readonly createdAt: number
  /** The SLOs of components, by name. */
  readonly components: ReadonlyMap<string, { readonly slo: Slo; readonly createdAt: number }>
  /** By SLO, objective and start of the minute, as `checkout good 1769774400000`. */
  readonly counts: ReadonlyMap<string, { readonly good: number; readonly total: number }>
}

/** The metrics of each objective by its name, and of the legacy composite by `""`, where there are any. */
export const modelStatus = (
  world: ModelWorld,
  now: number,
): ReadonlyMap<string, Readonly<Record<string, number>>> => {
  const { slo } = world
  const window = slo.spec.timeWindow
  const inFlight = Math.floor(now / minute) * minute
  const msOfUnit = { Minute: minute, Hour: 60 * minute, Day: 24 * 60 * minute }
  const whole = isCalendarWindow(window)
    ? modelCalendarRange(window, now)
    : { from: inFlight + minute - window.count * msOfUnit[window.unit], to: inFlight + minute }

  const statusOf = (target: number, tally: Tally): Readonly<Record<string, number>> => {
    const all = tallyOf(tally, whole.from, whole.to, inFlight)
    const hour = tallyOf(tally, Math.max(whole.from, inFlight - 59 * minute), inFlight + minute, inFlight)
    const budget = 1 - target
    const seconds = (whole.to - whole.from) / 1_000
    return {
      ...(hour && { burnRate: hour.bad / hour.all / budget }),
      ...(all && {
        errorBudgetRemaining: (budget - all.bad / all.all) * seconds,
        errorBudgetRemainingPercentage: (budget - all.bad / all.all) / budget,
        reliability: 1 - all.bad / all.all,
      }),
    }
  }

  const statuses = new Map<string, Readonly<Record<string, number>>>()
  for (const objective of slo.spec.objectives) {
    const tally = isCompositeObjective(objective)
      ? tallyComponents(world, objective, inFlight)
      : slo.spec.budgetingMethod === "Occurrences"
        ? tallyEvents(world, objective, inFlight)
        : tallySlices(
            world,
            (at) => badIn(world, objective, at),
            absentIn(world, objective, inFlight),
            inFlight,
          )
    statuses.set(objective.name, statusOf(objective.target, tally))
  }
  const { composite } = slo.spec
  if (composite !== undefined) {
    const objectives = slo.spec.objectives.filter(
      (each): each is PlainObjective => !isCompositeObjective(each),
    )
    const isBad = (at: number) => {
      const known = objectives.map((each) => badIn(world, each, at)).filter((bad) => bad !== undefined)
      return known.length === 0 ? undefined : known.includes(true)
    }
    const tally = tallySlices(world, isBad, () => undefined, inFlight)
    statuses.set("", statusOf(composite.target, tally))
  }
  return statuses
}

/** What one minute adds: how much there is, how much of it is bad, and whether that comes of events. */
type Tally = (at: number) => {
  readonly all: number
  readonly bad: number
  readonly isKnown: boolean
  /** The minute has no data, and counts as an average one. */
  readonly absent?: "good" | "bad" | undefined
}

const tallyOf = (tally: Tally, from: number, to: number, inFlight: number) => {
  let [all, bad, isKnown] = [0, 0, false]
  let [minutes, absent, absentBad] = [0, 0, 0]
  for (let at = from; at < to; at += minute) {
    const seen = tally(at <= inFlight ? at : Number.NaN)
    all += seen.all
    bad += seen.bad
    isKnown ||= seen.isKnown
    if (seen.absent !== undefined) absent++
    else if (seen.all > 0) minutes++
    if (seen.absent === "bad") absentBad++
  }
  const average = minutes === 0 ? 1 : all / minutes
  all += absent * average
  bad += absentBad * average
  return isKnown && all > 0 ? { all, bad } : undefined
}

const countIn = ({ counts }: ModelWorld, slo: string, objective: string, at: number) => {
  const count = counts.get(`${slo} ${objective} ${at}`)
  return count === undefined || count.total === 0 ? undefined : count
}

/** Whether a minute has no data and counts nevertheless; `undefined`: it does not. */
const absentIn =
  (world: ModelWorld, { name, absent = "ignored" }: PlainObjective, inFlight: number) =>
  (at: number): "good" | "bad" | undefined => {
    if (absent === "ignored" || Number.isNaN(at)) return undefined
    const count = world.counts.get(`${world.slo.metadata.name} ${name} ${at}`)
    const isZeroAbsent = world.slo.spec.anomalyConfig?.noData?.treatZeroAsNoData === true
    if (count !== undefined) return isZeroAbsent && count.total === 0 ? absent : undefined
    // It may still arrive within five minutes.
    return at >= world.createdAt && at + 5 * minute <= inFlight ? absent : undefined
  }

const tallyEvents = (world: ModelWorld, objective: PlainObjective, inFlight: number): Tally => {
  const absentAt = absentIn(world, objective, inFlight)
  return (at) => {
    const count = countIn(world, world.slo.metadata.name, objective.name, at)
    if (count !== undefined) return { all: count.total, bad: count.total - count.good, isKnown: true }
    const absent = absentAt(at)
    return { all: 0, bad: 0, isKnown: absent !== undefined, absent }
  }
}

const tallySlices = (
  { slo }: ModelWorld,
  isBad: (at: number) => boolean | undefined,
  absentAt: (at: number) => "good" | "bad" | undefined,
  inFlight: number,
): Tally => {
  const { emptyTimeSlices = "good" } = slo.spec
  // The state is carried from minute to minute, for at most a day.
  const dayLong = 24 * 60 * minute
  let [state, next]: [{ readonly at: number; readonly isBad: boolean } | undefined, number] = [undefined, 0]
  const stateAt = (at: number): boolean | undefined => {
    if (Number.isNaN(at) || at > inFlight) return undefined
    // Minutes come in order; before the first of a range, a day is looked through.
    for (let each = at === next ? at : at - dayLong; each <= at; each += minute) {
      const known = isBad(each)
      if (known !== undefined) state = { at: each, isBad: known }
    }
    next = at + minute
    return state !== undefined && state.at >= at - dayLong && state.at <= at ? state.isBad : undefined
  }
  return (at) => {
    const bad = emptyTimeSlices === "lastState" ? stateAt(at) : isBad(at)
    const absent = bad === undefined ? absentAt(at) : undefined
    const isKnown = bad !== undefined || absent !== undefined
    return {
      all: emptyTimeSlices !== "ignored" || isKnown ? 1 : 0,
      bad: bad === true || absent === "bad" ? 1 : 0,
      isKnown,
    }
  }
}

/** Whether a minute is bad for an objective; `undefined` without events. */
const badIn = (world: ModelWorld, objective: PlainObjective, at: number): boolean | undefined => {
  const count = countIn(world, world.slo.metadata.name, objective.name, at)
  if (count === undefined) return undefined
  const share = count.good / count.total
  if (objective.timeSliceTarget !== undefined) return share < objective.timeSliceTarget
  const condition = world.slo.spec.composite?.burnRateCondition
  if (condition === undefined) return false
  // To the billionth, so that what is equal on paper is.
  const rate = Math.round(((1 - share) / (1 - objective.target)) * 1e9)
  const limit = Math.round(condition.value * 1e9)
  return condition.op === "gt" ? rate > limit : rate >= limit
}

const tallyComponents = (
  world: ModelWorld,
  { composite }: Extract<Slo["spec"]["objectives"][number], { readonly composite: unknown }>,
  inFlight: number,
): Tally => {
  const delay = composite.maxDelay.ms
  return (at) => {
    let [all, bad] = [0, 0]
    for (const { slo, objective, weight, whenDelayed } of composite.components) {
      const count = countIn(world, slo.name, objective, at)
      const component = world.components.get(slo.name)
      const slice = component?.slo.spec.objectives.find(({ name }) => name === objective)
      const since = Math.max(world.createdAt, component?.createdAt ?? 0)
      if (count !== undefined && component?.slo.spec.budgetingMethod === "Timeslices") {
        const isGood = count.good / count.total >= ((slice as PlainObjective).timeSliceTarget ?? 0)
        all += weight
        bad += isGood ? 0 : weight
      } else if (count !== undefined) {
        all += weight
        bad += weight * (1 - count.good / count.total)
      } else if (at >= since && at + delay <= inFlight && whenDelayed !== "Ignore") {
        all += weight
        bad += whenDelayed === "CountAsBad" ? weight : 0
      }
    }
    return { all, bad, isKnown: all > 0 }
  }
}
