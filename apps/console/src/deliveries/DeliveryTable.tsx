import { Link } from "wouter"
import { Ago } from "../shell/Ago.tsx"
import { StateChip } from "../shell/StateChip.tsx"
import table from "../shell/Table.module.css"
import css from "./Deliveries.module.css"
import { type Delivery, eventNames, stateOf } from "./Words.ts"

/** Deliveries, a row each, which leads to the delivery. */
export const DeliveryTable = ({
  deliveries,
  label,
  isOfOneMethod = false,
}: {
  readonly deliveries: ReadonlyArray<Delivery>
  readonly label: string
  /** All are of one alert method, which the page names already. */
  readonly isOfOneMethod?: boolean
}) => (
  <table className={table.table} aria-label={label}>
    <thead>
      <tr>
        <th scope="col">State</th>
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
            <StateChip state={stateOf(delivery)} />
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
            <Ago at={delivery.createdAt} />
          </td>
          <td data-label="Next attempt" className={table.nowrap}>
            {delivery.nextAttemptAt !== undefined && <Ago at={delivery.nextAttemptAt} />}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
