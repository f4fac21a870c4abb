import * as Result from "effect/Result"
import { alertSubjectToKey, canceledAsDeleted, Fifo } from "@tocsin/domain/adapter"
import type { Alert } from "@tocsin/domain/alerting"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import type { Page, PageRequest } from "@tocsin/domain/pagination"
import {
  type AlertChange,
  type AlertLookup,
  type AlertLookupResult,
  type AlertPlace,
  type AlertQuery,
  type AlertReceipt,
  AlertStore,
  type EvaluatedChanges,
  type Idempotency,
  IdempotencyKeyIsReused,
  idempotencyKeyLifetimeMs,
  type OpenAlerts,
  type PolicyAlerts,
  revisionToText,
  StatusHasChanged,
  textToRevision,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DeliveryTables } from "../delivery/DeliveryTables.ts"
import { MemoryDatabase, type SloMoved } from "../definition/MemoryDatabase.ts"
import { revisionOf, sloTablesOf } from "../slo/SloTables.ts"

/** Most resolved alerts that the in-memory store retains; the oldest are deleted first. */
export const resolvedAlertsInMemoryMax = 10_000

/** Most idempotency keys that the in-memory store retains; the oldest are deleted first. */
export const idempotencyKeysInMemoryMax = 10_000

/**
 * Alerts in memory: all open ones, the latest `resolvedAlertsInMemoryMax` that were resolved or canceled, and the
 * latest `idempotencyKeysInMemoryMax` receipts.
 *
 * A change is one synchronous step, including its deliveries and its receipt.
 */
