import type { Attempt } from "@tocsin/domain"
import {
  type AlertMethod,
  attemptsKeptMax,
  claimDelivery,
  contentBytes,
  DeliveriesInFlightMax,
  type Delivery,
  DeliverySchedule,
  enabledHealth,
  type EndpointHealth,
  Fifo,
  type HealthChange,
  isSettled,
  laneOf,
  newDelivery,
  nextHealth,
  type QueueBacklog,
  releaseDelivery,
  resendDelivery,
  settleDelivery,
  SteadyClock,
  unknownHealth,
  type WaitingDelivery,
} from "@tocsin/domain/adapter"
import { endpointPrefix } from "@tocsin/domain/features/status-page"
import {
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import type { Page, PageRequest } from "@tocsin/domain/pagination"
import {
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
  type DeliveryFilter,
  type EndpointActivity,
  type EndpointState,
  isTroubled,
  type LoggedDelivery,
  type NotifiedEvent,
  type PauseState,
  type Release,
  reveal,
  type Settlement,
  type StoredDefinition,
  type TestDelivery,
  type TroubledEndpoint,
} from "@tocsin/domain/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { idKey, SortedTable } from "../collections/SortedTable.ts"
import { type DefinitionWritten, MemoryDatabase } from "../definition/MemoryDatabase.ts"

/** Most settled deliveries that the in-memory store retains; the oldest are deleted first. */
export const settledDeliveriesInMemoryMax = 10_000

/**
 * The deliveries and endpoints of a memory database, which the queue, the log, the endpoint store, alerts and bulk resends
 * share.
 *
 * Every operation is synchronous, and therefore atomic. `DeliverySchedule` has what is not settled, and decides what is
 * claimed.
 */
export class DeliveryTables extends Context.Service<DeliveryTables, Tables>()(
  "@tocsin/adapters-memory/internal/DeliveryTables",
) {}

/** Empty tables, on the definitions of the database. */
export const layer: Layer.Layer<DeliveryTables, never, MemoryDatabase> = Layer.effect(
  DeliveryTables,
  Effect.gen(function* () {
    return new Tables(yield* MemoryDatabase, yield* DeliveriesInFlightMax)
  }),
)

class Tables {
  readonly #database: MemoryDatabase["Service"]
  readonly #schedule: DeliverySchedule<Row>
  readonly #rowsByOrganization = new Map<OrganizationId, SortedTable<Row>>()
  readonly #bytesByOrganization = new Map<OrganizationId, number>()
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #claimed = new Map<string, Row>()
  readonly #listeners = new Set<() => void>()
  readonly #settled = new Fifo<{ readonly row: Row; readonly delivery: Delivery }>()
  readonly #leaseClock = new SteadyClock()
  /** The end of the lease of everything that is claimed, by its clock. */
  #leasedUntil = Number.NEGATIVE_INFINITY
  #settledCount = 0
  #claimCount = 0
  #isPaused = false

  constructor(database: MemoryDatabase["Service"], inFlightMax: number) {
    this.#database = database
    this.#schedule = new DeliverySchedule<Row>(inFlightMax)
    const follow = ({ organization, key, before, after, now }: DefinitionWritten): void => {
      if (key.kind !== "AlertMethod") return
      if (!isSameUrl(before, after)) this.forgetEndpoint(organization, key, now, after === undefined)
    }
    database.takePart({ name: "endpoints", written: follow })
  }

  enqueue(organization: OrganizationId, { content, deliveries }: NotifiedEvent, now: number): void {
    const bytes = deliveries.length === 0 ? 0 : contentBytes(content)
    const stored = { bytes, deliveries: deliveries.length }
    this.#addBytes(organization, bytes)
    for (const { id, alertMethod } of deliveries) {
      const endpoint = this.#endpoint(organization, alertMethod)
      const row = new Row(newDelivery({ ...content, id }, alertMethod, now), endpoint, stored)
      this.#rowsOf(organization).set(idKey(id), row)
      this.#addUnsettled(row, now)
    }
    if (deliveries.length > 0) this.#hint()
  }

  logTest({ notification, alertMethod, attempt, state }: TestDelivery, now: number): void {
    const { organization, id } = notification
    const { id: _, ...content } = notification
    const bytes = contentBytes(content)
    this.#addBytes(organization, bytes)
    const created = newDelivery(notification, alertMethod, now)
    const endpoint = this.#endpoint(organization, alertMethod)
    const row = new Row(created, endpoint, { bytes, deliveries: 1 })
    row.attempts.push(attempt)
    this.#rowsOf(organization).set(idKey(id), row)
    endpoint.unsettledCount++
    this.#addSettled(row, {
      ...created,
      state,
      attempt: 1,
      attemptsUsed: 1,
      settledAt: now,
      ...(state === "delivered" && { deliveredAt: now }),
    })
    this.#refresh(endpoint, now)
  }

  #rowsOf(organization: OrganizationId): SortedTable<Row> {
    const rows = this.#rowsByOrganization.get(organization) ?? new SortedTable<Row>()
    this.#rowsByOrganization.set(organization, rows)
    return rows
  }

  onHint(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  claim({ limit, leaseMs }: ClaimRequest, now: number): Claim {
    this.renew(leaseMs, now)
    if (this.#isPaused) return { claims: [], nextDueInMs: undefined }
    const claims = this.#schedule.choose(limit, now).map(({ delivery }) => this.#claimRow(delivery))
    const nextDueAt = this.#schedule.nextDueAt(now)
    return { claims, nextDueInMs: nextDueAt === undefined ? undefined : Math.max(0, nextDueAt - now) }
  }

  /** Extends the lease; if it has lapsed, what was claimed is due again. */
  renew(leaseMs: number, now: number): void {
    const time = this.#leaseClock.read(now)
    if (time >= this.#leasedUntil) {
      for (const row of this.#claimed.values()) {
        this.#unclaim(row, now)
        this.#wait(row, releaseDelivery(row.delivery, row.dueAt), now)
      }
    }
    this.#leasedUntil = time + leaseMs
  }

  backlog(now: number): QueueBacklog {
    return this.#schedule.backlog(now)
  }

  /** Returns the claims that were lost, and how the health of endpoints changed. */
  settle(
    settlements: ReadonlyArray<Settlement>,
    now: number,
  ): { readonly lost: ReadonlyArray<string>; readonly changed: ReadonlyArray<HealthChange> } {
    const lost: Array<string> = []
    const changed: Array<HealthChange> = []
    for (const { claimId, attempt, outcome, random } of settlements) {
      const row = this.#claimed.get(claimId)
      if (row === undefined) {
        lost.push(claimId)
        continue
      }
      const { endpoint } = row
      if (row.generation === endpoint.generation) {
        const before = endpoint.health
        endpoint.health = nextHealth(before, outcome, now)
        changed.push({ before, health: endpoint.health })
      }
      this.#unclaim(row, now)
      row.attempts.push(attempt)
      if (row.attempts.length > attemptsKeptMax) row.attempts.shift()
      row.isRetry = true
      const settled = settleDelivery(row.delivery, outcome, now, random)
      if (isSettled(settled)) this.#addSettled(row, settled)
      else this.#wait(row, settled, now)
      this.#refresh(endpoint, now)
    }
    return { lost, changed }
  }

  release(releases: ReadonlyArray<Release>, now: number): void {
    for (const { claimId, delayMs } of releases) {
      const row = this.#claimed.get(claimId)
      if (row === undefined) continue
      this.#unclaim(row, now)
      this.#wait(row, releaseDelivery(row.delivery, now + delayMs), now)
    }
    this.#hint()
  }

  find(organization: OrganizationId, id: string): LoggedDelivery | undefined {
    const row = this.#rowsByOrganization.get(organization)?.get(idKey(id))
    return row && { delivery: row.delivery, attempts: [...row.attempts] }
  }

  *deliveries(organization: OrganizationId): Generator<Delivery> {
    for (const row of this.#rowsByOrganization.get(organization)?.values() ?? []) yield row.delivery
  }

  list(organization: OrganizationId, query: DeliveryFilter, page: PageRequest<string>): Page<Delivery> {
    const rows = this.#rowsByOrganization.get(organization) ?? new SortedTable<Row>()
    const { items, hasMore } = rows.pageBackwards(
      { limit: page.limit, ...(page.after !== undefined && { after: idKey(page.after) }) },
      ({ delivery }) => matches(delivery, query),
    )
    return { items: items.map(({ delivery }) => delivery), hasMore }
  }

  resend(organization: OrganizationId, id: string, now: number): Delivery | undefined {
    const row = this.#rowsByOrganization.get(organization)?.get(idKey(id))
    if (row === undefined) return undefined
    if (isSettled(row.delivery)) {
      this.#settledCount--
      row.isRetry = true
      row.delivery = resendDelivery(row.delivery, now)
      this.#addUnsettled(row, now)
    } else if (row.delivery.state === "pending") {
      this.#wait(row, resendDelivery(row.delivery, now), now)
    }
    this.#hint()
    return row.delivery
  }

  endpoint(organization: OrganizationId, alertMethod: ProjectKey): EndpointState {
    const endpoint = this.#endpoints.get(organizationKeyText(organization, alertMethod))
    const inFlight = this.#schedule.find(organization, alertMethod)?.inFlight ?? 0
    return {
      health: endpoint?.health ?? unknownHealth,
      pause: { isPaused: endpoint?.isPaused ?? false, inFlight },
    }
  }

  activities(
    organization: OrganizationId,
    alertMethods: ReadonlyArray<ProjectKey>,
  ): ReadonlyArray<EndpointActivity> {
    const wanted = new Set(alertMethods.map(projectKeyText))
    const latest = new Map<string, Delivery>()
    for (const { delivery } of this.#rowsByOrganization.get(organization)?.valuesBackwards() ?? []) {
      if (latest.size === wanted.size) break
      const text = projectKeyText(delivery.alertMethod)
      if (wanted.has(text) && !latest.has(text)) latest.set(text, delivery)
    }
    return alertMethods.map((alertMethod) => {
      const latestDelivery = latest.get(projectKeyText(alertMethod))
      return {
        ...this.endpoint(organization, alertMethod),
        ...(latestDelivery && { latestDelivery }),
      }
    })
  }

  stopped(organization: OrganizationId, alertMethods: ReadonlyArray<ProjectKey>): ReadonlyArray<ProjectKey> {
    return alertMethods.filter((key) => {
      const endpoint = this.#endpoints.get(organizationKeyText(organization, key))
      return endpoint !== undefined && (endpoint.isPaused || endpoint.health.disabled !== undefined)
    })
  }

  troubled(organization: OrganizationId, limit: number): ReadonlyArray<TroubledEndpoint> {
    return Array.from(this.#endpoints.values())
      .filter(
        (endpoint) =>
          endpoint.organization === organization &&
          !endpoint.alertMethod.name.startsWith(endpointPrefix) &&
          isTroubled(endpoint),
      )
      .map(({ alertMethod, health, isPaused }) => ({ alertMethod, health, isPaused }))
      .toSorted(({ alertMethod: a }, { alertMethod: b }) =>
        a.project === b.project ? (a.name < b.name ? -1 : 1) : a.project < b.project ? -1 : 1,
      )
      .slice(0, limit)
  }

  enable(organization: OrganizationId, alertMethod: ProjectKey, now: number): EndpointHealth {
    const endpoint = this.#endpoints.get(organizationKeyText(organization, alertMethod))
    if (endpoint?.health.disabled !== undefined) {
      endpoint.generation++
      endpoint.health = enabledHealth
      this.#refresh(endpoint, now)
      this.#hint()
    }
    return endpoint?.health ?? unknownHealth
  }

  setEndpointPaused(
    organization: OrganizationId,
    alertMethod: ProjectKey,
    isPaused: boolean,
    now: number,
  ): void {
    const endpoint = this.#endpoint(organization, alertMethod)
    endpoint.isPaused = isPaused
    this.#refresh(endpoint, now)
    this.#hint()
  }

  /** Deletes the health of an endpoint; what still waits for it is attempted. */
  forgetEndpoint(organization: OrganizationId, alertMethod: ProjectKey, now: number, isDeleted = true): void {
    const endpoint = this.#endpoints.get(organizationKeyText(organization, alertMethod))
    if (endpoint === undefined) return
    // Attempts that are in flight do not bring it back.
    endpoint.generation++
    if (isDeleted) endpoint.isPaused = false
    endpoint.health = unknownHealth
    this.#refresh(endpoint, now)
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#hint()
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  pauseState(): PauseState {
    return { isPaused: this.#isPaused, inFlight: this.#claimed.size }
  }

  #claimRow(row: Row): ClaimedDelivery {
    const { endpoint } = row
    const claimId = String(++this.#claimCount)
    row.delivery = claimDelivery(row.delivery)
    row.claimId = claimId
    row.generation = endpoint.generation
    this.#claimed.set(claimId, row)
    return {
      claimId,
      delivery: row.delivery,
      alertMethod: this.#database
        .definitions(endpoint.organization, "AlertMethod")
        .get(row.delivery.alertMethod),
      isDisabled: endpoint.health.disabled !== undefined,
    }
  }

  #unclaim(row: Row, now: number): void {
    this.#claimed.delete(row.claimId)
    this.#schedule.end(row.endpoint.organization, row.endpoint.alertMethod, laneOf(row), now)
  }

  #wait(row: Row, delivery: Delivery, now: number): void {
    row.delivery = delivery
    this.#schedule.put(row.endpoint.organization, row.endpoint.alertMethod, [row], now)
  }

  #addUnsettled(row: Row, now: number): void {
    const { notification, alertMethod } = row.delivery
    row.endpoint = this.#endpoint(notification.organization, alertMethod)
    row.endpoint.unsettledCount++
    this.#refresh(row.endpoint, now)
    this.#wait(row, row.delivery, now)
  }

  #addSettled(row: Row, delivery: Delivery): void {
    row.delivery = delivery
    row.endpoint.unsettledCount--
    this.#settled.push({ row, delivery })
    this.#settledCount++
    const max = settledDeliveriesInMemoryMax
    while (this.#settledCount > max || this.#settled.size > 2 * max) this.#dropOldestSettled()
  }

  /** Skips an entry whose row was resent since. */
  #dropOldestSettled(): void {
    const oldest = this.#settled.shift()
    if (oldest === undefined || oldest.row.delivery !== oldest.delivery) return
    const { organization, id } = oldest.delivery.notification
    const rows = this.#rowsByOrganization.get(organization)
    rows?.delete(idKey(id))
    if (rows?.size === 0) this.#rowsByOrganization.delete(organization)
    this.#settledCount--
    const { stored } = oldest.row
    if (--stored.deliveries === 0) this.#addBytes(organization, -stored.bytes)
  }

  /** The size of the notifications of an organization. */
  storedBytes(organization: OrganizationId): number {
    return this.#bytesByOrganization.get(organization) ?? 0
  }

  #addBytes(organization: OrganizationId, bytes: number): void {
    const sum = this.storedBytes(organization) + bytes
    if (sum === 0) this.#bytesByOrganization.delete(organization)
    else this.#bytesByOrganization.set(organization, sum)
  }

  #endpoint(organization: OrganizationId, alertMethod: ProjectKey): Endpoint {
    const text = organizationKeyText(organization, alertMethod)
    const known = this.#endpoints.get(text)
    if (known !== undefined) return known
    const endpoint: Endpoint = {
      organization,
      alertMethod,
      health: unknownHealth,
      generation: 0,
      isPaused: false,
      unsettledCount: 0,
    }
    this.#endpoints.set(text, endpoint)
    return endpoint
  }

  /** Brings the schedule up to date after a change of an endpoint, and drops what has become idle. */
  #refresh(endpoint: Endpoint, now: number): void {
    const { organization, alertMethod, health, isPaused, unsettledCount } = endpoint
    if (unsettledCount > 0) {
      this.#schedule.setEndpoint(organization, alertMethod, endpoint, now)
      return
    }
    this.#schedule.removeEndpoint(organization, alertMethod)
    if (health === unknownHealth && !isPaused)
      this.#endpoints.delete(organizationKeyText(organization, alertMethod))
  }

  #hint(): void {
    for (const listener of this.#listeners) listener()
  }
}

