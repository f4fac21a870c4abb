import type { OrganizationId } from "@tocsin/domain/kernel"
import type { CancelSignal } from "./Cancellation.ts"
import { failure } from "./NetworkFailure.ts"

/** Most connections that one organization uses to one origin at the same time. */
export const connectionsPerOriginMax = 64

/** Most connections that all organizations together use at the same time. */
export const connectionsInUseMax = 512

/** Most requests of one organization that wait for a connection. */
export const connectionWaitersMax = 256

/** Longest time that a request waits for a connection, in milliseconds. */
const connectionWaitMaxMs = 15_000

/** How many connections may be in use, and how many requests may wait for how long. */
export interface SlotLimits {
  readonly perOrigin: number
  readonly inUse: number
  readonly waiters: number
  readonly waitMs: number
  /** Of the slots of an origin, only the first `shared` are for any path; beyond them, each path has `perPath`. Absent: all are shared. */
  readonly paths?: { readonly shared: number; readonly perPath: number }
}

/** The limits of a process. */
export const slotLimits: SlotLimits = {
  perOrigin: connectionsPerOriginMax,
  inUse: connectionsInUseMax,
  waiters: connectionWaitersMax,
  waitMs: connectionWaitMaxMs,
}

/** Maximum number of connections that one organization uses to the data sources of one origin at the same time. */
const sourceConnectionsPerOriginMax = 40

/** Connections to the data sources of one origin that any path of it may use; beyond them, each path has its own. */
const sourceConnectionsShared = 8

/** Connections that each path of a data source's origin can use, whatever the others do. */
const sourceConnectionsPerPath = 4

/**
 * The limits of data sources, of which several may be below one origin, and one may hang: as many paths as an organization has batches
 * in flight find a free slot.
 */
export const sourceSlotLimits: SlotLimits = {
  ...slotLimits,
  perOrigin: sourceConnectionsPerOriginMax,
  paths: { shared: sourceConnectionsShared, perPath: sourceConnectionsPerPath },
}

/** Permits to use a connection. */
export interface ConnectionSlots {
  /**
   * Resolves when a slot is taken, with the function that frees it; call that once.
   *
   * Rejects with `TransportFailure`, an infrastructure fault, when `signal` aborts first, after `waitMs`, when too many
   * requests of the organization wait already, and after `close`.
   */
  readonly take: (
    organization: OrganizationId,
    place: { readonly origin: string; readonly path: string },
    signal: CancelSignal,
  ) => Promise<() => void>
  /** Rejects all requests that wait, and all later ones. */
  readonly close: () => void
}

/**
 * Makes the slots that organizations share.
 *
 * An organization takes at most `perOrigin` slots for one origin, so that a slow path of a host delays no other
 * organization's requests to the same host; with `paths`, nor its own requests to other paths. When all `inUse` slots are taken, organizations take turns: a free slot goes
 * to the organization that uses the fewest, and within it to the request that has waited longest.
 */
export const makeConnectionSlots = (limits: SlotLimits): ConnectionSlots => {
  const organizations = new Map<OrganizationId, OrganizationSlots>()
  const waiting = new Set<Waiter>()
  let inUse = 0
  let isClosed = false

  const slotsOf = (organization: OrganizationId): OrganizationSlots => {
    const known = organizations.get(organization)
    if (known !== undefined) return known
    const slots: OrganizationSlots = {
      inUse: 0,
      waiting: 0,
      inUseByOrigin: new Map(),
      inUseByPath: new Map(),
    }
    organizations.set(organization, slots)
    return slots
  }

  const isFree = ({ inUseByOrigin, inUseByPath }: OrganizationSlots, place: Place): boolean => {
    const ofOrigin = inUseByOrigin.get(place.origin) ?? 0
    if (inUse >= limits.inUse || ofOrigin >= limits.perOrigin) return false
    const { shared, perPath } = limits.paths ?? { shared: Infinity, perPath: 0 }
    return ofOrigin < shared || (inUseByPath.get(pathKey(place)) ?? 0) < perPath
  }

  /** A slot was freed, so at most one request can start. */
  const startNext = (): void => {
    let next: Waiter | undefined
    for (const waiter of waiting)
      if (isFree(waiter.slots, waiter.place) && waiter.slots.inUse < (next?.slots.inUse ?? Infinity))
        next = waiter
    next?.start()
  }

  const occupy = (organization: OrganizationId, slots: OrganizationSlots, place: Place): (() => void) => {
    const { inUseByOrigin, inUseByPath } = slots
    const add = (by: 1 | -1): void => {
      inUse += by
      slots.inUse += by
      addTo(inUseByOrigin, place.origin, by)
      addTo(inUseByPath, pathKey(place), by)
    }
    add(1)
    return () => {
      add(-1)
      startNext()
      forgetIfUnused(organization, slots)
    }
  }

  const forgetIfUnused = (organization: OrganizationId, slots: OrganizationSlots): void => {
    if (slots.inUse === 0 && slots.waiting === 0) organizations.delete(organization)
  }

  return {
    take: (organization, place, signal) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(shuttingDown())
        if (signal.aborted) return reject(noSlot())
        const slots = slotsOf(organization)
        if (isFree(slots, place)) return resolve(occupy(organization, slots, place))
        if (slots.waiting >= limits.waiters) return reject(noSlot())
        const leave = (): void => {
          clearTimeout(timer)
          signal.removeEventListener("abort", giveUp)
          waiting.delete(waiter)
          slots.waiting -= 1
        }
        const waiter: Waiter = {
          slots,
          place,
          start: () => {
            leave()
            resolve(occupy(organization, slots, place))
          },
          reject: (error) => {
            leave()
            forgetIfUnused(organization, slots)
            reject(error)
          },
        }
        const giveUp = (): void => waiter.reject(noSlot())
        const timer = setTimeout(giveUp, limits.waitMs)
        signal.addEventListener("abort", giveUp, { once: true })
        waiting.add(waiter)
        slots.waiting += 1
      }),
    close: () => {
      isClosed = true
      for (const waiter of waiting) waiter.reject(shuttingDown())
    },
  }
}

interface OrganizationSlots {
  inUse: number
  waiting: number
  readonly inUseByOrigin: Map<string, number>
  readonly inUseByPath: Map<string, number>
}

interface Place {
  readonly origin: string
  readonly path: string
}

const pathKey = ({ origin, path }: Place): string => `${origin} ${path}`

const addTo = (counts: Map<string, number>, key: string, by: number): void => {
  const count = (counts.get(key) ?? 0) + by
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

interface Waiter {
  readonly slots: OrganizationSlots
  readonly place: Place
  readonly start: () => void
  readonly reject: (error: Error) => void
}

const noSlot = () =>
  failure(
    "sender_unavailable",
    "too many requests of the organization are in flight to this host; the attempt does not count",
  )

const shuttingDown = () => failure("sender_unavailable", "the sender is shutting down")
