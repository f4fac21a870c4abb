import * as Effect from "effect/Effect"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { SloStore } from "../status/SloStore.ts"
import { policyAndObjective } from "./AlertCandidate.ts"
import { storedHoldReason } from "./AlertLifecycle.ts"
import { lifecyclesBefore } from "./EvaluateAlerts.ts"
import { holdText } from "./ExplainCondition.ts"
import type { HoldReason } from "./HoldReason.ts"

/** Maximum number of SLOs whose held alerts are listed. */
export const heldSlosMax = 100

/** An alert that does not trigger although conditions of its policy are met. */
interface HeldAlert {
  readonly slo: ProjectKey
  /** Absent for the legacy composite. */
  readonly objective?: string
  readonly alertPolicy: ProjectKey
  /** Since when a group of conditions is held, in Unix milliseconds. */
  readonly since: number
  readonly reason: HoldReason
  /** A sentence without a full stop. */
  readonly detail: string
}

interface HeldAlerts {
  readonly items: ReadonlyArray<HeldAlert>
  /** Whether more than `heldSlosMax` SLOs have held alerts. */
  readonly hasMore: boolean
}

/**
 * Lists the alerts that are held, as of the latest evaluation, in the order of project, SLO, alert policy and
 * objective: of all SLOs, those of a project, or those with a name.
 */
export const listHeldAlerts = Effect.fnUntraced(function* (
  organization: OrganizationId,
  filter: Partial<ProjectKey>,
) {
  const { items, hasMore } = yield* (yield* SloStore).held(organization, heldSlosMax, filter)
  const held: Array<HeldAlert> = []
  for (const { slo, evaluation, pastChanges } of items) {
    const lifecycles = Object.entries(yield* lifecyclesBefore({ evaluation }))
    for (const [key, lifecycle] of lifecycles.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const { heldSince } = lifecycle
      const reason = storedHoldReason(lifecycle)
      if (heldSince === undefined || reason === undefined) continue
      const [policy, objective] = policyAndObjective(key)
      held.push({
        slo,
        ...(objective !== overallTrack && { objective }),
        alertPolicy: { project: slo.project, name: policy },
        since: heldSince,
        reason,
        detail: holdText(reason, pastChanges),
      })
    }
  }
  const listed: HeldAlerts = { items: held, hasMore }
  return listed
})
