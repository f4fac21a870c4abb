import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import { groupsOf } from "../alert-policy/ConditionGroups.ts"
import { decode, described, named, type TypeOf } from "../codec/Codec.ts"
import { eitherOf, object, optional } from "../codec/Containers.ts"
import { string } from "../codec/Leaves.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { utcInstant } from "../codec/Instant.ts"
import { dayMs, dayOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { CountStore, type TrackHour } from "../counts/CountStore.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import type { DecodeOptions } from "../definition/DecodeDefinition.ts"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import { type OrganizationId, projectKeyText } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { inParts } from "../work/Parts.ts"
import { overallTrack, targetsOf } from "../slo/SliceRules.ts"
import { objectiveNameMaxCharacters } from "../slo/GroupValues.ts"
import { objectiveNameRule } from "../slo/ObjectiveNameRule.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { isCompositeObjective } from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import { burnRateRange, windowAt } from "../slo/WindowAt.ts"
import { SloNotFound, sloKey } from "../status/FindSlo.ts"
import { conditionRanges } from "../status/MeasureCondition.ts"
import { SloStore } from "../status/SloStore.ts"
import { type CountHistory, makeCountHistory } from "./CountHistory.ts"
import { findPolicy, policyFields } from "./PolicyChoice.ts"
import { type BacktestResult, runBacktest } from "./RunBacktest.ts"

/** Longest range of a backtest, in days. */
export const backtestRangeMaxDays = 31

/** Most objectives of an SLO that one backtest evaluates. */
export const backtestObjectivesMax = 10

/** Most minutes of counts that one backtest reads, of all objectives and components together. */
const backtestMinutesMax = 2_000_000

/** The properties of a request for a backtest. */
export const backtestFields = {
  ...policyFields,
  objective: optional(
    described(
      string({ max: objectiveNameMaxCharacters }),
      `Name of the objective to evaluate. Default: all, if the SLO has at most ${backtestObjectivesMax}`,
    ),
  ),
  from: optional(described(utcInstant, `Default: ${backtestRangeMaxDays} days before \`to\``)),
  to: optional(described(utcInstant, `At most ${backtestRangeMaxDays} days after \`from\`. Default: now`)),
}

/** The codec of a backtest request for a stored SLO: the alert policy by name or as a definition, not both. */
export const backtestRequest = named(
  object(backtestFields, { rules: eitherOf("alertPolicy", "definition") }),
  "BacktestRequest",
)

/** Nothing was evaluated. */
export class BacktestIsInvalid extends TaggedError("BacktestIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** The alerts that an alert policy would have opened, and the statuses at the end of the range. */
export interface Backtest extends BacktestResult {
  /** Whole minutes. */
  readonly range: MinuteRange
  /** The SLO with only the objectives that were evaluated. */
  readonly slo: Slo
  /** The alerts per 30 days. */
  readonly alertsPerMonth: number
}

/**
 * Says which alerts an alert policy would have opened for the objectives of an SLO, from the counts known now (spec/backtests).
 */
export const backtestPolicy = Effect.fnUntraced(function* (
  organization: OrganizationId,
  request: { readonly project?: string | undefined; readonly name: string; readonly body: unknown },
  options: DecodeOptions,
) {
  const key = yield* Effect.fromResult(sloKey(request.project, request.name))
  const definitions = yield* DefinitionStore
  const found = yield* (yield* SloStore).findForStatus(organization, key)
  if (Option.isNone(found)) return yield* new SloNotFound(key)
  const decoded = decode(backtestRequest, request.body, { ...options, defaultProject: key.project })
  if (Result.isFailure(decoded)) return yield* new BacktestIsInvalid({ issues: decoded.failure })
  const body = decoded.success
  const now = yield* Clock.currentTimeMillis
  const retentionDays = yield* CountsRetention

  const issues = new IssueList()
  const range = rangeOf(body, now, retentionDays, issues)
  const slo = evaluatedPart(found.value.slo, body.objective, issues)
  const policy = yield* findPolicy(organization, key.project, body, "alertPolicy", issues)
  if (policy === undefined || slo === undefined || range === undefined || !issues.isEmpty) {
    return yield* new BacktestIsInvalid({ issues: issues.sorted() })
  }

  yield* chargeBacktest(organization, slo.definition, policy.definition, range)
  const components = yield* definitions.findAll(organization, "SLO", componentsOf(slo.definition))
  const histories = yield* readHistories(organization, slo, components, policy.definition, range)
  const result = yield* runBacktest({
    organization,
    slo,
    policy,
    components,
    adjustments: found.value.adjustments,
    histories,
    range,
  })
  return backtestOf(result, slo.definition, range)
})

/** Minutes of an objective, with one condition, whose evaluation counts as one unit of backtests. */
const backtestMinutesPerUnit = 2_000

/** Maximum number of units of backtests of an organization, per window; each is about 100 ms of processor time. */
const backtestUnitsPerWindow = 300

/** Window of the limit of backtests, in milliseconds. */
const backtestWindowMs = 100_000

const backtestsPolicy: RateLimitPolicy = {
  name: "backtests",
  limit: backtestUnitsPerWindow,
  windowMs: backtestWindowMs,
}

/** Counts a backtest by its minutes, objectives and conditions, before anything is read; fails with `RateLimitIsExceeded`. */
export const chargeBacktest = (
  organization: OrganizationId,
  slo: Slo,
  policy: AlertPolicy,
  range: MinuteRange,
) => {
  const { lengthMs } = windowAt(slo.spec.timeWindow, range.from)
  const conditions = groupsOf(policy.spec, lengthMs).flat().length
  const minutes = (range.to - range.from) / minuteMs
  // A minute of an objective is measured in any case, whatever the conditions.
  const evaluated = minutes * targetsOf(slo).size * (1 + conditions / 4)
  return enforceRateLimit(organization, backtestsPolicy, "", Math.ceil(evaluated / backtestMinutesPerUnit))
}

export const backtestOf = (result: BacktestResult, slo: Slo, range: MinuteRange): Backtest => ({
  ...result,
  range,
  slo,
  alertsPerMonth: (result.alerts.length * 30 * dayMs) / (range.to - range.from),
})

const rangeOf = (
  body: Pick<TypeOf<typeof backtestRequest>, "from" | "to">,
  now: number,
  retentionDays: number,
  issues: IssueList,
): MinuteRange | undefined => {
  const maxMs = backtestRangeMaxDays * dayMs
  const latest = minuteOf(now)
  const to = minuteOf(body.to ?? Math.min(latest, (body.from ?? latest) + maxMs))
  const from = minuteOf(body.from ?? to - maxMs)
  if (to > latest) issues.add("to", "out_of_range", "must not be in the future")
  if (from >= to) issues.add("from", "out_of_range", "must be at least a minute before to")
  if (to - from > maxMs) {
    issues.add("from", "out_of_range", `must be at most ${backtestRangeMaxDays} days before to`)
  }
  if (from < now - retentionDays * dayMs) {
    const message = `must be at most ${retentionDays} days ago, as counts are retained for that long`
    issues.add("from", "out_of_range", message)
  }
  return issues.isEmpty ? { from, to } : undefined
}

/** The SLO with the objectives to evaluate. */
const evaluatedPart = (
  stored: StoredDefinition<Slo>,
  objective: string | undefined,
  issues: IssueList,
): StoredDefinition<Slo> | undefined => {
  const { spec } = stored.definition
  const all = objectivesOf(stored.definition)
  if (objective === undefined) {
    if (all.length <= backtestObjectivesMax) return stored
    const message = `is required, as the SLO has more than ${backtestObjectivesMax} objectives`
    return issues.add("objective", "required", message)
  }
  // Without its indicator, which may group them.
  const { composite: _, indicator: _indicator, ...rest } = spec
  const objectives = all.filter(({ name }) => name === objective)
  if (objectives.length === 0) {
    return issues.add("objective", "not_found", objectiveNameRule(all.map(({ name }) => name)))
  }
  return { ...stored, definition: { ...stored.definition, spec: { ...rest, objectives } } }
}

/** The SLOs of the components of composite objectives. */
export const componentsOf = ({ spec }: Slo) =>
  spec.objectives
    .filter(isCompositeObjective)
    .flatMap(({ composite }) => composite.components)
    .map(({ slo }) => slo)

/** Reads the minutes that the evaluation measures in the range, of the SLO and its components. */
export const readHistories = Effect.fnUntraced(function* (
  organization: OrganizationId,
  slo: StoredDefinition<Slo>,
  components: ReadonlyArray<StoredDefinition<Slo>>,
  policy: AlertPolicy,
  range: MinuteRange,
) {
  const tracksBySlo = tracksOf(slo.definition)
  const at = windowAt(slo.definition.spec.timeWindow, range.from)
  const measured = [
    at.range,
    burnRateRange(at),
    ...conditionRanges(groupsOf(policy.spec, at.lengthMs).flat(), at),
  ]
  const from = Math.min(...measured.map((each) => each.from))
  const tracks = [...tracksBySlo.values()].reduce((sum, { size }) => sum + size, 0)
  const check = (start: number) => {
    const minutes = (tracks * (range.to - start)) / minuteMs
    if (minutes <= backtestMinutesMax) return Effect.void
    const message = `needs ${minutes} minutes of counts of ${tracks} objectives, at most ${backtestMinutesMax} are allowed: choose a later from, or an objective`
    return new BacktestIsInvalid({ issues: [{ path: "from", code: "out_of_range", message }] })
  }
  yield* check(from)
  const slos = [slo, ...components].map(({ definition }) => definition)
  const readAll = (part: MinuteRange) =>
    Effect.forEach(slos, (each) => {
      const tracks = tracksBySlo.get(projectKeyText(each.metadata)) ?? new Set()
      return readHours(organization, each, part, tracks)
    })
  const hours = yield* readAll({ from, to: range.to })
  // Where counts are missing at the start, what conditions measure ends, and so begins, earlier.
  const latest = new Map<string, number>()
  for (const { track, at: hour } of hours[0] ?? []) {
    if (hour < range.from) latest.set(track, Math.max(hour, latest.get(track) ?? hour))
  }
  const earlier = dayOf(from - (range.from - Math.min(range.from, ...latest.values())))
  yield* check(earlier)
  const before = earlier < from ? yield* readAll({ from: earlier, to: from }) : []
  const histories = new Map<string, CountHistory>()
  for (const [index, each] of slos.entries()) {
    const all = [...(before[index] ?? []), ...(hours[index] ?? [])]
    const history = yield* inParts(() => makeCountHistory(each, all, { from: earlier, to: range.to }))
    histories.set(projectKeyText(each.metadata), history)
  }
  return histories
})

/** The tracks to read, by SLO. */
const tracksOf = (slo: Slo): ReadonlyMap<string, ReadonlySet<string>> => {
  const { metadata, spec } = slo
  const tracks = new Map([[projectKeyText(metadata), new Set<string>()]])
  const add = (slo: string, track: string) => tracks.set(slo, (tracks.get(slo) ?? new Set()).add(track))
  for (const objective of objectivesOf(slo)) {
    if (!isCompositeObjective(objective)) add(projectKeyText(metadata), objective.name)
    else {
      for (const part of objective.composite.components) add(projectKeyText(part.slo), part.objective)
    }
  }
  if (spec.composite !== undefined) add(projectKeyText(metadata), overallTrack)
  return tracks
}

/** Reads a month at a time. */
const readHours = (
  organization: OrganizationId,
  { metadata }: Slo,
  range: MinuteRange,
  tracks: ReadonlySet<string>,
) =>
  Effect.gen(function* () {
    const store = yield* CountStore
    const hours: Array<TrackHour> = []
    for (let from = range.from; from < range.to && tracks.size > 0; from += monthMs) {
      const part = { from, to: Math.min(range.to, from + monthMs) }
      const { project, name } = metadata
      const found = yield* store.hours([{ organization, slo: { project, name }, range: part, tracks }])
      hours.push(...found.flat())
    }
    return hours
  })

const monthMs = 31 * dayMs
