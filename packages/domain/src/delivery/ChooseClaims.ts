import * as Context from "effect/Context"
import { DueQueue } from "../collections/DueQueue.ts"

/** Most deliveries that one process has in flight for organizations with more than one, by default. */
export const deliveriesInFlightMax = 256

/** The same of this process. */
export const DeliveriesInFlightMax = Context.Reference<number>(
  "@tocsin/domain/internal/delivery/DeliveriesInFlightMax",
  { defaultValue: () => deliveriesInFlightMax },
)

/**
 * Most deliveries that one process has in flight beyond `DeliveriesInFlightMax`: one each of organizations that had none.
 */
export const newcomersInFlightMax = 128

/**
 * Share of the deliveries in flight of a process that organizations with more than a quarter of a fair share leave free
 * for the others.
 */
export const reservedShare = 0.125

/** Time over which the deliveries in flight of an organization are averaged, in milliseconds. */
export const inFlightMeanMs = 30_000

/** An organization that has due deliveries. */
export interface Contender<D> {
  /** Its deliveries in flight now. */
  readonly inFlight: number
  /** The mean of that number over the last `inFlightMeanMs`. */
  readonly meanInFlight: number
  /** The deliveries that its endpoints have capacity for, in the order in which they are to start. */
  readonly due: Iterator<D, unknown>
}

export interface ClaimLimits {
  /** Most deliveries that the process may have in flight. */
  readonly capacity: number
  /** Most beyond that: one each of organizations that had none. */
  readonly newcomers: number
  /** Its deliveries in flight now, of all organizations. */
  readonly inFlight: number
  /** Organizations with deliveries that are due or in flight. */
  readonly active: number
  /** Most deliveries to choose. */
  readonly limit: number
}

/**
 * Chooses which deliveries to start: one at a time, for the organization that holds least of the process.
 *
 * An organization holds the number of its deliveries in flight, or the mean of that number if it is greater: a receiver
 * that takes long counts for longer. It may start one more while it holds less than what is left of the capacity. So
 * one organization alone gets almost half of the capacity, and shares shrink as more organizations have work. An
 * organization that holds more than a quarter of a fair share leaves `reservedShare` free. An organization that holds
 * nothing may start one even beyond the capacity, up to `newcomers`: so one that sends little does not wait for many whose
 * receivers are slow.
 */
export const chooseClaims = <D>(
  { capacity, newcomers, inFlight, active, limit }: ClaimLimits,
  contenders: Iterable<Contender<D>>,
): ReadonlyArray<D> => {
  const chosen: Array<D> = []
  const fairShare = capacity / (active + 1)
  const reserved = Math.floor(capacity * reservedShare)
  let left = capacity - inFlight

  const mayStart = (holds: number): boolean => {
    const open = left - (holds > fairShare / 4 ? reserved : 0)
    return holds < 1 ? left + newcomers >= 1 : open >= 1 && holds + 1 <= open
  }

  // Those that hold the same take turns.
  const byHolding = new DueQueue<Holding<D>>()
  for (const { inFlight, meanInFlight, due } of contenders) {
    byHolding.put({ inFlight, meanInFlight, due }, Math.max(inFlight, meanInFlight))
  }
  while (chosen.length < limit) {
    const { first, nextDueAt: holds } = byHolding
    // Who holds more than the first may start even less.
    if (first === undefined || holds === undefined || !mayStart(holds)) return chosen
    const next = first.due.next()
    if (next.done === true) {
      byHolding.remove(first)
      continue
    }
    chosen.push(next.value)
    first.inFlight++
    left--
    byHolding.put(first, Math.max(first.inFlight, first.meanInFlight))
  }
  return chosen
}

interface Holding<D> extends Contender<D> {
  inFlight: number
}
