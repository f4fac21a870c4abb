import { DueQueue } from "../collections/DueQueue.ts"
import { Fifo } from "../collections/Fifo.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import {
  chooseClaims,
  type Contender,
  deliveriesInFlightMax,
  inFlightMeanMs,
  newcomersInFlightMax,
} from "./ChooseClaims.ts"
import { type EndpointHealth, endpointCapacity, isCircuitOpen, unknownHealth } from "./EndpointHealth.ts"
import { SteadyClock } from "./SteadyClock.ts"

/** A delivery that waits for its next attempt. */
export interface WaitingDelivery {
  /** Unique within the organization. */
  readonly id: string
  /** In Unix milliseconds. */
  readonly dueAt: number
  /** Whether an attempt has failed, or it was sent again. */
  readonly isRetry: boolean
}

/** Whether an endpoint can be sent to. */
export interface EndpointStatus {
  /** What its attempts have measured. */
  readonly health: EndpointHealth
  /** Whether its alert method is paused. */
  readonly isPaused: boolean
}

/** An endpoint of the schedule: the receiver behind an alert method. */
export interface ScheduledEndpoint<W extends WaitingDelivery> extends EndpointStatus {
  readonly organization: OrganizationId
  readonly alertMethod: ProjectKey
  readonly inFlight: number
  /**
   * What waits, by lane; the first is due first, and of those due at the same time has the lowest ID. Times are those of
   * the schedule's own clock.
   */
  readonly lanes: Readonly<Record<Lane, DueQueue<W>>>
}

/** The deliveries that one process could send but has not, and the alert methods that keep deliveries from being sent. */
export interface QueueBacklog {
  /** Deliveries that are due and not blocked, at most `dueCountedMax` of each alert method and lane. */
  readonly due: number
  /** How long ago the oldest of them became due, in milliseconds; absent if none is due. */
  readonly oldestDueMs: number | undefined
  /** Alert methods with waiting deliveries that are not sent, by what blocks them. */
  readonly blocked: Readonly<Record<"circuit_open" | "disabled" | "paused", number>>
}

/** Most due deliveries of an alert method that `backlog` counts, of each lane. */
const dueCountedMax = 100

/** First attempts and later ones wait in lanes of their own, so that neither waits behind the other. */
export const lanes = ["first", "retry"] as const

/** `first`: no attempt has failed; `retry`: one has, or the delivery was resent. */
export type Lane = (typeof lanes)[number]

/** The lane that a delivery waits in, and counts in while it is in flight. */
export const laneOf = ({ isRetry }: WaitingDelivery): Lane => (isRetry ? "retry" : "first")

/** A delivery that was chosen, and from now on counts as in flight, until `end`. */
export interface Chosen<W extends WaitingDelivery> {
  /** The schedule's own record, which changes with it; its `inFlight` includes the delivery. */
  readonly endpoint: ScheduledEndpoint<W>
  /** The object that was put; it no longer waits. */
  readonly delivery: W
}

/**
 * Which deliveries wait, are due, and are in flight, of all organizations that one process delivers for; and in which
 * order they start.
 *
 * `chooseClaims` shares the capacity among organizations. Within one, endpoints take turns, each as far as its health
 * allows, and the lane with fewer deliveries in flight goes first. The work of each call grows with what it returns and
 * with the organizations that have deliveries due or in flight, not with what waits.
 *
 * Times are Unix milliseconds, passed in. What waits when the clock is set back is due as if it had not been.
 */
export class DeliverySchedule<W extends WaitingDelivery> {
  readonly #capacity: number
  readonly #clock = new SteadyClock()
  readonly #organizations = new Map<OrganizationId, Organization<W>>()
  /** Those with deliveries due or in flight, and others until the next `choose`. */
  readonly #active = new Set<Organization<W>>()
  /** Organizations without endpoints, by the time when their mean in flight is negligible. */
  readonly #idle = new DueQueue<Organization<W>>()
  /** Endpoints that nothing is due for, by the time when something may be. */
  readonly #later = new DueQueue<Endpoint<W>>()
  #inFlight = 0

  /** `capacity` is the maximum number of deliveries in flight of organizations that have more than one. */
  constructor(capacity = deliveriesInFlightMax) {
    this.#capacity = capacity
  }

  /** Deliveries in flight, of all organizations. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Organizations that take memory. */
  get size(): number {
    return this.#organizations.size
  }

