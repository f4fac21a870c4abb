import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { count, observe } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import { CountStore, type Recording } from "./CountStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** `CountStore.record`, measured. */
export const storeCounts = (
  organization: OrganizationId,
  recordings: ReadonlyArray<Recording>,
  source: "api" | "indicator",
): Effect.Effect<ReadonlyArray<ProjectKey>, StoreIsUnavailable, CountStore> =>
  Effect.gen(function* () {
    const missing = yield* (yield* CountStore).record(organization, recordings)
    yield* measureCounts(
      source,
      recordings.flatMap(({ counts }) => counts.map(({ at }) => at)),
    )
    return missing
  })

/** Measures counts that were recorded, by the start of their minutes. */
export const measureCounts = (
  source: "api" | "indicator" | "otlp",
  minutes: ReadonlyArray<number>,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* count(metrics.countsRecorded.of(source), minutes.length)
    const latest = minutes.reduce((latest, at) => Math.max(latest, at), Number.NEGATIVE_INFINITY)
    const lagMs = (yield* Clock.currentTimeMillis) - (latest + minuteMs)
    yield* observe(metrics.countsLag.of(source), Math.max(0, lagMs) / 1_000)
  })
