import { silenceIsOf } from "@tocsin/domain/alert-policy/AlertSilence"
import { uniqueKeys } from "@tocsin/domain/definition/References"
import { labelTokens } from "@tocsin/domain/metadata/LabelFilter"
import {
  type SloFilter,
  sloSearchText,
  type DueSlo,
  SloStore,
  revisionToText,
  textToRevision,
} from "@tocsin/domain/status/SloStore"
import type { Slo } from "@tocsin/domain/slo/Slo"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { indicatorTablesOf } from "./IndicatorTables.ts"
import { revisionOf, type SloState, sloTablesOf } from "./SloTables.ts"

/** SLO records in memory; the parts of the project and the service are joined when a record is read. */
export const make: Effect.Effect<SloStore["Service"], never, MemoryDatabase> = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const tables = sloTablesOf(database)
  const indicators = indicatorTablesOf(database)

  const toDue = (state: SloState): DueSlo => {
    const { organization, stored, evaluation, pastCountsTo } = state
    const { metadata, spec } = stored.definition
    const policies = spec.alertPolicies.flatMap((name) => {
      const key = { project: metadata.project, name }
      return database.definitions(organization, "AlertPolicy").get(key) ?? []
    })
    const names = [metadata.name, ...labelTokens(metadata.labels)]
    const referrers = names.flatMap((name) =>
      database.referrers(organization, { kind: "SLO", project: metadata.project, name }),
    )
    const silences = uniqueKeys(referrers.filter(({ kind }) => kind === "AlertSilence"))
      .flatMap((silence) => database.definitions(organization, "AlertSilence").get(silence) ?? [])
      .filter(({ definition }) => silenceIsOf(definition, metadata))
      .sort((a, b) => (a.definition.metadata.name < b.definition.metadata.name ? -1 : 1))
    const readTo = indicators.find(organization, metadata)?.state.readTo
    return {
      organization,
      slo: stored,
      policies,
      silences,
      ...(readTo !== undefined && { readTo }),
      ...(pastCountsTo !== undefined && { pastCountsTo }),
      evaluation,
      revision: revisionToText(revisionOf(state)),
    }
  }

  return SloStore.of({
    page: (organization, request, { project, ...filter } = {}) =>
      Effect.sync(() => {
        const wanted = { ...request, ...(project !== undefined && { project }) }
        const { items, hasMore } = tables
          .slos(organization)
          .page(wanted, ({ stored }) => matches(stored.definition, filter))
        return { items: items.map(tables.record), hasMore }
      }),
    find: (organization, key) =>
      Effect.sync(() => Option.map(Option.fromNullishOr(tables.find(organization, key)), tables.record)),
    dueForStatus: (now, limit, leaseMs) =>
      Effect.sync(() => {
        const claimed = tables.due.due(now, limit)
        for (const state of claimed) tables.due.put(state, now + leaseMs)
        return claimed.map(toDue)
      }),
    makeDue: (now, waitMs) => Effect.sync(() => tables.due.makeDue(now, waitMs)),
    findForStatus: (organization, key) =>
      Effect.sync(() => Option.map(Option.fromNullishOr(tables.find(organization, key)), toDue)),
    writeStatuses: (statuses) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        statuses.map(({ organization, slo, revision, statuses, evaluation, dueAt }) => {
          const state = tables.find(organization, slo)
          const { basis, counts } = textToRevision(revision)
          if (state === undefined || revisionOf(state).basis !== basis) return false
          tables.writeStatuses(state, statuses)
          state.evaluation = evaluation
          state.revision++
          // With newer counts it is due at once, as a process that has claimed it meanwhile cannot write its status.
          if (revisionOf(state).counts !== counts) {
            tables.due.put(state, Math.min(now, tables.due.dueAt(state) ?? now))
          } else {
            state.pastCountsTo = undefined
            if (dueAt === undefined) tables.due.remove(state)
            else tables.due.put(state, dueAt)
          }
          return true
        }),
      ),
  })
})

const matches = (slo: Slo, { service, text }: SloFilter): boolean =>
  (service === undefined || slo.spec.service === service) &&
  (text === undefined || sloSearchText(slo).includes(text))

export const layer: Layer.Layer<SloStore, never, MemoryDatabase> = Layer.effect(SloStore, make)
