// What docs/spec/alerting.md, budget-adjustments.md and slos.md promise, computed from them alone: plainly, in exact fractions, and over all
// counts at every evaluation. Nothing of the evaluation is imported. Times are minutes since the Unix epoch.

/** A condition; durations in minutes. */
export interface ModelCondition {
  readonly measurement:
    "averageBurnRate" | "burnedBudget" | "timeToBurnBudget" | "timeToBurnEntireBudget" | "budgetDrop"
  readonly op: "gt" | "gte" | "lt" | "lte"
  readonly value: number
  readonly alertingWindow?: number
  readonly lastsFor?: number
  readonly minEvents?: number
  readonly minBadEvents?: number
}

export interface ModelPolicy {
  readonly coolDown: number
  readonly groups: ReadonlyArray<ReadonlyArray<ModelCondition>> | "page" | "ticket"
}

/** `calendar` windows of some days begin at a wall-clock time, as in `02:30`; the first one on 1 January 2026. */
export type ModelWindow =
  | { readonly rollingMinutes: number }
  | { readonly days: number; readonly time: string; readonly timeZone: string }

/** `target` and `sliceTarget` in thousandths; with a `sliceTarget`, minutes are counted. */
export interface ModelObjective {
  readonly target: number
  readonly sliceTarget?: number
}

export interface ModelMinute {
  readonly good: number
  readonly total: number
}

/** An alert: why it ended or that it is open, and the times by the clock and by the counts. */
export interface ModelAlert {
  readonly state: "triggered" | "resolved" | "window_ended"
  readonly triggered: number
  readonly triggeredMetric: number
  readonly ended?: number
  readonly endedMetric?: number
}

interface Range {
  readonly from: number
  readonly to: number
}

/** spec/budget-adjustments §1: minutes that are excluded, or set. */
export interface ModelAdjustment extends Range {
  readonly set?: ModelMinute | undefined
  /** When it is created; absent: before everything else. */
  readonly at?: number | undefined
}

interface Fraction {
  readonly n: bigint
  readonly d: bigint
}

const fraction = (n: bigint | number, d: bigint | number): Fraction => ({ n: BigInt(n), d: BigInt(d) })
const times = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d })
const over = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d, d: a.d * b.n })
const minus = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d - b.n * a.d, d: a.d * b.d })
const one = fraction(1, 1)

/** spec/alerting §2: 12 significant digits. */
const rounded = (value: number): number => Number(value.toPrecision(12))

const numberOf = ({ n, d }: Fraction): number => rounded(Number(n) / Number(d))

const compares = (value: number, op: ModelCondition["op"], limit: number): boolean =>
  op === "gt" ? value > limit : op === "gte" ? value >= limit : op === "lt" ? value < limit : value <= limit

/** spec/slos §4 and §5: the window of a minute, as a whole. */
const windowAt = (window: ModelWindow, minute: number): Range => {
  if ("rollingMinutes" in window) return { from: minute + 1 - window.rollingMinutes, to: minute + 1 }
  const startOf = (index: number) =>
    instantOfWallClock(Date.UTC(2026, 0, 1 + index * window.days) / 60_000, window.time, window.timeZone)
  const known = calendarWindows.find(
    (each) => each.of === window && each.range.from <= minute && minute < each.range.to,
  )
  if (known !== undefined) return known.range
  let index = 0
  while (startOf(index + 1) <= minute) index++
  const range = { from: startOf(index), to: startOf(index + 1) }
  calendarWindows.unshift({ of: window, range })
  return range
}

const calendarWindows: Array<{ readonly of: ModelWindow; readonly range: Range }> = []

const wallClocks = new Map<string, Intl.DateTimeFormat>()

/** What the clocks of a zone show, as if it were UTC. */
const wallClockAt = (minute: number, timeZone: string): number => {
  let format = wallClocks.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" })
    wallClocks.set(timeZone, format)
  }
  return Date.parse(`${format.format(minute * 60_000).replace(" ", "T")}Z`) / 60_000
}

const instants = new Map<string, number>()

/** The first instant with a wall-clock time; if it is skipped, later by the skipped duration. */
const instantOfWallClock = (date: number, time: string, timeZone: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  const wall = date + hours * 60 + minutes
  const key = `${wall} ${timeZone}`
  const known = instants.get(key)
  if (known !== undefined) return known
  const dayBefore = wall - 1_440
  let instant = dayBefore
  while (instant < wall + 1_440 && wallClockAt(instant, timeZone) !== wall) instant++
  if (instant === wall + 1_440) instant = wall - (wallClockAt(dayBefore, timeZone) - dayBefore)
  instants.set(key, instant)
  return instant
}

