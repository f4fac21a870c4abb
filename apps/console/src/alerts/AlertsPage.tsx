import { Button, Group, Stack } from "@mantine/core"
import { type ReactNode, useState } from "react"
import { Link, useLocation, useSearch } from "wouter"
import { client } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { BulkBar } from "../components/BulkBar.tsx"
import { objectName } from "../components/ObjectName.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { ClearFilters, FilterBar, FilterInput, Select, useFilters } from "../components/Filters.tsx"
import { Page } from "../components/Page.tsx"
import { useSelection } from "../components/Selection.ts"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { isKiosk } from "../shell/Kiosk.tsx"
import { AcknowledgeFields, acknowledgementOf } from "./AcknowledgeButton.tsx"
import { type Alert, alertOf, isUnacknowledged, severities, severityName } from "./Alert.ts"
import { HeldNotice } from "./HeldNotice.tsx"
import { type AlertFilter, AlertTable, useActiveAlerts, usePastAlerts } from "./AlertTable.tsx"

const filterNames = ["project", "slo", "policy", "severity", "state", "days"] as const

/** The active alerts and the past ones. */
const AlertsPage = () => {
  const { values, set, bind } = useFilters(filterNames)
  const { project, slo, policy, severity, state } = values
  const known = severities.find((each) => each === severity)
  const filter: AlertFilter = {
    ...(project !== "" && { project }),
    ...(slo !== "" && { slo }),
    ...(policy !== "" && { alertPolicy: policy }),
    ...(known && { severity: known }),
  }
  const days = Number(values.days) > 0 ? values.days : "7"
  const isFiltered = [project, slo, policy, severity, state].some((value) => value !== "")
  const clear = (
    <ClearFilters onClear={() => set({ project: "", slo: "", policy: "", severity: "", state: "" })} />
  )
  return (
    <Page
      title={t("Alerts")}
      subtitle={t("SLOs that meet the conditions of an alert policy now, and past alerts.")}
      actions={
        <Button component={Link} href="/silences" variant="default">
          {t("View silences")}
        </Button>
      }
    >
      <Filters values={values} bind={bind} />
      <HeldNotice project={project} slo={slo} alertPolicy={policy} />
      {(state === "" || state === "triggered") && (
        <Active filter={filter} isFiltered={isFiltered} clear={clear} />
      )}
      {state !== "triggered" && (
        <Past
          filter={filter}
          days={days}
          state={state === "resolved" || state === "canceled" ? [state] : ["resolved", "canceled"]}
          onDays={(next) => set({ days: next === "7" ? "" : next })}
        />
      )}
    </Page>
  )
}
export default AlertsPage

const Filters = ({
  values,
  bind,
}: Pick<ReturnType<typeof useFilters<(typeof filterNames)[number]>>, "values" | "bind">) => {
  const projects = useDocuments("projects")
  const policies = useDocuments("alertpolicies")
  const names = (listed: ReadonlyArray<string>, value: string) =>
    [...new Set([...listed, ...(value === "" ? [] : [value])])]
      .toSorted()
      .map((name) => ({ value: name, label: name }))
  const projectNames = ["default", ...(projects.data ?? []).map(({ metadata }) => metadata.name)]
  const policyNames = (policies.data ?? []).map(({ metadata }) => metadata.name)
  return (
    <FilterBar>
      <FilterInput
        label={t("SLO")}
        placeholder={t("Name of an SLO")}
        {...bind("slo")}
        pauseMs={sloPauseMs}
        spellCheck={false}
        autoCapitalize="none"
      />
      <Select
        label={t("Project")}
        all={t("All projects")}
        {...bind("project")}
        data={names(projectNames, values.project)}
      />
      <Select
        label={t("Alert policy")}
        all={t("All alert policies")}
        {...bind("policy")}
        data={names(policyNames, values.policy)}
      />
      <Select
        label={t("Severity")}
        all={t("All severities")}
        {...bind("severity")}
        data={severities.map((value) => ({ value, label: severityName(value) }))}
      />
      <Select
        label={t("State")}
        all={t("All states")}
        {...bind("state")}
        data={[
          { value: "triggered", label: t("Triggered") },
          { value: "resolved", label: t("Resolved") },
          { value: "canceled", label: t("Canceled") },
        ]}
      />
    </FilterBar>
  )
}

