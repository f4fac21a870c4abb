import { Effect, Option } from "effect"
import type { OrganizationId, ProjectKey } from "../definition/Definition.ts"
import type { DefinitionStore, DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import type { CountStore, CountStoreIsUnavailable } from "./CountStore.ts"
import { readSlos, type SloReading } from "./ReadSlos.ts"
import { sloToTailJson } from "./SloRecord.ts"
import { sloStatus } from "./SloStatus.ts"
import { SloStore, type SloStoreIsUnavailable, type StatusWritten } from "./SloStore.ts"

/**
 * Computes the status of an SLO from its definition and counts as they are now, and writes it into its record.
 *
 * When anything that it is computed from changes meanwhile it starts over. After `attemptsMax` losses it gives up: who
 * changed it has made the status due, and `refreshStatuses` sees to it. An SLO that does not exist is left alone.
 */
export const refreshStatus = (
  organization: OrganizationId,
  key: ProjectKey,
): Effect.Effect<
  void,
  CountStoreIsUnavailable | DefinitionStoreIsUnavailable | SloStoreIsUnavailable,
  CountStore | DefinitionStore | SloStore
> =>
  Effect.gen(function* () {
    const slos = yield* SloStore
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const due = yield* slos.findForStatus(organization, key)
      if (Option.isNone(due)) return
      const readings = yield* readSlos([due.value])
      const [isWritten] = yield* slos.writeStatuses(readings.map(statusOf))
      if (isWritten === true) return
    }
  })

const attemptsMax = 5

/**
 * Computes the status of an SLO that has been read.
 *
 * While there are counts in the window, or ahead of it, the status is due again as the next minute begins, since the
 * window moves on over them; and it is when a window of the calendar ends.
 *
 * Source: decisions 0504, 0518 and 0521.
 */
export const statusOf = ({ due, at, told }: SloReading): StatusWritten => {
  const { organization, slo, revision } = due
  const { project, name } = slo.definition.metadata
  const dueAt = told.isMoving ? at.range.to : at.endsAt
  return {
    organization,
    slo: { project, name },
    revision,
    tailJson: sloToTailJson(slo.definition, slo.createdAt, sloStatus(slo.definition, at, told)),
    ...(dueAt !== undefined && { dueAt }),
  }
}
