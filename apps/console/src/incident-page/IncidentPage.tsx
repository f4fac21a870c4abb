import type { Incident, IncidentEntry } from "@tocsin/api"
import { Button, Checkbox, Group, SegmentedControl, Stack } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import { type Alert, alertOf } from "../alerts/Alert.ts"
import alertCss from "../alerts/Alert.module.css"
import { AlertCharts } from "../alerts/AlertCharts.tsx"
import { AlertTable } from "../alerts/AlertTable.tsx"
import { AlertTimeline } from "../alerts/AlertTimeline.tsx"
import { bodyOf, client } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { api, poll, pollMs, usePages } from "../api/Queries.ts"
import { saveText } from "../chart/SaveChart.ts"
import { ConfirmButton } from "../components/Dialog.tsx"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { lastPathSegment } from "../components/Filters.tsx"
import { shownName } from "../components/ObjectName.ts"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DateTime, useNow } from "../components/RelativeTime.tsx"
import { labelOf, StatusBadge } from "../components/StatusBadge.tsx"
import {
  incidentDuration,
  incidentSeverityName,
  incidentStatuses,
  type IncidentStatus,
  ownerText,
} from "../incidents/Incident.ts"
import { IncidentDialog } from "../incidents/IncidentDialog.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor, useSession } from "../session/Session.ts"
import { IncidentComposer } from "./IncidentComposer.tsx"
import { incidentEvents } from "./IncidentEvents.ts"

/** How many alerts are listed, and of how many the charts are drawn. */
const listedMax = 50
const chartsMax = 3

/** An incident: its status and owner, its alerts, what happened, and what is to be done. */
const IncidentPage = () => {
  const [id] = useState(lastPathSegment)
  const query = api.useQuery(
    "get",
    "/api/incidents/{id}",
    { params: { path: { id } } },
    { refetchInterval: poll(pollMs), placeholderData: undefined },
  )
  const incident = query.data
  const back = { href: "/incidents", text: t("Incidents") }
  const error = (
    <QueryError query={query} missing={t("Incident not found. Its ID is wrong, or it was deleted.")} />
  )
  if (incident === undefined) {
    return (
      <Page title={t("Incident")} back={back}>
        {error}
      </Page>
    )
  }
  return <Shown incident={incident} back={back} error={error} />
}
export default IncidentPage