  /** The endpoint of an alert method; `undefined` if it was not added, or was removed. It changes with the schedule. */
  find(organization: OrganizationId, alertMethod: ProjectKey): ScheduledEndpoint<W> | undefined {
    return this.#find(organization, alertMethod)
  }

  /** The endpoints of an organization, in the order in which they were added; none if it is unknown. */
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
    const time = this.#clock.read(now)
    const endpoint = this.#endpoint(organization, alertMethod)
    endpoint.health = health
    endpoint.healthAheadMs = this.#clock.aheadMs
    endpoint.isPaused = isPaused
    this.#offer(endpoint, time)
    return endpoint
  }

  /** Adds what waits for an endpoint. */
  put(organization: OrganizationId, alertMethod: ProjectKey, deliveries: Iterable<W>, now: number): void {
    const time = this.#clock.read(now)
    const endpoint = this.#endpoint(organization, alertMethod)
    for (const delivery of deliveries) {
      endpoint.lanes[laneOf(delivery)].put(delivery, delivery.dueAt + this.#clock.aheadMs)
    }
    this.#offer(endpoint, time)
  }

  /** Removes a delivery that waits. */
  remove(organization: OrganizationId, alertMethod: ProjectKey, delivery: W): void {
    const endpoint = this.#find(organization, alertMethod)
    if (endpoint === undefined) return
    endpoint.lanes[laneOf(delivery)].remove(delivery)
    this.#offer(endpoint, this.#clock.time)
  }

  /** Removes an endpoint that has nothing in flight, with everything that waits for it. */
  removeEndpoint(organization: OrganizationId, alertMethod: ProjectKey): void {
    const endpoint = this.#find(organization, alertMethod)
    if (endpoint === undefined || endpoint.inFlight > 0) return
    const { owner } = endpoint
    this.#drop(endpoint)
    owner.endpoints.delete(projectKeyText(alertMethod))
    if (owner.endpoints.size > 0) return
    // Nothing is in flight. Its mean still counts if it has something to send soon.
    this.#active.delete(owner)
    owner.turns = noTurns()
    updateMean(owner, this.#clock.time)
    this.#idle.put(owner, negligibleAt(owner))
    this.#removeIdle(this.#clock.time)
  }

  /** Removes an organization with everything that waits; its deliveries in flight no longer count, and must not `end`. */
  removeOrganization(organization: OrganizationId): void {
    const owner = this.#organizations.get(organization)
    if (owner === undefined) return
    for (const endpoint of owner.endpoints.values()) this.#drop(endpoint)
    this.#inFlight -= owner.inFlight
    this.#active.delete(owner)
    this.#idle.remove(owner)
    this.#organizations.delete(organization)
  }

  /** Chooses at most `limit` due deliveries, which are in flight from now on. */
  choose(limit: number, now: number): ReadonlyArray<Chosen<W>> {
    const time = this.#advance(now)
    return this.#chooseFrom(limit, time, (organization) => this.#take(organization, time))
  }

  /** Ends an attempt of an endpoint: its delivery no longer counts as in flight. Unknown endpoints are ignored. */
  end(organization: OrganizationId, alertMethod: ProjectKey, lane: Lane, now: number): void {
    const time = this.#clock.read(now)
    const endpoint = this.#find(organization, alertMethod)
    if (endpoint === undefined || endpoint.inFlight === 0) return
    const { owner } = endpoint
    updateMean(owner, time)
    this.#inFlight--
    owner.inFlight--
    owner.inFlightByLane[lane]--
    endpoint.inFlight--
    this.#offer(endpoint, time)
  }

  /**
   * When `choose` may have something to return: now, if it has; absent when nothing waits. Deliveries that wait for
   * others to end do not count.
   */
  nextDueAt(now: number): number | undefined {
    this.#advance(now)
    if (this.hasDue) return now
    const { nextDueAt } = this.#later
    return nextDueAt === undefined ? undefined : nextDueAt - this.#clock.aheadMs
  }

  /** What waits for a sender, and what is blocked. The work grows with the endpoints, and with what is due. */
  backlog(now: number): QueueBacklog {
    const time = this.#clock.read(now)
    let due = 0
    let oldest = Number.POSITIVE_INFINITY
    const blocked = { circuit_open: 0, disabled: 0, paused: 0 }
    for (const { endpoints } of this.#organizations.values()) {
      for (const { lanes: waiting, health, healthAheadMs, isPaused } of endpoints.values()) {
        if (lanes.every((lane) => waiting[lane].size === 0)) continue
        if (isPaused) blocked.paused++
        else if (health.disabled !== undefined) blocked.disabled++
        else if (isCircuitOpen(health, time - healthAheadMs)) blocked.circuit_open++
        else {
          for (const lane of lanes) {
            due += waiting[lane].due(time, dueCountedMax).length
            oldest = Math.min(oldest, waiting[lane].nextDueAt ?? Number.POSITIVE_INFINITY)
          }
        }
      }
    }
    return { due, oldestDueMs: due === 0 ? undefined : time - oldest, blocked }
  }

  /** Whether `choose` would return anything, at the time that was passed in last. */
  get hasDue(): boolean {
    const due = this.#chooseFrom(1, this.#clock.time, (organization) => [organization].values())
    return due.length > 0
  }

  #chooseFrom<D>(
    limit: number,
    time: number,
    due: (organization: Organization<W>) => Iterator<D, unknown>,
  ): ReadonlyArray<D> {
    const contenders: Array<Contender<D>> = []
    for (const organization of this.#active) {
      if (lanes.some((lane) => this.#nextTurn(organization, lane, time) !== undefined)) {
        updateMean(organization, time)
        const { inFlight, meanInFlight } = organization
        contenders.push({ inFlight, meanInFlight, due: due(organization) })
      } else if (organization.inFlight === 0) this.#active.delete(organization)
    }
    const limits = {
      capacity: this.#capacity,
      newcomers: newcomersInFlightMax,
      inFlight: this.#inFlight,
      active: this.#active.size,
      limit,
    }
    return chooseClaims(limits, contenders)
  }

  /** The due deliveries of an organization in turn; each one that is taken is in flight. */
  *#take(organization: Organization<W>, time: number): Generator<Chosen<W>> {
    for (;;) {
      const lane = laneInTurn(organization)
      const chosen =
        this.#takeFrom(organization, lane, time) ?? this.#takeFrom(organization, otherLane[lane], time)
      if (chosen === undefined) return
      yield chosen
    }
  }

  #takeFrom(organization: Organization<W>, lane: Lane, time: number): Chosen<W> | undefined {
    const endpoint = this.#nextTurn(organization, lane, time)
    const delivery = endpoint?.lanes[lane].first
    if (endpoint === undefined || delivery === undefined) return undefined
    endpoint.lanes[lane].remove(delivery)
    updateMean(organization, time)
    organization.latestLane = lane
    this.#inFlight++
    organization.inFlight++
    organization.inFlightByLane[lane]++
    endpoint.inFlight++
    this.#endTurn(endpoint, lane, time)
    return { endpoint, delivery }
  }

  /** The endpoint whose turn it is; ends the turns of those that cannot start anything. */
  #nextTurn(organization: Organization<W>, lane: Lane, time: number): Endpoint<W> | undefined {
    for (;;) {
      const endpoint = organization.turns[lane].first
      if (endpoint === undefined || canStart(endpoint, lane, time)) return endpoint
      this.#endTurn(endpoint, lane, time)
    }
  }

  /** Ends the turn of the first endpoint of a lane; it takes another one behind the others if it can. */
  #endTurn(endpoint: Endpoint<W>, lane: Lane, time: number): void {
    endpoint.owner.turns[lane].shift()
    endpoint.hasTurn[lane] = false
    this.#offer(endpoint, time)
  }

  #advance(now: number): number {
    const time = this.#clock.read(now)
    for (const endpoint of this.#later.due(time, Number.POSITIVE_INFINITY)) this.#offer(endpoint, time)
    this.#removeIdle(time)
    return time
  }

  #removeIdle(time: number): void {
    for (const organization of this.#idle.due(time, Number.POSITIVE_INFINITY)) {
      this.#idle.remove(organization)
      this.#organizations.delete(organization.id)
    }
  }

  /** Lets an endpoint take turns for what is due and it has capacity for; otherwise looks again when that may change. */
  #offer(endpoint: Endpoint<W>, time: number): void {
    this.#later.remove(endpoint)
    if (endpoint.isRemoved || endpoint.isPaused) return
    const { health, healthAheadMs, owner } = endpoint
    if (health.disabled === undefined && isCircuitOpen(health, time - healthAheadMs)) {
      return this.#later.put(endpoint, (health.circuitOpenUntil ?? time) + healthAheadMs)
    }
    if (capacityOf(endpoint, time) === 0) return
    let later = Number.POSITIVE_INFINITY
    for (const lane of lanes) {
      const { nextDueAt } = endpoint.lanes[lane]
      if (nextDueAt === undefined) continue
      if (nextDueAt > time) later = Math.min(later, nextDueAt)
      else if (!endpoint.hasTurn[lane]) {
        endpoint.hasTurn[lane] = true
        owner.turns[lane].push(endpoint)
        this.#active.add(owner)
      }
    }
    if (Number.isFinite(later)) this.#later.put(endpoint, later)
  }

  #drop(endpoint: Endpoint<W>): void {
    this.#later.remove(endpoint)
    endpoint.isRemoved = true
  }

  #find(organization: OrganizationId, alertMethod: ProjectKey): Endpoint<W> | undefined {
    return this.#organizations.get(organization)?.endpoints.get(projectKeyText(alertMethod))
  }

  #endpoint(organization: OrganizationId, alertMethod: ProjectKey): Endpoint<W> {
    let owner = this.#organizations.get(organization)
    if (owner === undefined) {
      owner = newOrganization(organization)
      this.#organizations.set(organization, owner)
    }
    this.#idle.remove(owner)
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
  turns: Readonly<Record<Lane, Fifo<Endpoint<W>>>>
  readonly inFlightByLane: Record<Lane, number>
  /** Of the delivery that started last. */
  latestLane: Lane
  inFlight: number
  meanInFlight: number
  meanAt: number
}