/** spec/alerting §14: what a preset stands for. */
const groupsOf = (policy: ModelPolicy, days: number): ReadonlyArray<ReadonlyArray<ModelCondition>> => {
  if (typeof policy.groups !== "string") return policy.groups
  const burns = (value: number, alertingWindow: number): ModelCondition => ({
    measurement: "averageBurnRate",
    op: "gte",
    value,
    alertingWindow,
  })
  const rows =
    policy.groups === "page"
      ? [
          { share: 2, long: 60 },
          { share: 5, long: 360 },
        ]
      : [
          { share: 10, long: 1_440 },
          { share: 10, long: 4_320 },
        ]
  return rows.map(({ share, long }) => {
    const scaled = days >= 28 && days <= 31 ? long : Math.round((long * days) / 150) * 5
    const bounded = Math.min(Math.max(scaled, 5), 10_080)
    const exact = Math.round((share * days * 1_440) / bounded) / 100
    const rate = days < 1 ? Math.max(exact, 1) : exact
    return [burns(rate, bounded), burns(rate, Math.max(Math.round(bounded / 12), 5))]
  })
}

/** The budget of an objective, over the counts that have arrived. */
class Budget {
  readonly counts: Map<number, ModelMinute>
  readonly objective: ModelObjective
  readonly window: ModelWindow
  adjustments: ReadonlyArray<ModelAdjustment>
  #extent: Range & { readonly of: number } = { of: 0, from: Infinity, to: -Infinity }

  constructor(
    objective: ModelObjective,
    window: ModelWindow,
    adjustments: ReadonlyArray<ModelAdjustment>,
    counts = new Map<number, ModelMinute>(),
  ) {
    this.counts = counts
    this.objective = objective
    this.window = window
    this.adjustments = adjustments
  }

  /** spec/budget-adjustments §3 */
  minutesIn({ from, to }: Range): ReadonlyArray<ModelMinute> {
    const set = this.adjustments.filter((each) => each.set !== undefined)
    const known = this.extent
    const first = Math.max(from, Math.min(known.from, ...set.map((each) => each.from)))
    const end = Math.min(to, Math.max(known.to, ...set.map((each) => each.to)))
    const near = this.adjustments.filter((each) => each.from < end && each.to > first)
    const minutes: Array<ModelMinute> = []
    for (let minute = Math.ceil(first); minute < end; minute++) {
      const adjusting = near.filter((each) => minute >= each.from && minute < each.to)
      if (adjusting.some((each) => each.set === undefined)) continue
      const counts = adjusting[0]?.set ?? this.counts.get(minute)
      if (counts !== undefined) minutes.push(counts)
    }
    return minutes
  }

  /** spec/budget-adjustments §3: how many minutes of a range that begins there are not excluded. */
  keptMinutes(from: number, length: number): number {
    const minutes = new Set<number>()
    for (const each of this.adjustments) {
      if (each.set !== undefined) continue
      for (let minute = Math.max(each.from, from); minute < Math.min(each.to, from + length); minute++) {
        minutes.add(minute)
      }
    }
    return length - minutes.size
  }

  events(range: Range): { readonly all: number; readonly bad: number } {
    let [all, bad] = [0, 0]
    for (const { good, total } of this.minutesIn(range)) {
      all += total
      bad += total - good
    }
    return { all, bad }
  }

  /** spec/slos §2, as a multiple of the share that may be bad; `length` is that of the range as a whole. */
  burned(range: Range, length: number): Fraction | undefined {
    const { all, bad } = this.events(range)
    if (all === 0) return undefined
    const { sliceTarget, target } = this.objective
    const mayBeBad = fraction(1_000 - target, 1_000)
    if (sliceTarget === undefined) return over(fraction(bad, all), mayBeBad)
    const badMinutes = this.minutesIn(range).filter(
      ({ good, total }) => total > 0 && good * 1_000 < sliceTarget * total,
    ).length
    return over(fraction(badMinutes, this.keptMinutes(range.from, length)), mayBeBad)
  }

  /** spec/slos §3: the fraction that remains after a range of a window, whose whole length is `length`. */
  remaining(range: Range, length: number): Fraction | undefined {
    const burned = this.burned(range, length)
    return burned === undefined ? undefined : minus(one, burned)
  }

  /** From the earliest minute with counts to the latest. It changes with their number, as none is taken away. */
  get extent(): Range {
    if (this.#extent.of !== this.counts.size) {
      let [from, to] = [Infinity, -Infinity]
      for (const minute of this.counts.keys()) {
        if (minute < from) from = minute
        if (minute >= to) to = minute + 1
      }
      this.#extent = { of: this.counts.size, from, to }
    }
    return this.#extent
  }

  get latest(): number | undefined {
    return this.counts.size === 0 ? undefined : this.extent.to - 1
  }