/** The server looks for the exact name of an SLO. */
const sloPauseMs = 400

const Active = ({
  filter,
  isFiltered,
  clear,
}: {
  readonly filter: AlertFilter
  readonly isFiltered: boolean
  readonly clear: ReactNode
}) => {
  const [path] = useLocation()
  // Nobody selects alerts on a wall screen.
  const isOnWall = isKiosk(path, useSearch())
  const isEditor = useIsEditor() && !isOnWall
  const { query } = useActiveAlerts(filter)
  const policies = useDocuments("alertpolicies").data
  const [note, setNote] = useState("")
  const page = query.data?.pages[0]
  const open = page?.data.map(alertOf).filter(isUnacknowledged) ?? []
  const selection = useSelection(open, idOf)
  const count = page?.data.length ?? 0
  const hasMore = page?.links.next !== undefined
  return (
    <Stack gap="sm">
      <h2>
        {count === 0 ? t("Active") : t("Active ({count})", { count: hasMore ? `${count}+` : `${count}` })}
      </h2>
      <AlertTable
        query={query}
        items={page?.data}
        label={t("Active alerts")}
        selection={isEditor ? selection : undefined}
        empty={
          <EmptyState title={isFiltered ? t("No matching active alerts") : t("No active alerts")}>
            {isFiltered ? (
              clear
            ) : (
              <>
                <p>
                  {t(
                    "When an SLO meets the conditions of an alert policy, its alert appears here with the notifications that were sent.",
                  )}
                </p>
                {policies?.length === 0 && isEditor ? (
                  <Button component={Link} href="/alert-policies/new">
                    {t("Create alert policy")}
                  </Button>
                ) : (
                  <Button component={Link} href="/alert-policies" variant="default">
                    {t("View alert policies")}
                  </Button>
                )}
              </>
            )}
          </EmptyState>
        }
      />
      {isEditor && (
        <BulkBar
          selection={selection}
          nameOf={nameOf}
          actions={[
            {
              label: t("Acknowledge"),
              title: (total) =>
                t("{count, plural, one {Acknowledge # alert} other {Acknowledge # alerts}}", {
                  count: total,
                }),
              content: <AcknowledgeFields note={note} onChange={setNote} />,
              run: ({ id }) =>
                client.POST("/api/alerts/{id}/acknowledge", {
                  params: { path: { id } },
                  body: acknowledgementOf(note),
                }),
              onDone: () => setNote(""),
            },
          ]}
        />
      )}
      {hasMore && <p className="dim">{t("Showing the {count} most recent active alerts.", { count })}</p>}
    </Stack>
  )
}

const idOf = ({ id }: Alert): string => id

/** An SLO has at most one open alert of a policy and an objective, but several that another system sent. */
const nameOf = ({ id, slo, objective, alertPolicy }: Alert) => {
  const { name, detail } = objectName(slo, slo.displayName)
  const details = [detail, objective, alertPolicy?.name ?? id].filter((each) => each !== undefined)
  return { name, detail: details.join(" · ") }
}

const Past = ({
  filter,
  days,
  state,
  onDays,
}: {
  readonly filter: AlertFilter
  readonly days: string
  readonly state: Array<"resolved" | "canceled">
  readonly onDays: (days: string) => void
}) => {
  const { query, items } = usePastAlerts(filter, Number(days), 50, state)
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <h2>{t("Past")}</h2>
        <Select
          aria-label={t("Time range of past alerts")}
          value={days}
          onChange={onDays}
          data={[
            { value: "1", label: t("Last 24 hours") },
            { value: "7", label: t("Last 7 days") },
            { value: "30", label: t("Last 30 days") },
            { value: "365", label: t("Last year") },
          ]}
        />
      </Group>
      <AlertTable
        query={query}
        items={items}
        label={t("Past alerts")}
        more={t("Load older alerts")}
        empty={<p className="dim">{t("No alerts were resolved or canceled in this time range.")}</p>}
      />
    </Stack>
  )
}