const make = Effect.gen(function* () {
  const deliveries = yield* DeliveryTables
  const database = yield* MemoryDatabase
  const slos = sloTablesOf(database)
  const organizations = new Map<OrganizationId, Tables>()
  const receipts = new Map<string, Receipt>()
  let latestNow = Number.NEGATIVE_INFINITY
  let openCount = 0
  const closed = new Fifo<{ readonly organization: OrganizationId; readonly alert: Alert }>()

  const read = (organization: OrganizationId, reads: AlertLookup): AlertLookupResult => {
    const tables = organizations.get(organization)
    return {
      latest: tables?.latestBySubject.get(alertSubjectToKey(reads.subject)),
      withId: reads.id === undefined ? undefined : tables?.alerts.get(reads.id),
    }
  }

  const put = (organization: OrganizationId, written: Alert): void => {
    const tables = organizations.get(organization) ?? { alerts: new Map(), latestBySubject: new Map() }
    organizations.set(organization, tables)
    const before = tables.alerts.get(written.id)
    const alert = before === undefined ? written : withEvidenceOf(before, written)
    const subject = alertSubjectToKey(alert.subject)
    // An existing alert that is closed here is not the latest of its subject if another has opened since.
    const closesExisting = alert.status !== "triggered" && tables.alerts.has(alert.id)
    if (!closesExisting || tables.latestBySubject.get(subject)?.id === alert.id) {
      tables.latestBySubject.set(subject, alert)
    }
    if (tables.alerts.get(alert.id)?.status === "triggered") openCount--
    if (alert.status === "triggered") openCount++
    tables.alerts.set(alert.id, alert)
    if (alert.status !== "triggered") closed.push({ organization, alert })
    while (closed.size > resolvedAlertsInMemoryMax) dropOldestClosed()
  }

  /** Skips an entry whose alert has been replaced since. */
  const dropOldestClosed = (): void => {
    const oldest = closed.shift()
    const tables = oldest && organizations.get(oldest.organization)
    if (oldest === undefined || tables?.alerts.get(oldest.alert.id) !== oldest.alert) return
    const subject = alertSubjectToKey(oldest.alert.subject)
    tables.alerts.delete(oldest.alert.id)
    if (tables.latestBySubject.get(subject) === oldest.alert) tables.latestBySubject.delete(subject)
    if (tables.alerts.size === 0) organizations.delete(oldest.organization)
  }

  const cancelAlertsOf = (organization: OrganizationId, slo: ProjectKey, now: number): void => {
    for (const alert of organizations.get(organization)?.alerts.values() ?? []) {
      if (alert.status !== "triggered" || projectKeyText(alert.subject.slo) !== projectKeyText(slo)) continue
      put(organization, canceledAsDeleted(alert, now))
    }
  }

  const move = ({ organization, from, to }: SloMoved): void => {
    const tables = organizations.get(organization)
    for (const alert of tables?.alerts.values() ?? []) {
      if (tables === undefined || projectKeyText(alert.subject.slo) !== projectKeyText(from)) continue
      const moved: Alert = { ...alert, subject: { ...alert.subject, slo: to } }
      const subject = alertSubjectToKey(alert.subject)
      if (tables.latestBySubject.get(subject) === alert) {
        tables.latestBySubject.delete(subject)
        tables.latestBySubject.set(alertSubjectToKey(moved.subject), moved)
      }
      tables.alerts.set(alert.id, moved)
      if (alert.status !== "triggered") closed.push({ organization, alert: moved })
    }
  }

  database.takePart({
    name: "alerts",
    written: ({ organization, key, after, now }) => {
      if (key.kind === "SLO" && after === undefined) cancelAlertsOf(organization, key, now)
    },
    moved: move,
  })

  const write = (organization: OrganizationId, change: AlertChange, now: number): void => {
    if (change.closed !== undefined) put(organization, change.closed)
    if (change.put !== undefined) put(organization, change.put)
    if (change.event !== undefined) deliveries.enqueue(organization, change.event, now)
  }

  const pageOf = (
    organization: OrganizationId,
    query: AlertQuery,
    { after, limit }: PageRequest<AlertPlace>,
  ): Page<Alert> => {
    const found: Array<Alert> = []
    for (const alert of organizations.get(organization)?.alerts.values() ?? []) {
      if (after !== undefined && newestFirst(alert, after) <= 0) continue
      if (isWanted(alert, query)) found.push(alert)
    }
    found.sort(newestFirst)
    const items = found.slice(0, limit)
    return {
      items: query.ids === undefined ? items.map(withoutEvidence) : items,
      hasMore: found.length > limit,
    }
  }

  /** In the order in which they expire; after the clock was set back, each lives for the whole time from now on. */
  const deleteExpiredReceipts = (now: number): void => {
    if (now < latestNow) {
      for (const receipt of receipts.values())
        receipt.expiresAt = Math.min(receipt.expiresAt, now + idempotencyKeyLifetimeMs)
    }
    latestNow = now
    for (const [key, { expiresAt }] of receipts) {
      if (expiresAt > now && receipts.size <= idempotencyKeysInMemoryMax) return
      receipts.delete(key)
    }
  }

  return AlertStore.of({
    change: <E>(
      organization: OrganizationId,
      reads: AlertLookup,
      idempotency: Idempotency | undefined,
      decide: (found: AlertLookupResult, isSloStored: boolean) => Result.Result<AlertChange, E>,
    ) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.suspend((): Effect.Effect<AlertReceipt, E | IdempotencyKeyIsReused> => {
          deleteExpiredReceipts(now)
          const receiptKey = `${organization}\u0000${idempotency?.key ?? ""}`
          const earlier = idempotency && receipts.get(receiptKey)
          if (earlier !== undefined) {
            return earlier.fingerprint === idempotency?.fingerprint
              ? Effect.succeed(earlier.receipt)
              : Effect.fail(new IdempotencyKeyIsReused({ key: idempotency?.key ?? "" }))
          }
          const isSloStored = slos.find(organization, reads.subject.slo) !== undefined
          const decided = decide(read(organization, reads), isSloStored)
          if (Result.isFailure(decided)) return Effect.fail(decided.failure)
          const { receipt } = decided.success
          write(organization, decided.success, now)
          if (idempotency !== undefined) {
            const expiresAt = now + idempotencyKeyLifetimeMs
            receipts.delete(receiptKey)
            receipts.set(receiptKey, { fingerprint: idempotency.fingerprint, receipt, expiresAt })
            deleteExpiredReceipts(now)
          }
          return Effect.succeed(receipt)
        }),
      ),
    changeEvaluated: <C extends EvaluatedChanges, E>(
      organization: OrganizationId,
      slo: ProjectKey,
      revision: string,
      reads: ReadonlyArray<AlertLookup>,
      decide: (found: ReadonlyArray<AlertLookupResult>) => Result.Result<C, E>,
    ) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.suspend((): Effect.Effect<{ changed: C; revision: string }, E | StatusHasChanged> => {
          const state = slos.find(organization, slo)
          const { basis, counts } = textToRevision(revision)
          if (state === undefined || revisionOf(state).basis !== basis)
            return Effect.fail(new StatusHasChanged())
          const decided = decide(reads.map((each) => read(organization, each)))
          if (Result.isFailure(decided)) return Effect.fail(decided.failure)
          for (const change of decided.success.changes) write(organization, change, now)
          state.evaluation = decided.success.evaluation
          state.revision++
          return Effect.succeed({
            changed: decided.success,
            revision: revisionToText({ ...revisionOf(state), counts }),
          })
        }),
      ),
    find: (organization, reads) => Effect.sync(() => read(organization, reads)),
    storedNotifications: (organization) =>
      Effect.sync(() => [{ bytes: deliveries.storedBytes(organization) }]),
    countOpen: Effect.sync(() => openCount),
    openBySlo: (organization) =>
      Effect.sync(() => {
        const bySlo = new Map<string, OpenAlerts>()
        for (const { status, subject, acknowledgement } of organizations.get(organization)?.alerts.values() ??
          []) {
          if (status !== "triggered") continue
          const text = projectKeyText(subject.slo)
          const { open, acknowledged } = bySlo.get(text) ?? { open: 0, acknowledged: 0 }
          bySlo.set(text, {
            slo: subject.slo,
            open: open + 1,
            acknowledged: acknowledged + (acknowledgement === undefined ? 0 : 1),
          })
        }
        return [...bySlo.values()]
      }),
    countByPolicy: (organization, alertPolicies, from) =>
      Effect.sync(() => {
        const counted = new Map(
          alertPolicies.map((key) => [projectKeyText(key), { alerts: 0, open: 0, latestAt: -Infinity }]),
        )
        for (const { status, subject, triggeredAt } of organizations.get(organization)?.alerts.values() ??
          []) {
          const { slo, alertPolicy } = subject
          const counts =
            alertPolicy && counted.get(projectKeyText({ project: slo.project, name: alertPolicy.name }))
          if (counts === undefined || (triggeredAt < from && status !== "triggered")) continue
          if (triggeredAt >= from) counts.alerts++
          if (status === "triggered") counts.open++
          counts.latestAt = Math.max(counts.latestAt, triggeredAt)
        }
        return alertPolicies.map((key): PolicyAlerts => {
          const { alerts = 0, open = 0, latestAt = -Infinity } = counted.get(projectKeyText(key)) ?? {}
          return { alerts, open, ...(latestAt > -Infinity && { latestAt }) }
        })
      }),
    list: (organization, query, page) => Effect.sync(() => pageOf(organization, query, page)),
  })
})

