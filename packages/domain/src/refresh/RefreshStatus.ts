import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AlertStore, StatusHasChanged } from "../alerting/AlertStore.ts"
import { evaluateAlerts } from "../alerting/EvaluateAlerts.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { CountStore } from "../counts/CountStore.ts"
import { readSlos, type SloReading } from "../status/ReadSlos.ts"
import { statusesWereWritten } from "../status/FleetPlanes.ts"
import { sloStatus } from "../status/SloStatus.ts"
import { SloStore, type ComputedStatus } from "../status/SloStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/**
 * Computes the status of an SLO from its current definition and counts, writes it, and carries out the changes of its
 * alerts.
 *
 * Starts over when something changes meanwhile. After `attemptsMax` conflicts it leaves the SLO to `refreshStatuses`.
 * An SLO that does not exist is ignored.
 */
export const refreshStatus = (
  organization: OrganizationId,
  key: ProjectKey,
): Effect.Effect<void, StoreIsUnavailable, AlertStore | CountStore | DefinitionStore | SloStore> =>
  Effect.gen(function* () {
    const slos = yield* SloStore
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const due = yield* slos.findForStatus(organization, key)
      if (Option.isNone(due)) return
      const [isWritten] = yield* Effect.forEach(yield* readSlos([due.value]), statusOf).pipe(
        Effect.flatMap(writeStatuses),
        Effect.catchTag("StatusHasChanged", () => Effect.succeed([false])),
      )
      if (isWritten === true) return
    }
  })

const attemptsMax = 5

/** Writes statuses as `SloStore.writeStatuses`, and into what this process keeps of them. */
export const writeStatuses = Effect.fnUntraced(function* (statuses: ReadonlyArray<ComputedStatus>) {
  const written = yield* (yield* SloStore).writeStatuses(statuses)
  yield* statusesWereWritten(statuses, written)
  return written
})

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
