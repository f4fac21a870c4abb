import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { onDefinitionsChanged } from "../definition/DefinitionListeners.ts"
import type { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { workFor } from "../quota/ProcessorShares.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import { type Kept, makeKept } from "../work/Kept.ts"
import { inParts } from "../work/Parts.ts"
import { fleetBytesMin, FleetPlane, type FleetTable } from "./FleetPlane.ts"
import { type ComputedStatus, type ProjectVersion, SloStore, writtenVersion } from "./SloStore.ts"

/** Most bytes of all planes that a process keeps: 256 MiB. */
const planesMaxBytes = 268_435_456

/** Most bytes of the plane of one organization: some 400,000 objectives. */
const planeMaxBytes = planesMaxBytes / 4

/** Most SLOs that are read at once. */
const slosPerPage = 1_000

/** Most planes of which a process reads more than a page at once, of one organization each. */
const loadsAtOnce = 2

/** SLOs that are taken over in one part. */
const slosAtOnce = 100

/** The plane of an organization. */
interface KeptPlane {
  plane: FleetPlane
  /** With how many SLOs it took more than `planeMaxBytes`; nothing is kept while there are at least as many. `Infinity`: it does not. */
  tooLarge: number
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

const makeFleetPlanes = (): KeptPlanes => {
  // Organizations take turns in the order in which they asked.
  const loads = Semaphore.makeUnsafe(loadsAtOnce)
  return makeKept({
    max: planesMaxBytes,
    sizeOf: ({ plane }) => plane.bytes,
    make: (): KeptPlane => ({ plane: new FleetPlane(), tooLarge: Infinity }),
    refresh: (organization, kept, makeRoom) => refreshPlane(organization, kept, { loads, makeRoom }),
  })
}

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
    const { plane, tooLarge } = yield* workFor(organization)(planes.get(organization))
    return tooLarge < Infinity ? undefined : plane.table
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

interface Loading {
  readonly loads: Semaphore.Semaphore
  /** Drops planes of others as far as so many bytes do not fit beside them. */
  readonly makeRoom: (bytes: number) => void
}

const refreshPlane = Effect.fnUntraced(function* (
  organization: OrganizationId,
  kept: KeptPlane,
  { loads, makeRoom }: Loading,
) {
  const store = yield* SloStore
  if (kept.plane.isWorn) kept.plane = new FleetPlane()
  const { plane } = kept
  // Taken before the store is asked: what this process writes in between is read again.
  const known = new Map(plane.projectVersions.map((each) => [each.project, each]))
  const changed: Array<string> = []
  let slos = 0
  for (const version of yield* store.projectVersions(organization)) {
    const before = known.get(version.project)
    known.delete(version.project)
    slos += version.slos
    if (!isSameVersion(before, version)) changed.push(version.project)
  }
  const isTooLarge = (): KeptPlane => {
    kept.plane = new FleetPlane()
    kept.tooLarge = slos
    return kept
  }
  if (slos >= kept.tooLarge || fleetBytesMin(slos) > planeMaxBytes) return isTooLarge()
  kept.tooLarge = Infinity
  const projects = new Set([...changed, ...known.keys()])
  if (projects.size === 0) return kept
  const more = slos - plane.slos
  const read = readProjects(organization, plane, projects)
  const load = Effect.andThen(
    Effect.sync(() => makeRoom(fleetBytesMin(more))),
    read,
  )
  if (!(yield* more > slosPerPage ? loads.withPermits(1)(load) : read)) return isTooLarge()
  if (plane.slos === 0) kept.plane = new FleetPlane()
  return kept
})

/** Brings some projects of a plane up to date. Returns whether it takes no more than it may. */
const readProjects = Effect.fnUntraced(function* (
  organization: OrganizationId,
  plane: FleetPlane,
  projects: ReadonlySet<string>,
) {
  const store = yield* SloStore
  plane.beginReading()
  let after: ProjectKey | undefined
  for (;;) {
    const page = { limit: slosPerPage, ...(after !== undefined && { after }) }
    const { items, hasMore } = yield* store.changedSlos(organization, [...projects], page, plane.versionOf)
    yield* inParts(function* () {
      for (const [index, item] of items.entries()) {
        if (index % slosAtOnce === 0) yield
        plane.takeRead(item)
      }
    })
    if (plane.bytes > planeMaxBytes) return false
    const last = items.at(-1)
    if (!hasMore || last === undefined) break
    after = { project: last.project, name: last.name }
  }
  yield* inParts(() => plane.removeUnread(projects))
  return true
})

const isSameVersion = (a: ProjectVersion | undefined, b: ProjectVersion): boolean =>
  a?.slos === b.slos && a.definition === b.definition && a.status === b.status
