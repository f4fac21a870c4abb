import { type Alert, type AlertSubject, alertSubjectToKey } from "@tocsin/domain/alerting/Alert"
import {
  type AlertChange,
  type AlertReceipt,
  AlertStore,
  type AlertsFound,
  type Idempotency,
  IdempotencyKeyIsReused,
} from "@tocsin/domain/alerting/AlertStore"
import type { OrganizationId } from "@tocsin/domain/definition/Definition"
import { Limits } from "@tocsin/domain/Limits"
import type { Result } from "@tocsin/domain/Result"
import { Clock, Effect, Layer } from "effect"
import { DeliveryTables } from "./DeliveryTables.ts"
import { Fifo } from "./Fifo.ts"

/**
 * Keeps alerts in memory: every open one, the latest `Limits.resolvedAlertsInMemoryMax` resolved ones, and the latest
 * `Limits.idempotencyKeysInMemoryMax` idempotency records.
 *
 * A change is one synchronous step, deliveries and idempotency record included.
 */
export const make = Effect.map(DeliveryTables, (deliveries) => {
  const organizations = new Map<OrganizationId, Tables>()
  const receipts = new Map<string, Receipt>()
  const resolved = new Fifo<{ readonly organization: OrganizationId; readonly alert: Alert }>()

  const read = (organization: OrganizationId, reads: Reads): AlertsFound => {
    const tables = organizations.get(organization)
    return {
      latest: tables?.latestBySubject.get(alertSubjectToKey(reads.subject)),
      withId: reads.id === undefined ? undefined : tables?.alerts.get(reads.id),
    }
  }

  const put = (organization: OrganizationId, alert: Alert): void => {
    const tables = organizations.get(organization) ?? { alerts: new Map(), latestBySubject: new Map() }
    organizations.set(organization, tables)
    tables.alerts.set(alert.id, alert)
    tables.latestBySubject.set(alertSubjectToKey(alert.subject), alert)
    if (alert.status === "resolved") resolved.push({ organization, alert })
    while (resolved.size > Limits.resolvedAlertsInMemoryMax) dropOldestResolved()
  }

  /** An alert that was opened again since, or resolved again, is not the one that the entry stands for. */
  const dropOldestResolved = (): void => {
    const oldest = resolved.shift()
    const tables = oldest && organizations.get(oldest.organization)
    if (oldest === undefined || tables?.alerts.get(oldest.alert.id) !== oldest.alert) return
    const subject = alertSubjectToKey(oldest.alert.subject)
    tables.alerts.delete(oldest.alert.id)
    if (tables.latestBySubject.get(subject) === oldest.alert) tables.latestBySubject.delete(subject)
    if (tables.alerts.size === 0) organizations.delete(oldest.organization)
  }

  const forgetReceipts = (now: number): void => {
    for (const [key, { expiresAt }] of receipts) {
      if (expiresAt > now && receipts.size <= Limits.idempotencyKeysInMemoryMax) return
      receipts.delete(key)
    }
  }

  return AlertStore.of({
    change: <E>(
      organization: OrganizationId,
      reads: Reads,
      idempotency: Idempotency | undefined,
      decide: (found: AlertsFound) => Result<AlertChange, E>,
    ) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.suspend((): Effect.Effect<AlertReceipt, E | IdempotencyKeyIsReused> => {
          forgetReceipts(now)
          const receiptKey = `${organization}\u0000${idempotency?.key ?? ""}`
          const earlier = idempotency && receipts.get(receiptKey)
          if (earlier !== undefined) {
            return earlier.fingerprint === idempotency?.fingerprint
              ? Effect.succeed(earlier.receipt)
              : Effect.fail(new IdempotencyKeyIsReused({ key: idempotency?.key ?? "" }))
          }
          const decided = decide(read(organization, reads))
          if (!decided.ok) return Effect.fail(decided.error)
          const { put: alert, ended, rings, receipt } = decided.value
          if (ended !== undefined) put(organization, ended)
          if (alert !== undefined) put(organization, alert)
          deliveries.enqueue(rings, now)
          if (idempotency !== undefined) {
            const expiresAt = now + Limits.idempotencyKeyLifetimeMs
            receipts.set(receiptKey, { fingerprint: idempotency.fingerprint, receipt, expiresAt })
            forgetReceipts(now)
          }
          return Effect.succeed(receipt)
        }),
      ),
    find: (organization, reads) => Effect.sync(() => read(organization, reads)),
    list: (organization, query, page) =>
      Effect.sync(() => {
        const { after } = page
        const found: Array<Alert> = []
        for (const alert of organizations.get(organization)?.alerts.values() ?? []) {
          if (after !== undefined && alert.id <= after) continue
          if (query.project !== undefined && alert.subject.slo.project !== query.project) continue
          if (query.ids !== undefined && !query.ids.includes(alert.id)) continue
          found.push(alert)
        }
        found.sort((a, b) => (a.id < b.id ? -1 : 1))
        return { items: found.slice(0, page.limit), hasMore: found.length > page.limit }
      }),
  })
})

/** The store on top of the deliveries that it shares with the queue. */
export const layer = Layer.effect(AlertStore, make)

interface Tables {
  readonly alerts: Map<string, Alert>
  readonly latestBySubject: Map<string, Alert>
}

interface Receipt {
  readonly fingerprint: string
  readonly receipt: AlertReceipt
  readonly expiresAt: number
}

interface Reads {
  readonly subject: AlertSubject
  readonly id: string | undefined
}
