import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { AlertStore, StatusHasChanged } from "../alerting/AlertStore.ts"
import { evaluateAlerts } from "../alerting/EvaluateAlerts.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { inBatches } from "../collections/InBatches.ts"
import { type CountStore, storeCounts } from "../counts/CountStore.ts"
import {
  readSlosBefore,
  readSlosNow,
  type SloReading,
  type SloReadNow,
  tracksReadOf,
} from "../status/ReadSlos.ts"
import { statusesWereWritten } from "../status/FleetPlanes.ts"
import { sloStatus } from "../status/CountsPlan.ts"
import { type ComputedStatus, type DueSlo, SloStore } from "../status/SloStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import { makeGathering } from "../work/Gathering.ts"
import * as Clock from "effect/Clock"
import type { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import { type CountsAreInvalid, decodeCounts } from "../counts/DecodeCounts.ts"
import { sloKey, SloNotFound } from "../status/FindSlo.ts"
import { enforceCountsQuota } from "../quota/Quotas.ts"
import type { RateLimiter, RateLimitIsExceeded } from "../rate-limit/RateLimiter.ts"
import { inParts } from "../work/Parts.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { groupsOf } from "../alert-policy/ConditionGroups.ts"
import { dayMs } from "../codec/MinuteInstant.ts"

export interface RecordCountsRequest {
  readonly project?: string
  readonly name: string
  readonly body: unknown
}

/**
 * Records good and total counts of an SLO, all or none, and recomputes its status. Idempotent. On success the record
 * includes the counts.
 */
export const recordCounts = (
  organization: OrganizationId,
  request: RecordCountsRequest,
): Effect.Effect<
  void,
  CountsAreInvalid | ParameterIsInvalid | SloNotFound | StoreIsUnavailable | RateLimitIsExceeded,
  AlertStore | CountStore | DefinitionStore | RateLimiter | SloStore
> =>
  Effect.gen(function* () {
    yield* enforceCountsQuota(organization)
    const key = yield* Effect.fromResult(sloKey(request.project, request.name))
    const stored = yield* (yield* DefinitionStore).find(organization, "SLO", key)
    if (Option.isNone(stored)) return yield* new SloNotFound(key)
    const objectives = new Set(plainObjectivesOf(stored.value.definition).map(({ name }) => name))
    const now = yield* Clock.currentTimeMillis
    const retentionDays = yield* CountsRetention
    const counts = yield* Effect.fromResult(
      yield* inParts(() => decodeCounts(request.body, objectives, { now, retentionDays })),
    )
    if (counts.length === 0) return
    const missing = yield* storeCounts(organization, [{ slo: key, counts }], "api")
    if (missing.length > 0) return yield* new SloNotFound(key)
    yield* refreshStatus(organization, key)
  })

/**
 * Computes the status of an SLO from its current definition and counts, writes it, and carries out the changes of its
 * alerts.
 *
 * SLOs of an organization that are refreshed at the same time are refreshed together, each once.
 *
 * Starts over when something changes meanwhile. After `attemptsMax` conflicts it leaves the SLO to `refreshStatuses`.
 * An SLO that does not exist is ignored.
 */
export const refreshStatus = (
  organization: OrganizationId,
  key: ProjectKey,
): Effect.Effect<void, StoreIsUnavailable, Stores> =>
  Effect.flatMap(Effect.zip(SloStore, RefreshesInProgress), ([slos, inProgress]) => {
    const refresh = inProgress.get(slos) ?? makeRefresh(slos)
    inProgress.set(slos, refresh)
    return refresh(organization, key)
  })

type Stores = AlertStore | CountStore | DefinitionStore | SloStore

type Refresh = ReturnType<typeof makeRefresh>

/** The refreshes of each store, which all servers of a process share. */
const RefreshesInProgress = Context.Reference<WeakMap<SloStore["Service"], Refresh>>(
  "@tocsin/domain/internal/refresh/RefreshesInProgress",
  { defaultValue: () => new WeakMap() },
)

const makeRefresh = (slos: SloStore["Service"]) =>
  makeGathering<ProjectKey, void, StoreIsUnavailable, Stores>({
    run: (organization, keys) => refreshTogether(slos, organization, keys),
    isShared: ({ isRetryable }) => isRetryable,
    sizeMax: refreshesTogetherMax,
  })

/** Refreshes SLOs, each once however often it is listed. Returns the result of each. */
const refreshTogether = (
  slos: SloStore["Service"],
  organization: OrganizationId,
  keys: ReadonlyArray<ProjectKey>,
) =>
  Effect.gen(function* () {
    let open = new Map(keys.map((key) => [projectKeyText(key), key]))
    const failed = new Map<string, Exit.Exit<never, StoreIsUnavailable>>()
    for (let attempt = 1; attempt <= attemptsMax && open.size > 0; attempt++) {
      const changed = new Map<string, ProjectKey>()
      const statuses: Array<ComputedStatus> = []
      const dues = open.size > 1 ? [...(yield* slos.findAllForStatus(organization, [...open.values()]))] : []
      for (const { slo } of dues) open.delete(projectKeyText(slo.definition.metadata))
      // The only one; or those that do not exist, or cannot be read, which each fails with alone.
      for (const [key, slo] of open) {
        const exit = yield* Effect.exit(slos.findForStatus(organization, slo))
        if (Exit.isFailure(exit)) failed.set(key, Exit.failCause(exit.cause))
        else dues.push(...Option.toArray(exit.value))
      }
      for (const { due, exit } of yield* computeStatuses(dues)) {
        const { project, name } = due.slo.definition.metadata
        const key = projectKeyText({ project, name })
        if (Exit.isFailure(exit)) failed.set(key, Exit.failCause(exit.cause))
        else if (exit.value === undefined) changed.set(key, { project, name })
        else statuses.push(exit.value)
      }
      const written = yield* writeStatuses(statuses)
      for (const [index, { slo }] of statuses.entries()) {
        if (written[index] !== true) changed.set(projectKeyText(slo), slo)
      }
      open = changed
    }
    return keys.map((key) => failed.get(projectKeyText(key)) ?? Exit.void)
  })

const attemptsMax = 5

/**
 * The status of each SLO, as `statusOf`; `undefined` if it has changed since it was read. What fails for one fails for it alone.
 * Reads the counts of as many SLOs together as `sumsAtOnceMax` allows, and yields after each SLO.
 */
export const computeStatuses = (due: ReadonlyArray<DueSlo>) =>
  Effect.map(
    Effect.forEach(inBatches(due, sumsAtOnceMax, sumsOf), (batch) =>
      Effect.flatMap(readSlosNow(batch), (read) =>
        Effect.forEach(
          inBatches(read, sumsAtOnceMax, ({ sumsLeft }) => sumsLeft),
          computeBatch,
        ),
      ),
    ),
    (batches) => batches.flat(2),
  )

const computeBatch = (read: ReadonlyArray<SloReadNow>) =>
  Effect.flatMap(readSlosBefore(read), (readings) =>
    Effect.forEach(readings, (reading) =>
      Effect.suspend(() => statusOf(reading)).pipe(
        Effect.catchTag("StatusHasChanged", () => Effect.undefined),
        Effect.exit,
        Effect.map((exit) => ({ due: reading.due, exit })),
        Effect.tap(readings.length === 1 ? Effect.void : Effect.yieldNow),
      ),
    ),
  )

/** How many sums the status of an SLO is computed from at first: of each target, and of each component, over each window. */
const sumsOf = ({ slo: { definition }, policies }: DueSlo): number => {
  const conditions = policies.reduce(
    (sum, policy) => sum + groupsOf(policy.definition.spec, dayMs).flat().length,
    0,
  )
  return tracksReadOf(definition) * (statusWindows + conditions)
}

/** The time window, and the one of the burn rate. */
const statusWindows = 2

/** Maximum number of sums that are read and held together for several SLOs: as many as 100 SLOs of five targets with two conditions. */
const sumsAtOnceMax = 2_000

/** Writes statuses as `SloStore.writeStatuses`, and into what this process keeps of them. */
export const writeStatuses = Effect.fnUntraced(function* (statuses: ReadonlyArray<ComputedStatus>) {
  const written = yield* (yield* SloStore).writeStatuses(statuses)
  yield* statusesWereWritten(statuses, written)
  return written
})

/** Maximum number of SLOs whose statuses are computed together. */
const refreshesTogetherMax = 100

/**
 * Computes the status of an SLO that has been read, and carries out the changes of its alerts.
 *
 * It is due again at the next minute while there are counts that windows move over or conditions measure, when a calendar
 * window ends, and when time alone changes an alert.
 *
 * Fails with `StatusHasChanged` when the SLO has changed since it was read.
 */
export const statusOf = (
  reading: SloReading,
): Effect.Effect<ComputedStatus, StatusHasChanged | StoreIsUnavailable, AlertStore | DefinitionStore> => {
  const { due, at, counts, isMoving } = reading
  const { organization, slo } = due
  const { project, name } = slo.definition.metadata
  const statuses = sloStatus(slo.definition, at, counts)
  return Effect.map(
    evaluateAlerts(reading),
    ({ revision, evaluation, nextCheckAt = Infinity, pastChanges }): ComputedStatus => {
      const dueAt = Math.min(isMoving ? at.range.to : (at.endsAt ?? Infinity), nextCheckAt)
      return {
        organization,
        slo: { project, name },
        revision,
        statuses,
        ...(evaluation !== undefined && { evaluation }),
        ...(pastChanges !== undefined && { pastChanges }),
        ...(dueAt < Infinity && { dueAt }),
      }
    },
  )
}
