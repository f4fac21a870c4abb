import {
  type Chosen,
  countHealthChanges,
  DeliveriesInFlightMax,
  type DeliveryProgress,
  DeliverySchedule,
  type EndpointHealth,
  groupBy,
  type Lane,
  laneOf,
  lanes,
  nextHealth,
  type NotificationContent,
  releaseDelivery,
  senderFaultDelayMs,
  settleDelivery,
  storedNotificationContent,
  unknownHealth,
  type WaitingDelivery,
} from "@tocsin/domain/adapter"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import {
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
  DeliveryQueue,
  type Release,
  SecretBox,
  type Settlement,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import { LRUCache } from "lru-cache"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { QueueDatabase } from "../database/PgDatabase.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { isPartitionMissing } from "../database/Retention.ts"
import { inRow, logUnreadableRow } from "../database/StoredRow.ts"
import { searchText } from "../database/Parameters.ts"
import { makeClaimedMethods } from "./ClaimedMethods.ts"
import { DeliveryHints } from "./DeliveryHints.ts"
import { withHistory } from "./DeliveryHistory.ts"
import { logTest } from "./EnqueueDeliveries.ts"
import { readHealth } from "./EndpointStorePg.ts"
import {
  claimRows,
  type ClaimedRow,
  discoverOrganizations,
  headsMax,
  type LaneKey,
  laneStart,
  listQueuedEndpoints,
  type Place,
  readContents,
  readEndpoints,
  readHeads,
  readIsPaused,
  readOwned,
  readProcesses,
  readSendingState,
  releaseOrganization,
  takeOrganization,
  takeWakes,
  type WakeRow,
  writeHeartbeat,
} from "./QueueStatements.ts"
import { resendDelivery } from "./ResendDelivery.ts"
import { type ChangedHealth, type EndedClaim, removeClaims, writeEnded } from "./SettleDeliveries.ts"

/**
 * The delivery queue in PostgreSQL. Any number of processes claim from it; its clock is the database's.
 *
 * A process owns the queues of the organizations that it delivers for, one process each, and keeps what is due next in a
 * `DeliverySchedule`. It looks at the database again for organizations that it gets hints for, and once a second for all.
 * Every other statement is about one organization, and an organization whose statements fail does not hold up the others.
 * Claims and settlements use connections that requests do not wait for; requests about the queue use their own.
 */
export const make = Effect.gen(function* () {
  const sql: SqlClient.SqlClient = yield* QueueDatabase
  const requests = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints
  const methodsOf = makeClaimedMethods(sql, yield* SecretBox)
  const clock = yield* Clock.Clock
  const oneAtATime = yield* Semaphore.make(1)
  const schedule = new DeliverySchedule<Waiting>(yield* DeliveriesInFlightMax)
  const owned = new Map<OrganizationId, Owned>()
  const claims = new Map<string, Sending>()
  const contents = new LRUCache<string, NotificationContent>({ maxSize: contentsMaxCharacters })
  const processes = makeProcesses()
  /** Organizations that another process was found to own, and until when that is assumed. */
  const foreign = new LRUCache<OrganizationId, true>({ max: 10_000, ttl: foreignMs })
  const background = yield* FiberSet.make<void>()
  const atOnce = yield* Semaphore.make(organizationsAtOnce)
  /** Organizations that are being looked at. */
  const looking = new Map<OrganizationId, Fiber.Fiber<void>>()
  /** Claims that are not handed out yet. */
  const ready: Array<ClaimedDelivery> = []
  /** Claims that were settled while others of the same call failed. */
  const settledBefore = new Set<string>()
  let claimCount = 0
  let isAllPaused = false

  const now = (): number => clock.currentTimeMillisUnsafe() + processes.clockOffsetMs

  /** When the latest of some wakes was inserted: the database's clock is at least there, if it was not set back since. */
  const latestOf = (wakes: ReadonlyArray<WakeRow>): number => {
    const at = wakes.reduce((latest, wake) => Math.max(latest, wake.at), 0)
    const aheadMs = at - now()
    if (aheadMs > 0 && aheadMs <= clockToleranceMs) processes.clockOffsetMs += aheadMs
    return at
  }

  /** Forgets what the process owned and claimed: its lease has lapsed. */
  const startOver = (): void => {
    for (const organization of owned.keys()) schedule.removeOrganization(organization)
    owned.clear()
    claims.clear()
    processes.id = crypto.randomUUID()
  }

  const forget = (organization: OrganizationId): void => {
    owned.delete(organization)
    schedule.removeOrganization(organization)
  }

  const extendLease = (leaseMs: number) =>
    Effect.gen(function* () {
      const startedAt = clock.currentTimeMillisUnsafe()
      if (startedAt >= processes.aliveUntil) startOver()
      const databaseNow = yield* writeHeartbeat(sql, processes.id, leaseMs)
      processes.clockOffsetMs = databaseNow - clock.currentTimeMillisUnsafe()
      processes.aliveUntil = startedAt + leaseMs
      if (databaseNow < processes.sweptAt) {
        // The clock was set back: wakes since then are older than those that were read.
        processes.sweptAt = Number.NEGATIVE_INFINITY
        processes.pollAt = Number.NEGATIVE_INFINITY
      }
    })

  /** Extends the lease, and returns the organizations to look at. */
  const poll = (leaseMs: number) =>
    Effect.gen(function* () {
      yield* extendLease(leaseMs)
      const at = now()
      const dead = processes.findDead(yield* readProcesses(sql), at, leaseMs)
      isAllPaused = yield* readIsPaused(sql)
      const epochs = yield* readOwned(sql, processes.id)
      for (const { organization, epoch } of owned.values()) {
        if (epochs.get(organization) !== epoch) forget(organization)
      }
      const isSweep = at - processes.sweptAt >= sweepMs
      const found = yield* discoverOrganizations(sql, dead, at, isSweep ? 0 : processes.polledAt)
      processes.polledAt = at
      if (isSweep) {
        processes.sweptAt = at
        for (const each of owned.values()) each.wakesTakenAt = 0
      }
      yield* releaseIdle(at)
      for (const organization of found) foreign.delete(organization)
      return [
        ...found,
        ...[...epochs.keys()].filter((organization) => !owned.has(organization)),
        ...[...owned.values()].flatMap(({ organization, unread, isStale }) =>
          unread.length > 0 || isStale ? [organization] : [],
        ),
      ]
    })

  /** Gives up organizations that have had nothing to do, and have nothing to do soon. */
  const releaseIdle = (at: number) =>
    Effect.forEach(
      [...owned.values()].filter(
        ({ endpoints, inFlight, busyAt }) =>
          inFlight.size === 0 && endpoints.size === 0 && Math.abs(at - busyAt) >= idleMs,
      ),
      ({ organization, epoch }) =>
        Effect.andThen(
          releaseOrganization(sql, organization, epoch, undefined),
          Effect.sync(() => forget(organization)),
        ),
      { discard: true },
    )

  /** Reads what is new of an organization: all of it when the process has just become its owner. */
  const look = (organization: OrganizationId) =>
    Effect.gen(function* () {
      const known = owned.get(organization)
      if (known === undefined) return yield* take(organization)
      known.busyAt = now()
      if (known.isStale) {
        yield* loadAll(known)
        known.isStale = false
      }
      // Without an answer, the wakes may be gone.
      const taken = yield* takeWakes(sql, organization, known.wakesTakenAt).pipe(
        Effect.onError(() => Effect.sync(() => void (known.isStale = true))),
      )
      // A wake of the future was inserted before the clock was set back; the next ones come before it.
      if (taken.length > 0) known.wakesTakenAt = Math.min(latestOf(taken), now())
      const wakes = [...known.unread, ...taken]
      if (wakes.length === 0) return
      known.unread = wakes
      const since = new Map<string, { readonly alertMethod: ProjectKey; at: number }>()
      for (const { project, name, at } of wakes) {
        const text = projectKeyText({ project, name })
        const earlier = since.get(text)
        if (earlier === undefined) since.set(text, { alertMethod: { project, name }, at })
        else earlier.at = Math.min(earlier.at, at)
      }
      yield* load(
        known,
        [...since.values()].map(({ alertMethod, at }) => ({ alertMethod, after: { dueAt: at, id: "" } })),
      )
      known.unread = []
    })

  const take = (organization: OrganizationId) =>
    Effect.gen(function* () {
      if (foreign.has(organization)) return
      const takenFrom = [...processes.dead, processes.id]
      const epoch = yield* takeOrganization(sql, organization, processes.id, takenFrom, now())
      if (epoch === undefined) {
        foreign.set(organization, true)
        return
      }
      const taken: Owned = {
        organization,
        epoch,
        endpoints: new Map(),
        waiting: new Map(),
        inFlight: new Set(),
        reading: 0,
        endedWhileReading: new Set(),
        unread: [],
        isStale: false,
        wakesTakenAt: now(),
        busyAt: now(),
      }
      latestOf(yield* takeWakes(sql, organization, 0))
      owned.set(organization, taken)
      yield* Effect.onError(loadAll(taken), () => Effect.sync(() => forget(organization)))
    })

  /** Reads everything that is queued for an organization, as far as it is not known yet. */
  const loadAll = (of: Owned) =>
    Effect.gen(function* () {
      const keys = yield* listQueuedEndpoints(sql, of.organization)
      for (let start = 0; start < keys.length; start += loadMax) {
        const page = keys.slice(start, start + loadMax)
        yield* load(
          of,
          page.map((alertMethod) => ({ alertMethod, after: laneStart })),
        )
      }
    })

  /** Reads endpoints, and what is due for them after a place, as far as it is not known yet. */
  const load = (
    of: Owned,
    wanted: ReadonlyArray<{ readonly alertMethod: ProjectKey; readonly after: Place }>,
  ) =>
    Effect.gen(function* () {
      const rows = yield* readEndpoints(
        sql,
        of.organization,
        wanted.map(({ alertMethod }) => alertMethod),
      )
      if (owned.get(of.organization) !== of) return
      const rowOf = new Map(rows.map((row) => [projectKeyText(row), row]))
      const reads: Array<LaneRead> = []
      for (const { alertMethod, after } of wanted) {
        const text = projectKeyText(alertMethod)
        const row = rowOf.get(text)
        const endpoint = of.endpoints.get(text) ?? {
          alertMethod,
          generation: 0,
          readTo: { first: undefined, retry: undefined },
        }
        of.endpoints.set(text, endpoint)
        endpoint.generation = row?.generation ?? 0
        const health = row === undefined ? unknownHealth : yield* healthOrUnknown(of.organization, row)
        schedule.setEndpoint(
          of.organization,
          alertMethod,
          { health, isPaused: row?.is_paused ?? false },
          now(),
        )
        for (const lane of lanes) {
          const readTo = endpoint.readTo[lane]
          if (readTo === undefined || !isAfter(after, readTo)) reads.push({ endpoint, lane, after })
        }
      }
      yield* readLanes(of, reads)
      for (const { alertMethod } of wanted) dropIfIdle(of, alertMethod)
    })

  /** Reads lanes from a place on, at least to where they were read before. */
  const readLanes = (of: Owned, wanted: ReadonlyArray<LaneRead>) =>
    Effect.gen(function* () {
      let reads = wanted
      of.reading++
      while (reads.length > 0) {
        const keys = reads.map(({ endpoint, lane, after }): LaneKey => ({
          alertMethod: endpoint.alertMethod,
          isRetry: lane === "retry",
          after,
        }))
        const rows = yield* readHeads(sql, of.organization, keys)
        // Meanwhile it may have been lost to another process.
        if (owned.get(of.organization) !== of) return
        const rowsByLane = groupBy(rows, ({ lane }) => lane)
        const further: Array<LaneRead> = []
        const at = now()
        for (const [index, read] of reads.entries()) {
          const { endpoint, lane } = read
          const found = rowsByLane.get(index) ?? []
          const fresh: Array<Waiting> = []
          for (const { id, due_at, scheduled_at } of found) {
            if (of.inFlight.has(id) || of.endedWhileReading.has(id)) continue
            const known = of.waiting.get(id)
            if (known?.storedDueAt === due_at && known.scheduledAt === scheduled_at) continue
            if (known !== undefined) schedule.remove(of.organization, endpoint.alertMethod, known)
            const waiting: Waiting = {
              id,
              // Scheduled in the future: the clock was set back since.
              dueAt: scheduled_at > at + clockToleranceMs ? at + (due_at - scheduled_at) : due_at,
              isRetry: lane === "retry",
              storedDueAt: due_at,
              scheduledAt: scheduled_at,
            }
            of.waiting.set(id, waiting)
            fresh.push(waiting)
          }
          schedule.put(of.organization, endpoint.alertMethod, fresh, at)
          const last = found.at(-1)
          if (last === undefined || found.length < headsMax) endpoint.readTo[lane] = undefined
          else {
            const place = { dueAt: last.due_at, id: last.id }
            const readTo = endpoint.readTo[lane]
            if (readTo !== undefined && isAfter(readTo, place)) further.push({ endpoint, lane, after: place })
            else endpoint.readTo[lane] = place
          }
        }
        reads = further
      }
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          of.reading--
          if (of.reading === 0) of.endedWhileReading.clear()
        }),
      ),
    )

  /** Reads on in the lanes that are about to run out. */
  const startRefilling = (
    chosen: ReadonlyArray<Chosen<Waiting>>,
  ): ReadonlyArray<Effect.Effect<Fiber.Fiber<void>>> => {
    const readsByOrganization = new Map<Owned, Map<string, LaneRead>>()
    for (const { endpoint, delivery } of chosen) {
      const of = owned.get(endpoint.organization)
      const text = projectKeyText(endpoint.alertMethod)
      const lane = laneOf(delivery)
      const known = of?.endpoints.get(text)
      const readTo = known?.readTo[lane]
      if (of === undefined || known === undefined || readTo === undefined) continue
      if (endpoint.lanes[lane].size >= headsMax / 4) continue
      const reads = readsByOrganization.get(of) ?? new Map<string, LaneRead>()
      readsByOrganization.set(of, reads.set(`${lane} ${text}`, { endpoint: known, lane, after: readTo }))
    }
    return Array.from(readsByOrganization, ([of, reads]) =>
      start(of.organization, readLanes(of, [...reads.values()])),
    )
  }

  /**
   * Runs statements of one organization in the background. When they fail or take too long, the others go on, and the
   * organization is looked at again with the next poll.
   */
  const start = <A, E>(organization: OrganizationId, effect: Effect.Effect<A, E>) =>
    FiberSet.run(
      background,
      atOnce
        .withPermits(1)(Effect.timeout(effect, organizationMs))
        .pipe(
          Effect.asVoid,
          Effect.catchCause((cause) =>
            Effect.annotateLogs(Effect.logWarning("Claiming deliveries of an organization failed", cause), {
              organization,
            }),
          ),
        ),
    )

  /** Waits for all of them, but not for those that are slow. */
  const whileFast = (starts: ReadonlyArray<Effect.Effect<Fiber.Fiber<void>>>) =>
    starts.length === 0
      ? Effect.void
      : Effect.all(starts).pipe(
          Effect.flatMap((fibers) => Effect.timeoutOption(Fiber.awaitAll(fibers), slowMs)),
          Effect.asVoid,
        )

  const startLooking = (organization: OrganizationId): Effect.Effect<Fiber.Fiber<void>> => {
    const running = looking.get(organization)
    if (running !== undefined) {
      // It may have read before what the new hint is about.
      const again = Effect.suspend(() => startLooking(organization))
      return FiberSet.run(background, Effect.andThen(Fiber.await(running), Effect.flatMap(again, Fiber.join)))
    }
    return Effect.map(start(organization, look(organization)), (fiber) => {
      looking.set(organization, fiber)
      fiber.addObserver(() => looking.delete(organization))
      return fiber
    })
  }

  const startClaiming = (
    organization: OrganizationId,
    chosen: ReadonlyArray<Chosen<Waiting>>,
  ): Effect.Effect<Fiber.Fiber<void>> => {
    const startedAt = performance.now()
    const claiming = claimOf(owned.get(organization), chosen).pipe(
      Effect.onExit((exit) => {
        if (Exit.isFailure(exit)) return Effect.sync(() => putBack(organization, chosen))
        ready.push(...exit.value)
        return performance.now() - startedAt > slowMs ? hints.publish() : Effect.void
      }),
    )
    return start(organization, claiming)
  }

  const claim = ({ limit, leaseMs }: ClaimRequest) =>
    Effect.gen(function* () {
      const localNow = clock.currentTimeMillisUnsafe()
      const isPollDue = localNow >= processes.pollAt || localNow < processes.pollAt - pollMs
      const found = isPollDue ? yield* poll(leaseMs) : []
      if (isPollDue) processes.pollAt = localNow + Math.min(pollMs, leaseMs / 4)
      const toLookAt = new Set([...hints.takeOrganizations(), ...found])
      yield* whileFast([...toLookAt].map(startLooking))
      if (!isAllPaused) {
        const chosen = schedule.choose(limit - ready.length, now())
        for (const { endpoint, delivery } of chosen) {
          const of = owned.get(endpoint.organization)
          of?.waiting.delete(delivery.id)
          of?.inFlight.add(delivery.id)
        }
        const byOrganization = groupBy(chosen, ({ endpoint }) => endpoint.organization)
        yield* whileFast([
          ...startRefilling(chosen),
          ...Array.from(byOrganization, ([organization, each]) => startClaiming(organization, each)),
        ])
      }
      const at = now()
      // Of organizations whose statements are slow, more may have become ready.
      const claims = ready.splice(0, limit)
      const nextDueAt = ready.length > 0 ? at : isAllPaused ? undefined : schedule.nextDueAt(at)
      return {
        claims,
        nextDueInMs: nextDueAt === undefined ? undefined : Math.max(0, nextDueAt - at),
      } satisfies Claim
    })

  /** Has what could not be claimed wait for a moment. */
  const putBack = (organization: OrganizationId, chosen: ReadonlyArray<Chosen<Waiting>>): void => {
    const at = now()
    const of = owned.get(organization)
    for (const { endpoint, delivery } of chosen) {
      if (of?.inFlight.delete(delivery.id) !== true) continue
      schedule.end(organization, endpoint.alertMethod, laneOf(delivery), at)
      const waiting = { ...delivery, dueAt: at + failedClaimMs }
      of.waiting.set(delivery.id, waiting)
      schedule.put(organization, endpoint.alertMethod, [waiting], at)
    }
  }

  /** Claims what was chosen while the process owned the organization; nothing when it no longer does. */
  const claimOf = (of: Owned | undefined, chosen: ReadonlyArray<Chosen<Waiting>>) =>
    Effect.gen(function* () {
      if (of === undefined || owned.get(of.organization) !== of) return []
      const { organization } = of
      const rows = yield* claimRows(
        sql,
        organization,
        of.epoch,
        chosen.map(({ delivery }) => delivery.id),
      )
      const rowOf = new Map(rows.map((row) => [row.id, row]))
      const [state, contentOf] = yield* Effect.all(
        [readSendingState(sql, organization), contentsOf(organization, rows)],
        { concurrency: 2 },
      )
      const methods = yield* methodsOf(organization, state.revision, [
        ...new Map(
          chosen.map(({ endpoint }) => [projectKeyText(endpoint.alertMethod), endpoint.alertMethod]),
        ).values(),
      ])
      isAllPaused = state.isAllPaused
      if (owned.get(organization) !== of) return []
      const claimed: Array<ClaimedDelivery> = []
      const releases: Array<Release> = []
      for (const { endpoint, delivery } of chosen) {
        const row = rowOf.get(delivery.id)
        if (row === undefined) {
          // It was deleted, or another process has taken the organization.
          of.inFlight.delete(delivery.id)
          schedule.end(organization, endpoint.alertMethod, laneOf(delivery), now())
          continue
        }
        const claimId = `${processes.id} ${++claimCount}`
        const text = projectKeyText(endpoint.alertMethod)
        const content = contentOf.get(row.notification)
        claims.set(claimId, {
          organization,
          epoch: of.epoch,
          id: row.id,
          alertMethod: endpoint.alertMethod,
          generation: of.endpoints.get(text)?.generation ?? 0,
          isRetry: delivery.isRetry,
          createdAt: row.created_at,
          notification: row.notification,
          attempt: row.attempt,
          attemptsUsed: row.attempts_used,
          dueAt: row.due_at,
        })
        if (state.isAllPaused || state.paused.has(text)) {
          releases.push({ claimId, delayMs: 0 })
          if (state.paused.has(text)) {
            const { health } = endpoint
            schedule.setEndpoint(organization, endpoint.alertMethod, { health, isPaused: true }, now())
          }
        } else if (content === undefined || !methods.has(text)) {
          releases.push({ claimId, delayMs: senderFaultDelayMs })
        } else {
          claimed.push({
            claimId,
            delivery: {
              notification: { ...content, id: row.id },
              alertMethod: endpoint.alertMethod,
              state: "sending",
              attempt: row.attempt,
              attemptsUsed: row.attempts_used,
              createdAt: row.created_at,
              dueAt: row.due_at,
            },
            alertMethod: methods.get(text),
            isDisabled: endpoint.health.disabled !== undefined,
          })
        }
      }
      if (releases.length > 0) {
        yield* Effect.onError(endOf(organization, releases), () => Effect.sync(() => abandon(releases)))
      }
      return claimed
    })

  /** The contents of notifications by their IDs; one that cannot be read is missing, and logged. */
  const contentsOf = (organization: OrganizationId, rows: ReadonlyArray<ClaimedRow>) =>
    Effect.gen(function* () {
      const found = new Map<string, NotificationContent>()
      const unknown = new Map<string, number>()
      for (const { notification, created_at } of rows) {
        const content = contents.get(`${organization} ${notification}`)
        if (content === undefined) unknown.set(notification, created_at)
        else found.set(notification, content)
      }
      if (unknown.size === 0) return found
      const times = [...unknown.values()]
      const read = yield* readContents(
        sql,
        organization,
        [...unknown.keys()],
        Math.min(...times),
        Math.max(...times),
      )
      for (const { id, content } of read) {
        const parsed = inRow(`notification ${id}`, storedNotificationContent.read(content, undefined))
        if (Result.isFailure(parsed)) {
          yield* logUnreadableRow(organization, parsed.failure)
          continue
        }
        found.set(id, parsed.success)
        contents.set(`${organization} ${id}`, parsed.success, { size: content.length + contentOverhead })
      }
      return found
    })

  /** Ends claims, organization by organization; returns those that were lost. */
  const end = (ends: ReadonlyArray<Settlement | Release>) =>
    Effect.gen(function* () {
      const lost: Array<string> = []
      const held = ends.filter(({ claimId }) => {
        const isHeld = claims.has(claimId)
        if (!isHeld && !settledBefore.delete(claimId)) lost.push(claimId)
        return isHeld
      })
      const byOrganization = groupBy(held, ({ claimId }) => claims.get(claimId)?.organization ?? "")
      const exits = yield* Effect.forEach(
        byOrganization,
        ([organization, ofOrganization]) =>
          Effect.exit(Effect.map(endOf(organization, ofOrganization), (ended) => void lost.push(...ended))),
        { concurrency: organizationsAtOnce },
      )
      const failed = exits.find(Exit.isFailure)
      if (failed === undefined) return lost
      for (const { claimId } of ends) if (!claims.has(claimId)) settledBefore.add(claimId)
      return yield* Effect.failCause(failed.cause)
    })

  const endOf = (organization: OrganizationId, ends: ReadonlyArray<Settlement | Release>) =>
    Effect.gen(function* () {
      const at = now()
      const ended = new Map<string, { readonly claim: Sending; readonly end: EndedClaim }>()
      const healths = new Map<string, ChangedHealth & { readonly before: EndpointHealth }>()
      for (const each of ends) {
        const claim = claims.get(each.claimId)
        if (claim === undefined || ended.has(each.claimId)) continue
        ended.set(each.claimId, { claim, end: endedClaim(claim, each, at) })
        if (!("outcome" in each)) continue
        const { alertMethod, generation } = claim
        const text = projectKeyText(alertMethod)
        const known = owned.get(organization)?.endpoints.get(text)
        if (known !== undefined && known.generation !== generation) continue
        const before =
          healths.get(text)?.health ?? schedule.find(organization, alertMethod)?.health ?? unknownHealth
        const health = nextHealth(before, each.outcome, at)
        if (health !== before) {
          healths.set(text, {
            alertMethod,
            generation,
            health,
            before: healths.get(text)?.before ?? before,
          })
        }
      }
      const lost = yield* write(organization, at, ended, [...healths.values()])
      apply(organization, at, ended, lost, [...healths.values()])
      yield* countHealthChanges(healths.values())
      return lost
    })

  /** Writes the ends of claims; returns the claims that were lost. */
  const write = (
    organization: OrganizationId,
    at: number,
    ended: ReadonlyMap<string, { readonly claim: Sending; readonly end: EndedClaim }>,
    changed: ReadonlyArray<ChangedHealth>,
  ) => {
    const writing = (isLogged: boolean) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const held: Array<EndedClaim> = []
          const lost: Array<string> = []
          for (const [epoch, ofEpoch] of groupBy(ended, ([, { claim }]) => claim.epoch)) {
            const ids = ofEpoch.map(([, { claim }]) => claim.id)
            const removed = yield* removeClaims(sql, organization, epoch, ids)
            for (const [claimId, { claim, end }] of ofEpoch) {
              if (removed.has(claim.id)) held.push(end)
              else lost.push(claimId)
            }
          }
          if (isLogged) yield* writeEnded(sql, organization, at, held, changed)
          return lost
        }),
      )
    // The retention of these deliveries has ended, and their partition was dropped.
    return Effect.catchIf(writing(true), isPartitionMissing, () => writing(false))
  }

  /** Brings the schedule up to what was written. */
  const apply = (
    organization: OrganizationId,
    at: number,
    ended: ReadonlyMap<string, { readonly claim: Sending; readonly end: EndedClaim }>,
    lost: ReadonlyArray<string>,
    changed: ReadonlyArray<ChangedHealth>,
  ): void => {
    const of = owned.get(organization)
    const isLost = new Set(lost)
    // They may have ended by an earlier call whose answer was lost, and wait for another attempt.
    if (of !== undefined && lost.length > 0) of.isStale = true
    for (const { alertMethod, health } of changed) {
      const endpoint = schedule.find(organization, alertMethod)
      if (of !== undefined && endpoint !== undefined) {
        schedule.setEndpoint(organization, alertMethod, { health, isPaused: endpoint.isPaused }, at)
      }
    }
    for (const [claimId, { claim, end }] of ended) {
      claims.delete(claimId)
      // Of an earlier epoch: it has been counted out with everything that the process owned then.
      if (of?.epoch !== claim.epoch || !of.inFlight.delete(claim.id)) continue
      of.busyAt = at
      if (of.reading > 0) of.endedWhileReading.add(claim.id)
      schedule.end(organization, claim.alertMethod, claim.isRetry ? "retry" : "first", at)
      if (end.settledAt === undefined && !isLost.has(claimId)) wait(of, end, at)
      dropIfIdle(of, claim.alertMethod)
    }
  }

  /** Has a delivery wait for its next attempt, unless it is due after what was read of its lane. */
  const wait = (of: Owned, end: EndedClaim, at: number): void => {
    const lane: Lane = end.isRetry ? "retry" : "first"
    const readTo = of.endpoints.get(projectKeyText(end.alertMethod))?.readTo[lane]
    if (readTo !== undefined && isAfter(end, readTo)) return
    const waiting: Waiting = {
      id: end.id,
      dueAt: end.dueAt,
      isRetry: end.isRetry,
      storedDueAt: end.dueAt,
      scheduledAt: at,
    }
    of.waiting.set(end.id, waiting)
    schedule.put(of.organization, end.alertMethod, [waiting], at)
  }

  /** Nothing waits for it or is in flight: its next delivery comes with a wake. */
  const dropIfIdle = (of: Owned, alertMethod: ProjectKey): void => {
    const text = projectKeyText(alertMethod)
    const known = of.endpoints.get(text)
    const endpoint = schedule.find(of.organization, alertMethod)
    if (known === undefined || endpoint === undefined || endpoint.inFlight > 0) return
    if (lanes.some((lane) => known.readTo[lane] !== undefined || endpoint.lanes[lane].size > 0)) return
    of.endpoints.delete(text)
    schedule.removeEndpoint(of.organization, alertMethod)
  }

  /** Has claims that cannot be settled wait for another attempt: their rows are still claimed by this epoch. */
  const abandon = (ends: ReadonlyArray<Settlement | Release>): void => {
    const at = now()
    for (const { claimId } of ends) {
      const claim = claims.get(claimId)
      if (claim === undefined) continue
      claims.delete(claimId)
      const of = owned.get(claim.organization)
      if (of?.epoch !== claim.epoch || !of.inFlight.delete(claim.id)) continue
      schedule.end(claim.organization, claim.alertMethod, claim.isRetry ? "retry" : "first", at)
      const waiting: Waiting = {
        id: claim.id,
        dueAt: at + senderFaultDelayMs,
        isRetry: claim.isRetry,
        storedDueAt: claim.dueAt,
        scheduledAt: at,
      }
      of.waiting.set(claim.id, waiting)
      schedule.put(claim.organization, claim.alertMethod, [waiting], at)
    }
  }

  const ending = (name: "settle" | "release", ends: ReadonlyArray<Settlement | Release>) =>
    operation(name, end(ends)).pipe(
      Effect.tapError(({ isRetryable }) => (isRetryable ? Effect.void : Effect.sync(() => abandon(ends)))),
      Effect.tapDefect(() => Effect.sync(() => abandon(ends))),
    )

  yield* Effect.addFinalizer(() =>
    Effect.forEach(
      owned.values(),
      ({ organization, epoch, endpoints }) =>
        releaseOrganization(sql, organization, epoch, endpoints.size > 0 ? 0 : undefined),
      { concurrency: organizationsAtOnce, discard: true },
    ).pipe(Effect.timeoutOption("2 seconds"), Effect.ignore),
  )

  return DeliveryQueue.of({
    claim: (request) => oneAtATime.withPermits(1)(operation("claim", claim(request))),
    settle: (settlements) => ending("settle", settlements),
    renew: (leaseMs) => oneAtATime.withPermits(1)(operation("renew", extendLease(leaseMs))),
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
      ).pipe(Effect.andThen(Effect.sync(() => void (isAllPaused = paused))), Effect.andThen(hints.publish())),
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
    backlog: Effect.sync(() => schedule.backlog(now())),
  })
})

