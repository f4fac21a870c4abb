import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Codec, encode } from "../codec/Codec.ts"
import { tidy } from "../codec/Decimal.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { NamedTimeZone } from "../codec/WallClock.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, projectKeyText } from "../metadata/ObjectKey.ts"
import { byNumbers } from "../overview/First.ts"
import { costlyReadsPolicy } from "../quota/CostlyRequests.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { type ReportDefinition, reportKind } from "../slo/ReportDefinition.ts"
import { countStates, type ObjectiveState, objectiveStates } from "../slo/ObjectiveState.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { recordKey, type SloRecord, sloState } from "../status/SloRecord.ts"
import { TaggedError } from "../TaggedError.ts"
import { inParts, type Parts } from "../work/Parts.ts"
import { measuringUnits } from "./CreateReview.ts"
import { generatedReports, type GeneratedSlo, healthCellsMax, type ReportType } from "./GeneratedReport.ts"
import { type HealthReviewSpec, reviewHealth } from "./HealthReview.ts"
import { measureSlos } from "./MakeReview.ts"
import { readPastStatuses } from "./PastStatuses.ts"
import { retentionRule } from "./PeriodIssues.ts"
import {
  dayEnds,
  MetDays,
  projectFolders,
  type RollupFolder,
  rollUp,
  slosOf,
  writtenFolders,
} from "./ReliabilityRollup.ts"
import { type ReportTimeFrame, snapshotTime, timeFrameIssues, timeFramePeriod } from "./ReportTimeFrame.ts"
import { reviewSlosMax, reviewText } from "./Review.ts"
import { addSizeIssues, selectSlos, type SloSelection } from "./SelectSlos.ts"

type Spec = ReportDefinition["spec"]

/** SLOs whose current status is shown for which one more unit of costly requests is counted. */
const statusesPerUnit = 200

/** A report as it was generated. */
export interface GeneratedReport {
  /** What is generated. */
  readonly type: ReportType
  /** JSON in the form of `reviewText`: the first line is the report without its SLOs. */
  readonly document: string
}

/** The organization has no Report of this name. */
export class SavedReportNotFound extends TaggedError("SavedReportNotFound")<{
  /** The requested name. */
  readonly name: string
}> {}

