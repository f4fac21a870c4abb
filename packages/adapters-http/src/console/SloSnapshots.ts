import { workFor } from "@tocsin/domain"
import { type Kept, makeKept } from "@tocsin/domain/adapter"
import { readSloSnapshot, type SloSnapshot } from "@tocsin/domain/features/overview"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { type AlertStore, SloStore, type StoreIsUnavailable } from "@tocsin/domain/ports"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ApiResponse } from "../frame/ApiResponse.ts"

/** Most SLOs and open alerts of all snapshots that a process keeps, and the snapshots themselves; an SLO takes some 500 bytes beside its record. */
const keptMax = 100_000

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
type SloSnapshots = Kept<OrganizationId, KeptSnapshot, StoreIsUnavailable, AlertStore | SloStore>

/** Keeps snapshots in memory. */
export const makeSloSnapshots = (max = keptMax): SloSnapshots =>
  makeKept({
    max,
    sizeOf: ({ snapshot: { records, openAlerts } }) => 1 + records.length + openAlerts.size,
    make: (): KeptSnapshot => keptSnapshot({ records: [], hasMore: false, openAlerts: new Map() }),
    refresh: (organization) => Effect.map(readSloSnapshot(organization), keptSnapshot),
  })

const keptSnapshot = (snapshot: SloSnapshot): KeptSnapshot => ({ snapshot, responses: new Map() })

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