/** The delivery queue of a database. */
export const layer = Layer.effect(DeliveryQueue, make)

const operation = storeOperation("DeliveryQueue")

/** Longest time between two looks at all organizations, in milliseconds. */
const pollMs = 1_000

/** How often all wakes are read, also those of transactions that took long to commit, in milliseconds. */
const sweepMs = 30_000

/** How long a process keeps an organization that has nothing to deliver, in milliseconds. */
const idleMs = 60_000

/** How long another process is assumed to own an organization, in milliseconds. */
const foreignMs = 5_000

/** How long what could not be claimed waits, in milliseconds. */
const failedClaimMs = 1_000

/** How far the clocks of processes and of the database may differ, in milliseconds. */
const clockToleranceMs = 1_000

/** Most organizations whose queues one process reads or claims from in the database at the same time. */
export const organizationsAtOnce = 6

/** How long the statements for one organization, of one step of its queue, may take, in milliseconds. */
export const organizationMs = 5_000

/** How long a claim waits for organizations whose statements are slow, in milliseconds. */
const slowMs = 100

/** Most endpoints that are read at a time when an organization is taken. */
const loadMax = 500

/** Most characters of notifications to deliver that a process caches. */
export const contentsMaxCharacters = 16_000_000

/** What a cached notification takes besides its characters. */
const contentOverhead = 500

