import { Clock, Effect, Option } from "effect"
import type { OrganizationId, ProjectKey } from "../definition/Definition.ts"
import { Limits } from "../Limits.ts"
import { CountStore, type CountStoreIsUnavailable } from "./CountStore.ts"
import { objectiveStatus } from "./ErrorBudget.ts"
import { minuteMs } from "./MinuteInstant.ts"
import { sloToTailJson } from "./SloRecord.ts"
import { type SloDue, SloStore, type SloStoreIsUnavailable } from "./SloStore.ts"
import { burnRateRange, windowAt } from "./WindowAt.ts"

/**
 * Computes the status of an SLO from its definition and counts as they are now, and writes it into its record.
 *
 * When anything that it is computed from changes meanwhile it starts over. After `attemptsMax` losses it gives up: who
 * changed it has made the status due, and `refreshStatuses` sees to it. An SLO that does not exist is left alone.
 */
export const refreshStatus = (
  organization: OrganizationId,
  key: ProjectKey,
): Effect.Effect<void, CountStoreIsUnavailable | SloStoreIsUnavailable, CountStore | SloStore> =>
  Effect.gen(function* () {
    const slos = yield* SloStore
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const due = yield* slos.findForStatus(organization, key)
      if (Option.isNone(due)) return
      if (yield* refreshStatusOf(due.value)) return
    }
  })

/**
 * Computes the status of an SLO and writes it into its record, unless anything that it is computed from has changed
 * since the SLO was read; tells whether it did.
 *
 * While there are counts in the window, or ahead of it, the status is due again after `statusRefreshMs`, as the
 * window moves on over them.
 */
export const refreshStatusOf = (
  due: SloDue,
): Effect.Effect<boolean, CountStoreIsUnavailable | SloStoreIsUnavailable, CountStore | SloStore> =>
  Effect.gen(function* () {
    const { organization, slo } = due
    const { metadata, spec } = slo.definition
    const key = { project: metadata.project, name: metadata.name }
    const now = yield* Clock.currentTimeMillis
    const at = windowAt(spec.timeWindow, now)
    const ahead = { from: at.range.to, to: at.range.to + Limits.countsMaxAheadMs + minuteMs }
    const ranges = [at.range, burnRateRange(at), ahead]
    const [found] = yield* (yield* CountStore).sums([{ organization, slo: key, ranges }])
    const [window = [], recent = [], later = []] = found?.sums ?? []

    const windowByObjective = new Map(window.map((sum) => [sum.objective, sum]))
    const recentByObjective = new Map(recent.map((sum) => [sum.objective, sum]))
    const statuses = new Map(
      spec.objectives.map(({ name, target }) => [
        name,
        objectiveStatus(target, at.lengthMs, windowByObjective.get(name), recentByObjective.get(name)),
      ]),
    )
    return yield* (yield* SloStore).writeStatus(organization, key, {
      revision: due.revision,
      tailJson: sloToTailJson(slo.definition, slo.createdAt, statuses),
      ...(window.length + later.length > 0 && { dueAt: now + Limits.statusRefreshMs }),
    })
  })

const attemptsMax = 5
