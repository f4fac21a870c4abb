import type { DeliverySchedule } from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { LRUCache } from "lru-cache"
import { organizationsAtOnce } from "./OrganizationWork.ts"
import {
  clockToleranceMs,
  type IdleEndpoint,
  type IdleEndpoints,
  OwnedQueue,
  type Waiting,
} from "./OwnedQueue.ts"
import {
  discoverOrganizations,
  type ProcessRow,
  readOwned,
  readProcesses,
  releaseOrganization,
  takeOrganization,
  writeHeartbeat,
} from "./QueueStatements.ts"

/** Longest time between two looks at all organizations, in milliseconds. */
const pollMs = 1_000

/** How often all wakes are read, also those of transactions that took long to commit, in milliseconds. */
const sweepMs = 30_000

/** How long a process keeps an organization that has nothing to deliver, in milliseconds. */
const idleMs = 60_000

/** How long another process is assumed to own an organization, in milliseconds. */
const foreignMs = 5_000

/** Most endpoints that nothing waits for of which a process keeps the health. */
const idleEndpointsMax = 10_000

export type QueueOwnership = ReturnType<typeof makeQueueOwnership>

/**
 * Which organizations this process owns, and its lease on all of them: one row that it extends, by the database's clock.
 * When its lease has lapsed, it owns nothing, and goes on as another process; `onLapse` is called then.
 */