/** A delivery in the schedule. */
interface Waiting extends WaitingDelivery {
  /** As in the row; `dueAt` is earlier when the clock was set back, and later when a claim failed. */
  readonly storedDueAt: number
  readonly scheduledAt: number
}

/** An organization whose queue the process owns. */
interface Owned {
  readonly organization: OrganizationId
  readonly epoch: number
  /** Those with deliveries that wait or are in flight. */
  readonly endpoints: Map<string, OwnedEndpoint>
  readonly waiting: Map<string, Waiting>
  readonly inFlight: Set<string>
  /** How many reads are running, and what ended meanwhile: a read may return it as it was before. */
  reading: number
  readonly endedWhileReading: Set<string>
  /** Wakes that were taken, but whose endpoints could not be read. */
  unread: ReadonlyArray<WakeRow>
  /** Whether the database may have changed without an answer: wakes were taken, or claims ended. */
  isStale: boolean
  wakesTakenAt: number
  /** When something last happened. */
  busyAt: number
}

interface OwnedEndpoint {
  readonly alertMethod: ProjectKey
  generation: number
  /** How far each lane was read; undefined: all of it. Everything up to there is known. */
  readonly readTo: Record<Lane, Place | undefined>
}

interface LaneRead {
  readonly endpoint: OwnedEndpoint
  readonly lane: Lane
  readonly after: Place
}

