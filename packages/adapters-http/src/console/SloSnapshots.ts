import { workFor } from "@tocsin/domain"
import { readSloSnapshot, type SloSnapshot } from "@tocsin/domain/features/overview"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { type AlertStore, SloStore, type StoreIsUnavailable } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ApiResponse } from "../frame/ApiResponse.ts"

/** Most SLOs and open alerts of all snapshots that a process keeps, and the snapshots themselves; an SLO takes some 500 bytes beside its record. */
const keptMax = 100_000

/** A snapshot is used for this many times as long as it took to read, so that reading takes at most a tenth of the time. */
const usedTimes = 10

/** A snapshot, and what was made from it. */
export interface KeptSnapshot {
  readonly snapshot: SloSnapshot
  /** The responses from it by their kind, each made when it is first asked for; requests at the same time share the making. */
  readonly responses: Map<string, unknown>
}

/** The response of a kind from a snapshot. It is made once, and goes on when the request that started it is interrupted. */
export const responseOf = <E, R>(
  { responses }: KeptSnapshot,
  kind: string,
  make: Effect.Effect<ApiResponse, E, R>,
): Effect.Effect<ApiResponse, E, R> =>
  Effect.suspend(() => {
    const known = responses.get(kind) as Deferred.Deferred<ApiResponse, E> | undefined
    if (known !== undefined) return Deferred.await(known)
    const made = Deferred.makeUnsafe<ApiResponse, E>()
    responses.set(kind, made)
    const making = Effect.onExit(make, (exit) =>
      Effect.sync(() => {
        if (exit._tag === "Failure") responses.delete(kind)
        Deferred.doneUnsafe(made, exit)
      }),
    )
    return Effect.andThen(Effect.forkDetach(making), Deferred.await(made))
  })

/** The snapshots that a process has read last, one of each organization. */
export interface SloSnapshots {
  readonly get: (organization: OrganizationId) => Effect.Effect<KeptSnapshot, Failure, AlertStore | SloStore>
}

type Failure = StoreIsUnavailable

interface Entry {
  readonly read: Deferred.Deferred<KeptSnapshot, Failure>
  /** How long it may be used, in milliseconds of the clock; until it has been read, requests share the reading. */
  until: number
  size: number
}

/**
 * Keeps snapshots in memory. An organization with few SLOs is read for each request; one with many at most once in ten times
 * as long as that takes. Requests at the same time share one reading.
 */
export const makeSloSnapshots = (max = keptMax): SloSnapshots => {
  /** The one used last is last. */
  const entries = new Map<OrganizationId, Entry>()

  const drop = (): void => {
    let size = 0
    for (const entry of entries.values()) size += entry.size
    for (const [organization, entry] of entries) {
      if (size <= max) return
      entries.delete(organization)
      size -= entry.size
    }
  }

  /** Goes on when the request that started it is interrupted, as others wait for it. */
  const start = (organization: OrganizationId, startedAt: number) => {
    const entry: Entry = { read: Deferred.makeUnsafe(), until: Infinity, size: 1 }
    entries.delete(organization)
    entries.set(organization, entry)
    const reading = Effect.map(readSloSnapshot(organization), (snapshot): KeptSnapshot => ({
      snapshot,
      responses: new Map(),
    })).pipe(
      Effect.onExit((exit) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            if (exit._tag === "Success") {
              const now = clock.currentTimeMillisUnsafe()
              entry.until = now + usedTimes * Math.max(0, now - startedAt)
              const { records, openAlerts } = exit.value.snapshot
              entry.size = 1 + records.length + openAlerts.size
              drop()
            } else if (entries.get(organization) === entry) entries.delete(organization)
            Deferred.doneUnsafe(entry.read, exit)
          }),
        ),
      ),
    )
    return Effect.andThen(Effect.forkDetach(reading), Deferred.await(entry.read))
  }

  return {
    get: (organization) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const known = entries.get(organization)
        // After the clock was set back, a snapshot is used no longer than it would have been.
        if (known === undefined || known.until <= now) return start(organization, now)
        entries.delete(organization)
        entries.set(organization, known)
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
export const sloSnapshotOf = Effect.fnUntraced(function* (organization: OrganizationId) {
  const byStore = yield* snapshotsByStore
  const store = yield* SloStore
  const snapshots = byStore.get(store) ?? makeSloSnapshots()
  byStore.set(store, snapshots)
  return yield* workFor(organization)(snapshots.get(organization))
})
