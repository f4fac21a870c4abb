import { DeliveriesInFlightMax, DeliverySchedule } from "@tocsin/domain/adapter"
import { DeliveryQueue, type Release, SecretBox, type Settlement } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { makeIsDistributed } from "../database/CitusTables.ts"
import { searchText } from "../database/Parameters.ts"
import { QueueDatabase } from "../database/PgDatabase.ts"
import { OperationDeadlineMs, storeOperation } from "../database/PortOperation.ts"
import { DeliveryHints, type EnqueuedDelivery, type LocalQueue } from "./DeliveryHints.ts"
import { withHistory } from "./DeliveryHistory.ts"
import { logTest, wakeEndpoints } from "./EnqueueDeliveries.ts"
import { makeOrganizationWork } from "./OrganizationWork.ts"
import type { OwnedQueue, Waiting } from "./OwnedQueue.ts"
import { makeQueueClaiming } from "./QueueClaiming.ts"
import { makeQueueLoading } from "./QueueLoading.ts"
import { makeQueueOwnership, type QueueOwnership } from "./QueueOwnership.ts"
import { type HeldClaims, makeQueueSettling } from "./QueueSettling.ts"
import { readIsPaused } from "./QueueStatements.ts"
import { resendDelivery } from "./ResendDelivery.ts"
import type { ClaimedContents } from "./ClaimedContents.ts"

/**
 * The delivery queue in PostgreSQL. Any number of processes claim from it; its clock is the database's.
 *
 * A process owns the queues of the organizations that it delivers for, one process each, and keeps what is due next in a
 * `DeliverySchedule`. It looks at the database again for organizations that it gets hints for, and once a second for all.
 * Every other statement is about one organization, and an organization whose statements fail does not hold up the others.
 * Claims and settlements use connections that requests do not wait for; requests about the queue use their own.
 *
 * Four parts have a state of their own: which organizations the process owns (`QueueOwnership`), what it knows of their
 * queues (`QueueLoading`, `OwnedQueue`), what it has claimed (`QueueClaiming`), and what of that has ended
 * (`QueueSettling`).
 */
const make = Effect.gen(function* () {
  const sql: SqlClient.SqlClient = yield* QueueDatabase
  const requests = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints
  const oneAtATime = yield* Semaphore.make(1)
  const schedule = new DeliverySchedule<Waiting>(yield* DeliveriesInFlightMax)
  const claims: HeldClaims = new Map()
  const deadlineMs = yield* OperationDeadlineMs
  const ownership = makeQueueOwnership(sql, yield* Clock.Clock, schedule, () => claims.clear(), deadlineMs)
  const work = yield* makeOrganizationWork
  const loading = makeQueueLoading(sql, ownership, work)
  const settling = makeQueueSettling(sql, makeIsDistributed(sql), ownership, schedule, claims)
  const parts = { schedule, ownership, work, loading, settling, claims }
  const claiming = makeQueueClaiming(sql, yield* SecretBox, hints, parts)

  const ending = (name: "settle" | "release", ends: ReadonlyArray<Settlement | Release>) =>
    operation(name, settling.end(ends)).pipe(
      Effect.tapError(({ isRetryable }) =>
        isRetryable ? Effect.void : Effect.sync(() => settling.abandon(ends)),
      ),
      Effect.tapDefect(() => Effect.sync(() => settling.abandon(ends))),
    )

  yield* Effect.addFinalizer(() =>
    ownership.releaseAll.pipe(Effect.timeoutOption("2 seconds"), Effect.ignore),
  )
  // Ends first: what is enqueued from then on comes with wakes. It must be known when a transaction has ended.
  if (deadlineMs !== Number.POSITIVE_INFINITY)
    yield* hints.connect(makeLocalQueue(sql, hints, { ownership, contents: claiming.contents }))

  return DeliveryQueue.of({
    claim: (request) => oneAtATime.withPermits(1)(operation("claim", claiming.claim(request))),
    settle: (settlements) => ending("settle", settlements),
    renew: (leaseMs) => oneAtATime.withPermits(1)(operation("renew", ownership.extendLease(leaseMs))),
    release: (releases) => Effect.asVoid(ending("release", releases)),
    resend: (organization, id) =>
      Effect.tap(operation("resend", resendDelivery(requests, organization, searchText(id))), () =>
        hints.publish(organization),
      ),
    logTest: (tested) =>
      operation("logTest", withHistory(requests, requests.withTransaction(logTest(requests, tested)))),
    hints: hints.subscribe,
    setPaused: (paused) =>
      operation(
        "setPaused",
        paused
          ? requests`INSERT INTO queue_pauses (paused_at) SELECT now_ms() WHERE NOT EXISTS (SELECT FROM queue_pauses)`
          : requests`DELETE FROM queue_pauses`,
      ).pipe(Effect.andThen(Effect.sync(() => claiming.setPaused(paused))), Effect.andThen(hints.publish())),
    isPaused: operation("isPaused", readIsPaused(requests)),
    pauseState: operation(
      "pauseState",
      Effect.gen(function* () {
        const counts = yield* readAcrossOrganizations(
          requests,
          requests<{ readonly count: number }>`
            SELECT count(*)::integer AS count FROM delivery_queue WHERE sending IS NOT NULL`,
        )
        const inFlight = counts.reduce((sum, { count }) => sum + count, 0)
        return { isPaused: yield* readIsPaused(requests), inFlight }
      }),
    ),
    backlog: Effect.sync(() => schedule.backlog(ownership.now())),
  })
})

