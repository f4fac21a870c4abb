import type { AlertStore, AlertStoreIsUnavailable } from "@tocsin/domain/internal/alerting/AlertStore"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/internal/metadata/ObjectKey"
import { readSloSnapshot, type SloSnapshot } from "@tocsin/domain/internal/overview/SloSnapshot"
import { SloStore, type SloStoreIsUnavailable } from "@tocsin/domain/internal/status/SloStore"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ApiResponse } from "../frame/ApiResponse.ts"

/** Most SLOs of all snapshots that a process keeps; each takes some 500 bytes beside its record. */
const keptSlosMax = 100_000

/** A snapshot is used for this many times as long as it took to read, so that reading takes at most a tenth of the time. */
const usedTimes = 10

/** A snapshot, and what was made from it. */
export interface KeptSnapshot {
  readonly snapshot: SloSnapshot
  /** The responses from it by their kind, each made when it is first asked for. */
  readonly responses: Map<string, ApiResponse>
}

/** The snapshots that a process has read last, by organization and the SLO that they begin after. */
export interface SloSnapshots {
  readonly get: (
    organization: OrganizationId,
    after?: ProjectKey,
  ) => Effect.Effect<KeptSnapshot, Failure, AlertStore | SloStore>
}

type Failure = AlertStoreIsUnavailable | SloStoreIsUnavailable

interface Entry {
  readonly read: Deferred.Deferred<KeptSnapshot, Failure>
  /** How long it may be used, in milliseconds of the clock; until it has been read, requests share the reading. */
  until: number
  slos: number
}

/**
 * Keeps snapshots in memory. An organization with few SLOs is read for each request; one with many at most once in ten times
 * as long as that takes. Requests at the same time share one reading.
 */
const makeSloSnapshots = (): SloSnapshots => {
  /** The one used last is last. */
  const entries = new Map<string, Entry>()

  const drop = (): void => {
    let slos = 0
    for (const entry of entries.values()) slos += entry.slos
    for (const [key, entry] of entries) {
      if (slos <= keptSlosMax) return
      entries.delete(key)
      slos -= entry.slos
    }
  }

  /** Goes on when the request that started it is interrupted, as others wait for it. */
  const start = (
    organization: OrganizationId,
    after: ProjectKey | undefined,
    key: string,
    startedAt: number,
  ) => {
    const entry: Entry = { read: Deferred.makeUnsafe(), until: Infinity, slos: 0 }
    entries.delete(key)
    entries.set(key, entry)
    const reading = Effect.map(readSloSnapshot(organization, after), (snapshot): KeptSnapshot => ({
      snapshot,
      responses: new Map(),
    })).pipe(
      Effect.onExit((exit) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            if (exit._tag === "Success") {
              const now = clock.currentTimeMillisUnsafe()
              entry.until = now + usedTimes * Math.max(0, now - startedAt)
              entry.slos = exit.value.snapshot.records.length
              drop()
            } else if (entries.get(key) === entry) entries.delete(key)
            Deferred.doneUnsafe(entry.read, exit)
          }),
        ),
      ),
    )
    return Effect.andThen(Effect.forkDetach(reading), Deferred.await(entry.read))
  }

  return {
    get: (organization, after) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const key = JSON.stringify([organization, after?.project, after?.name])
        const known = entries.get(key)
        // After the clock was set back, a snapshot is used no longer than it would have been.
        if (known === undefined || known.until <= now) return start(organization, after, key, now)
        entries.delete(key)
        entries.set(key, known)
        return Deferred.await(known.read)
      }),
  }
}

/** The snapshots of each store of a process. */
const snapshotsByStore = Context.Reference<WeakMap<SloStore["Service"], SloSnapshots>>(
  "@tocsin/adapters-http/internal/console/SloSnapshots",
  { defaultValue: () => new WeakMap() },
)

/** A snapshot of an organization's SLOs, as `makeSloSnapshots` keeps it. */
export const sloSnapshotOf = Effect.fnUntraced(function* (organization: OrganizationId, after?: ProjectKey) {
  const byStore = yield* snapshotsByStore
  const store = yield* SloStore
  const snapshots = byStore.get(store) ?? makeSloSnapshots()
  byStore.set(store, snapshots)
  return yield* snapshots.get(organization, after)
})
