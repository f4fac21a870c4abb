import { Clock, Effect, Option } from "effect"
import type { OrganizationId, ProjectKey } from "../definition/Definition.ts"
import {
  DefinitionStore,
  type DefinitionStoreIsUnavailable,
  type StoredDefinition,
} from "../definition/DefinitionStore.ts"
import { Limits } from "../Limits.ts"
import { CountStore, type CountStoreIsUnavailable } from "./CountStore.ts"
import { objectiveStatus } from "./ErrorBudget.ts"
import { minuteMs } from "./MinuteInstant.ts"
import type { Slo } from "./Slo.ts"
import { sloToTailJson } from "./SloRecord.ts"
import { SloStore, type SloStoreIsUnavailable } from "./SloStore.ts"
import { burnRateRange, windowAt } from "./WindowAt.ts"

/**
 * Computes the status of an SLO from its definition and counts as they are now, and writes it into its record.
 *
 * When either changes meanwhile it starts over. After `attemptsMax` losses it gives up: who changed them has made
 * the status due, and `refreshStatuses` sees to it. An SLO that does not exist is left alone.
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
    const definitions = yield* DefinitionStore
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const stored = yield* definitions.find(organization, "SLO", key)
      if (Option.isNone(stored)) return
      if (yield* refreshStatusOf(organization, stored.value)) return
    }
  })

/**
 * Computes the status of an SLO whose definition is known and writes it into its record, unless the definition or
 * the counts have changed meanwhile; tells whether it did.
 *
 * While there are counts in the window, or ahead of it, the status is due again after `statusRefreshMs`, as the
 * window moves on over them.
 */
export const refreshStatusOf = (
  organization: OrganizationId,
  stored: StoredDefinition<Slo>,
): Effect.Effect<boolean, CountStoreIsUnavailable | SloStoreIsUnavailable, CountStore | SloStore> =>
  Effect.gen(function* () {
    const { metadata, spec } = stored.definition
    const key = { project: metadata.project, name: metadata.name }
    const counts = yield* CountStore
    const now = yield* Clock.currentTimeMillis
    const at = windowAt(spec.timeWindow, now)
    const { range } = at
    // Read first, so that counts which come between the reads are noticed when the status is written.
    const window = yield* counts.sums(organization, key, range)
    const recent = yield* counts.sums(organization, key, burnRateRange(at))
    const ahead = { from: range.to, to: range.to + Limits.countsMaxAheadMs + minuteMs }
    const isMoving = window.sums.length > 0 || (yield* counts.sums(organization, key, ahead)).sums.length > 0

    const windowByObjective = new Map(window.sums.map((sum) => [sum.objective, sum]))
    const recentByObjective = new Map(recent.sums.map((sum) => [sum.objective, sum]))
    const statuses = new Map(
      spec.objectives.map(({ name, target }) => [
        name,
        objectiveStatus(target, at.lengthMs, windowByObjective.get(name), recentByObjective.get(name)),
      ]),
    )
    return yield* (yield* SloStore).writeStatus(organization, key, {
      version: stored.version,
      countsRevision: window.revision,
      tailJson: sloToTailJson(stored.definition, stored.createdAt, statuses),
      ...(isMoving && { dueAt: now + Limits.statusRefreshMs }),
    })
  })

const attemptsMax = 5
