import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AlertStore, AlertStoreIsUnavailable, StatusHasChanged } from "../alerting/AlertStore.ts"
import { evaluateAlerts } from "../alerting/EvaluateAlerts.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { DefinitionStore, DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import type { CountStore, CountStoreIsUnavailable } from "../counts/CountStore.ts"
import { readSlos, type SloReading } from "../status/ReadSlos.ts"
import { sloStatus } from "../status/SloStatus.ts"
import { SloStore, type SloStoreIsUnavailable, type ComputedStatus } from "../status/SloStore.ts"

/**
 * Computes the status of an SLO from its definition and counts as they are now, writes it into its record, and carries
 * out what follows for its alerts.
 *
 * When anything that it is computed from changes meanwhile it starts over. After `attemptsMax` losses it gives up: who
 * changed it has made the status due, and `refreshStatuses` sees to it. An SLO that does not exist is left alone.
 */
export const refreshStatus = (
  organization: OrganizationId,
  key: ProjectKey,
): Effect.Effect<
  void,
  AlertStoreIsUnavailable | CountStoreIsUnavailable | DefinitionStoreIsUnavailable | SloStoreIsUnavailable,
  AlertStore | CountStore | DefinitionStore | SloStore
> =>
  Effect.gen(function* () {
    const slos = yield* SloStore
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const due = yield* slos.findForStatus(organization, key)
      if (Option.isNone(due)) return
      const [isWritten] = yield* Effect.forEach(yield* readSlos([due.value]), statusOf).pipe(
        Effect.flatMap(slos.writeStatuses),
        Effect.catchTag("StatusHasChanged", () => Effect.succeed([false])),
      )
      if (isWritten === true) return
    }
  })

const attemptsMax = 5

/**
 * Computes the status of an SLO that has been read, and carries out what follows for its alerts.
 *
 * While there are counts in the window, in an alerting window or ahead of it, the status is due again as the next minute
 * begins, since the windows move on over them; and it is when a window of the calendar ends, or time alone changes
 * something for an alert.
 *
 * Fails with `StatusHasChanged` when the SLO has changed since it was read.
 *
 * Source: spec/slos §5.
 */
export const statusOf = (
  reading: SloReading,
): Effect.Effect<
  ComputedStatus,
  StatusHasChanged | AlertStoreIsUnavailable | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore
> => {
  const { due, at, counts } = reading
  const { organization, slo } = due
  const { project, name } = slo.definition.metadata
  const statuses = sloStatus(slo.definition, at, counts)
  return Effect.map(
    evaluateAlerts({ ...reading, statuses }),
    ({ revision, evaluation, nextCheckAt = Infinity }): ComputedStatus => {
      const dueAt = Math.min(counts.isMoving ? at.range.to : (at.endsAt ?? Infinity), nextCheckAt)
      return {
        organization,
        slo: { project, name },
        revision,
        statuses,
        ...(evaluation !== undefined && { evaluation }),
        ...(dueAt < Infinity && { dueAt }),
      }
    },
  )
}