/** A claim of this process. */
interface Sending {
  readonly organization: OrganizationId
  readonly epoch: number
  readonly id: string
  readonly alertMethod: ProjectKey
  /** The generation of the endpoint when it was claimed. */
  readonly generation: number
  readonly isRetry: boolean
  readonly createdAt: number
  readonly notification: string
  readonly attempt: number
  readonly attemptsUsed: number
  readonly dueAt: number
}

const endedClaim = (claim: Sending, end: Settlement | Release, now: number): EndedClaim => {
  const progress: DeliveryProgress = {
    state: "sending",
    attempt: claim.attempt,
    attemptsUsed: claim.attemptsUsed,
    dueAt: claim.dueAt,
  }
  const isSettlement = "outcome" in end
  const { attemptsUsed, state, settledAt, dueAt } = isSettlement
    ? settleDelivery(progress, end.outcome, now, end.random)
    : releaseDelivery(progress, now + end.delayMs)
  return {
    id: claim.id,
    createdAt: claim.createdAt,
    alertMethod: claim.alertMethod,
    notification: claim.notification,
    attemptNumber: claim.attempt,
    attemptsUsed,
    ...(isSettlement && { attempt: end.attempt }),
    state,
    ...(settledAt !== undefined && { settledAt }),
    isRetry: claim.isRetry || isSettlement,
    dueAt,
  }
}

