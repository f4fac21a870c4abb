import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import type { Delivery, DeliveryState } from "@tocsin/domain/delivery/Delivery"
import type { Notification } from "@tocsin/domain/notification/Notification"

/** A delivery as both tables of deliveries give it. */
export interface DeliveryRow {
  readonly id: string
  readonly project: string
  readonly name: string
  readonly notification: string
  readonly state: DeliveryState
  readonly attempt: number
  readonly attempts_used: number
  readonly created_at: number
  readonly due_at: number
  readonly settled_at: number | null
}

/** The columns of `DeliveryRow` from `deliveries`. */
export const unsettledColumns = `id, project, name, notification,
  CASE WHEN claim_id IS NULL THEN 'pending' ELSE 'sending' END AS state,
  attempt, attempts_used, created_at, due_at, NULL::bigint AS settled_at`

/** The columns of `DeliveryRow` from `settled_deliveries`. */
export const settledColumns =
  "id, project, name, notification, state, attempt, attempts_used, created_at, due_at, settled_at"

/** Reads a delivery as either table has it. */
export const rowToDelivery = (row: DeliveryRow): Delivery => ({
  notification: JSON.parse(row.notification) as Notification,
  alertMethod: { project: row.project, name: row.name },
  state: row.state,
  attempt: row.attempt,
  attemptsUsed: row.attempts_used,
  createdAt: row.created_at,
  dueAt: row.due_at,
  ...(row.settled_at !== null && { settledAt: row.settled_at }),
})

/** What a claim's ID says: the claim, which is fresh each time, and where the delivery is. */
export interface ClaimPlace {
  readonly claim: string
  readonly organization: OrganizationId
  readonly id: string
}

/** Writes a claim's ID. */
export const writeClaimId = ({ claim, organization, id }: ClaimPlace): string =>
  JSON.stringify([claim, organization, id])

/** Reads a claim's ID; `undefined` when it is none of ours. */
export const readClaimId = (claimId: string): ClaimPlace | undefined => {
  if (!claimId.startsWith("[")) return undefined
  const [claim, organization, id] = JSON.parse(claimId) as ReadonlyArray<string>
  return claim === undefined || organization === undefined || id === undefined
    ? undefined
    : { claim, organization, id }
}
