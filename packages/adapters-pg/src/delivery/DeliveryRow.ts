import type { OrganizationId, ProjectKey } from "@tocsin/domain/metadata/ObjectKey"
import type { Delivery, DeliveryState } from "@tocsin/domain/delivery/Delivery"
import { storedNotification } from "@tocsin/domain/notification/Notification"
import * as Result from "effect/Result"
import { inRow, type StoredRowIsInvalid } from "../database/StoredRow.ts"

export interface DeliveryRow extends ProjectKey {
  readonly id: string
  readonly notification: string
  readonly state: DeliveryState
  readonly attempt: number
  readonly attempts_used: number
  readonly created_at: number
  readonly due_at: number
  readonly settled_at: number | null
}

export const unsettledColumns = `id, project, name, notification,
  CASE WHEN claim_id IS NULL THEN 'pending' ELSE 'sending' END AS state,
  attempt, attempts_used, created_at, due_at, NULL::bigint AS settled_at`

export const settledColumns =
  "id, project, name, notification, state, attempt, attempts_used, created_at, due_at, settled_at"

export const rowToDelivery = (row: DeliveryRow): Result.Result<Delivery, StoredRowIsInvalid> =>
  Result.map(
    inRow(`delivery ${row.id}`, storedNotification.read(row.notification, undefined)),
    (notification) => ({
      notification,
      alertMethod: { project: row.project, name: row.name },
      state: row.state,
      attempt: row.attempt,
      attemptsUsed: row.attempts_used,
      createdAt: row.created_at,
      dueAt: row.due_at,
      ...(row.settled_at !== null && { settledAt: row.settled_at }),
    }),
  )

/** What the ID of a claim consists of: a UUID per claim, and the key of the delivery. */
export interface ClaimPlace {
  readonly claim: string
  readonly organization: OrganizationId
  readonly id: string
}

/** An organization's ID contains no blank. */
export const writeClaimId = ({ claim, organization, id }: ClaimPlace): string =>
  `${claim} ${organization} ${id}`

export const readClaimId = (claimId: string): ClaimPlace | undefined => {
  const [, claim, organization, id] =
    /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\S+) (.+)$/.exec(claimId) ?? []
  return claim === undefined || organization === undefined || id === undefined
    ? undefined
    : { claim, organization, id }
}
