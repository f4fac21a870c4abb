import * as Effect from "effect/Effect"
import type { Alert } from "../alerting/Alert.ts"
import { AlertStore } from "../alerting/AlertStore.ts"
import { adjustsSlo } from "../slo/AdjustsSlo.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { isCompositeObjective } from "../slo/Objectives.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { adjustmentRanges, mergeRanges } from "../status/AdjustedMinutes.ts"
import type { DueSlo } from "../status/SloStore.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { encode } from "../codec/Codec.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { readCounts } from "../status/ReadSlos.ts"
import { MinCoverage } from "../counts/MinCoverage.ts"
import { listAdjustments } from "./ListAdjustments.ts"
import { measurePeriod, periodRanges, withResult } from "./MeasurePeriod.ts"
import { readCoverage } from "./ReadCoverage.ts"
import { signDocument } from "./SignDocument.ts"
import {
  type Report,
  type ReportAlert,
  reportAlertsMax,
  reportDocument,
  type ReportDocument,
  type ReportMeasurement,
} from "./Report.ts"

/**
 * Makes the report of an SLO over a period, with the definition, the counts and the alerts that are stored at
 * `now` (Unix milliseconds), and signs it.
 */
export const makeReport = Effect.fnUntraced(function* (found: DueSlo, period: MinuteRange, now: number) {
  const { organization, slo, adjustments, readTo } = found
  const { metadata, spec } = slo.definition
  const { project, name } = metadata
  const ranges = periodRanges(period)
  const [counts] = yield* readCounts([{ organization, slo, adjustments, ranges, readTo }], now)
  if (counts === undefined) return yield* Effect.die(new Error("The counts of the SLO were not read"))
  const alerts = yield* (yield* AlertStore).list(
    organization,
    { project, slos: [name], from: period.from, to: period.to },
    { limit: reportAlertsMax },
  )
  const [coverage = new Map<string, number>()] = yield* readCoverage([found], period, now)
  const minCoverage = yield* MinCoverage
  const figuresOf = measurePeriod(slo.definition, period, counts)
  const measurementOf = (track: string): ReportMeasurement =>
    withResult(figuresOf(track), coverage.get(track) ?? 0, minCoverage)
  const adjusted = yield* adjustmentsOf(found, period)
  const id = yield* uuidV7
  const document: ReportDocument = {
    id,
    organization,
    project,
    service: spec.service,
    slo: name,
    displayName: metadata.displayName ?? name,
    budgetingMethod: spec.budgetingMethod,
    timeWindow: spec.timeWindow,
    period,
    window: period,
    minCoverage,
    createdAt: now,
    objectives: objectivesOf(slo.definition).map((objective) => ({
      name: objective.name,
      displayName: objective.displayName ?? objective.name,
      ...measurementOf(objective.name),
    })),
    ...(spec.composite !== undefined && { composite: measurementOf(overallTrack) }),
    alerts: alerts.items.map(alertOf).toReversed(),
    hasMoreAlerts: alerts.hasMore,
    ...adjusted,
  }
  const json = JSON.stringify(encode(reportDocument, document))
  const signed = yield* signDocument(organization, json)
  const report: Report = {
    id,
    slo: { project, name },
    period,
    createdAt: now,
    ...signed,
  }
  return report
})

/** The adjustments of an SLO and of the components of its objectives that change minutes of a range. */
const adjustmentsOf = Effect.fnUntraced(function* (
  { organization, slo, adjustments }: DueSlo,
  range: MinuteRange,
) {
  const changing = adjustments.flatMap((adjustment) => {
    const ranges = mergeRanges(adjustmentRanges(adjustment, range))
    return ranges.length === 0 ? [] : [{ adjustment, ranges }]
  })
  if (changing.length === 0) return { adjustments: [], hasMoreAdjustments: false }
  const components = slo.definition.spec.objectives
    .filter(isCompositeObjective)
    .flatMap(({ composite }) => composite.components.map((component) => component.slo))
  const found =
    components.length === 0 ? [] : yield* (yield* DefinitionStore).findAll(organization, "SLO", components)
  const slos = [slo, ...found].map(({ definition }) => definition.metadata)
  const changed = changing.flatMap(({ adjustment }) => {
    const adjusted = slos.filter((each) => adjustsSlo(adjustment, each))
    const ranges = mergeRanges(adjusted.flatMap((each) => adjustmentRanges(adjustment, range, each)))
    return ranges.length === 0 ? [] : [{ adjustment, ranges }]
  })
  return yield* listAdjustments(organization, changed, range, () => ({}))
})

const alertOf = ({
  id,
  subject: { objective, alertPolicy },
  status,
  reason,
  severity,
  anomaly,
  conditions,
  triggeredAt,
  resolvedAt,
}: Alert): ReportAlert => ({
  id,
  ...(objective !== undefined && { objective }),
  ...(alertPolicy !== undefined && { alertPolicy }),
  ...(severity !== undefined && { severity }),
  status,
  ...(reason !== undefined && { reason }),
  ...(anomaly !== undefined && { anomaly: anomaly.type }),
  conditions,
  triggeredAt,
  ...(resolvedAt !== undefined && { resolvedAt }),
})