interface Endpoint<W extends WaitingDelivery> extends ScheduledEndpoint<W> {
  readonly owner: Organization<W>
  health: EndpointHealth
  /** `aheadMs` of the clock when the health was set. */
  healthAheadMs: number
  isPaused: boolean
  inFlight: number
  readonly hasTurn: Record<Lane, boolean>
  isRemoved: boolean
}

const noTurns = <W extends WaitingDelivery>(): Organization<W>["turns"] => ({
  first: new Fifo(),
  retry: new Fifo(),
})

const newOrganization = <W extends WaitingDelivery>(id: OrganizationId): Organization<W> => ({
  id,
  endpoints: new Map(),
  turns: noTurns(),
  inFlightByLane: { first: 0, retry: 0 },
  latestLane: "retry",
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
  healthAheadMs: 0,
  isPaused: false,
  inFlight: 0,
  lanes: { first: new DueQueue<W>(hasLowerId), retry: new DueQueue<W>(hasLowerId) },
  hasTurn: { first: false, retry: false },
  isRemoved: false,
})

/** IDs are in the order of creation; whoever takes a queue over sends in the same order. */
const hasLowerId = (a: WaitingDelivery, b: WaitingDelivery): boolean => a.id < b.id

const otherLane: Readonly<Record<Lane, Lane>> = { first: "retry", retry: "first" }