  /** Whether a condition is met at an instant; it is not without data. */
  isMet(condition: ModelCondition, at: number): boolean {
    const { latest } = this
    if (latest === undefined) return false
    const { measurement, alertingWindow, op, value, minEvents = 0, minBadEvents = 0 } = condition
    // spec/alerting §12
    const end = Math.min(latest + 2, Math.floor(at) + 1)
    const isCalendar = "days" in this.window
    const whole = windowAt(this.window, isCalendar ? Math.floor(at) : end - 1)
    const length = whole.to - whole.from
    const inWindow: Range = { from: whole.from, to: end }
    const rateFrom = alertingWindow === undefined ? Math.max(end - 60, whole.from) : end - alertingWindow
    const range: Range = measurement === "burnedBudget" ? inWindow : { from: rateFrom, to: end }
    if (at - (latest + 1) >= range.to - range.from) return false
    // spec/alerting §13
    const counted = this.events(range)
    if (counted.all < minEvents || counted.bad < minBadEvents) return false
    const remaining = this.remaining(inWindow, length)
    const burnRate = this.burned(range, range.to - range.from)
    const measured = ((): number | undefined => {
      switch (measurement) {
        case "averageBurnRate":
          return burnRate && numberOf(burnRate)
        case "burnedBudget":
          return remaining && numberOf(minus(one, remaining))
        case "timeToBurnBudget":
          if (remaining === undefined || burnRate === undefined) return undefined
          if (remaining.n <= 0n) return 0
          if (burnRate.n === 0n) return Infinity
          return numberOf(over(times(remaining, fraction(length, 1)), burnRate))
        case "timeToBurnEntireBudget":
          if (burnRate === undefined) return undefined
          return burnRate.n === 0n ? Infinity : numberOf(over(fraction(length, 1), burnRate))
        case "budgetDrop": {
          if (remaining === undefined) return undefined
          const windowBefore: Range = {
            from: isCalendar ? whole.from : range.from - length,
            to: range.from,
          }
          const before = this.remaining(windowBefore, length) ?? one
          return numberOf(minus(before, remaining))
        }
      }
    })()
    return measured !== undefined && compares(measured, op, value)
  }
}

/** spec/alerting §12: the minutes of an objective that have changed in the past, and their counts before. */
class PastChanges {
  readonly previous = new Map<number, ModelMinute | undefined>()
  changedAt = -Infinity
  /** spec/budget-adjustments §6: the end of the minutes that adjustments changed, and the adjustments before. */
  adjusted: { readonly to: number; readonly before: ReadonlyArray<ModelAdjustment> } | undefined

  /** Creates adjustments. */
  adjust(budget: Budget, created: ReadonlyArray<ModelAdjustment>, at: number): void {
    const to = Math.floor(at) + 1
    if (created.some(({ from }) => from < to)) {
      this.adjusted = { to, before: this.adjusted?.before ?? budget.adjustments }
      this.changedAt = at
    }
    budget.adjustments = [...budget.adjustments, ...created]
  }

  /** Changes that are part of the history from now on. */
  forget(): void {
    this.previous.clear()
    this.adjusted = undefined
  }

  /** Records counts that arrive together. */
  record(budget: Budget, arrived: ReadonlyArray<ModelArrival>, at: number): void {
    const { latest = -Infinity } = budget
    for (const { minute, good, total } of arrived) {
      const before = budget.counts.get(minute)
      budget.counts.set(minute, { good, total })
      if (minute >= latest - 60 || (before?.good === good && before.total === total)) continue
      this.changedAt = at
      if (!this.previous.has(minute)) this.previous.set(minute, before)
    }
  }

  isRecent(at: number): boolean {
    return at - this.changedAt <= 60
  }

  /** As if the past had not changed. */
  without(budget: Budget): Budget {
    const { objective, window, counts } = budget
    if (this.previous.size === 0 && this.adjusted === undefined) return budget
    const { to, before: adjusted } = this.adjusted ?? { to: 0, before: budget.adjustments }
    const adjustments = budget.adjustments.flatMap((each) =>
      adjusted.includes(each) ? [each] : each.to > to ? [{ ...each, from: Math.max(each.from, to) }] : [],
    )
    const before = new Map(counts)
    for (const [minute, each] of this.previous) {
      if (each === undefined) before.delete(minute)
      else before.set(minute, each)
    }
    return new Budget(objective, window, adjustments, before)
  }
}

/** spec/alerting §3, §12 and §14: the alerts of a policy for an objective. */
class Alerts {
  /** The groups that are met only with a change of the past. */
  held: ReadonlySet<number> = new Set()
  /** Since when each condition of each group counts as met for a new alert, by the time of the counts. */
  readonly counting = new Map<string, number>()
  readonly alerts: Array<ModelAlert> = []
  /** Since when each condition of each group is met, by the time of the counts, or is not, by the clock. */
  readonly since = new Map<string, { readonly isMet: boolean; readonly at: number }>()
  readonly policy: ModelPolicy
  readonly window: ModelWindow
  windowFrom: number | undefined

