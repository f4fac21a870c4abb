import type { AlertMethod } from "@tocsin/domain/alert-method/AlertMethod"
import { type OrganizationId, organizationKeyText, type ProjectKey } from "@tocsin/domain/metadata/ObjectKey"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import type { Attempt } from "@tocsin/domain/notification/Attempt"
import {
  attemptsKeptMax,
  claimDelivery,
  type Delivery,
  isSettled,
  newDelivery,
  releaseDelivery,
  resendDelivery,
  settleDelivery,
} from "@tocsin/domain/delivery/Delivery"
import {
  organizationInFlightMax,
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
  type PauseState,
  type Release,
  type Settlement,
} from "@tocsin/domain/delivery/DeliveryQueue"
import type { DeliveryFilter, LoggedDelivery } from "@tocsin/domain/delivery/DeliveryLog"
import type { EndpointActivity, EndpointState } from "@tocsin/domain/delivery/EndpointStore"
import {
  enabledHealth,
  type EndpointHealth,
  endpointCapacity,
  nextHealth,
  unknownHealth,
} from "@tocsin/domain/delivery/EndpointHealth"
import { makeFirstAttemptShare } from "@tocsin/domain/delivery/FirstAttemptShare"
import type { Notification } from "@tocsin/domain/notification/Notification"
import type { Page, PageRequest } from "@tocsin/domain/pagination/Page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { DueQueue } from "@tocsin/domain/collections/DueQueue"
import { Fifo } from "@tocsin/domain/collections/Fifo"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { idKey, SortedTable } from "../collections/SortedTable.ts"
import { TurnTaking } from "../collections/TurnTaking.ts"

/** Most settled deliveries that the in-memory store retains; the oldest are deleted first. */
export const settledDeliveriesInMemoryMax = 10_000

/**
 * The deliveries and endpoints of a memory database, which the queue, the log, the endpoint store, alerts and bulk resends
 * share.
 *
 * Every operation is synchronous, and therefore atomic. The work of a claim grows with the deliveries that become due,
 * expire or are claimed, but not with settled deliveries or idle endpoints.
 */
export class DeliveryTables extends Context.Service<DeliveryTables, Tables>()(
  "@tocsin/adapters-memory/DeliveryTables",
) {}

/** Empty tables, on the definitions of the database. */
export const layer: Layer.Layer<DeliveryTables, never, MemoryDatabase> = Layer.effect(
  DeliveryTables,
  Effect.map(MemoryDatabase, (database) => new Tables(database)),
)

