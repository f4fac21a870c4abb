import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AlertSilence } from "../alert-policy/AlertSilence.ts"
import { type SilenceState, silenceState, silenceStateUntil } from "../alert-policy/SilenceState.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import { type OrganizationId, organizationKeyText } from "../metadata/ObjectKey.ts"
import { listByProjectKey, type PageQuery, readPage } from "../pagination/Page.ts"
import { SloNotFound, sloKey } from "../status/FindSlo.ts"
import { SloStore } from "../status/SloStore.ts"

/** Most states of silences that a process keeps until they change; each takes some 300 bytes. */
const keptSilenceStatesMax = 10_000

/** The query of a list of silences, not validated yet; an empty string is treated as omitted. */
export interface ListSilencesQuery extends PageQuery {
  readonly project?: string | undefined
  readonly name?: string | undefined
  /** The name of an SLO of `project`. */
  readonly slo?: string | undefined
}

/** A silence with its state now. */
export interface ListedSilence {
  /** As applied. */
  readonly definition: AlertSilence
  /** At the time of the request. */
  readonly state: SilenceState
}

/**
 * Lists silences with their state, in the order of project, then name, by code point: a page, its limit, and the cursor of
 * the next page. With `slo`, only those that have not ended and are of this SLO, by its name or labels, as alerting applies
 * them; fails with `SloNotFound`.
 */
export const listSilences = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { project, name, slo, ...page }: ListSilencesQuery,
) {
  const definitions = yield* DefinitionStore
  const now = yield* Clock.currentTimeMillis
  const byStore = yield* KeptStates
  const kept = byStore.get(definitions) ?? new Map<string, KeptState>()
  byStore.set(definitions, kept)
  const withState = (silence: StoredDefinition<AlertSilence>) =>
    stateOf(kept, organization, silence, now).pipe(
      Effect.map((state): ListedSilence => ({ definition: silence.definition, state })),
    )
  if (!slo) {
    const wanted = {
      kind: "AlertSilence",
      ...(project && { project }),
      ...(name && { names: [name] }),
    } as const
    return yield* readPage(silenceList, page, (request) =>
      Effect.flatMap(definitions.list(organization, wanted, request), ({ items, hasMore }) =>
        Effect.map(Effect.forEach(items, withState), (items) => ({ items, hasMore })),
      ),
    )
  }
  if (!project) {
    const detail = "project is required with slo"
    return yield* new ParameterIsInvalid({ code: "project_required", propertyName: "project", detail })
  }
  const key = yield* Effect.fromResult(sloKey(project, slo))
  const slos = yield* SloStore
  return yield* readPage(silenceList, page, ({ after, limit }) =>
    Effect.gen(function* () {
      const found = Option.getOrUndefined(yield* slos.findForStatus(organization, key))
      if (found === undefined) return yield* new SloNotFound(key)
      // A silence is of one project, and those of an SLO are in the order of their names.
      const rest = found.silences.filter(
        ({ definition: { metadata } }) =>
          (!name || metadata.name === name) && (after === undefined || metadata.name > after.name),
      )
      const items = (yield* Effect.forEach(rest, withState)).filter(({ state }) => state.status !== "ended")
      return { items: items.slice(0, limit), hasMore: items.length > limit }
    }),
  )
})

const silenceList = listByProjectKey(
  "console/silences",
  ({ definition }: ListedSilence) => definition.metadata,
)

interface KeptState {
  readonly version: string
  readonly state: SilenceState
  /** In Unix milliseconds: when it was computed, and how long it is right, exclusive. */
  readonly from: number
  readonly until: number
}

/** The states that were computed of each store, by the silence: expanding a recurrence can take some 30 ms. */
const KeptStates = Context.Reference("@tocsin/domain/internal/alerting/SilenceStates", {
  defaultValue: () => new WeakMap<DefinitionStore["Service"], Map<string, KeptState>>(),
})

const stateOf = Effect.fnUntraced(function* (
  kept: Map<string, KeptState>,
  organization: OrganizationId,
  silence: StoredDefinition<AlertSilence>,
  now: number,
) {
  // A period is no work.
  if (silence.definition.spec.recurrence === undefined) return silenceState(silence, now)
  const { version } = silence
  const key = organizationKeyText(organization, silence.definition.metadata)
  const known = kept.get(key)
  if (known?.version === version && known.from <= now && now < known.until) return known.state
  // Other requests go on between the silences of a page.
  yield* Effect.yieldNow
  const state = silenceState(silence, now)
  kept.delete(key)
  kept.set(key, { version, state, from: now, until: silenceStateUntil(state, now) })
  const [oldest] = kept.size > keptSilenceStatesMax ? kept.keys() : []
  if (oldest !== undefined) kept.delete(oldest)
  return state
})