  constructor(policy: ModelPolicy, window: ModelWindow) {
    this.policy = policy
    this.window = window
  }

  evaluate(budget: Budget, without: Budget, isRecent: boolean, at: number): void {
    const { latest } = budget
    if (latest === undefined) return
    const measuredAt = Math.min(at, latest + 2)
    const whole = windowAt(this.window, Math.floor(at))
    const isNewWindow = "days" in this.window && whole.from !== this.windowFrom
    this.windowFrom = whole.from
    if (isNewWindow) this.since.clear()
    if (isNewWindow) this.counting.clear()
    const heldBefore = this.held
    const held = new Set<number>()
    const groups = groupsOf(this.policy, (whole.to - whole.from) / 1_440).map((conditions, group) => {
      const isCompared = isRecent || (isNewWindow ? heldBefore.size > 0 : heldBefore.has(group))
      const states = conditions.map((condition, index) => {
        const key = `${group}.${index}`
        const isMet = budget.isMet(condition, at)
        const before = this.since.get(key)
        const since = before?.isMet === isMet ? before : { isMet, at: isMet ? measuredAt : at }
        this.since.set(key, since)
        const counts = isMet && (!isCompared || without.isMet(condition, at))
        const countsSince = counts ? (this.counting.get(key) ?? measuredAt) : undefined
        if (countsSince === undefined) this.counting.delete(key)
        else this.counting.set(key, countsSince)
        return {
          isMet,
          counts,
          holds: countsSince !== undefined && measuredAt - countsSince >= (condition.lastsFor ?? 0),
          isOver: !isMet && at - since.at >= this.policy.coolDown,
        }
      })
      if (states.every(({ isMet }) => isMet) && !states.every(({ counts }) => counts)) held.add(group)
      return states
    })
    this.held = held
    const open = this.alerts.at(-1)?.state === "triggered" ? this.alerts.pop() : undefined
    const end = (alert: ModelAlert, state: ModelAlert["state"]) =>
      this.alerts.push({ ...alert, state, ended: at, endedMetric: latest })
    if (open !== undefined) {
      if (isNewWindow) end(open, "window_ended")
      else if (groups.every((conditions) => conditions.some(({ isOver }) => isOver))) {
        end(open, "resolved")
        return
      } else {
        this.alerts.push(open)
        this.held = new Set()
        return
      }
    }
    if (at - (latest + 1) <= 60 && groups.some((conditions) => conditions.every(({ holds }) => holds))) {
      this.alerts.push({ state: "triggered", triggered: at, triggeredMetric: latest })
      this.held = new Set()
    }
  }
}

/** An arrival of counts: the minute, and when they are recorded. Those of the same instant arrive at once. */
export interface ModelArrival extends ModelMinute {
  readonly minute: number
  readonly at: number
}

/**
 * The alerts of each policy for an objective. spec/slos §9: its status is computed as each minute begins, when counts arrive,
 * and when a `lastsFor` or a `coolDown` ends. All of these are at half minutes, and a status that is computed more often is the
 * same. Where `isCountsFirst`, it is not computed at the instant of an arrival without the counts that arrive.
 */
export const predictAlerts = (
  objective: ModelObjective,
  window: ModelWindow,
  policies: ReadonlyArray<ModelPolicy>,
  arrivals: ReadonlyArray<ModelArrival>,
  to: number,
  {
    adjustments = [],
    isCountsFirst = false,
  }: { readonly adjustments?: ReadonlyArray<ModelAdjustment>; readonly isCountsFirst?: boolean } = {},
): ReadonlyArray<ReadonlyArray<ModelAlert>> => {
  const budget = new Budget(
    objective,
    window,
    adjustments.filter((each) => each.at === undefined),
  )
  const past = new PastChanges()
  const alerts = policies.map((policy) => new Alerts(policy, window))
  const from = Math.min(...arrivals.map(({ at }) => at))
  for (let at = from; at <= to; at += 0.5) {
    const evaluate = (): void => {
      const without = past.without(budget)
      for (const each of alerts) each.evaluate(budget, without, past.isRecent(at), at)
      if (!past.isRecent(at) && alerts.every(({ held }) => held.size === 0)) past.forget()
    }
    const created = adjustments.filter((each) => each.at === at)
    if (created.length > 0) past.adjust(budget, created, at)
    const arrived = arrivals.filter((arrival) => arrival.at === at)
    if (arrived.length === 0 || !isCountsFirst) evaluate()
    past.record(budget, arrived, at)
    if (arrived.length > 0) evaluate()
  }
  return alerts.map((each) => each.alerts)
}