/** The lane with fewer deliveries in flight; of equals, the one that did not start last. */
const laneInTurn = ({
  inFlightByLane,
  latestLane,
}: Pick<Organization<WaitingDelivery>, "inFlightByLane" | "latestLane">): Lane => {
  const { first, retry } = inFlightByLane
  if (first === retry) return otherLane[latestLane]
  return first < retry ? "first" : "retry"
}

type Capacity = Pick<
  Endpoint<WaitingDelivery>,
  "health" | "healthAheadMs" | "inFlight" | "isPaused" | "isRemoved"
>

const capacityOf = (
  { health, healthAheadMs, inFlight, isPaused, isRemoved }: Capacity,
  time: number,
): number => (isRemoved || isPaused ? 0 : endpointCapacity(health, inFlight, time - healthAheadMs))

const canStart = <W extends WaitingDelivery>(endpoint: Endpoint<W>, lane: Lane, time: number): boolean =>
  (endpoint.lanes[lane].nextDueAt ?? Number.POSITIVE_INFINITY) <= time && capacityOf(endpoint, time) > 0

type Mean = Pick<Organization<WaitingDelivery>, "inFlight" | "meanInFlight" | "meanAt">

/** The exponential mean. */
const updateMean = (organization: Mean, time: number): void => {
  const passedMs = time - organization.meanAt
  organization.meanAt = time
  organization.meanInFlight +=
    (organization.inFlight - organization.meanInFlight) * (1 - Math.exp(-passedMs / inFlightMeanMs))
}

const negligibleMean = 0.01

/** When the mean of an organization with nothing in flight is negligible. */
const negligibleAt = ({ meanInFlight, meanAt }: Mean): number =>
  meanInFlight <= negligibleMean ? meanAt : meanAt + inFlightMeanMs * Math.log(meanInFlight / negligibleMean)