/** The delivery queue of a database. */
export const layer = Layer.effect(DeliveryQueue, make)

const operation = storeOperation("DeliveryQueue")

/**
 * Takes over what this process enqueues for organizations that it owns: into the schedule, without a look at the database.
 *
 * Nothing depends on it. What a process that was killed has enqueued is found by whoever takes the organization after that;
 * if another process has taken it before the transaction ended, then when it reads the queue once more.
 */
const makeLocalQueue = (
  sql: SqlClient.SqlClient,
  hints: DeliveryHints["Service"],
  { ownership, contents }: { readonly ownership: QueueOwnership; readonly contents: ClaimedContents },
): LocalQueue => {
  /** Puts deliveries into the schedule. Returns whether some must be read, as their endpoint is not known. */
  const place = (queue: OwnedQueue, enqueued: ReadonlyArray<EnqueuedDelivery>): boolean => {
    const { organization } = queue
    let isUnplaced = false
    for (const { id, alertMethod, createdAt, notification, content, size } of enqueued) {
      ownership.sawTime(createdAt)
      contents.put(organization, notification, content, size)
      const row = {
        id,
        due_at: createdAt,
        scheduled_at: createdAt,
        created_at: createdAt,
        notification,
      }
      if (queue.handOver(alertMethod, row, ownership.now())) continue
      queue.addUnplaced(alertMethod, createdAt)
      isUnplaced = true
    }
    return isUnplaced
  }

  /** Wakes the process that owns the organization now. */
  const wakeOwner = (queue: OwnedQueue, enqueued: ReadonlyArray<EnqueuedDelivery>) =>
    wakeEndpoints(
      sql,
      queue.organization,
      enqueued.map(({ alertMethod }) => alertMethod),
      enqueued.reduce((first, { createdAt }) => Math.min(first, createdAt), Number.MAX_SAFE_INTEGER),
    ).pipe(
      Effect.catchCause((cause) =>
        Effect.annotateLogs(Effect.logWarning("Waking the owner of a queue failed", cause), {
          organization: queue.organization,
        }),
      ),
      Effect.andThen(hints.publish(queue.organization)),
    )

  return {
    begin: (organization) => {
      const queue = ownership.find(organization)
      if (queue === undefined || ownership.hasLapsed()) return undefined
      queue.enqueuing++
      return (enqueued, isCommitted) =>
        Effect.suspend(() => {
          queue.enqueuing--
          if (enqueued.length === 0) return Effect.void
          const owned = ownership.find(organization)
          if (owned === undefined || ownership.hasLapsed()) return wakeOwner(queue, enqueued)
          if (!isCommitted) {
            owned.readTwice(ownership.now())
            return Effect.void
          }
          return hints.publishHere(place(owned, enqueued) ? organization : undefined)
        })
    },
  }
}
