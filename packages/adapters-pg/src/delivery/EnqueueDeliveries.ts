import type { NotifiedEvent } from "@tocsin/domain/alerting/AlertStore"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/metadata/ObjectKey"
import { storedNotificationContent } from "@tocsin/domain/notification/Notification"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { keyArrays, texts } from "../database/Parameters.ts"

/**
 * Adds deliveries that are due now, by the database's clock, and wakes their endpoints. Must run within the transaction
 * of the alert. Waits for nobody.
 */
export const enqueueDeliveries = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { content, deliveries }: NotifiedEvent,
) =>
  Effect.gen(function* () {
    const [first] = deliveries
    if (first === undefined) return
    const keys = deliveries.map(({ alertMethod }) => alertMethod)
    const ids = texts(deliveries.map(({ id }) => id))
    const [row] = yield* sql<{ readonly now: number }>`
      INSERT INTO notifications (organization, id, created_at, content)
      VALUES (${organization}, ${first.id}, now_ms(), ${storedNotificationContent.write(content).json})
      RETURNING created_at AS now`
    const now = row?.now ?? 0
    yield* sql`
      INSERT INTO deliveries (organization, id, created_at, project, name, notification, event, alert_id)
      SELECT ${organization}, id, ${now}::bigint, project, name, ${first.id}, ${content.event}, ${content.alertId}
      FROM unnest(${ids}, ${keyArrays(sql, keys)}) AS given (id, project, name)`
    yield* sql`
      INSERT INTO delivery_queue
        (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
      SELECT ${organization}, id, ${now}::bigint, project, name, ${first.id}, false, ${now}::bigint, ${now}::bigint, 0, 0
      FROM unnest(${ids}, ${keyArrays(sql, keys)}) AS given (id, project, name)`
    yield* wakeEndpoints(sql, organization, keys, now)
  })

/** Makes the owner of the organization's queue read the endpoints again, and what is due for them from `at` on, or from now. */
export const wakeEndpoints = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  alertMethods: ReadonlyArray<ProjectKey>,
  at?: number,
) => sql`
  INSERT INTO delivery_wakes (organization, project, name, at)
  SELECT DISTINCT ${organization}, project, name, ${at === undefined ? sql`now_ms()` : sql`${at}::bigint`}
  FROM unnest(${keyArrays(sql, alertMethods)}) AS given (project, name)`
