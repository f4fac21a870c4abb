import { DueQueue } from "../collections/DueQueue.ts"
import { Fifo } from "../collections/Fifo.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import { chooseClaims, type Contender, deliveriesInFlightMax, inFlightMeanMs } from "./ChooseClaims.ts"
import { type EndpointHealth, endpointCapacity, isCircuitOpen, unknownHealth } from "./EndpointHealth.ts"

/** A delivery that waits for its next attempt. */
export interface WaitingDelivery {
  /** Unique within the organization. */
  readonly id: string
  /** In Unix milliseconds. */
  readonly dueAt: number
  /** Whether an attempt has failed, or it was sent again. */
  readonly isRetry: boolean
}

export interface EndpointStatus {
  readonly health: EndpointHealth
  readonly isPaused: boolean
}

/** An endpoint of the schedule: the receiver behind an alert method. */
export interface ScheduledEndpoint<W extends WaitingDelivery> extends EndpointStatus {
  readonly organization: OrganizationId
  readonly alertMethod: ProjectKey
  readonly inFlight: number
  /** What waits, by lane; the first is due first. */
  readonly lanes: Readonly<Record<Lane, DueQueue<W>>>
}

/** First attempts and later ones wait in lanes of their own, so that neither waits behind the other. */
export const lanes = ["first", "retry"] as const

export type Lane = (typeof lanes)[number]

export const laneOf = ({ isRetry }: WaitingDelivery): Lane => (isRetry ? "retry" : "first")

/** A delivery that was chosen, and from now on counts as in flight, until `end`. */
export interface Chosen<W extends WaitingDelivery> {
  readonly endpoint: ScheduledEndpoint<W>
  readonly delivery: W
}

/**
 * Which deliveries wait, are due, and are in flight, of all organizations that one process delivers for; and in which
 * order they start.
 *
 * `chooseClaims` shares the capacity among organizations. Within one, endpoints take turns, each as far as its health
 * allows, and the lane with fewer deliveries in flight goes first. The work of each call grows with what it returns and
 * with the organizations that have due deliveries, not with what waits. Times are Unix milliseconds, passed in.
 */
export class DeliverySchedule<W extends WaitingDelivery> {
  readonly #capacity: number
  readonly #organizations = new Map<OrganizationId, Organization<W>>()
  /** Endpoints that nothing is due for, by the time when something may be. */
  readonly #later = new DueQueue<Endpoint<W>>()
  #inFlight = 0

  constructor(capacity = deliveriesInFlightMax) {
    this.#capacity = capacity
  }

  /** Deliveries in flight, of all organizations. */
  get inFlight(): number {
    return this.#inFlight
  }

  find(organization: OrganizationId, alertMethod: ProjectKey): ScheduledEndpoint<W> | undefined {
    return this.#organizations.get(organization)?.endpoints.get(projectKeyText(alertMethod))
  }

  endpoints(organization: OrganizationId): Iterable<ScheduledEndpoint<W>> {
    return this.#organizations.get(organization)?.endpoints.values() ?? []
  }

  /** Deliveries in flight of one organization. */
  inFlightOf(organization: OrganizationId): number {
    return this.#organizations.get(organization)?.inFlight ?? 0
  }

  /** Adds an endpoint, or changes its status. */
  setEndpoint(
    organization: OrganizationId,
    alertMethod: ProjectKey,
    { health, isPaused }: EndpointStatus,
    now: number,
  ): ScheduledEndpoint<W> {
    const endpoint = this.#endpoint(organization, alertMethod)
    endpoint.health = health
    endpoint.isPaused = isPaused
    this.#offer(endpoint, now)
    return endpoint
  }

  /** Adds what waits for an endpoint. */
  put(organization: OrganizationId, alertMethod: ProjectKey, deliveries: Iterable<W>, now: number): void {
    const endpoint = this.#endpoint(organization, alertMethod)
    for (const delivery of deliveries) endpoint.lanes[laneOf(delivery)].put(delivery, delivery.dueAt)
    this.#offer(endpoint, now)
  }

  /** Removes a delivery that waits. */
  remove(organization: OrganizationId, alertMethod: ProjectKey, delivery: W): void {
    const endpoint = this.#organizations.get(organization)?.endpoints.get(projectKeyText(alertMethod))
    endpoint?.lanes[laneOf(delivery)].remove(delivery)
  }

