import * as SqlClient from "effect/sql/SqlClient"
import { currentTraceparent } from "@tocsin/domain/adapter"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import { type Count, CountStore, type Recording } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import {
  type CountedTimes,
  recordCounts,
  type TracedRecording,
  withCountPartitions,
} from "./CountRecording.ts"
import { readSums } from "./CountSums.ts"
import { countsOfHours, presenceOfHours, readTrackHours } from "./TrackHours.ts"
import { deadlineOfGroup, storeOperation, withoutDeadline } from "../database/PortOperation.ts"
import { WriteTurns } from "../database/WriteTurns.ts"

/**
 * Counts in PostgreSQL: one row per SLO and hour, and one per day with the sums of its hours.
 *
 * Recording locks the rows of the SLOs, and of the composite SLOs that have them as components, in one order: recordings
 * of one SLO run one after the other, and none deadlock.
 */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const turns = yield* WriteTurns

  /** Records counts of several requests; those of a request with an SLO that does not exist are left out. */
  const recordAll = (organization: OrganizationId, requests: ReadonlyArray<ReadonlyArray<TracedRecording>>) =>
    Effect.gen(function* () {
      const missing = keysOf(yield* recordCounts(sql, organization, mergeRecordings(requests.flat())))
      const missingOf = (recordings: ReadonlyArray<Recording>) =>
        uniqueSlos(recordings).filter((slo) => missing.has(projectKeyText(slo)))
      if (missing.size > 0) {
        const others = requests.filter((recordings) => missingOf(recordings).length === 0)
        // The SLOs are locked since the first time.
        if (others.length > 0) yield* recordCounts(sql, organization, mergeRecordings(others.flat()))
      }
      return requests.map(missingOf)
    })

  const recordRequests = (
    organization: OrganizationId,
    requests: ReadonlyArray<ReadonlyArray<TracedRecording>>,
  ) =>
    withCountPartitions(
      sql,
      organization,
      countedBy(requests.flat()),
      sql.withTransaction(recordAll(organization, requests)),
    )

  const recordAlone = operation(
    "record",
    (organization: OrganizationId, recordings: ReadonlyArray<TracedRecording>) =>
      Effect.map(
        turns.run(organization, recordRequests(organization, [recordings])),
        ([missing = []]) => missing,
      ),
  )

  const recordTogether = turns.together({
    transaction: (organization, requests: ReadonlyArray<ReadonlyArray<TracedRecording>>) =>
      Effect.map(recordRequests(organization, requests), (missing) => missing.map(Exit.succeed)),
    operation: (turn) => withoutDeadline(operation("record", turn)),
    running: deadlineOfGroup(store, "record"),
    isShared: ({ isRetryable }) => isRetryable,
    sizeMax: countsTogetherMax,
    sizeOf: sizeOfRequest,
  })

  return CountStore.of({
    record: (organization, recordings) =>
      Effect.flatMap(currentTraceparent, (traceparent) => {
        const traced = recordings.map((recording) => ({ ...recording, traceparent }))
        return sizeOfRequest(traced) > countsOfSmallRequest
          ? recordAlone(organization, traced)
          : recordTogether(organization, traced)
      }),
    sums: (reads) => operation("sums", readSums(sql, reads)),
    hours: (reads) => operation("hours", readTrackHours(sql, reads, countsOfHours)),
    presence: (reads) => operation("presence", readTrackHours(sql, reads, presenceOfHours)),
  })
})

/** The counts of a database. */
export const layer = Layer.effect(CountStore, make)

const store = "CountStore"

const operation = storeOperation(store)

const countedBy = (recordings: ReadonlyArray<Recording>): CountedTimes => ({
  slos: uniqueSlos(recordings),
  times: recordings.flatMap(({ counts }) => counts.map(({ at }) => at)),
})

/** Lists each SLO once. Of counts of the same minute, the last one is recorded. */
const mergeRecordings = (recordings: ReadonlyArray<TracedRecording>): ReadonlyArray<TracedRecording> => {
  const merged = new Map<string, TracedRecording & { readonly counts: Array<Count> }>()
  for (const { slo, counts, unmeasured, isFirstRecent, traceparent } of recordings) {
    const key = projectKeyText(slo)
    const before = merged.get(key)
    if (before !== undefined) for (const count of counts) before.counts.push(count)
    merged.set(key, {
      slo,
      counts: before?.counts ?? [...counts],
      unmeasured: unmeasured ?? before?.unmeasured,
      isFirstRecent: isFirstRecent === true || before?.isFirstRecent === true,
      traceparent: traceparent ?? before?.traceparent,
    })
  }
  return [...merged.values()]
}

const keysOf = (slos: ReadonlyArray<ProjectKey>) => new Set(slos.map(projectKeyText))

const uniqueSlos = (recordings: ReadonlyArray<Recording>): ReadonlyArray<ProjectKey> => [
  ...new Map(recordings.map(({ slo }) => [projectKeyText(slo), slo])).values(),
]

const sizeOfRequest = (recordings: ReadonlyArray<Recording>): number =>
  recordings.reduce((sum, { counts }) => sum + counts.length, 0)

/** Maximum number of counts of a request that is recorded together with others. */
const countsOfSmallRequest = 100

/** Maximum number of counts of several requests that one transaction records. */
const countsTogetherMax = 1_000
