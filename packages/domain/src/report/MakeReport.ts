import * as Effect from "effect/Effect"
import type { Alert } from "../alerting/Alert.ts"
import { AlertStore } from "../alerting/AlertStore.ts"
import { encode } from "../codec/Codec.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { bytesToBase64 } from "../signature/Base64.ts"
import { Signer } from "../signature/SignRequest.ts"
import { overallTrack, targetsOf } from "../slo/SliceRules.ts"
import { windowAt } from "../slo/WindowAt.ts"
import { budgetShare, tidy } from "../status/ErrorBudget.ts"
import { readCounts } from "../status/ReadSlos.ts"
import { sloStatus } from "../status/SloStatus.ts"
import { burnRateRange } from "../slo/WindowAt.ts"
import {
  type Report,
  type ReportAlert,
  reportAlertsMax,
  reportDocument,
  type ReportDocument,
  type ReportMeasurement,
} from "./Report.ts"
import type { ClaimedReport } from "./ReportStore.ts"

/**
 * Makes the report of an SLO over its scheduled period, with the definition, the counts and the alerts that are stored at
 * `now` (Unix milliseconds), and signs it.
 */
export const makeReport = Effect.fnUntraced(function* (claimed: ClaimedReport, now: number) {
  const { organization, slo, period } = claimed
  const { metadata, spec } = slo.definition
  const { project, name } = metadata
  const at = windowAt(spec.timeWindow, period.to - 1)
  const ranges = [at.range, burnRateRange(at)]
  const [counts] = yield* readCounts([{ organization, slo, ranges }], now)
  if (counts === undefined) return yield* Effect.die(new Error("The counts of the SLO were not read"))
  const statuses = sloStatus(slo.definition, at, counts)
  const alerts = yield* (yield* AlertStore).listNewest(
    organization,
    { project, slos: [name], from: period.from, to: period.to },
    { limit: reportAlertsMax },
  )
  const targets = targetsOf(slo.definition)
  const measurementOf = (track: string): ReportMeasurement => {
    const target = targets.get(track) ?? 0
    const { burnRate: _ofTheLastHour, ...status } = statuses.get(track) ?? {}
    return {
      target,
      errorBudget: tidy((budgetShare(target) * at.lengthMs) / 1_000),
      ...status,
      ...counts.goodTotal(track, at.range, at.lengthMs),
    }
  }
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
    window: at.range,
    createdAt: now,
    objectives: spec.objectives.map((objective) => ({
      name: objective.name,
      displayName: objective.displayName ?? objective.name,
      ...measurementOf(objective.name),
    })),
    ...(spec.composite !== undefined && { composite: measurementOf(overallTrack) }),
    alerts: alerts.items.map(alertOf).toReversed(),
    hasMoreAlerts: alerts.hasMore,
  }
  const json = JSON.stringify(encode(reportDocument, document))
  const key = yield* (yield* Signer).current
  const signature = yield* key.signInBackground(new TextEncoder().encode(json))
  const report: Report = {
    id,
    slo: { project, name },
    period,
    createdAt: now,
    document: json,
    keyId: key.keyId,
    signature: bytesToBase64(signature),
  }
  return report
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