  /** Removes an endpoint that has nothing in flight, with everything that waits for it. */
  removeEndpoint(organization: OrganizationId, alertMethod: ProjectKey): void {
    const owner = this.#organizations.get(organization)
    const endpoint = owner?.endpoints.get(projectKeyText(alertMethod))
    if (owner === undefined || endpoint === undefined || endpoint.inFlight > 0) return
    this.#later.remove(endpoint)
    endpoint.isRemoved = true
    owner.endpoints.delete(projectKeyText(alertMethod))
    if (owner.endpoints.size === 0 && owner.inFlight === 0) this.#organizations.delete(organization)
  }

  /** Removes an organization with everything that waits; its deliveries in flight no longer count. */
  removeOrganization(organization: OrganizationId): void {
    const owner = this.#organizations.get(organization)
    if (owner === undefined) return
    for (const endpoint of owner.endpoints.values()) {
      this.#later.remove(endpoint)
      endpoint.isRemoved = true
    }
    this.#inFlight -= owner.inFlight
    this.#organizations.delete(organization)
  }

  /** Chooses at most `limit` due deliveries, which are in flight from now on. */
  choose(limit: number, now: number): ReadonlyArray<Chosen<W>> {
    this.#offerDue(now)
    const contenders: Array<Contender<Chosen<W>>> = []
    let active = 0
    for (const organization of this.#organizations.values()) {
      if (isActive(organization)) active++
      if (!hasTurns(organization)) continue
      updateMean(organization, now)
      contenders.push({
        organization: organization.id,
        inFlight: organization.inFlight,
        meanInFlight: organization.meanInFlight,
        due: this.#take(organization, now),
      })
    }
    return chooseClaims({ capacity: this.#capacity, inFlight: this.#inFlight, active, limit }, contenders)
  }

  /** Ends an attempt of an endpoint: its delivery no longer counts as in flight. Unknown endpoints are ignored. */
  end(organization: OrganizationId, alertMethod: ProjectKey, lane: Lane, now: number): void {
    const owner = this.#organizations.get(organization)
    const endpoint = owner?.endpoints.get(projectKeyText(alertMethod))
    if (owner === undefined || endpoint === undefined || endpoint.inFlight === 0) return
    updateMean(owner, now)
    this.#inFlight--
    owner.inFlight--
    owner.inFlightByLane[lane]--
    endpoint.inFlight--
    this.#offer(endpoint, now)
  }

  /**
   * When something may have to be chosen: now, if something is due that an organization's own deliveries do not
   * hold back; absent when nothing waits.
   */
  nextDueAt(now: number): number | undefined {
    this.#offerDue(now)
    return this.#later.nextDueAt
  }

  /** Whether anything is due that its endpoint has capacity for. */
  get hasDue(): boolean {
    for (const organization of this.#organizations.values()) if (hasTurns(organization)) return true
    return false
  }

  /** The due deliveries of an organization in turn; each one that is taken is in flight. */
  *#take(organization: Organization<W>, now: number): Generator<Chosen<W>> {
    for (;;) {
      const { first, retry } = organization.inFlightByLane
      const lane: Lane = first <= retry ? "first" : "retry"
      const chosen =
        this.#takeFrom(organization, lane, now) ??
        this.#takeFrom(organization, lane === "first" ? "retry" : "first", now)
      if (chosen === undefined) return
      yield chosen
    }
  }

  #takeFrom(organization: Organization<W>, lane: Lane, now: number): Chosen<W> | undefined {
    const turns = organization.turns[lane]
    for (;;) {
      const endpoint = turns.shift()
      if (endpoint === undefined) return undefined
      endpoint.hasTurn[lane] = false
      if (endpoint.isRemoved || capacityOf(endpoint, now) === 0) continue
      const delivery = endpoint.lanes[lane].first
      if (delivery === undefined || delivery.dueAt > now) continue
      endpoint.lanes[lane].remove(delivery)
      updateMean(organization, now)
      this.#inFlight++
      organization.inFlight++
      organization.inFlightByLane[lane]++
      endpoint.inFlight++
      this.#offer(endpoint, now)
      return { endpoint, delivery }
    }
  }

  #offerDue(now: number): void {
    for (const endpoint of this.#later.due(now, Number.POSITIVE_INFINITY)) this.#offer(endpoint, now)
  }

  /** Lets an endpoint take turns for what is due and it has capacity for; otherwise looks again when that may change. */
  #offer(endpoint: Endpoint<W>, now: number): void {
    this.#later.remove(endpoint)
    if (endpoint.isPaused) return
    const { health } = endpoint
    if (health.disabled === undefined && isCircuitOpen(health, now)) {
      return this.#later.put(endpoint, health.circuitOpenUntil ?? now)
    }
    if (capacityOf(endpoint, now) === 0) return
    let later = Number.POSITIVE_INFINITY
    for (const lane of lanes) {
      const { first } = endpoint.lanes[lane]
      if (first === undefined) continue
      if (first.dueAt > now) later = Math.min(later, first.dueAt)
      else if (!endpoint.hasTurn[lane]) {
        endpoint.hasTurn[lane] = true
        endpoint.owner.turns[lane].push(endpoint)
      }
    }
    if (Number.isFinite(later)) this.#later.put(endpoint, later)
  }

