import { type Delivery, resendDelivery as resent } from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import { readDelivery } from "./DeliveryLogPg.ts"
import { wakeEndpoints } from "./EnqueueDeliveries.ts"

/** Makes a delivery due now, and returns it; `None` if it does not exist. */
export const resendDelivery = (sql: SqlClient.SqlClient, organization: OrganizationId, id: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      // Waits for a settlement or another resend, whose result the statements that follow then read.
      yield* sql`
        SELECT FROM deliveries WHERE organization = ${organization} AND id = ${id} FOR UPDATE`
      yield* sql`
        SELECT FROM delivery_queue WHERE organization = ${organization} AND id = ${id} FOR UPDATE`
      const found = yield* readDelivery(sql, organization, id)
      if (Option.isNone(found)) return Option.none<Delivery>()
      const [row] = yield* sql<{ readonly now: number }>`SELECT now_ms() AS now`
      const { before, notificationId } = found.value
      const after: Delivery = resent(before, row?.now ?? 0)
      if (after === before) return Option.some(before)
      const { project, name } = after.alertMethod
      // Of two resends of a settled delivery, the second finds it queued.
      yield* sql`
        INSERT INTO delivery_queue AS q
          (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
        VALUES (${organization}, ${id}, ${after.createdAt}, ${project}, ${name}, ${notificationId}, true, ${after.dueAt},
          ${after.dueAt}, ${after.attempt}, ${after.attemptsUsed})
        ON CONFLICT (id, organization) DO UPDATE SET
          due_at = excluded.due_at, scheduled_at = excluded.scheduled_at, attempts_used = excluded.attempts_used
        WHERE q.sending IS NULL`
      yield* wakeEndpoints(sql, organization, [after.alertMethod], after.dueAt)
      return Option.some(after)
    }),
  )