export const layer = Layer.effect(AlertStore, make)

/** An alert that replaces another keeps the evidence of that one. */
const withEvidenceOf = ({ evidence }: Alert, written: Alert): Alert => {
  const alert = withoutEvidence(written)
  return evidence === undefined ? alert : { ...alert, evidence }
}

const withoutEvidence = (found: Alert): Alert => {
  const { evidence: _, ...alert } = found
  return alert
}

const byId = (a: AlertPlace, b: AlertPlace): number => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1)

const newestFirst = (a: AlertPlace, b: AlertPlace): number => b.triggeredAt - a.triggeredAt || byId(b, a)

const isWanted = (alert: Alert, query: AlertQuery): boolean => {
  const { slo, objective, alertPolicy } = alert.subject
  const isOneOf = <A>(wanted: ReadonlyArray<A> | undefined, value: A | undefined): boolean =>
    wanted === undefined || (value !== undefined && wanted.includes(value))
  return (
    (query.project === undefined || query.project === slo.project) &&
    isOneOf(query.ids, alert.id) &&
    isOneOf(query.slos, slo.name) &&
    isOneOf(query.objectives, objective) &&
    isOneOf(query.alertPolicies, alertPolicy?.name) &&
    isOneOf(query.severities, alert.severity) &&
    isOneOf(query.services, alert.service) &&
    isOneOf(query.objectiveValues, alert.objectiveValue) &&
    isOneOf(query.statuses, alert.status) &&
    (query.activeFrom === undefined || (alert.resolvedAt ?? Infinity) >= query.activeFrom) &&
    (query.from === undefined || alert.triggeredAt >= query.from) &&
    (query.to === undefined || alert.triggeredAt < query.to)
  )
}

interface Tables {
  readonly alerts: Map<string, Alert>
  readonly latestBySubject: Map<string, Alert>
}

interface Receipt {
  readonly fingerprint: string
  readonly receipt: AlertReceipt
  expiresAt: number
}
