import { useDisplayNames } from "../api/Definitions.ts"
import { type Column, type ListProps, ListTable, RowLink } from "../components/ListTable.tsx"
import { NamedObject } from "../components/NamedObject.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import { type Delivery, deliveryStatus, eventName } from "./DeliveryText.ts"

/** A table of deliveries, each with a link to its page. */
export const DeliveryTable = ({
  isOfOneMethod = false,
  ...list
}: ListProps<Delivery> & {
  /** The page already shows the alert method of all deliveries. */
  readonly isOfOneMethod?: boolean
}) => {
  const methodName = useDisplayNames("alertmethods", {}, { enabled: !isOfOneMethod })
  return (
    <ListTable
      {...list}
      keyOf={({ id }) => id}
      columns={columns(methodName).filter(({ key }) => !isOfOneMethod || key !== "method")}
    />
  )
}

const columns = (
  methodName: ReturnType<typeof useDisplayNames>,
): ReadonlyArray<Column<Delivery> & { readonly key?: string }> => [
  { name: t("Status"), cell: (delivery) => <StatusBadge status={deliveryStatus(delivery)} /> },
  {
    name: t("Event"),
    cell: ({ id, event }) => (
      <RowLink href={`/deliveries/${id}`}>
        <span className="whole-words">{eventName(event)}</span>
      </RowLink>
    ),
  },
  {
    name: t("SLO"),
    isLabeled: true,
    cell: ({ slo, event }) =>
      event === "test" ? <span className="dim">{t("Sample values")}</span> : <NamedObject {...slo} />,
  },
  {
    key: "method",
    name: t("Alert method"),
    isLabeled: true,
    cell: ({ alertMethod }) => <NamedObject {...alertMethod} displayName={methodName(alertMethod)} />,
  },
  { name: t("Attempts"), isLabeled: true, isNumber: true, cell: ({ attempt }) => attempt },
  { name: t("Created"), isLabeled: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    name: t("First success"),
    isLabeled: true,
    cell: ({ deliveredAt }) => deliveredAt !== undefined && <RelativeTime at={deliveredAt} />,
  },
  {
    name: t("Next attempt"),
    isLabeled: true,
    cell: ({ nextAttemptAt }) => nextAttemptAt !== undefined && <RelativeTime at={nextAttemptAt} />,
  },
]
