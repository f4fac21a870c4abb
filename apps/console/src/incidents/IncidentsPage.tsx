import type { IncidentSummary } from "@tocsin/api"
import { Button } from "@mantine/core"
import { useState } from "react"
import { bodyOf, client } from "../api/Client.ts"
import { pollMs, usePages } from "../api/Queries.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { FilterBar, NoMatches, Select, useFilters } from "../components/Filters.tsx"
import { Plus } from "../components/Icon.tsx"
import { RowLink } from "../components/ListTable.tsx"
import { RelativeTime, useNow } from "../components/RelativeTime.tsx"
import { labelOf, StatusBadge } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import { ListPage } from "../lists/ListPage.tsx"
import { useIsEditor } from "../session/Session.ts"
import {
  incidentDuration,
  incidentHref,
  incidentSeverityName,
  incidentStatuses,
  openStatuses,
  ownerText,
} from "./Incident.ts"
import { IncidentDialog } from "./IncidentDialog.tsx"

/** The incidents, those that began last first. */
const IncidentsPage = () => {
  const { values, bind, isFiltered, clear } = useFilters(["status"])
  const now = useNow()
  const isEditor = useIsEditor()
  const [isCreating, setIsCreating] = useState(false)
  const known = incidentStatuses.find((status) => status === values.status)
  const status = values.status === "open" ? openStatuses : known && [known]
  const { query, items } = usePages<IncidentSummary>(
    ["incidents", status],
    (cursor, signal) =>
      bodyOf(client.GET("/api/incidents", { params: { query: { status, limit: 50, cursor } }, signal })),
    5 * pollMs,
  )
  return (
    <ListPage
      title={t("Incidents")}
      subtitle={t("Alerts that belong together, with an owner, a timeline and posts for the public.")}
      actions={
        isEditor && (
          <Button leftSection={<Plus />} onClick={() => setIsCreating(true)}>
            {t("Create incident")}
          </Button>
        )
      }
      above={
        <FilterBar values={[values.status]}>
          <Select
            label={t("Status")}
            all={t("All statuses")}
            {...bind("status")}
            data={[
              { value: "open", label: t("Open") },
              ...incidentStatuses.map((value) => ({ value, label: labelOf(value) })),
            ]}
          />
        </FilterBar>
      }
      query={query}
      items={items}
      keyOf={({ id }) => id}
      more={t("Load older incidents")}
      columns={[
        {
          name: t("Title"),
          cell: (incident) => (
            <>
              <RowLink href={incidentHref(incident.id)}>{incident.title}</RowLink>
              <div className="dim small">
                {[ownerText(incident), ...incident.services.map(({ name }) => name)].join(" · ")}
              </div>
            </>
          ),
        },
        { name: t("Status"), width: 152, cell: (incident) => <StatusBadge status={incident.status} /> },
        {
          name: t("Severity"),
          width: 112,
          isLabeled: true,
          cell: ({ severity }) => incidentSeverityName(severity),
        },
        {
          name: t("Started"),
          width: 112,
          isLabeled: true,
          cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
        },
        {
          name: t("Duration"),
          width: 136,
          isLabeled: true,
          cell: (incident) => incidentDuration(incident, now),
        },
      ]}
      empty={
        isFiltered ? (
          <NoMatches title={t("No matching incidents")} clear={clear} />
        ) : (
          <EmptyState title={t("No incidents yet")}>
            <p>{t("Open one from an alert with one click, or create one here.")}</p>
          </EmptyState>
        )
      }
    >
      {isCreating && <IncidentDialog onClose={() => setIsCreating(false)} />}
    </ListPage>
  )
}
export default IncidentsPage