  #endpoint(organization: OrganizationId, alertMethod: ProjectKey): Endpoint<W> {
    let owner = this.#organizations.get(organization)
    if (owner === undefined) {
      owner = newOrganization(organization)
      this.#organizations.set(organization, owner)
    }
    const text = projectKeyText(alertMethod)
    let endpoint = owner.endpoints.get(text)
    if (endpoint === undefined) {
      endpoint = newEndpoint(owner, alertMethod)
      owner.endpoints.set(text, endpoint)
    }
    return endpoint
  }
}

interface Organization<W extends WaitingDelivery> {
  readonly id: OrganizationId
  readonly endpoints: Map<string, Endpoint<W>>
  readonly turns: Readonly<Record<Lane, Fifo<Endpoint<W>>>>
  readonly inFlightByLane: Record<Lane, number>
  inFlight: number
  meanInFlight: number
  meanAt: number
}

interface Endpoint<W extends WaitingDelivery> extends ScheduledEndpoint<W> {
  readonly owner: Organization<W>
  health: EndpointHealth
  isPaused: boolean
  inFlight: number
  readonly hasTurn: Record<Lane, boolean>
  isRemoved: boolean
}

const newOrganization = <W extends WaitingDelivery>(id: OrganizationId): Organization<W> => ({
  id,
  endpoints: new Map(),
  turns: { first: new Fifo(), retry: new Fifo() },
  inFlightByLane: { first: 0, retry: 0 },
  inFlight: 0,
  meanInFlight: 0,
  meanAt: 0,
})

const newEndpoint = <W extends WaitingDelivery>(
  owner: Organization<W>,
  alertMethod: ProjectKey,
): Endpoint<W> => ({
  organization: owner.id,
  alertMethod,
  owner,
  health: unknownHealth,
  isPaused: false,
  inFlight: 0,
  lanes: { first: new DueQueue(), retry: new DueQueue() },
  hasTurn: { first: false, retry: false },
  isRemoved: false,
})

const hasTurns = ({ turns }: Turns): boolean => turns.first.size > 0 || turns.retry.size > 0

const isActive = (organization: Turns & Held): boolean => organization.inFlight > 0 || hasTurns(organization)

interface Turns {
  readonly turns: Readonly<Record<Lane, { readonly size: number }>>
}

interface Held {
  readonly inFlight: number
  meanInFlight: number
  meanAt: number
}

const capacityOf = (
  { health, isPaused, inFlight }: EndpointStatus & { readonly inFlight: number },
  now: number,
): number => (isPaused ? 0 : endpointCapacity(health, inFlight, now))

/** The exponential mean; a clock that was set back leaves it as it is. */
const updateMean = (organization: Held, now: number): void => {
  const passedMs = Math.max(0, now - organization.meanAt)
  organization.meanAt = now
  organization.meanInFlight +=
    (organization.inFlight - organization.meanInFlight) * (1 - Math.exp(-passedMs / inFlightMeanMs))
}
