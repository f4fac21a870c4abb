import { type DefinitionKey, useAlerts } from "../api/Definitions.ts"
import { pollMs } from "../api/Queries.ts"
import { alertStatuses } from "../alerts/Alert.ts"
import { AlertTable } from "../alerts/AlertTable.tsx"
import { FilterBar, Select, useFilters } from "../components/Filters.tsx"
import { Card } from "../components/Page.tsx"
import { labelOf } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"

/** The alerts of an SLO, those that triggered last first. */
const SloAlerts = ({ project, name }: DefinitionKey) => {
  const { values, set } = useFilters(["status", "days"])
  const status = alertStatuses.find((each) => each === values.status)
  const days = ["7", "30", "90", "400"].includes(values.days) ? values.days : "30"
  const { query, items } = useAlerts(
    {
      project,
      slo: name,
      status: status === undefined ? [...alertStatuses] : [status],
      days: Number(days),
      limit: 50,
    },
    5 * pollMs,
  )
  return (
    <Card title={t("Alerts")}>
      <FilterBar role="search" label={t("Alerts")} values={[values.status, values.days]}>
        <Select
          label={t("Status")}
          all={t("All statuses")}
          value={status ?? ""}
          onChange={(chosen) => set({ status: chosen })}
          data={alertStatuses.map((value) => ({ value, label: labelOf(value) }))}
        />
        <Select
          label={t("Triggered within")}
          value={days}
          onChange={(chosen) => set({ days: chosen })}
          data={[
            { value: "7", label: t("Last 7 days") },
            { value: "30", label: t("Last 30 days") },
            { value: "90", label: t("Last 90 days") },
            { value: "400", label: t("Last 400 days") },
          ]}
        />
      </FilterBar>
      <AlertTable
        query={query}
        items={items}
        label={t("Alerts of this SLO")}
        more={t("Load older alerts")}
        empty={
          <p className="dim">
            {t("No alerts. They appear here when this SLO meets the conditions of an alert policy.")}
          </p>
        }
        isInCard
        isOfOneSlo
      />
    </Card>
  )
}
export default SloAlerts
