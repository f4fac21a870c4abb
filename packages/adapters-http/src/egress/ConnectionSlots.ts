import type { OrganizationId } from "@tocsin/domain/internal/metadata/ObjectKey"
import { failure } from "./NetworkFailure.ts"

/** Most connections that one organization uses to one origin at the same time. */
export const connectionsPerOriginMax = 64

/** Most connections that all organizations together use at the same time. */
export const connectionsInUseMax = 512

/** Most requests of one organization that wait for a connection. */
export const connectionWaitersMax = 256

/** Longest time that a request waits for a connection, in milliseconds. */
export const connectionWaitMaxMs = 15_000

/** How many connections may be in use, and how many requests may wait for how long. */
export interface SlotLimits {
  readonly perOrigin: number
  readonly inUse: number
  readonly waiters: number
  readonly waitMs: number
}

/** The limits of a process. */
export const slotLimits: SlotLimits = {
  perOrigin: connectionsPerOriginMax,
  inUse: connectionsInUseMax,
  waiters: connectionWaitersMax,
  waitMs: connectionWaitMaxMs,
}

/** Permits to use a connection. */
export interface ConnectionSlots {
  /**
   * Resolves when a slot is taken, with the function that frees it; call that once.
   *
   * Rejects with `TransportFailure`, an infrastructure fault, when `signal` aborts first, after `waitMs`, when too many
   * requests of the organization wait already, and after `close`.
   */
  readonly take: (organization: OrganizationId, origin: string, signal: AbortSignal) => Promise<() => void>
  /** Rejects all requests that wait, and all later ones. */
  readonly close: () => void
}

/**
 * Makes the slots that organizations share.
 *
 * An organization takes at most `perOrigin` slots for one origin, so that a slow path of a host delays no other
 * organization's requests to the same host. When all `inUse` slots are taken, organizations take turns: a free slot goes
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
    const slots: OrganizationSlots = { inUse: 0, waiting: 0, inUseByOrigin: new Map() }
    organizations.set(organization, slots)
    return slots
  }

  const isFree = ({ inUseByOrigin }: OrganizationSlots, origin: string): boolean =>
    inUse < limits.inUse && (inUseByOrigin.get(origin) ?? 0) < limits.perOrigin

  /** A slot was freed, so at most one request can start. */
  const startNext = (): void => {
    let next: Waiter | undefined
    for (const waiter of waiting)
      if (isFree(waiter.slots, waiter.origin) && waiter.slots.inUse < (next?.slots.inUse ?? Infinity))
        next = waiter
    next?.start()
  }

  const occupy = (organization: OrganizationId, slots: OrganizationSlots, origin: string): (() => void) => {
    const { inUseByOrigin } = slots
    inUse += 1
    slots.inUse += 1
    inUseByOrigin.set(origin, (inUseByOrigin.get(origin) ?? 0) + 1)
    return () => {
      inUse -= 1
      slots.inUse -= 1
      const left = (inUseByOrigin.get(origin) ?? 0) - 1
      if (left > 0) inUseByOrigin.set(origin, left)
      else inUseByOrigin.delete(origin)
      startNext()
      forgetIfUnused(organization, slots)
    }
  }

  const forgetIfUnused = (organization: OrganizationId, slots: OrganizationSlots): void => {
    if (slots.inUse === 0 && slots.waiting === 0) organizations.delete(organization)
  }

  return {
    take: (organization, origin, signal) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(shuttingDown())
        if (signal.aborted) return reject(noSlot())
        const slots = slotsOf(organization)
        if (isFree(slots, origin)) return resolve(occupy(organization, slots, origin))
        if (slots.waiting >= limits.waiters) return reject(noSlot())
        const leave = (): void => {
          clearTimeout(timer)
          signal.removeEventListener("abort", giveUp)
          waiting.delete(waiter)
          slots.waiting -= 1
        }
        const waiter: Waiter = {
          slots,
          origin,
          start: () => {
            leave()
            resolve(occupy(organization, slots, origin))
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
}

interface Waiter {
  readonly slots: OrganizationSlots
  readonly origin: string
  readonly start: () => void
  readonly reject: (error: Error) => void
}

const noSlot = () =>
  failure(
    "sender_unavailable",
    "too many requests of the organization are in flight to this host; the attempt does not count",
  )

const shuttingDown = () => failure("sender_unavailable", "the sender is shutting down")