export const makeQueueOwnership = (
  sql: SqlClient.SqlClient,
  clock: Clock.Clock,
  schedule: DeliverySchedule<Waiting>,
  onLapse: () => void,
  deadlineMs?: number,
) => {
  const owned = new Map<OrganizationId, OwnedQueue>()
  const findDead = makeFindDead()
  /** Organizations that another process was found to own, and until when that is assumed. */
  const foreign = new LRUCache<OrganizationId, true>({ max: 10_000, ttl: foreignMs })
  const idleEndpoints: IdleEndpoints = new LRUCache<string, IdleEndpoint>({ max: idleEndpointsMax })
  let process: string = crypto.randomUUID()
  /** Local time at which the lease ends. */
  let aliveUntil = Number.POSITIVE_INFINITY
  /** Local time of the next poll. */
  let pollAt = 0
  /** How far the database's clock is ahead of the process's. */
  let clockOffsetMs = 0
  /** The database's times of the latest poll and sweep. */
  let polledAt = 0
  let sweptAt = Number.NEGATIVE_INFINITY
  /** The other processes whose lease has ended. */
  let dead: ReadonlyArray<string> = []

  const now = (): number => clock.currentTimeMillisUnsafe() + clockOffsetMs

  const forget = (queue: OwnedQueue): void => {
    owned.delete(queue.organization)
    queue.remove()
  }

  const owns = (queue: OwnedQueue): boolean => owned.get(queue.organization) === queue

  const startOver = (): void => {
    for (const queue of owned.values()) forget(queue)
    onLapse()
    process = crypto.randomUUID()
  }

  const extendLease = (leaseMs: number) =>
    Effect.gen(function* () {
      const startedAt = clock.currentTimeMillisUnsafe()
      if (startedAt >= aliveUntil) startOver()
      const databaseNow = yield* writeHeartbeat(sql, process, leaseMs)
      clockOffsetMs = databaseNow - clock.currentTimeMillisUnsafe()
      aliveUntil = startedAt + leaseMs
      if (databaseNow < sweptAt) {
        // The clock was set back: wakes since then are older than those that were read.
        sweptAt = Number.NEGATIVE_INFINITY
        pollAt = Number.NEGATIVE_INFINITY
      }
    })

  /** Gives up organizations that have had nothing to do, and have nothing to do soon. */
  const releaseIdle = (at: number) =>
    Effect.forEach(
      [...owned.values()].filter(({ busyAt }) => Math.abs(at - busyAt) >= idleMs),
      (queue) =>
        Effect.suspend(() => {
          if (!owns(queue) || !queue.isOver) return Effect.void
          return release(queue)
        }),
      { discard: true },
    )

  /** Gives up a queue. It is forgotten first, so that what is enqueued meanwhile comes with wakes. */
  const release = (queue: OwnedQueue) =>
    Effect.suspend(() => {
      const { organization, epoch, isOver } = queue
      forget(queue)
      return releaseOrganization(sql, organization, epoch, isOver)
    })

  return {
    /** The time of the database, in Unix milliseconds. */
    now,
    /** Takes note of a time that the database's clock has reached, if it was not set back since. */
    sawTime: (at: number): void => {
      const aheadMs = at - now()
      if (aheadMs > 0 && aheadMs <= clockToleranceMs) clockOffsetMs += aheadMs
    },
    /** Names this process until its lease lapses. */
    get process(): string {
      return process
    },
    find: (organization: OrganizationId): OwnedQueue | undefined => owned.get(organization),
    /** Whether the lease has ended, as far as the process knows. */
    hasLapsed: (): boolean => clock.currentTimeMillisUnsafe() >= aliveUntil,
    /** Whether the process still owns a queue: it may have lost it while a statement ran. */
    owns,
    /** The queues that the process owns. */
    all: (): Iterable<OwnedQueue> => owned.values(),
    extendLease,
    isPollDue: (): boolean => {
      const at = clock.currentTimeMillisUnsafe()
      return at >= pollAt || at < pollAt - pollMs
    },
    /**
     * Extends the lease, gives up what is idle or lost, and returns the organizations to look at: those that nobody
     * alive owns and those with wakes.
     */
    poll: (leaseMs: number) =>
      Effect.gen(function* () {
        const startedAt = clock.currentTimeMillisUnsafe()
        yield* extendLease(leaseMs)
        const at = now()
        dead = findDead(yield* readProcesses(sql), process, at, leaseMs)
        const epochs = yield* readOwned(sql, process)
        for (const queue of owned.values()) {
          if (epochs.get(queue.organization) !== queue.epoch) forget(queue)
          else if (at >= queue.rereadAt) {
            queue.rereadAt = Number.POSITIVE_INFINITY
            queue.isStale = true
          }
        }
        const isSweep = at - sweptAt >= sweepMs
        const found = yield* discoverOrganizations(sql, dead, at, isSweep ? 0 : polledAt)
        polledAt = at
        if (isSweep) {
          sweptAt = at
          for (const queue of owned.values()) queue.wakesTakenAt = 0
        }
        // Before what is idle is given up, so that it is not taken again.
        const unknown = [...epochs.keys()].filter((organization) => !owned.has(organization))
        yield* releaseIdle(at)
        pollAt = startedAt + Math.min(pollMs, leaseMs / 4)
        for (const organization of found) foreign.delete(organization)
        return [...found, ...unknown]
      }),
    /** Takes the queue of an organization that nobody alive owns; `undefined` if another process owns it. */
    take: (organization: OrganizationId) =>
      Effect.gen(function* () {
        if (foreign.has(organization)) return undefined
        const epoch = yield* takeOrganization(sql, organization, process, [...dead, process], now())
        if (epoch === undefined) {
          foreign.set(organization, true)
          return undefined
        }
        const queue = new OwnedQueue(schedule, organization, epoch, now(), idleEndpoints, deadlineMs)
        owned.set(organization, queue)
        return queue
      }),
    /** Does without a queue that could not be read: the next poll finds that this process owns it, and takes it again. */
    forget,
    /** Gives up every queue, for another process to take at once if something waits in it or may be found. */
    releaseAll: Effect.suspend(() =>
      Effect.forEach([...owned.values()], release, { concurrency: organizationsAtOnce, discard: true }),
    ),
  }
}

/**
 * Finds the processes whose lease has ended. One that ends in the far future was written before the clock was set back: its
 * process is dead if it does not extend it.
 */
const makeFindDead = () => {
  /** The leases of others, and since when they are the same, by the process's own clock. */
  let seen = new Map<string, { readonly aliveUntil: number; readonly at: number }>()
  return (rows: ReadonlyArray<ProcessRow>, self: string, now: number, leaseMs: number) => {
    const at = performance.now()
    const previous = seen
    seen = new Map()
    const dead: Array<string> = []
    for (const { id, alive_until } of rows) {
      if (id === self) continue
      const known = previous.get(id)
      const entry = known?.aliveUntil === alive_until ? known : { aliveUntil: alive_until, at }
      seen.set(id, entry)
      const isFromFuture = alive_until > now + 2 * leaseMs
      if (alive_until <= now || (isFromFuture && at - entry.at >= leaseMs)) dead.push(id)
    }
    return dead
  }
}