class Row implements WaitingDelivery {
  delivery: Delivery
  endpoint: Endpoint
  isRetry = false
  /** Of the latest claim, with the generation of the endpoint then. */
  claimId = ""
  generation = 0
  readonly attempts: Array<Attempt> = []

  readonly stored: StoredNotification

  constructor(delivery: Delivery, endpoint: Endpoint, stored: StoredNotification) {
    this.delivery = delivery
    this.endpoint = endpoint
    this.stored = stored
  }

  get id(): string {
    return this.delivery.notification.id
  }

  get dueAt(): number {
    return this.delivery.dueAt
  }
}

/** A notification that all deliveries of one event share. */
interface StoredNotification {
  readonly bytes: number
  /** How many of its deliveries are stored. */
  deliveries: number
}

interface Endpoint {
  readonly organization: OrganizationId
  readonly alertMethod: ProjectKey
  health: EndpointHealth
  /** Grows when the URL changes and when it is enabled: attempts of earlier generations do not change the health. */
  generation: number
  isPaused: boolean
  unsettledCount: number
}

/** Both are alert methods, which the type does not express. */
const isSameUrl = (before: StoredDefinition | undefined, after: StoredDefinition | undefined): boolean => {
  const url = (stored: StoredDefinition | undefined): string | undefined =>
    stored && reveal((stored as StoredDefinition<AlertMethod>).definition.spec.webhook.url).href
  return url(before) === url(after)
}

const matches = (delivery: Delivery, query: DeliveryFilter): boolean =>
  (query.alertMethod?.project === undefined || delivery.alertMethod.project === query.alertMethod.project) &&
  (query.alertMethod?.name === undefined || delivery.alertMethod.name === query.alertMethod.name) &&
  (query.states === undefined || query.states.includes(delivery.state)) &&
  (query.events === undefined || query.events.includes(delivery.notification.event)) &&
  (query.alertId === undefined || query.alertId === delivery.notification.alertId) &&
  (query.from === undefined || delivery.createdAt >= query.from) &&
  (query.to === undefined || delivery.createdAt < query.to)