const Shown = ({
  incident,
  back,
  error,
}: {
  readonly incident: Incident
  readonly back: { readonly href: string; readonly text: string }
  readonly error: ReactNode
}) => {
  const { id, title, severity, status, owner, startedAt, resolvedAt } = incident
  const now = useNow()
  const isEditor = useIsEditor()
  const isNarrow = useMediaQuery("(max-width: 640px)")
  const { clientId } = useSession()
  const queryClient = useQueryClient()
  const [isEditing, setIsEditing] = useState(false)
  const update = useMutation({
    mutationFn: (body: { readonly status?: IncidentStatus; readonly owner?: string }) =>
      client.POST("/api/incidents/{id}", { params: { path: { id } }, body }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  const download = useMutation({
    mutationFn: async () => {
      const request = { params: { path: { id } }, parseAs: "text" } as const
      const text = await bodyOf(client.GET("/api/incidents/{id}/postmortem", request))
      saveText(`incident-${id}.md`, "text/markdown", text)
    },
  })
  const alerts = useDocuments(
    "alerts",
    { name: incident.alerts.slice(0, listedMax) },
    { refetchInterval: poll(5 * pollMs), enabled: incident.alerts.length > 0 },
  )
  const shown = incident.alerts.length === 0 ? [] : (alerts.data ?? []).map(alertOf)
  return (
    <Page
      title={title}
      back={back}
      subtitle={
        <>
          <StatusBadge status={status} />
          <span>{incidentSeverityName(severity)}</span>
          <span>{ownerText({ owner })}</span>
          <span>{t("Duration: {duration}", { duration: incidentDuration(incident, now) })}</span>
        </>
      }
      actions={
        <>
          {isEditor && owner !== clientId && (
            <Button variant="default" onClick={() => update.mutate({ owner: clientId })}>
              {t("Take ownership")}
            </Button>
          )}
          {isEditor && (
            <Button variant="default" onClick={() => setIsEditing(true)}>
              {t("Edit")}
            </Button>
          )}
          <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
            {t("Download post-mortem")}
          </Button>
          <Button variant="default" onClick={() => print()}>
            {t("Print")}
          </Button>
          {isEditor && <DeleteIncident id={id} />}
        </>
      }
    >
      {error}
      {isEditor && (
        <SegmentedControl
          aria-label={t("Status of the incident")}
          orientation={isNarrow ? "vertical" : "horizontal"}
          value={status}
          onChange={(value) => update.mutate({ status: value as IncidentStatus })}
          data={incidentStatuses.map((value) => ({ value, label: labelOf(value) }))}
        />
      )}
      <ErrorNotice error={update.error} />
      <ErrorNotice error={download.error} />
      <div className={alertCss.columns}>
        <Timeline incident={incident} alerts={shown} isEditor={isEditor} />
        <Stack gap="lg">
          <Tasks id={id} isEditor={isEditor} />
          <Card title={t("Details")}>
            <DescriptionList
              properties={[
                [t("Started"), <DateTime at={startedAt} />],
                [t("Resolved"), resolvedAt && <DateTime at={resolvedAt} />],
                [
                  t("Services"),
                  incident.services.length === 0
                    ? undefined
                    : incident.services.map(({ project, name }) => `${project}/${name}`).join(", "),
                ],
                [t("Incident ID"), <code>{id}</code>],
              ]}
            />
          </Card>
        </Stack>
      </div>
      <Card title={t("Alerts")}>
        <AlertTable
          query={alerts}
          items={incident.alerts.length === 0 ? [] : alerts.data}
          label={t("Alerts of the incident")}
          isInCard
          empty={<p className="dim">{t("Add alerts from their own pages.")}</p>}
        />
        {incident.alerts.length > listedMax && (
          <p className="dim">
            {t("Showing {shown} of {count} alerts.", { shown: listedMax, count: incident.alerts.length })}
          </p>
        )}
      </Card>
      {shown.slice(0, chartsMax).map((alert) => (
        <Card key={alert.id} title={t("Charts: {slo}", { slo: shownName(alert.slo) })}>
          <AlertCharts alert={alert} now={now} />
        </Card>
      ))}
      {isEditing && <IncidentDialog incident={incident} onClose={() => setIsEditing(false)} />}
    </Page>
  )
}

const Timeline = ({
  incident: { id, status },
  alerts,
  isEditor,
}: {
  readonly incident: Incident
  readonly alerts: ReadonlyArray<Alert>
  readonly isEditor: boolean
}) => {
  const { query, items = [] } = usePages<IncidentEntry>(
    ["incident-entries", id],
    (cursor, signal) =>
      bodyOf(
        client.GET("/api/incidents/{id}/entries", {
          params: { path: { id }, query: { limit: 100, cursor } },
          signal,
        }),
      ),
    pollMs,
  )
  return (
    <Card title={t("Timeline")}>
      {isEditor && <IncidentComposer id={id} status={status} />}
      <QueryError query={query} />
      <AlertTimeline events={incidentEvents(items, alerts, !query.hasNextPage)} isOpen={false} />
      {query.hasNextPage && (
        <Group justify="center">
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {t("Load older entries")}
          </Button>
        </Group>
      )}
    </Card>
  )
}

const Tasks = ({ id, isEditor }: { readonly id: string; readonly isEditor: boolean }) => {
  const queryClient = useQueryClient()
  const query = api.useQuery(
    "get",
    "/api/incidents/{id}/entries",
    { params: { path: { id }, query: { kind: ["task"], limit: 100 } } },
    { refetchInterval: poll(pollMs) },
  )
  const tick = useMutation({
    mutationFn: ({ entryId, isDone }: { readonly entryId: string; readonly isDone: boolean }) =>
      client.PUT("/api/incidents/{id}/tasks/{entryId}", {
        params: { path: { id, entryId } },
        body: { isDone },
      }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  const tasks = (query.data?.data ?? []).filter((entry) => entry.kind === "task").toReversed()
  return (
    <Card title={t("Tasks")}>
      <QueryError query={query} />
      {tasks.length === 0 && <p className="dim">{t("No tasks. Add them in the timeline.")}</p>}
      <Stack gap="xs">
        {tasks.map((task) => (
          <Checkbox
            key={task.id}
            label={<bdi className="break">{task.text}</bdi>}
            description={task.doneBy !== undefined ? t("Done by {by}", { by: task.doneBy }) : undefined}
            checked={task.isDone}
            disabled={!isEditor || tick.isPending}
            onChange={({ currentTarget }) => tick.mutate({ entryId: task.id, isDone: currentTarget.checked })}
          />
        ))}
      </Stack>
      <ErrorNotice error={tick.error} />
    </Card>
  )
}

const DeleteIncident = ({ id }: { readonly id: string }) => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  return (
    <ConfirmButton
      label={t("Delete incident")}
      title={t("Delete this incident?")}
      color="red"
      action={async () => {
        await client.DELETE("/api/incidents/{id}", { params: { path: { id } } })
        navigate("/incidents")
        await queryClient.invalidateQueries()
      }}
    >
      <p>{t("Its timeline and its posts are deleted with it. Its alerts stay.")}</p>
    </ConfirmButton>
  )
}
