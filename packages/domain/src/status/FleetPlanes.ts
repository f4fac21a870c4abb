import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { onDefinitionsChanged } from "../definition/DefinitionListeners.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { workFor } from "../quota/ProcessorShares.ts"
import { projectKind } from "../slo/Project.ts"
import { serviceKind } from "../slo/Service.ts"
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

/**
 * Most SLOs that are kept of an organization of which all would take too much memory. They are read again for each refresh, but for what
 * has not changed.
 */
export const fleetPartSlosMax = 20_000

/** The plane of an organization. */
interface KeptPlane {
  plane: FleetPlane
  /** With how many SLOs it took more than `planeMaxBytes`; only the first are kept while there are at least as many. `Infinity`: it does not. */
  tooLarge: number
}

type KeptPlanes = Kept<OrganizationId, KeptPlane, StoreIsUnavailable, DefinitionStore | SloStore>

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
 * The latest figures of all objectives of an organization, as they were last written; if they would take too much memory, those of its
 * first SLOs by project and name, at most `fleetPartSlosMax`.
 *
 * They are read once. Then what this process writes is in them at once, and what another one writes after the next look at the
 * versions of the store: at most a tenth of the time is spent on looking, so that an organization with few SLOs is looked at for each
 * request.
 */
export const fleetTable: (
  organization: OrganizationId,
) => Effect.Effect<FleetTable, StoreIsUnavailable, DefinitionStore | SloStore> = Effect.fnUntraced(
  function* (organization) {
    const planes = yield* fleetPlanes
    const { plane } = yield* workFor(organization)(planes.get(organization))
    return plane
  },
)

/** Like `fleetTable` for the first SLOs after a key, at most `fleetPartSlosMax`. Nothing is kept. */
export const readFleetAfter = Effect.fnUntraced(function* (organization: OrganizationId, after: ProjectKey) {
  const plane = new FleetPlane()
  const versions = yield* (yield* SloStore).projectVersions(organization)
  const projects = versions.filter(({ project }) => project >= after.project)
  plane.hasMore = yield* readProjects(organization, plane, projects, { after, slosMax: fleetPartSlosMax })
  const table: FleetTable = plane
  return table
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
  if (kept.plane.isWorn || kept.plane.bytes > planeMaxBytes) kept.plane = new FleetPlane()
  // Taken before the store is asked: what this process writes in between is read again.
  const known = new Map(kept.plane.projectVersions.map((each) => [each.project, each]))
  const versions = yield* store.projectVersions(organization)
  const slos = versions.reduce((sum, each) => sum + each.slos, 0)
  const load = (slosMax: number, changed: ReadonlyArray<ProjectVersion>) => {
    const more = Math.min(slos, slosMax) - kept.plane.slos.length
    const read = readProjects(organization, kept.plane, changed, { slosMax })
    const loading = Effect.andThen(
      Effect.sync(() => makeRoom(fleetBytesMin(more))),
      read,
    )
    return more > slosPerPage ? loads.withPermits(1)(loading) : read
  }
  if (slos < kept.tooLarge && fleetBytesMin(slos) <= planeMaxBytes) {
    kept.tooLarge = Infinity
    if (kept.plane.hasMore) kept.plane = new FleetPlane()
    const isUnknown = kept.plane.slos.length === 0
    const changed = versions.filter((each) => isUnknown || !isSameVersion(known.get(each.project), each))
    const current = new Set(versions.map(({ project }) => project))
    const gone = [...known.values()].filter(({ project }) => !current.has(project))
    if (changed.length + gone.length === 0) return kept
    let isCut = yield* load(Infinity, [...changed, ...gone])
    if (isCut && !isUnknown) {
      // Without what is gone, they may fit.
      kept.plane = new FleetPlane()
      isCut = yield* load(Infinity, versions)
    }
    if (kept.plane.slos.length === 0) kept.plane = new FleetPlane()
    if (!isCut) return kept
    kept.tooLarge = slos
  }
  if (!kept.plane.hasMore) kept.plane = new FleetPlane()
  kept.plane.hasMore = true
  yield* load(fleetPartSlosMax, versions)
  return kept
})

interface ReadingLimits {
  readonly slosMax: number
  readonly after?: ProjectKey
}

/**
 * Brings some projects of a plane up to date, or the first SLOs of all of them, as far as they fit. Returns whether there are SLOs that
 * do not.
 */
const readProjects = Effect.fnUntraced(function* (
  organization: OrganizationId,
  plane: FleetPlane,
  versions: ReadonlyArray<ProjectVersion>,
  { slosMax, after: start }: ReadingLimits,
) {
  const store = yield* SloStore
  const projects = versions.map(({ project }) => project)
  plane.beginReading()
  let after = start
  let left = slosMax
  let isCut = false
  for (;;) {
    const page = { limit: Math.min(slosPerPage, left), ...(after !== undefined && { after }) }
    const { items, hasMore } = yield* store.changedSlos(organization, projects, page, plane.versionOf)
    yield* inParts(function* () {
      for (const [index, item] of items.entries()) {
        if (index % slosAtOnce === 0) yield
        plane.takeRead(item)
      }
    })
    left -= items.length
    const last = items.at(-1)
    if (!hasMore || last === undefined) break
    isCut = left <= 0 || plane.bytes > planeMaxBytes
    if (isCut) break
    after = { project: last.project, name: last.name }
  }
  yield* inParts(() => plane.endReading(new Set(projects)))
  yield* readNames(organization, plane, versions)
  return isCut
})

/** Reads the display names of projects and services that have changed, or that are not known yet. */
const readNames = Effect.fnUntraced(function* (
  organization: OrganizationId,
  plane: FleetPlane,
  versions: ReadonlyArray<ProjectVersion>,
) {
  const definitions = yield* DefinitionStore
  const known = new Map(plane.projectVersions.map(({ project, names }) => [project, names]))
  const changed = versions.filter(({ project, names }) => known.has(project) && known.get(project) !== names)
  const { projects, services } = yield* inParts(() =>
    plane.unnamed(new Set(changed.map(({ project }) => project))),
  )
  for (const [kind, keys] of [
    [projectKind.kind, projects],
    [serviceKind.kind, services],
  ] as const) {
    for (let at = 0; at < keys.length; at += namesPerPage) {
      const page = keys.slice(at, at + namesPerPage)
      const found = yield* definitions.findAll(organization, kind, page)
      const displayNames = new Map(
        found.map(({ definition: { metadata } }) => [
          projectKeyText({ project: "project" in metadata ? metadata.project : "", name: metadata.name }),
          metadata.displayName,
        ]),
      )
      for (const key of page) plane.takeName(key, displayNames.get(projectKeyText(key)))
    }
  }
  for (const { project, names } of changed) plane.takeNameVersion(project, names)
})

/** Most display names that are read at once. */
const namesPerPage = 500

const isSameVersion = (a: ProjectVersion | undefined, b: ProjectVersion): boolean =>
  a?.slos === b.slos && a.definition === b.definition && a.status === b.status && a.names === b.names
