import {
  type Chosen,
  type DeliverySchedule,
  type EndpointStatus,
  groupBy,
  type Lane,
  laneOf,
  lanes,
  type WaitingDelivery,
} from "@tocsin/domain/adapter"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import { type HeadRow, headsMax, type Place, type WakeRow } from "./QueueStatements.ts"

/** A delivery in the schedule of a process. */
export interface Waiting extends WaitingDelivery {
  readonly createdAt: number
  readonly notification: string
  /** As in the row; `dueAt` is earlier when the clock was set back, and later when a claim failed. */
  readonly storedDueAt: number
  readonly scheduledAt: number
}

/** A delivery in flight. */
export interface InFlight {
  readonly id: string
  readonly alertMethod: ProjectKey
  readonly isRetry: boolean
}

/** A part of a lane to read: what is due after a place. */
export interface LaneRead {
  readonly alertMethod: ProjectKey
  readonly lane: Lane
  readonly after: Place
}

/**
 * A while after it was taken, a queue is read once more: a process that owned it before may have enqueued deliveries in a
 * transaction that had not ended, and without wakes. The server ends such a transaction earlier. So it is after this process
 * has lost the answer to such a transaction. In milliseconds, given the deadline of an operation; a process whose operations
 * have none enqueues with wakes.
 */
const rereadAfterMs = (deadlineMs: number): number =>
  Math.max(45_000, deadlineMs === Number.POSITIVE_INFINITY ? 0 : 2 * deadlineMs)

/** Most deliveries that are known when one that can be read later is kept as well, as a read runs. */
const keptMax = 1_000

/** How far the clocks of processes and of the database may differ, in milliseconds. */
export const clockToleranceMs = 1_000

/**
 * What a process knows of the queue of an organization that it owns: the endpoints with deliveries that wait or are in
 * flight, and how far their lanes were read. It keeps the schedule of the process up to date, and reads nothing itself.
 *
 * Times are Unix milliseconds of the database.
 */
export class OwnedQueue {
  readonly organization: OrganizationId
  /** Marks the claims of this owner. */
  readonly epoch: number
  /** What was handed over for endpoints that are not known: to be read as if there was a wake, from the first on. */
  readonly #unplaced = new Map<string, WakeRow>()
  /** Whether the database may have changed without an answer: wakes were taken, deliveries enqueued, or claims ended. */
  isStale = false
  /** Transactions that may enqueue deliveries, and hand them over then. */
  enqueuing = 0
  /** When to read everything once more. */
  rereadAt: number
  wakesTakenAt: number
  /** When something last happened. */
  busyAt: number

  readonly #schedule: DeliverySchedule<Waiting>
  readonly #idle: IdleEndpoints
  readonly #endpoints = new Map<string, OwnedEndpoint>()
  readonly #waiting = new Map<string, Waiting>()
  readonly #inFlight = new Set<string>()
  /** Of what is kept of idle endpoints, how much was forgotten. */
  #idleVersion = 0
  /** Reads that are running. */
  #reads = 0
  /** What ended during a read, which may still return it. */
  readonly #endedWhileReading = new Set<string>()
  /** Endpoints that may have become idle during a read, which may find more for them. */
  readonly #idleWhileReading = new Map<string, ProjectKey>()

  readonly #rereadAfterMs: number

  /** `idle` is shared by the queues of a process. `deadlineMs` is that of the operations that enqueue. */
  constructor(
    schedule: DeliverySchedule<Waiting>,
    organization: OrganizationId,
    epoch: number,
    now: number,
    idle: IdleEndpoints = new Map(),
    deadlineMs = 0,
  ) {
    this.#schedule = schedule
    this.#idle = idle
    this.organization = organization
    this.epoch = epoch
    this.wakesTakenAt = now
    this.busyAt = now
    this.#rereadAfterMs = rereadAfterMs(deadlineMs)
    this.rereadAt = now + this.#rereadAfterMs
  }

  /** Whether nothing waits, is in flight, or may be handed over. */
  get isIdle(): boolean {
    return this.#endpoints.size === 0 && this.#inFlight.size === 0 && this.enqueuing === 0
  }

  /** Whether the queue can be given up: it is idle, and no read is ahead that may find something. */
  get isOver(): boolean {
    return this.isIdle && !this.isUnread && this.#reads === 0 && this.rereadAt === Number.POSITIVE_INFINITY
  }

  /** Whether there is something to read that no wake is stored for. */
  get isUnread(): boolean {
    return this.isStale || this.#unplaced.size > 0
  }

  /** Notes what was handed over for an endpoint that is not known: the first place to read. */
  addUnplaced(alertMethod: ProjectKey, at: number): void {
    const text = projectKeyText(alertMethod)
    const known = this.#unplaced.get(text)
    if (known === undefined || at < known.at) this.#unplaced.set(text, { ...alertMethod, at })
  }