const isAfter = (a: Place, b: Place): boolean => a.dueAt > b.dueAt || (a.dueAt === b.dueAt && a.id > b.id)

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

/** This process, and what it has seen of the others. Local times are those of the process's clock. */
const makeProcesses = () => {
  const seen = new Map<string, { readonly aliveUntil: number; readonly at: number }>()
  const processes = {
    id: crypto.randomUUID() as string,
    /** Local time at which the lease ends. */
    aliveUntil: Number.POSITIVE_INFINITY,
    /** Local time of the next poll. */
    pollAt: 0,
    /** How far the database's clock is ahead of the process's. */
    clockOffsetMs: 0,
    /** The database's times of the latest poll and sweep. */
    polledAt: 0,
    sweptAt: Number.NEGATIVE_INFINITY,
    dead: [] as ReadonlyArray<string>,
    /**
     * Finds the processes whose lease has ended. One that ends in the far future was written before the clock was set
     * back: its process is dead if it does not extend it.
     */
    findDead: (
      rows: ReadonlyArray<{ readonly id: string; readonly alive_until: number }>,
      now: number,
      leaseMs: number,
    ): ReadonlyArray<string> => {
      const at = performance.now()
      const previous = new Map(seen)
      seen.clear()
      const dead: Array<string> = []
      for (const { id, alive_until } of rows) {
        if (id === processes.id) continue
        const known = previous.get(id)
        const entry = known?.aliveUntil === alive_until ? known : { aliveUntil: alive_until, at }
        seen.set(id, entry)
        const isFromFuture = alive_until > now + 2 * leaseMs
        if (alive_until <= now || (isFromFuture && at - entry.at >= leaseMs)) dead.push(id)
      }
      processes.dead = dead
      return dead
    },
  }
  return processes
}