class Tables {
  readonly #database: MemoryDatabase["Service"]
  readonly #rowsByOrganization = new Map<OrganizationId, SortedTable<Row>>()
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #claimed = new Map<string, Row>()
  readonly #listeners = new Set<() => void>()
  /** Pending rows that are not due, claimed rows by the end of their lease, and endpoints with an open circuit. */
  readonly #waiting = new DueQueue<Row>()
  readonly #leased = new DueQueue<Row>()
  readonly #blocked = new DueQueue<Endpoint>()
  /** Endpoints with capacity and due rows: first attempts, and retries. */
  readonly #turns: Readonly<Record<Lane, TurnTaking<Endpoint>>> = {
    first: new TurnTaking(),
    retry: new TurnTaking(),
  }
  readonly #firstAttemptShare = makeFirstAttemptShare()
  readonly #settled = new Fifo<{ readonly row: Row; readonly delivery: Delivery }>()
  #settledCount = 0
  #claimCount = 0
  #isPaused = false

  constructor(database: MemoryDatabase["Service"]) {
    this.#database = database
    database.onDefinitionWritten(({ organization, key, before, after }) => {
      if (key.kind !== "AlertMethod") return
      const endpoint = this.#endpoints.get(organizationKeyText(organization, key))
      if (endpoint === undefined || isSameUrl(before, after)) return
      endpoint.generation++
      if (after === undefined) endpoint.isPaused = false
      this.#setHealth(endpoint, unknownHealth, Number.POSITIVE_INFINITY)
      this.#removeIfIdle(endpoint)
    })
  }

  enqueue(
    notifications: ReadonlyArray<{ readonly notification: Notification; readonly alertMethod: ProjectKey }>,
    now: number,
  ): void {
    for (const { notification, alertMethod } of notifications) {
      const { organization, id } = notification
      const endpoint = this.#endpoint(organization, alertMethod)
      const row: Row = { delivery: newDelivery(notification, alertMethod, now), endpoint, attempts: [] }
      const rows = this.#rowsByOrganization.get(organization) ?? new SortedTable<Row>()
      this.#rowsByOrganization.set(organization, rows)
      rows.set(idKey(id), row)
      endpoint.unsettledCount++
      this.#makeReady(row, now)
    }
    if (notifications.length > 0) this.#hint()
  }

  onHint(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  claim({ limit, leaseMs, inFlight }: ClaimRequest, now: number): Claim {
    for (const row of this.#leased.due(now, Number.POSITIVE_INFINITY)) {
      this.#unclaim(row)
      this.#makeReady(row, now)
    }
    for (const endpoint of this.#blocked.due(now, Number.POSITIVE_INFINITY)) {
      this.#blocked.remove(endpoint)
      this.#offer(endpoint, now)
    }
    for (const row of this.#waiting.due(now, Number.POSITIVE_INFINITY)) {
      this.#waiting.remove(row)
      this.#makeReady(row, now)
    }
    const claims: Array<ClaimedDelivery> = []
    const taken = new Map(inFlight)
    const hasShare = (organization: OrganizationId): boolean =>
      (taken.get(organization) ?? 0) < organizationInFlightMax
    const take = (lane: Lane, upTo: number): void => {
      while (claims.length < upTo) {
        const endpoint = this.#turns[lane].next(hasShare)
        if (endpoint === undefined) return
        if (!hasCapacity(endpoint, now)) continue
        const row = endpoint.ready[lane].shift()
        if (row === undefined) continue
        claims.push(this.#claimRow(row, now + leaseMs))
        taken.set(endpoint.organization, (taken.get(endpoint.organization) ?? 0) + 1)
        if (endpoint.ready[lane].size > 0) this.#turns[lane].add(endpoint)
      }
    }
    if (this.#isPaused) return { claims, nextDueInMs: undefined }
    take("first", this.#firstAttemptShare(limit).reserved)
    take("retry", limit)
    take("first", limit)
    const nextDueInMs = this.#nextDueInMs(now)
    for (const lane of lanes) this.#turns[lane].resume()
    return { claims, nextDueInMs }
  }

  /** Returns the claims that were lost. */
  settle(settlements: ReadonlyArray<Settlement>, now: number): ReadonlyArray<string> {
    const lost: Array<string> = []
    for (const { claimId, attempt, outcome, random } of settlements) {
      const row = this.#claimed.get(claimId)
      if (row === undefined) {
        lost.push(claimId)
        continue
      }
      this.#unclaim(row)
      row.attempts.push(attempt)
      if (row.attempts.length > attemptsKeptMax) row.attempts.shift()
      row.delivery = settleDelivery(row.delivery, outcome, now, random)
      const { health, generation } = row.endpoint
      this.#setHealth(
        row.endpoint,
        row.generation === generation ? nextHealth(health, outcome, now) : health,
        now,
      )
      this.#putBack(row)
    }
    return lost
  }

  renew(claimIds: ReadonlyArray<string>, leaseUntil: number): void {
    for (const claimId of claimIds) {
      const row = this.#claimed.get(claimId)
      if (row !== undefined) this.#leased.put(row, leaseUntil)
    }
  }

  release(releases: ReadonlyArray<Release>, now: number): void {
    for (const { claimId, delayMs } of releases) {
      const row = this.#claimed.get(claimId)
      if (row === undefined) continue
      this.#unclaim(row)
      row.delivery = releaseDelivery(row.delivery, now + delayMs)
      this.#putBack(row)
      this.#offer(row.endpoint, now)
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
      row.endpoint = this.#endpoint(organization, row.delivery.alertMethod)
      row.endpoint.unsettledCount++
      row.delivery = resendDelivery(row.delivery, now)
      this.#waiting.put(row, now)
    } else {
      row.delivery = resendDelivery(row.delivery, now)
      if (this.#waiting.has(row)) this.#waiting.put(row, now)
    }
    this.#hint()
    return row.delivery
  }

  endpoint(organization: OrganizationId, alertMethod: ProjectKey): EndpointState {
    const endpoint = this.#endpoints.get(organizationKeyText(organization, alertMethod))
    return {
      health: endpoint?.health ?? unknownHealth,
      pause: { isPaused: endpoint?.isPaused ?? false, inFlight: endpoint?.inFlight ?? 0 },
    }
  }

  activities(
    organization: OrganizationId,
    alertMethods: ReadonlyArray<ProjectKey>,
  ): ReadonlyArray<EndpointActivity> {
    const wanted = new Set(alertMethods.map((key) => organizationKeyText(organization, key)))
    const latest = new Map<string, Delivery>()
    for (const { delivery, endpoint } of this.#rowsByOrganization.get(organization)?.valuesBackwards() ??
      []) {
      if (latest.size === wanted.size) break
      if (wanted.has(endpoint.text) && !latest.has(endpoint.text)) latest.set(endpoint.text, delivery)
    }
    return alertMethods.map((alertMethod) => {
      const latestDelivery = latest.get(organizationKeyText(organization, alertMethod))
      return {
        ...this.endpoint(organization, alertMethod),
        ...(latestDelivery && { latestDelivery }),
      }
    })
  }

  enable(organization: OrganizationId, alertMethod: ProjectKey, now: number): EndpointHealth {
    const endpoint = this.#endpoints.get(organizationKeyText(organization, alertMethod))
    if (endpoint?.health.disabled !== undefined) this.#setHealth(endpoint, enabledHealth, now)
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
    this.#offer(endpoint, now)
    this.#removeIfIdle(endpoint)
    this.#hint()
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#hint()
  }

  pauseState(): PauseState {
    return { isPaused: this.#isPaused, inFlight: this.#claimed.size }
  }

  #claimRow(row: Row, leaseUntil: number): ClaimedDelivery {
    const { endpoint } = row
    const claimId = String(++this.#claimCount)
    row.delivery = claimDelivery(row.delivery)
    row.claimId = claimId
    row.generation = endpoint.generation
    this.#claimed.set(claimId, row)
    this.#leased.put(row, leaseUntil)
    endpoint.inFlight++
    return {
      claimId,
      delivery: row.delivery,
      alertMethod: this.#database
        .definitions(endpoint.organization, "AlertMethod")
        .get(row.delivery.alertMethod),
      isDisabled: endpoint.health.disabled !== undefined,
    }
  }

  #unclaim(row: Row): void {
    if (row.claimId !== undefined) this.#claimed.delete(row.claimId)
    row.claimId = undefined
    this.#leased.remove(row)
    row.endpoint.inFlight--
  }

  /** Moves a row that is no longer claimed to where its state belongs. */
  #putBack(row: Row): void {
    if (!isSettled(row.delivery)) return this.#waiting.put(row, row.delivery.dueAt)
    row.endpoint.unsettledCount--
    this.#removeIfIdle(row.endpoint)
    this.#settled.push({ row, delivery: row.delivery })
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
  }

  #makeReady(row: Row, now: number): void {
    row.endpoint.ready[row.delivery.attempt === 0 ? "first" : "retry"].push(row)
    this.#offer(row.endpoint, now)
  }

  /** Lets an endpoint take turns if it has due rows and capacity. */
  #offer(endpoint: Endpoint, now: number): void {
    if (!hasCapacity(endpoint, now)) return
    for (const lane of lanes) {
      if (endpoint.ready[lane].size > 0) this.#turns[lane].add(endpoint)
    }
  }

  #setHealth(endpoint: Endpoint, health: EndpointHealth, now: number): void {
    endpoint.health = health
    if (health.circuitOpenUntil !== undefined && now < health.circuitOpenUntil) {
      this.#blocked.put(endpoint, health.circuitOpenUntil)
    } else {
      this.#blocked.remove(endpoint)
      this.#offer(endpoint, now)
    }
  }

  #nextDueInMs(now: number): number | undefined {
    if (lanes.some((lane) => !this.#turns[lane].isEmpty)) return 0
    const times = [this.#waiting.nextDueAt, this.#leased.nextDueAt, this.#blocked.nextDueAt]
    const next = Math.min(...times.filter((time) => time !== undefined))
    return Number.isFinite(next) ? Math.max(0, next - now) : undefined
  }

  #endpoint(organization: OrganizationId, alertMethod: ProjectKey): Endpoint {
    const text = organizationKeyText(organization, alertMethod)
    const known = this.#endpoints.get(text)
    if (known !== undefined) return known
    const endpoint: Endpoint = {
      text,
      organization,
      health: unknownHealth,
      generation: 0,
      isPaused: false,
      inFlight: 0,
      unsettledCount: 0,
      ready: { first: new Fifo(), retry: new Fifo() },
    }
    this.#endpoints.set(text, endpoint)
    return endpoint
  }

  #removeIfIdle(endpoint: Endpoint): void {
    if (endpoint.unsettledCount === 0 && endpoint.health === unknownHealth && !endpoint.isPaused)
      this.#endpoints.delete(endpoint.text)
  }

  #hint(): void {
    for (const listener of this.#listeners) listener()
  }
}

type Lane = "first" | "retry"

const lanes = ["first", "retry"] as const

interface Row {
  delivery: Delivery
  endpoint: Endpoint
  claimId?: string | undefined
  /** The generation of the endpoint at the latest claim. */
  generation?: number
  readonly attempts: Array<Attempt>
}

interface Endpoint {
  readonly text: string
  readonly organization: OrganizationId
  health: EndpointHealth
  /** Grows with each change of the URL: attempts of earlier generations do not change the health. */
  generation: number
  isPaused: boolean
  inFlight: number
  unsettledCount: number
  readonly ready: Readonly<Record<Lane, Fifo<Row>>>
}

const hasCapacity = ({ isPaused, health, inFlight }: Endpoint, now: number): boolean =>
  !isPaused && endpointCapacity(health, inFlight, now) > 0

/** Both are alert methods, which the type does not express. */
const isSameUrl = (before: StoredDefinition | undefined, after: StoredDefinition | undefined): boolean => {
  const url = (stored: StoredDefinition | undefined): string | undefined =>
    stored && Redacted.value((stored as StoredDefinition<AlertMethod>).definition.spec.webhook.url).href
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
