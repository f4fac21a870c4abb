import {
  type AlertMethod,
  type Chosen,
  type Delivery,
  type DeliverySchedule,
  groupBy,
  type NotificationContent,
  senderFaultDelayMs,
} from "@tocsin/domain/adapter"
import {
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import type {
  Claim,
  ClaimedDelivery,
  ClaimRequest,
  Release,
  SecretBox,
  StoredDefinition,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as SqlClient from "effect/sql/SqlClient"
import { ClaimedContents } from "./ClaimedContents.ts"
import type { DeliveryHints } from "./DeliveryHints.ts"
import { type OrganizationWork, slowMs, type StartedWork, whileFast } from "./OrganizationWork.ts"
import type { InFlight, OwnedQueue, Waiting } from "./OwnedQueue.ts"
import type { QueueLoading } from "./QueueLoading.ts"
import type { QueueOwnership } from "./QueueOwnership.ts"
import type { HeldClaims, QueueSettling } from "./QueueSettling.ts"
import { type ClaimedRow, claimRows, readIsPaused } from "./QueueStatements.ts"
import * as Result from "effect/Result"
import { LRUCache } from "lru-cache"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { keyArrays } from "../database/Parameters.ts"
import { logUnreadableRow } from "../database/StoredRow.ts"

/** How long what could not be claimed waits, in milliseconds. */
const failedClaimMs = 1_000

/** The parts of the queue that claiming builds on. */
export interface ClaimingParts {
  readonly schedule: DeliverySchedule<Waiting>
  readonly ownership: QueueOwnership
  readonly work: OrganizationWork
  readonly loading: QueueLoading
  readonly settling: QueueSettling
  readonly claims: HeldClaims
}

/**
 * Claims what the schedule chooses: organization by organization in the background, and hands out what was claimed so far.
 */
export const makeQueueClaiming = (
  sql: SqlClient.SqlClient,
  box: SecretBox["Service"],
  hints: DeliveryHints["Service"],
  { schedule, ownership, work, loading, settling, claims }: ClaimingParts,
) => {
  const methodsOf = makeClaimedMethods(sql, box)
  const contents = new ClaimedContents()
  /** Claims that are not handed out yet. */
  const ready: Array<ClaimedDelivery> = []
  let claimCount = 0
  let isAllPaused = false
  /** How often this process was paused or resumed: a claim that began before knows less. */
  let pauses = 0

  const claim = ({ limit, leaseMs }: ClaimRequest) =>
    Effect.gen(function* () {
      const found = ownership.isPollDue() ? yield* poll(leaseMs) : []
      const toLookAt = new Set([...hints.takeOrganizations(), ...found])
      yield* whileFast([...toLookAt].map(loading.startLooking))
      if (!isAllPaused) yield* whileFast(startClaims(schedule.choose(limit - ready.length, ownership.now())))
      const at = ownership.now()
      // Of organizations whose statements are slow, more may have become ready.
      const claims = ready.splice(0, limit)
      const nextDueAt = ready.length > 0 ? at : isAllPaused ? undefined : schedule.nextDueAt(at)
      return {
        claims,
        nextDueInMs: nextDueAt === undefined ? undefined : Math.max(0, nextDueAt - at),
      } satisfies Claim
    })

  const poll = (leaseMs: number) =>
    Effect.gen(function* () {
      const found = yield* ownership.poll(leaseMs)
      isAllPaused = yield* readIsPaused(sql)
      return [...found, ...loading.unread()]
    })

  const startClaims = (chosen: ReadonlyArray<Chosen<Waiting>>): ReadonlyArray<StartedWork> => {
    const refills: Array<StartedWork> = []
    const starts: Array<StartedWork> = []
    for (const [organization, ofOrganization] of groupBy(chosen, ({ endpoint }) => endpoint.organization)) {
      const queue = ownership.find(organization)
      if (queue === undefined) continue
      for (const { delivery } of ofOrganization) queue.start(delivery)
      refills.push(...loading.startRefilling(queue, ofOrganization))
      starts.push(startClaiming(queue, ofOrganization))
    }
    return [...refills, ...starts]
  }

  const startClaiming = (queue: OwnedQueue, chosen: ReadonlyArray<Chosen<Waiting>>): StartedWork => {
    const startedAt = performance.now()
    return work.start(
      queue.organization,
      claimOf(queue, chosen).pipe(
        Effect.onExit((exit) => {
          if (Exit.isFailure(exit)) return Effect.sync(() => putBack(queue, chosen))
          ready.push(...exit.value)
          return performance.now() - startedAt > slowMs ? hints.publish() : Effect.void
        }),
      ),
    )
  }

  /** Has what could not be claimed wait for a moment. */
  const putBack = (queue: OwnedQueue, chosen: ReadonlyArray<Chosen<Waiting>>): void => {
    const at = ownership.now()
    for (const each of chosen) {
      queue.end(inFlightOf(each), at, { ...each.delivery, dueAt: at + failedClaimMs })
    }
  }

  /** Claims what was chosen while the process owned the organization; nothing when it no longer does. */
  const claimOf = (queue: OwnedQueue, chosen: ReadonlyArray<Chosen<Waiting>>) =>
    Effect.gen(function* () {
      if (!ownership.owns(queue)) return []
      const { organization } = queue
      const deliveries = chosen.map(({ delivery }) => delivery)
      const ids = deliveries.map(({ id }) => id)
      const pausesBefore = pauses
      const found = contents.find(organization, deliveries)
      const rows = yield* claimRows(sql, organization, queue.epoch, ids, found.wanted)
      const [state] = rows
      const contentOf = yield* contents.read(organization, found, rows)
      const methods =
        state === undefined
          ? new Map<string, undefined>()
          : yield* methodsOf(organization, state.revision, [
              ...new Map(
                chosen.map(({ endpoint }) => [projectKeyText(endpoint.alertMethod), endpoint.alertMethod]),
              ).values(),
            ])
      if (state !== undefined && pauses === pausesBefore) isAllPaused = state.is_all_paused
      const paused = new Set(state?.paused)
      if (!ownership.owns(queue)) return []
      const rowOf = new Map(rows.map((row) => [row.id, row]))
      const claimed: Array<ClaimedDelivery> = []
      const releases: Array<Release> = []
      for (const each of chosen) {
        const { alertMethod, health } = each.endpoint
        const row = rowOf.get(each.delivery.id)
        if (row === undefined) {
          // It was deleted, or another process has taken the organization.
          queue.end(inFlightOf(each), ownership.now())
          continue
        }
        const claimId = hold(queue, inFlightOf(each), row)
        const text = projectKeyText(alertMethod)
        const content = contentOf.get(row.notification)
        const isPaused = paused.has(text)
        if (isPaused) queue.changeStatus(alertMethod, { isPaused }, ownership.now())
        if (isAllPaused || isPaused) releases.push({ claimId, delayMs: 0 })
        else if (content === undefined || !methods.has(text)) {
          releases.push({ claimId, delayMs: senderFaultDelayMs })
        } else {
          claimed.push({
            claimId,
            delivery: claimedDelivery(alertMethod, row, content),
            alertMethod: methods.get(text),
            isDisabled: health.disabled !== undefined,
          })
        }
      }
      yield* settling.release(organization, releases)
      return claimed
    })

  /** Keeps a claim until it ends; returns its ID. */
  const hold = (queue: OwnedQueue, inFlight: InFlight, row: ClaimedRow): string => {
    const claimId = `${ownership.process} ${++claimCount}`
    claims.set(claimId, {
      ...inFlight,
      organization: queue.organization,
      epoch: queue.epoch,
      generation: queue.generationOf(inFlight.alertMethod) ?? 0,
      createdAt: row.created_at,
      notification: row.notification,
      attempt: row.attempt,
      attemptsUsed: row.attempts_used,
      dueAt: row.due_at,
    })
    return claimId
  }

  return {
    claim,
    /** Claims nothing more at once, or goes on; the other processes find out with their next poll. */
    setPaused: (paused: boolean): void => {
      isAllPaused = paused
      pauses++
    },
    /** What the process has enqueued need not be read. */
    contents,
  }
}

const inFlightOf = ({ endpoint, delivery: { id, isRetry } }: Chosen<Waiting>): InFlight => ({
  id,
  alertMethod: endpoint.alertMethod,
  isRetry,
})

const claimedDelivery = (
  alertMethod: ProjectKey,
  row: ClaimedRow,
  content: NotificationContent,
): Delivery => ({
  notification: { ...content, id: row.id },
  alertMethod,
  state: "sending",
  attempt: row.attempt,
  attemptsUsed: row.attempts_used,
  createdAt: row.created_at,
  dueAt: row.due_at,
})

/** Most alert methods with compiled templates that a process caches. */
const preparedMethodsMax = 1_000

/** An alert method as it was stored at a revision of the organization's definitions. */
interface KnownMethod {
  readonly revision: number
  /** Absent if it did not exist. */
  readonly stored: StoredDefinition<AlertMethod> | undefined
}

/**
 * Reads alert methods and caches the `preparedMethodsMax` used last, so that a claim neither transfers templates nor
 * decrypts secrets again. `revision` is that of the organization's definitions: while it is the same, so is every method.
 */
const makeClaimedMethods = (sql: SqlClient.SqlClient, box: SecretBox["Service"]) => {
  const known = new LRUCache<string, KnownMethod>({ max: preparedMethodsMax })

  /**
   * By `projectKeyText`; a method that was deleted is undefined. Methods that cannot be decrypted or decoded are missing,
   * and logged.
   */
  return (organization: OrganizationId, revision: number, keys: ReadonlyArray<ProjectKey>) =>
    Effect.gen(function* () {
      const found = new Map<string, StoredDefinition<AlertMethod> | undefined>()
      const unknown: Array<ProjectKey> = []
      for (const key of keys) {
        const text = organizationKeyText(organization, key)
        const method = known.get(text)
        if (method?.revision === revision) found.set(projectKeyText(key), method.stored)
        else unknown.push(key)
      }
      if (unknown.length === 0) return found
      const versions = yield* sql<ProjectKey & { readonly version: number }>`
        SELECT project, name, version FROM definitions
        WHERE organization = ${organization} AND kind = 'AlertMethod'
          AND (project, name) IN (SELECT * FROM unnest(${keyArrays(sql, unknown)}))`
      const versionOf = new Map(versions.map((row) => [organizationKeyText(organization, row), row.version]))
      const changed: Array<ProjectKey> = []
      for (const key of unknown) {
        const text = organizationKeyText(organization, key)
        const version = versionOf.get(text)
        const stored = known.get(text)?.stored
        if (version !== undefined && stored?.version !== String(version)) {
          changed.push(key)
          continue
        }
        const current = version === undefined ? undefined : stored
        known.set(text, { revision, stored: current })
        found.set(projectKeyText(key), current)
      }
      if (changed.length === 0) return found
      const rows = yield* sql<DefinitionRow>`
        SELECT * FROM definitions
        WHERE organization = ${organization} AND kind = 'AlertMethod'
          AND (project, name) IN (SELECT * FROM unnest(${keyArrays(sql, changed)}))`
      for (const row of rows) {
        const text = organizationKeyText(organization, row)
        const stored = rowToDefinitionOf("AlertMethod", box, organization, row)
        if (Result.isSuccess(stored)) {
          known.set(text, { revision, stored: stored.success })
          found.set(projectKeyText(row), stored.success)
        } else yield* logUnreadableRow(organization, stored.failure)
      }
      return found
    })
}
