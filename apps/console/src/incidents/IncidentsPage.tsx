import type { IncidentSummary } from "@tocsin/api"
import { Button } from "@mantine/core"
import { useState } from "react"
import { useLocation } from "wouter"
import rules from "virtual:rules/createIncident"
import { bodyOf, client } from "../api/Client.ts"
import { pollMs, usePages } from "../api/Queries.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { FilterBar, NoMatches, Select, useFilters } from "../components/Filters.tsx"
import { Plus } from "../components/Icon.tsx"
import { RowLink } from "../components/ListTable.tsx"
import { RelativeTime, durationText, useNow } from "../components/RelativeTime.tsx"
import { labelOf, StatusBadge } from "../components/StatusBadge.tsx"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import { t } from "../language/Text.tsx"
import { ListPage } from "../lists/ListPage.tsx"
import { useIsEditor } from "../session/Session.ts"
import {
  incidentHref,
  incidentSeverities,
  incidentSeverityName,
  incidentStatuses,
  openStatuses,
} from "./Incident.ts"
import { IncidentFields } from "./IncidentFields.tsx"

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
  const create = isEditor && (
    <Button leftSection={<Plus />} onClick={() => setIsCreating(true)}>
      {t("Create incident")}
    </Button>
  )
  return (
    <ListPage
      title={t("Incidents")}
      subtitle={t("Alerts that belong together, with an owner, a timeline and posts for the public.")}
      actions={(items?.length ?? 0) > 0 && create}
      above={
        <FilterBar>
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
          cell: ({ id, title, services }) => (
            <>
              <RowLink href={incidentHref(id)}>
                <bdi>{title}</bdi>
              </RowLink>
              <div className="dim small">{services.map(({ name }) => name).join(", ")}</div>
            </>
          ),
        },
        { name: t("Status"), width: 152, cell: ({ status: own }) => <StatusBadge status={own} /> },
        {
          name: t("Severity"),
          width: 112,
          isLabeled: true,
          cell: ({ severity }) => incidentSeverityName(severity),
        },
        {
          name: t("Owner"),
          width: 136,
          isLabeled: true,
          cell: ({ owner }) =>
            owner === undefined ? <span className="dim">{t("Nobody")}</span> : <bdi>{owner}</bdi>,
        },
        {
          name: t("Started"),
          width: 112,
          isLabeled: true,
          cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
        },
        {
          name: t("Duration"),
          width: 120,
          isLabeled: true,
          cell: (each) => incidentDuration(each, now),
        },
      ]}
      empty={
        isFiltered ? (
          <NoMatches title={t("No matching incidents")} clear={clear} />
        ) : (
          <EmptyState title={t("No incidents yet")}>
            <p>{t("Open one from an alert with one click, or create one here.")}</p>
            {create}
          </EmptyState>
        )
      }
    >
      {isCreating && <CreateIncident onClose={() => setIsCreating(false)} />}
    </ListPage>
  )
}
export default IncidentsPage

const incidentDuration = ({ startedAt, resolvedAt }: IncidentSummary, now: number): string =>
  durationText((resolvedAt === undefined ? now : Date.parse(resolvedAt)) - Date.parse(startedAt))

const CreateIncident = ({ onClose }: { readonly onClose: () => void }) => {
  const [, navigate] = useLocation()
  return (
    <BodyDialog
      title={t("Create incident")}
      submitLabel={t("Create incident")}
      rules={rules}
      initial={(): { readonly title: string; readonly severity: IncidentSummary["severity"] } => ({
        title: "",
        severity: incidentSeverities[1],
      })}
      send={(body) => bodyOf(client.POST("/api/incidents", { body }))}
      onDone={({ id }) => navigate(incidentHref(id))}
      onClose={onClose}
    >
      {(draft) => <IncidentFields draft={draft} />}
    </BodyDialog>
  )
}
