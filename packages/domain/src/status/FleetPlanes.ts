import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { onDefinitionsChanged } from "../definition/DefinitionListeners.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { workFor } from "../quota/ProcessorShares.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import { type Kept, makeKept } from "../work/Kept.ts"
import { FleetPlane, type FleetTable } from "./FleetPlane.ts"
import { type ComputedStatus, SloStore, writtenVersion } from "./SloStore.ts"

/** Most bytes of all planes that a process keeps: 256 MiB. */
const planesMaxBytes = 268_435_456

/** Most bytes of the plane of one organization: some 400,000 objectives. */
const planeMaxBytes = planesMaxBytes / 4

/** Most SLOs that are read at once. */
const slosPerPage = 1_000

/** The plane of an organization. */
interface KeptPlane {
  plane: FleetPlane
  /** Whether it would take more than `planeMaxBytes`; nothing is kept of it then. */
  isTooLarge: boolean
}

type KeptPlanes = Kept<OrganizationId, KeptPlane, StoreIsUnavailable, SloStore>

/** The planes of each store of a process. */
const planesByStore = Context.Reference<WeakMap<SloStore["Service"], KeptPlanes>>(
  "@tocsin/domain/internal/status/FleetPlanes",
  { defaultValue: () => new WeakMap() },
)

const fleetPlanes = Effect.gen(function* () {
  const byStore = yield* planesByStore
  const store = yield* SloStore
  const known = byStore.get(store)
  if (known !== undefined) return known
  const planes = makeFleetPlanes()
  byStore.set(store, planes)
  yield* onDefinitionsChanged(planes.expire)
  return planes
})

const makeFleetPlanes = (): KeptPlanes =>
  makeKept({
    max: planesMaxBytes,
    sizeOf: ({ plane }) => plane.bytes,
    make: (): KeptPlane => ({ plane: new FleetPlane(), isTooLarge: false }),
    refresh: refreshPlane,
  })

/**
 * The latest figures of all objectives of an organization, as they were last written; `undefined` if they would take too much memory.
 *
 * They are read once. Then what this process writes is in them at once, and what another one writes after the next look at the
 * versions of the store: at most a tenth of the time is spent on looking, so that an organization with few SLOs is looked at for each
 * request.
 */
export const fleetTable: (
  organization: OrganizationId,
) => Effect.Effect<FleetTable | undefined, StoreIsUnavailable, DefinitionStore | SloStore> =
  Effect.fnUntraced(function* (organization) {
    const planes = yield* fleetPlanes
    const { plane, isTooLarge } = yield* workFor(organization)(planes.get(organization))
    return isTooLarge ? undefined : plane.table
  })

/** Takes over statuses that this process has written. */
export const statusesWereWritten = (
  statuses: ReadonlyArray<ComputedStatus>,
  written: ReadonlyArray<boolean>,
): Effect.Effect<void, never, SloStore> =>
  Effect.gen(function* () {
    const planes = (yield* planesByStore).get(yield* SloStore)
    for (const [index, { organization, slo, revision, statuses: ofSlo }] of statuses.entries()) {
      const plane = written[index] === true ? planes?.peek(organization)?.plane : undefined
      const version = plane === undefined ? undefined : writtenVersion(revision)
      if (version !== undefined) plane?.apply({ ...slo, version, statuses: ofSlo })
    }
  })

const refreshPlane = Effect.fnUntraced(function* (organization: OrganizationId, kept: KeptPlane) {
  const store = yield* SloStore
  if (kept.plane.isWorn) kept.plane = new FleetPlane()
  kept.isTooLarge = false
  const { plane } = kept
  // Taken before the store is asked: what this process writes in between is read again.
  const known = new Map(plane.projectVersions.map((each) => [each.project, each]))
  const changed: Array<string> = []
  for (const { project, slos, definition, status } of yield* store.projectVersions(organization)) {
    const before = known.get(project)
    known.delete(project)
    if (before?.slos === slos && before.definition === definition && before.status === status) continue
    changed.push(project)
  }
  const projects = [...changed, ...known.keys()]
  if (projects.length === 0) return kept
  const gone = new Set(plane.keysOf(new Set(projects)))
  let after: ProjectKey | undefined
  for (;;) {
    const page = { limit: slosPerPage, ...(after !== undefined && { after }) }
    const { items, hasMore } = yield* store.changedSlos(organization, projects, page, plane.versionOf)
    for (const item of items) {
      plane.apply(item)
      gone.delete(projectKeyText(item))
    }
    if (plane.bytes > planeMaxBytes) {
      kept.plane = new FleetPlane()
      kept.isTooLarge = true
      return kept
    }
    const last = items.at(-1)
    if (!hasMore || last === undefined) break
    after = { project: last.project, name: last.name }
    yield* Effect.yieldNow
  }
  for (const key of gone) plane.removeKey(key)
  return kept
})
