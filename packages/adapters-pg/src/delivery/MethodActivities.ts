import type * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/metadata/ObjectKey"
import { Limits } from "@tocsin/domain/Limits"
import type { MethodActivity } from "@tocsin/domain/delivery/DeliveryQueue"
import { type EndpointHealth, unknownHealth } from "@tocsin/domain/delivery/EndpointHealth"
import * as Effect from "effect/Effect"
import { type DeliveryRow, rowToDelivery, settledColumns, unsettledColumns } from "./DeliveryRow.ts"
import { texts } from "../database/Parameters.ts"

/**
 * Reads what is known of alert methods, in their order: one look at the unsettled deliveries for all of them, and one
 * into the index of the settled ones for each.
 */
export const readMethodActivities = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  alertMethods: ReadonlyArray<ProjectKey>,
) =>
  Effect.map(
    sql<ActivityRow>`
      WITH unsettled AS MATERIALIZED (
        SELECT DISTINCT ON (project, name) ${sql.literal(unsettledColumns)} FROM (
          SELECT * FROM deliveries WHERE organization = ${organization}
          ORDER BY id DESC LIMIT ${Limits.unsettledActivityMax}
        ) newest
        ORDER BY project, name, id DESC
      )
      SELECT e.health, e.is_paused, e.in_flight, d.* FROM unnest(
        ${texts(alertMethods.map(({ project }) => project))}, ${texts(alertMethods.map(({ name }) => name))}
      ) WITH ORDINALITY AS k (project, name, position)
      LEFT JOIN endpoints e ON e.organization = ${organization} AND e.project = k.project AND e.name = k.name
      LEFT JOIN LATERAL (
        SELECT * FROM (
          SELECT * FROM unsettled u WHERE u.project = k.project AND u.name = k.name
          UNION ALL
          (SELECT ${sql.literal(settledColumns)} FROM settled_deliveries s
           WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name
           ORDER BY id DESC LIMIT 1)
        ) either
        ORDER BY id DESC LIMIT 1
      ) d ON true
      ORDER BY k.position`,
    (rows) => rows.map(toActivity),
  )

type ActivityRow = EndpointRow & (DeliveryRow | { readonly id: null })

/** All null where nothing is known of an endpoint. */
interface EndpointRow {
  readonly health: string | null
  readonly is_paused: boolean | null
  readonly in_flight: number | null
}

const toActivity = ({ health, is_paused, in_flight, ...delivery }: ActivityRow): MethodActivity => ({
  endpoint: health === null ? unknownHealth : (JSON.parse(health) as EndpointHealth),
  pause: { isPaused: is_paused ?? false, sending: in_flight ?? 0 },
  ...(delivery.id !== null && { latestDelivery: rowToDelivery(delivery) }),
})
