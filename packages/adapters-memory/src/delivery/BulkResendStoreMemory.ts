import {
  type BulkResend,
  bulkResendPollMs,
  bulkResendsRunningMax,
  type Delivery,
  DueQueue,
  Fifo,
  isNextBatchDelayed,
  matchesFilter,
  type ResendFilter,
  SteadyClock,
  wasBy,
} from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { PageRequest } from "@tocsin/domain/pagination"
import {
  BulkResendsAreTooMany,
  BulkResendStore,
  type NewBulkResend,
  type StepLimits,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DeliveryTables } from "./DeliveryTables.ts"
import { idKey, SortedTable } from "../collections/SortedTable.ts"

/** Most ended bulk resends that the in-memory store retains; the oldest are deleted first. */
export const endedBulkResendsInMemoryMax = 1_000

/**
 * Bulk resends in memory: all that are running, and the latest `endedBulkResendsInMemoryMax` that have ended.
 *
 * Every operation is synchronous, and therefore atomic. A step reads all deliveries of the organization.
 */
const make = Effect.map(DeliveryTables, (tables) => {
  const rowsByOrganization = new Map<OrganizationId, SortedTable<Row>>()
  const clock = new SteadyClock()
  /** By the times of the steady clock. */
  const running = new DueQueue<Row>()
  const runningByOrganization = new Map<OrganizationId, number>()
  const ended = new Fifo<BulkResend>()

  const find = (organization: OrganizationId, id: string): Row | undefined =>
    rowsByOrganization.get(organization)?.get(idKey(id))

  const runningOf = (organization: OrganizationId): number => runningByOrganization.get(organization) ?? 0

  const toResend = (organization: OrganizationId, filter: ResendFilter): ReadonlyArray<Delivery> =>
    [...tables.deliveries(organization)]
      .filter((delivery) => matchesFilter(filter, delivery))
      .toSorted((a, b) => (isBehind(b, a) ? -1 : 1))

  const add = (organization: OrganizationId, resend: NewBulkResend, now: number): BulkResend => {
    const row: Row = {
      resend: { ...resend, organization, createdAt: now, resent: 0, state: "running" },
      read: undefined,
      batch: { ids: [], at: now },
    }
    const rows = rowsByOrganization.get(organization) ?? new SortedTable<Row>()
    rowsByOrganization.set(organization, rows)
    rows.set(idKey(resend.id), row)
    running.put(row, clock.read(now))
    runningByOrganization.set(organization, runningOf(organization) + 1)
    return row.resend
  }

  const end = (row: Row, state: "done" | "canceled", now: number): void => {
    row.resend = { ...row.resend, state, endedAt: now }
    running.remove(row)
    runningByOrganization.set(row.resend.organization, runningOf(row.resend.organization) - 1)
    ended.push(row.resend)
    const oldest = ended.size > endedBulkResendsInMemoryMax ? ended.shift() : undefined
    if (oldest !== undefined) rowsByOrganization.get(oldest.organization)?.delete(idKey(oldest.id))
  }

  const step = ({ batchMax }: StepLimits, now: number): boolean => {
    const time = clock.read(now)
    const [row] = running.due(time, 1)
    if (row === undefined) return false
    const { organization, filter, createdAt } = row.resend
    const unattempted = row.batch.ids.filter((id) => {
      const delivery = tables.find(organization, id)?.delivery
      return delivery?.state === "pending" && delivery.attemptsUsed === 0
    }).length
    if (isNextBatchDelayed({ size: row.batch.ids.length, unattempted, ageMs: now - row.batch.at })) {
      running.put(row, time + bulkResendPollMs)
      return true
    }
    const left = toResend(organization, filter).filter(
      (delivery) =>
        delivery.settledAt !== undefined &&
        wasBy(delivery.settledAt, createdAt, now) &&
        (row.read === undefined || isBehind(delivery, row.read)),
    )
    const batch = left.slice(0, batchMax)
    const ids = batch.map(({ notification }) => notification.id)
    for (const id of ids) tables.resend(organization, id, now)
    row.resend = { ...row.resend, resent: row.resend.resent + ids.length }
    row.read = batch.at(-1) ?? row.read
    row.batch = { ids, at: now }
    if (batch.length === left.length) end(row, "done", now)
    else running.put(row, time + bulkResendPollMs)
    return true
  }

  return BulkResendStore.of({
    count: (organization, filter, readMax) =>
      Effect.sync(() => {
        const { length } = toResend(organization, filter)
        return { matched: Math.min(length, readMax), mayMatchMore: length > readMax }
      }),
    add: (organization, resend) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        runningOf(organization) < bulkResendsRunningMax
          ? Effect.succeed(add(organization, resend, now))
          : new BulkResendsAreTooMany(),
      ),
    find: (organization, id) =>
      Effect.sync(() => Option.map(Option.fromNullishOr(find(organization, id)), ({ resend }) => resend)),
    list: (organization, { after, limit }: PageRequest<string>) =>
      Effect.sync(() => {
        const rows = rowsByOrganization.get(organization) ?? new SortedTable<Row>()
        const request = { limit, ...(after !== undefined && { after: idKey(after) }) }
        const { items, hasMore } = rows.pageBackwards(request)
        return { items: items.map(({ resend }) => resend), hasMore }
      }),
    cancel: (organization, id) =>
      atNow((now) => {
        const row = find(organization, id)
        if (row?.resend.state === "running") end(row, "canceled", now)
        return Option.fromNullishOr(row?.resend)
      }),
    step: (limits) => atNow((now) => step(limits, now)),
  })
})

export const layer = Layer.effect(BulkResendStore, make)

interface Row {
  resend: BulkResend
  /** The last delivery that was resent. */
  read: Delivery | undefined
  /** The latest batch, and when it became due. */
  batch: { readonly ids: ReadonlyArray<string>; readonly at: number }
}

/** Deliveries are resent in the order of their creation, then of their IDs. */
const isBehind = (delivery: Delivery, other: Delivery): boolean =>
  delivery.createdAt === other.createdAt
    ? delivery.notification.id > other.notification.id
    : delivery.createdAt > other.createdAt

const atNow = <A>(operation: (now: number) => A): Effect.Effect<A> =>
  Effect.map(Clock.currentTimeMillis, operation)
