import { Link } from "wouter"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import table from "../components/Table.module.css"
import css from "./Deliveries.module.css"
import { type Delivery, deliveryStatus, eventNames } from "./DeliveryText.ts"

/** A table of deliveries, each with a link to its page. */
export const DeliveryTable = ({
  deliveries,
  label,
  isOfOneMethod = false,
}: {
  readonly deliveries: ReadonlyArray<Delivery>
  readonly label: string
  /** The page names the alert method of all deliveries. */
  readonly isOfOneMethod?: boolean
}) => (
  <table className={table.table} aria-label={label}>
    <thead>
      <tr>
        <th scope="col">Status</th>
        <th scope="col">Event</th>
        <th scope="col">SLO</th>
        {!isOfOneMethod && <th scope="col">Alert method</th>}
        <th scope="col" className="number">
          Attempts
        </th>
        <th scope="col">Created</th>
        <th scope="col">Next attempt</th>
      </tr>
    </thead>
    <tbody>
      {deliveries.map((delivery) => (
        <tr
          key={delivery.id}
          className={`${table.row} ${delivery.state === "exhausted" ? css.exhausted : ""}`}
        >
          <td>
            <StatusBadge status={deliveryStatus(delivery)} />
          </td>
          <td className={table.nowrap}>
            <Link href={`/deliveries/${delivery.id}`} className={table.link}>
              {eventNames[delivery.event]}
            </Link>
          </td>
          <td data-label="SLO">
            {delivery.slo.name} <span className="dim small">{delivery.slo.project}</span>
          </td>
          {!isOfOneMethod && (
            <td data-label="Alert method">
              {delivery.alertMethod.name} <span className="dim small">{delivery.alertMethod.project}</span>
            </td>
          )}
          <td data-label="Attempts" className="number">
            {delivery.attempt}
          </td>
          <td data-label="Created" className={table.nowrap}>
            <RelativeTime at={delivery.createdAt} />
          </td>
          <td data-label="Next attempt" className={table.nowrap}>
            {delivery.nextAttemptAt !== undefined && <RelativeTime at={delivery.nextAttemptAt} />}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