/** A Report cannot be generated now: its time frame or the number of its SLOs does not allow it. */
export class ReportCannotBeGenerated extends TaggedError("ReportCannotBeGenerated")<{
  /** Every issue, sorted by its path in the definition. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Generates a Report from the data that is stored now (spec/reports §11).
 *
 * Counts as units of costly requests by the number of the SLOs, before they are measured. Fails with `SavedReportNotFound`, with
 * `ReportCannotBeGenerated` and every issue, or with `RateLimitIsExceeded`.
 */
export const generateReport = Effect.fn("generateReport")(function* (
  organization: OrganizationId,
  name: string,
) {
  const found = yield* (yield* DefinitionStore).find(organization, reportKind.kind, { project: "", name })
  if (Option.isNone(found)) return yield* new SavedReportNotFound({ name })
  const { metadata, spec } = found.value.definition
  const now = yield* Clock.currentTimeMillis
  const countsFrom = now - (yield* CountsRetention) * dayMs
  const issues = new IssueList()
  const plan = planOf(spec, now, countsFrom, issues)
  const records = yield* selectSlos(organization, selectionOf(spec))
  addSizeIssues(issues, spec.filters === undefined ? "spec.reliabilityRollup" : "spec.filters", records)
  if (plan.folders !== undefined && slosOf(plan.folders).length > reviewSlosMax) {
    const message = `must have at most ${reviewSlosMax} SLOs`
    issues.add("spec.reliabilityRollup.customHierarchy", "too_many", message)
  }
  if (issues.isEmpty) {
    const units =
      plan.period === undefined
        ? Math.ceil(records.length / statusesPerUnit)
        : measuringUnits(records.length, plan.period)
    yield* enforceRateLimit(organization, costlyReadsPolicy, "", units)
    const head = { name, displayName: metadata.displayName ?? name, generatedAt: now }
    const document = yield* plan.generate({ organization, head, records, now, countsFrom, issues })
    if (document !== undefined) return { type: plan.type, document } satisfies GeneratedReport
  }
  return yield* new ReportCannotBeGenerated({ issues: issues.sorted() })
})

/** The SLOs that match the filters, or of which a hierarchy consists. */
const selectionOf = ({ filters, reliabilityRollup }: Spec): SloSelection => {
  if (filters === undefined)
    return { filters: [], slos: slosOf(writtenFolders(reliabilityRollup?.customHierarchy ?? [])) }
  const { projectScope, projects = [], services = [], slos = [], labels } = filters
  return {
    filters:
      projectScope === "all"
        ? [{}]
        : [
            ...projects.map((project) => ({ project })),
            ...services.map(({ project, name }) => ({ project, service: name })),
          ],
    slos,
    labels,
  }
}

/** What a report is generated from. */
interface Generation {
  readonly organization: OrganizationId
  readonly head: { readonly name: string; readonly displayName: string; readonly generatedAt: number }
  readonly records: ReadonlyArray<SloRecord>
  readonly now: number
  readonly countsFrom: number
  readonly issues: IssueList
}

/** How a report is generated, and the period of which counts are read, if they are. */
const planOf = (spec: Spec, now: number, countsFrom: number, issues: IssueList) => {
  const { systemHealthReview, sloHistory, reliabilityRollup } = spec
  const periodOf = (timeFrame: ReportTimeFrame, path: string): MinuteRange => {
    const period = timeFramePeriod(timeFrame, now)
    issues.addAll("", timeFrameIssues(timeFrame, period, now, countsFrom, path))
    return period
  }
  if (sloHistory !== undefined) {
    const { timeFrame } = sloHistory
    const period = periodOf(timeFrame, "spec.sloHistory.timeFrame")
    const generate = (generation: Generation) => generateHistory(generation, period, timeFrame.timeZone)
    return { type: "sloHistory", period, generate } as const
  }
  if (reliabilityRollup !== undefined) {
    const { timeFrame, customHierarchy } = reliabilityRollup
    const period = periodOf(timeFrame, "spec.reliabilityRollup.timeFrame")
    const folders = customHierarchy && writtenFolders(customHierarchy)
    const generate = (generation: Generation) =>
      generateRollup(generation, period, timeFrame.timeZone, folders)
    return { type: "reliabilityRollup", period, generate, folders } as const
  }
  if (systemHealthReview !== undefined) {
    const at = snapshotTime(systemHealthReview.timeFrame, now)
    const message = at === undefined ? "must not be in the future" : retentionRule(countsFrom)
    if (at === undefined || at < countsFrom)
      issues.add("spec.systemHealthReview.timeFrame.snapshot.dateTime", "out_of_range", message)
    const past = systemHealthReview.timeFrame.snapshot.point === "past" ? minuteOf(at ?? now) : undefined
    const generate = (generation: Generation) => generateHealth(generation, systemHealthReview, past)
    const period = past === undefined ? undefined : { from: past, to: past + minuteMs }
    return { type: "systemHealthReview", period, generate } as const
  }
  return { type: "errorBudgetStatus", period: undefined, generate: generateErrorBudgets } as const
}

const { systemHealthReview, sloHistory, errorBudgetStatus, reliabilityRollup } = generatedReports

const generateHistory = Effect.fnUntraced(function* (
  { organization, head, records, now, countsFrom }: Generation,
  period: MinuteRange,
  timeZone: NamedTimeZone,
) {
  const keys = records.map(recordKey)
  const measured = yield* measureSlos(organization, period, timeZone, keys, now, countsFrom)
  return reviewText(encode(sloHistory.head, { ...head, type: "sloHistory", ...measured.head }), measured.slos)
})

const generateRollup = Effect.fnUntraced(function* (
  { organization, head, records, countsFrom }: Generation,
  period: MinuteRange,
  timeZone: NamedTimeZone,
  written: ReadonlyArray<RollupFolder> | undefined,
) {
  const ends = dayEnds(period)
  const met = new MetDays(ends)
  const keys = records.map(recordKey)
  yield* readPastStatuses(organization, keys, ends, countsFrom, (status) => met.add(status))
  const folders = written ?? projectFolders(records)
  const byKey = new Map(records.map((record) => [projectKeyText(recordKey(record)), record]))
  const { slos, ...scores } = yield* inParts(() => rollUp(folders, byKey, (slo) => met.of(slo)))
  return reviewText(
    encode(reliabilityRollup.head, {
      ...head,
      type: "reliabilityRollup",
      timeZone: timeZone.name,
      period,
      ...scores,
    }),
    yield* inParts(() => linesOf(reliabilityRollup.slo, slos)),
  )
})

/** `at` is the start of a minute, in Unix milliseconds; absent: the current statuses. */
const generateHealth = Effect.fnUntraced(function* (
  { organization, head, records, now, countsFrom, issues }: Generation,
  spec: HealthReviewSpec,
  at: number | undefined,
) {
  const past = new Map<string, number>()
  if (at !== undefined)
    yield* readPastStatuses(
      organization,
      records.map(recordKey),
      [at],
      countsFrom,
      ({ slo, errorBudgetRemainingPercentage: budget = Infinity }) => {
        const key = projectKeyText(slo.metadata)
        past.set(key, Math.min(past.get(key) ?? Infinity, budget))
      },
    )
  const budgetOf = (record: SloRecord): number | undefined => {
    const budget = at === undefined ? lowestBudget(record) : past.get(projectKeyText(recordKey(record)))
    return budget === undefined || budget === Infinity ? undefined : tidy(budget)
  }
  const review = yield* inParts(() => reviewHealth(spec, records, budgetOf))
  if (review === undefined)
    return issues.add("spec.systemHealthReview", "too_many", `must have at most ${healthCellsMax} cells`)
  const { redLte, greenGt } = spec.thresholds
  return reviewText(
    encode(systemHealthReview.head, {
      ...head,
      type: "systemHealthReview",
      at: at ?? now,
      ...(spec.tableHeader !== undefined && { tableHeader: spec.tableHeader }),
      redLte,
      greenGt,
      ...review.table,
    }),
    yield* inParts(() => linesOf(systemHealthReview.slo, review.slos)),
  )
})

const lowestBudget = ({ slo, statuses }: SloRecord): number =>
  Math.min(
    ...objectivesOf(slo).map(({ name }) => statuses.get(name)?.errorBudgetRemainingPercentage ?? Infinity),
  )

interface RankedRecord {
  readonly record: SloRecord
  readonly state: ObjectiveState
  readonly budget: number
}

/** From the most urgent to the best. */
function* rankedRecords(records: ReadonlyArray<SloRecord>): Parts<ReadonlyArray<RankedRecord>> {
  const ranked: Array<RankedRecord> = []
  for (const record of records) {
    ranked.push({ record, state: sloState(record), budget: lowestBudget(record) })
    if (ranked.length % slosPerPart === 0) yield
  }
  return ranked.toSorted(
    byNumbers(
      ({ state }) => objectiveStates.indexOf(state),
      ({ budget }) => budget,
    ),
  )
}

const generateErrorBudgets = Effect.fnUntraced(function* ({ head, records }: Generation) {
  const ranked = yield* inParts(() => rankedRecords(records))
  const states = countStates(ranked.map(({ state }) => state))
  return reviewText(
    encode(errorBudgetStatus.head, { ...head, type: "errorBudgetStatus", states }),
    yield* inParts(() =>
      linesOf(
        errorBudgetStatus.slo,
        ranked.map(({ record, state }) => budgetedSlo(record, state)),
      ),
    ),
  )
})

const budgetedSlo = (record: SloRecord, state: ObjectiveState): GeneratedSlo<"errorBudgetStatus"> => {
  const { slo, statuses } = record
  const { composite } = slo.spec
  return {
    project: slo.metadata.project,
    service: slo.spec.service,
    slo: slo.metadata.name,
    displayName: slo.metadata.displayName ?? slo.metadata.name,
    state,
    objectives: objectivesOf(slo).map(({ name, displayName = name, target }) => ({
      name,
      displayName,
      target,
      status: statuses.get(name) ?? {},
    })),
    ...(composite !== undefined && {
      composite: { target: composite.target, status: statuses.get(overallTrack) ?? {} },
    }),
  }
}

/** SLOs that are ranked or written in one part. */
const slosPerPart = 50

function* linesOf<A>(slo: Codec<A>, slos: ReadonlyArray<A>): Parts<ReadonlyArray<string>> {
  const lines: Array<string> = []
  for (const each of slos) {
    lines.push(JSON.stringify(encode(slo, each)))
    if (lines.length % slosPerPart === 0) yield
  }
  return lines
}
