import { type Column, type ListProps, ListTable, RowLink } from "../components/ListTable.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { type Delivery, deliveryStatus, eventNames } from "./DeliveryText.ts"

/** A table of deliveries, each with a link to its page. */
export const DeliveryTable = ({
  isOfOneMethod = false,
  ...list
}: ListProps<Delivery> & {
  /** The page names the alert method of all deliveries. */
  readonly isOfOneMethod?: boolean
}) => (
  <ListTable
    {...list}
    keyOf={({ id }) => id}
    columns={isOfOneMethod ? columns.filter(({ name }) => name !== "Alert method") : columns}
  />
)

const columns: ReadonlyArray<Column<Delivery>> = [
  { name: "Status", cell: (delivery) => <StatusBadge status={deliveryStatus(delivery)} /> },
  {
    name: "Event",
    cell: ({ id, event }) => <RowLink href={`/deliveries/${id}`}>{eventNames[event]}</RowLink>,
  },
  {
    name: "SLO",
    isLabeled: true,
    cell: ({ slo }) => (
      <>
        {slo.name} <span className="dim small">{slo.project}</span>
      </>
    ),
  },
  {
    name: "Alert method",
    isLabeled: true,
    cell: ({ alertMethod }) => (
      <>
        {alertMethod.name} <span className="dim small">{alertMethod.project}</span>
      </>
    ),
  },
  { name: "Attempts", isLabeled: true, isNumber: true, cell: ({ attempt }) => attempt },
  { name: "Created", isLabeled: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    name: "Next attempt",
    isLabeled: true,
    cell: ({ nextAttemptAt }) => nextAttemptAt !== undefined && <RelativeTime at={nextAttemptAt} />,
  },
]