  takeUnplaced(): ReadonlyArray<WakeRow> {
    const unplaced = [...this.#unplaced.values()]
    this.#unplaced.clear()
    return unplaced
  }

  /** Has idle endpoints be read before they are used: wakes of theirs may have been taken without an answer. */
  forgetIdle(): void {
    this.#idleVersion++
  }

  /** Has everything be read, and once more when a transaction without an answer has ended. */
  readTwice(now: number): void {
    this.isStale = true
    this.rereadAt = now + this.#rereadAfterMs
  }

  /** Removes the organization from the schedule; what was in flight is ignored when it ends. */
  remove(): void {
    this.#endpoints.clear()
    this.#inFlight.clear()
    this.#schedule.removeOrganization(this.organization)
  }

  /** The generation of an endpoint: those of other generations were deleted. `undefined` if it is unknown. */
  generationOf(alertMethod: ProjectKey): number | undefined {
    return this.#endpoints.get(projectKeyText(alertMethod))?.generation
  }

  /** Adds an endpoint as it was read, or changes it. */
  setEndpoint(alertMethod: ProjectKey, generation: number, status: EndpointStatus, now: number): void {
    const text = projectKeyText(alertMethod)
    const endpoint = this.#endpoints.get(text)
    if (endpoint === undefined) {
      this.#endpoints.set(text, { generation, readTo: { first: undefined, retry: undefined } })
    } else endpoint.generation = generation
    this.#schedule.setEndpoint(this.organization, alertMethod, status, now)
  }

  /** Changes the status of an endpoint, if it is known. */
  changeStatus(alertMethod: ProjectKey, change: Partial<EndpointStatus>, now: number): void {
    const known = this.#schedule.find(this.organization, alertMethod)
    if (known === undefined) return
    const { health, isPaused } = known
    this.#schedule.setEndpoint(this.organization, alertMethod, { health, isPaused, ...change }, now)
  }

  /** Begins to read: until `endRead`, what ends may be in what was read. */
  startRead(): void {
    this.#reads++
  }

  endRead(): void {
    if (--this.#reads > 0) return
    this.#endedWhileReading.clear()
    const idle = [...this.#idleWhileReading.values()]
    this.#idleWhileReading.clear()
    for (const alertMethod of idle) this.dropIfIdle(alertMethod)
  }

  /** The lanes of an endpoint to read for a wake: those that were read at least to the place that it is about. */
  readsAfter(alertMethod: ProjectKey, after: Place): ReadonlyArray<LaneRead> {
    const readTo = this.#endpoints.get(projectKeyText(alertMethod))?.readTo
    return lanes.flatMap((lane) => {
      const place = readTo?.[lane]
      if (place === undefined || !isAfter(after, place)) return [{ alertMethod, lane, after }]
      // Another read may be older, and find that the lane ends before.
      if (this.#reads > 1) this.isStale = true
      return []
    })
  }

  /** The lanes to read on, as what was chosen is about to exhaust them. */
  readsToRefill(chosen: ReadonlyArray<Chosen<Waiting>>): ReadonlyArray<LaneRead> {
    const reads = new Map<string, LaneRead>()
    for (const { endpoint, delivery } of chosen) {
      const { alertMethod } = endpoint
      const text = projectKeyText(alertMethod)
      const lane = laneOf(delivery)
      const after = this.#endpoints.get(text)?.readTo[lane]
      if (after === undefined || endpoint.lanes[lane].size >= headsMax / 4) continue
      reads.set(`${lane} ${text}`, { alertMethod, lane, after })
    }
    return [...reads.values()]
  }

  /** Adds what was read of lanes, and returns what must be read further: a lane is read at least to where it was before. */
  add(reads: ReadonlyArray<LaneRead>, rows: ReadonlyArray<HeadRow>, now: number): ReadonlyArray<LaneRead> {
    const rowsByLane = groupBy(rows, ({ lane }) => lane)
    const further: Array<LaneRead> = []
    for (const [index, { alertMethod, lane }] of reads.entries()) {
      const found = rowsByLane.get(index) ?? []
      const fresh = found.flatMap((row) => this.#fresh(alertMethod, lane, row, now))
      this.#schedule.put(this.organization, alertMethod, fresh, now)
      const endpoint = this.#endpoints.get(projectKeyText(alertMethod))
      if (endpoint === undefined) continue
      const last = found.at(-1)
      if (last === undefined || found.length < headsMax) endpoint.readTo[lane] = undefined
      else {
        const after = { dueAt: last.due_at, id: last.id }
        const readTo = endpoint.readTo[lane]
        if (readTo !== undefined && isAfter(readTo, after)) further.push({ alertMethod, lane, after })
        else endpoint.readTo[lane] = after
      }
    }
    return further
  }

  /** Takes over a delivery that this process has enqueued. False if its endpoint is not known, and must be read. */
  handOver(alertMethod: ProjectKey, row: Omit<HeadRow, "lane">, now: number): boolean {
    const text = projectKeyText(alertMethod)
    if (!this.#endpoints.has(text)) {
      const idle = this.#idle.get(this.#idleKey(text))
      if (idle === undefined) return false
      this.setEndpoint(alertMethod, idle.generation, idle.status, now)
    }
    this.busyAt = now
    const endpoint = this.#endpoints.get(text)
    const known = this.#schedule.find(this.organization, alertMethod)
    if (endpoint === undefined || known === undefined) return false
    const { readTo } = endpoint
    if (readTo.first === undefined && this.#reads === 0 && known.lanes.first.size >= headsMax) {
      // As many are kept as are read at a time.
      readTo.first = { dueAt: row.due_at, id: "" }
    }
    if (this.#isLeft(alertMethod, "first", { dueAt: row.due_at, id: row.id })) return true
    if (this.#waiting.has(row.id)) return true
    const fresh = this.#fresh(alertMethod, "first", row, now)
    this.#schedule.put(this.organization, alertMethod, fresh, now)
    return true
  }

  #idleKey(text: string): string {
    return `${this.organization} ${this.epoch} ${this.#idleVersion} ${text}`
  }

  /** Whether a row is left to a later read, as it is due after what was read of its lane. */
  #isLeft(alertMethod: ProjectKey, lane: Lane, place: Place): boolean {
    const readTo = this.#endpoints.get(projectKeyText(alertMethod))?.readTo[lane]
    if (readTo === undefined || !isAfter(place, readTo)) return false
    if (this.#reads === 0) return true
    // A read that runs may be older than the row, and find that the lane ends before it.
    if (this.#waiting.size < keptMax) return false
    this.isStale = true
    return true
  }

  /** A row that is new, or has changed. */
  #fresh(
    alertMethod: ProjectKey,
    lane: Lane,
    row: Omit<HeadRow, "lane">,
    now: number,
  ): ReadonlyArray<Waiting> {
    const { id, due_at, scheduled_at, created_at, notification } = row
    if (this.#inFlight.has(id) || this.#endedWhileReading.has(id)) return []
    const known = this.#waiting.get(id)
    if (known?.storedDueAt === due_at && known.scheduledAt === scheduled_at) return []
    if (known !== undefined) this.#schedule.remove(this.organization, alertMethod, known)
    const waiting: Waiting = {
      id,
      createdAt: created_at,
      notification,
      // Scheduled in the future: the clock was set back since.
      dueAt: scheduled_at > now + clockToleranceMs ? now + (due_at - scheduled_at) : due_at,
      isRetry: lane === "retry",
      storedDueAt: due_at,
      scheduledAt: scheduled_at,
    }
    this.#waiting.set(id, waiting)
    return [waiting]
  }

  /** Starts a delivery that the schedule has chosen. */
  start({ id }: Waiting): void {
    this.#waiting.delete(id)
    this.#inFlight.add(id)
  }

  /**
   * Ends an attempt; one that was counted out before is ignored. `next` is how the delivery waits for another one; if it is
   * due after what was read of its lane, it will be read.
   */
  end({ id, alertMethod, isRetry }: InFlight, now: number, next?: Waiting): void {
    if (!this.#inFlight.delete(id)) return
    this.busyAt = now
    if (this.#reads > 0) this.#endedWhileReading.add(id)
    this.#schedule.end(this.organization, alertMethod, isRetry ? "retry" : "first", now)
    if (next !== undefined) this.#wait(alertMethod, next, now)
    this.dropIfIdle(alertMethod)
  }

  #wait(alertMethod: ProjectKey, next: Waiting, now: number): void {
    if (this.#isLeft(alertMethod, laneOf(next), { dueAt: next.storedDueAt, id: next.id })) return
    this.#waiting.set(next.id, next)
    this.#schedule.put(this.organization, alertMethod, [next], now)
  }

  /** Drops an endpoint that nothing waits for and that has nothing in flight: its next delivery comes with a wake. */
  dropIfIdle(alertMethod: ProjectKey): void {
    const text = projectKeyText(alertMethod)
    if (this.#reads > 0) return void this.#idleWhileReading.set(text, alertMethod)
    const known = this.#endpoints.get(text)
    const endpoint = this.#schedule.find(this.organization, alertMethod)
    if (known === undefined || endpoint === undefined || endpoint.inFlight > 0) return
    if (lanes.some((lane) => known.readTo[lane] !== undefined || endpoint.lanes[lane].size > 0)) return
    const { generation } = known
    const { health, isPaused } = endpoint
    this.#idle.set(this.#idleKey(text), { generation, status: { health, isPaused } })
    this.#endpoints.delete(text)
    this.#schedule.removeEndpoint(this.organization, alertMethod)
  }
}

/** Endpoints that nothing waits for, by organization, epoch and key; changes of theirs come with wakes. */
export type IdleEndpoints = Pick<Map<string, IdleEndpoint>, "get"> & {
  readonly set: (key: string, endpoint: IdleEndpoint) => unknown
}

export interface IdleEndpoint {
  readonly generation: number
  readonly status: EndpointStatus
}

interface OwnedEndpoint {
  generation: number
  /** How far each lane was read; undefined: all of it. Everything up to there is known. */
  readonly readTo: Record<Lane, Place | undefined>
}

const isAfter = (a: Place, b: Place): boolean => a.dueAt > b.dueAt || (a.dueAt === b.dueAt && a.id > b.id)
