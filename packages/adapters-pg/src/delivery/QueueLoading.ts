import { type Chosen, type EndpointHealth, groupBy, unknownHealth } from "@tocsin/domain/adapter"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import { logUnreadableRow } from "../database/StoredRow.ts"
import { readHealth } from "./EndpointStorePg.ts"
import type { OrganizationWork, StartedWork } from "./OrganizationWork.ts"
import type { LaneRead, OwnedQueue, Waiting } from "./OwnedQueue.ts"
import type { QueueOwnership } from "./QueueOwnership.ts"
import {
  type EndpointRow,
  type HeadRow,
  laneStart,
  listQueuedEndpoints,
  readEndpoints,
  readHeads,
  takeWakes,
  takeWoken,
} from "./QueueStatements.ts"

/** Most endpoints that are read at a time when an organization is taken. */
const loadMax = 500

export type QueueLoading = ReturnType<typeof makeQueueLoading>

/**
 * Reads what waits for the organizations that the process owns, and takes those that nobody owns: the first deliveries of
 * each endpoint, further ones when these run out, and what wakes are about.
 */
export const makeQueueLoading = (
  sql: SqlClient.SqlClient,
  ownership: QueueOwnership,
  work: OrganizationWork,
) => {
  /** Organizations that are being looked at. */
  const looking = new Map<OrganizationId, Fiber.Fiber<void>>()

  /** Reads what is new of an organization: all of it when the process has just become its owner. */
  const look = (organization: OrganizationId) =>
    Effect.gen(function* () {
      const queue = ownership.find(organization)
      if (queue === undefined) return yield* take(organization)
      queue.busyAt = ownership.now()
      if (queue.isStale) {
        // What becomes stale meanwhile is read the next time.
        queue.isStale = false
        queue.forgetIdle()
        yield* loadAll(queue)
      }
      yield* loadWoken(queue)
    })

  /** Reads what stored wakes are about, and what was handed over but could not be placed. Without an answer, both may be gone. */
  const loadWoken = (queue: OwnedQueue) =>
    Effect.gen(function* () {
      const { organization } = queue
      const rows = yield* takeWoken(sql, organization, queue.wakesTakenAt, queue.takeUnplaced())
      if (rows.length === 0 || !ownership.owns(queue)) return
      const latest = rows.reduce((last, { until }) => Math.max(last, until), 0)
      ownership.sawTime(latest)
      // A wake of the future was inserted before the clock was set back; the next ones come before it.
      queue.wakesTakenAt = Math.min(latest, ownership.now())
      const reads: Array<LaneRead> = []
      const heads: Array<HeadRow> = []
      const woken = groupBy(rows, projectKeyText)
      for (const ofEndpoint of woken.values()) {
        const [first] = ofEndpoint
        if (first === undefined) continue
        const { project, name, since, is_paused, generation, health } = first
        const alertMethod = { project, name }
        const measured =
          health === null ? unknownHealth : yield* healthOrUnknown(organization, { project, name, health })
        const status = { health: measured, isPaused: is_paused ?? false }
        queue.setEndpoint(alertMethod, generation ?? 0, status, ownership.now())
        for (const read of queue.readsAfter(alertMethod, { dueAt: since, id: "" })) {
          const lane = reads.push(read) - 1
          for (const row of ofEndpoint)
            if (row.id !== null && row.is_retry === (read.lane === "retry")) heads.push({ ...row, lane })
        }
      }
      yield* readLanes(queue, queue.add(reads, heads, ownership.now()))
      if (!ownership.owns(queue)) return
      for (const [row] of woken.values()) if (row !== undefined) queue.dropIfIdle(row)
    }).pipe(reading(queue))

  const take = (organization: OrganizationId) =>
    Effect.gen(function* () {
      const queue = yield* ownership.take(organization)
      if (queue === undefined) return
      yield* Effect.andThen(wakesOf(queue, 0), loadAll(queue)).pipe(
        Effect.onError(() => Effect.sync(() => ownership.forget(queue))),
      )
    })

  const wakesOf = ({ organization }: OwnedQueue, since: number) =>
    Effect.tap(takeWakes(sql, organization, since), (wakes) =>
      Effect.sync(() => ownership.sawTime(latestOf(wakes))),
    )

  /** Reads everything that is queued for an organization, as far as it is not known yet. */
  const loadAll = (queue: OwnedQueue) =>
    Effect.gen(function* () {
      const keys = yield* listQueuedEndpoints(sql, queue.organization)
      for (let start = 0; start < keys.length; start += loadMax)
        yield* load(queue, keys.slice(start, start + loadMax))
    }).pipe(reading(queue))

  /** Reads endpoints, and what is due for them, as far as it is not known yet. */
  const load = (queue: OwnedQueue, keys: ReadonlyArray<ProjectKey>) =>
    Effect.gen(function* () {
      const { organization } = queue
      const rows = yield* readEndpoints(sql, organization, keys)
      const known = new Map<string, EndpointRow & { readonly measured: EndpointHealth }>()
      for (const row of rows) {
        known.set(projectKeyText(row), { ...row, measured: yield* healthOrUnknown(organization, row) })
      }
      if (!ownership.owns(queue)) return
      const reads = keys.flatMap((alertMethod) => {
        const row = known.get(projectKeyText(alertMethod))
        const status = { health: row?.measured ?? unknownHealth, isPaused: row?.is_paused ?? false }
        queue.setEndpoint(alertMethod, row?.generation ?? 0, status, ownership.now())
        return queue.readsAfter(alertMethod, laneStart)
      })
      yield* readLanes(queue, reads)
      if (ownership.owns(queue)) for (const alertMethod of keys) queue.dropIfIdle(alertMethod)
    })

  /** Reads lanes from a place on, at least to where they were read before. */
  const readLanes = (queue: OwnedQueue, wanted: ReadonlyArray<LaneRead>) =>
    Effect.gen(function* () {
      for (let reads = wanted; reads.length > 0;) {
        const rows = yield* readHeads(
          sql,
          queue.organization,
          reads.map(({ alertMethod, lane, after }) => ({ alertMethod, isRetry: lane === "retry", after })),
        )
        if (!ownership.owns(queue)) return
        reads = queue.add(reads, rows, ownership.now())
      }
    })

  /** Runs a read of a queue. When it fails, the database may have changed without an answer: everything is read again. */
  const reading =
    (queue: OwnedQueue) =>
    <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        queue.startRead()
        return Effect.onExit(effect, (exit) =>
          Effect.sync(() => {
            queue.endRead()
            if (Exit.isSuccess(exit)) return
            queue.isStale = true
            queue.forgetIdle()
          }),
        )
      })

  const startLooking = (organization: OrganizationId): StartedWork => {
    const running = looking.get(organization)
    if (running !== undefined) {
      // It may have read before what the new hint is about.
      return work.startAfter(
        running,
        Effect.suspend(() => startLooking(organization)),
      )
    }
    return Effect.map(work.start(organization, look(organization)), (fiber) => {
      looking.set(organization, fiber)
      fiber.addObserver(() => looking.delete(organization))
      return fiber
    })
  }

  return {
    /** Looks at an organization in the background: takes it, or reads what its wakes are about. */
    startLooking,
    /** The organizations of which something could not be read. */
    unread: (): ReadonlyArray<OrganizationId> =>
      Array.from(ownership.all()).flatMap(({ organization, isUnread }) => (isUnread ? [organization] : [])),
    /** Reads on in the lanes of an organization that are about to run out, in the background. */
    startRefilling: (
      queue: OwnedQueue,
      chosen: ReadonlyArray<Chosen<Waiting>>,
    ): ReadonlyArray<StartedWork> => {
      const reads = queue.readsToRefill(chosen)
      if (reads.length === 0) return []
      return [work.start(queue.organization, readLanes(queue, reads).pipe(reading(queue)))]
    },
  }
}

/** When the latest of some wakes was inserted: the database's clock was at least there. */
const latestOf = (wakes: ReadonlyArray<{ readonly at: number }>): number =>
  wakes.reduce((latest, { at }) => Math.max(latest, at), 0)

/** Health that cannot be read is measured again from the start: it must not keep deliveries from being sent. */
const healthOrUnknown = (
  organization: OrganizationId,
  row: ProjectKey & { readonly health: string },
): Effect.Effect<EndpointHealth> => {
  const health = readHealth(row, row.health)
  return Result.isSuccess(health)
    ? Effect.succeed(health.success)
    : Effect.as(logUnreadableRow(organization, health.failure), unknownHealth)
}
