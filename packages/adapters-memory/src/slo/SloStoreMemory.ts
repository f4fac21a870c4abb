import {
  componentsOf,
  heldLifecycleText,
  inParts,
  minutesReadOf,
  silenceIsOf,
  uniqueKeys,
  unreadOfComponents,
} from "@tocsin/domain/adapter"
import { type BudgetAdjustment, kinds, type Slo, sloOutline } from "@tocsin/domain/definitions"
import { type Kind, labelTokens, type OrganizationId, type ProjectKey } from "@tocsin/domain/kernel"
import {
  type DueSlo,
  type HeldSlo,
  revisionToText,
  type SloChange,
  type SloFilter,
  sloSearchText,
  SloStore,
  type SloVersion,
  textToRevision,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { indicatorTablesOf } from "./IndicatorTables.ts"
import { revisionOf, type SloState, sloTablesOf, versionOf } from "./SloTables.ts"

/** SLO records in memory; the parts of the project and the service are joined when a record is read. */
const make: Effect.Effect<SloStore["Service"], never, MemoryDatabase> = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const tables = sloTablesOf(database)
  const indicators = indicatorTablesOf(database)

  /** The definitions of a kind that select an SLO by name, or might by its labels. */
  const selecting = <K extends Kind>(
    kind: K,
    organization: OrganizationId,
    { project, name, labels }: Slo["metadata"],
  ) => {
    const referrers = [name, ...labelTokens(labels)].flatMap((name) =>
      database.referrers(organization, { kind: "SLO", project, name }),
    )
    return uniqueKeys(referrers.filter((key) => key.kind === kind)).flatMap(
      (key) => database.definitions(organization, kind).get(key) ?? [],
    )
  }

  const adjustmentsOf = (organization: OrganizationId, slo: Slo): ReadonlyArray<BudgetAdjustment> => {
    const components = componentsOf(slo).flatMap(
      ({ component }) => tables.find(organization, component.slo)?.stored.definition ?? [],
    )
    const adjustments = [slo, ...components].flatMap(({ metadata }) =>
      selecting(kinds.BudgetAdjustment.kind, organization, metadata),
    )
    return [...new Set(adjustments.map(({ definition }) => definition))]
  }

  const toDue = (state: SloState): DueSlo => {
    const { organization, stored, evaluation, pastChanges, traceparent } = state
    const { metadata, spec } = stored.definition
    const policies = spec.alertPolicies.flatMap((name) => {
      const key = { project: metadata.project, name }
      return database.definitions(organization, "AlertPolicy").get(key) ?? []
    })
    const silences = selecting(kinds.AlertSilence.kind, organization, metadata)
      .filter(({ definition }) => silenceIsOf(definition, metadata))
      .sort((a, b) => (a.definition.metadata.name < b.definition.metadata.name ? -1 : 1))
    const indicator = indicators.find(organization, metadata)?.state
    const componentsUnread = unreadOfComponents(
      componentsOf(stored.definition).flatMap(
        ({ component }) => indicators.find(organization, component.slo)?.state ?? [],
      ),
    )
    return {
      organization,
      slo: stored,
      policies,
      silences,
      adjustments: adjustmentsOf(organization, stored.definition),
      ...(indicator && minutesReadOf(indicator)),
      ...(componentsUnread !== undefined && { componentsUnread }),
      ...(pastChanges !== undefined && { pastChanges }),
      ...(traceparent !== undefined && { traceparent }),
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
    findAll: (organization, keys) =>
      Effect.sync(() => keys.flatMap((key) => tables.find(organization, key) ?? []).map(tables.record)),
    projectVersions: (organization) => inParts(() => tables.projectVersions(organization)),
    changedSlos: (organization, projects, { after, limit }, known) =>
      Effect.sync(() => {
        const states: Array<SloState> = []
        for (const project of projects.toSorted()) {
          if (after !== undefined && project < after.project) continue
          const request = { project, limit: limit + 1 - states.length, ...(after !== undefined && { after }) }
          states.push(...tables.slos(organization).page(request).items)
          if (states.length > limit) break
        }
        return {
          items: states.slice(0, limit).map((state) => toChange(state, known)),
          hasMore: states.length > limit,
        }
      }),
    dueForStatus: (now, limit, leaseMs) =>
      Effect.sync(() => {
        const claimed = tables.due.due(now, limit)
        for (const state of claimed) tables.due.put(state, now + leaseMs)
        return claimed.map(toDue)
      }),
    oldestDueAt: (now) =>
      Effect.sync(() => Option.filter(Option.fromNullishOr(tables.due.nextDueAt), (dueAt) => dueAt <= now)),
    makeDue: (now, waitMs) => Effect.sync(() => tables.due.makeDue(now, waitMs)),
    findForStatus: (organization, key) =>
      Effect.sync(() => Option.map(Option.fromNullishOr(tables.find(organization, key)), toDue)),
    findAllForStatus: (organization, keys) =>
      Effect.sync(() => keys.flatMap((key) => tables.find(organization, key) ?? []).map(toDue)),
    held: (organization, limit, { project, name } = {}) =>
      Effect.sync(() => {
        const found: Array<HeldSlo> = []
        const isHeld = ({ stored, evaluation }: SloState): boolean =>
          evaluation?.includes(heldLifecycleText) === true &&
          (name === undefined || stored.definition.metadata.name === name)
        const request = { limit, ...(project !== undefined && { project }) }
        const { items, hasMore } = tables.slos(organization).page(request, isHeld)
        for (const { stored, evaluation, pastChanges } of items) {
          if (evaluation === undefined) continue
          const { project, name } = stored.definition.metadata
          found.push({
            slo: { project, name },
            ...(pastChanges !== undefined && { pastChanges }),
            evaluation,
          })
        }
        return { items: found, hasMore }
      }),
    writeStatuses: (statuses) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        statuses.map(({ organization, slo, revision, statuses, evaluation, pastChanges, dueAt }) => {
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
            state.pastChanges = pastChanges
            state.traceparent = undefined
            if (dueAt === undefined) tables.due.remove(state)
            else tables.due.put(state, dueAt)
          }
          return true
        }),
      ),
  })
})

const toChange = (state: SloState, known: (key: ProjectKey) => SloVersion | undefined): SloChange => {
  const { project, name } = state.stored.definition.metadata
  const version = versionOf(state)
  const before = known({ project, name })
  const isDefined = before?.definition === version.definition
  return {
    project,
    name,
    version,
    ...(!isDefined && { outline: sloOutline(state.stored.definition) }),
    ...(!(isDefined && before.status === version.status) && { statuses: state.statuses }),
  }
}

const matches = (slo: Slo, { service, text }: SloFilter): boolean =>
  (service === undefined || slo.spec.service === service) &&
  (text === undefined || sloSearchText(slo).includes(text))

export const layer: Layer.Layer<SloStore, never, MemoryDatabase> = Layer.effect(SloStore, make)
