import { Button, Group, Stack } from "@mantine/core"
import { Link, useLocation, useSearch } from "wouter"
import { useDocuments } from "../api/Definitions.ts"
import { objectName, shownName } from "../components/ObjectName.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { FilterBar, FilterInput, NoMatches, Select, useFilters } from "../components/Filters.tsx"
import { Page } from "../components/Page.tsx"
import { labelOf } from "../components/StatusBadge.tsx"
import { useFields } from "../editor/Body.ts"
import { t } from "../language/Text.tsx"
import { BulkList } from "../lists/BulkList.tsx"
import { useIsEditor } from "../session/Session.ts"
import { isKiosk } from "../shell/Kiosk.tsx"
import { useSilenceFields } from "../silences/SilenceFields.tsx"
import { acknowledge, AcknowledgeFields, acknowledgement } from "./AcknowledgeButton.tsx"
import { type Alert, alertStatuses, isUnacknowledged, severities, severityName } from "./Alert.ts"
import { HeldNotice } from "./HeldNotice.tsx"
import { type AlertFilter, AlertTable, useActiveAlerts, useAlertRows, usePastAlerts } from "./AlertTable.tsx"

const filterNames = ["project", "slo", "policy", "severity", "status"] as const

/** The open alerts and the past ones. */
const AlertsPage = () => {
  const { values, bind, isFiltered, clear } = useFilters(filterNames)
  const past = useFilters(["days"])
  const { project, slo, policy, severity, status } = values
  const known = severities.find((each) => each === severity)
  const filter: AlertFilter = {
    ...(project !== "" && { project }),
    ...(slo !== "" && { slo }),
    ...(policy !== "" && { alertPolicy: policy }),
    ...(known && { severity: known }),
  }
  const days = Number(past.values.days) > 0 ? past.values.days : "7"
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
      {(status === "" || status === "triggered") && (
        <Active filter={filter} clear={isFiltered ? clear : undefined} />
      )}
      {status !== "triggered" && (
        <Past
          filter={filter}
          days={days}
          status={status === "resolved" || status === "canceled" ? [status] : ["resolved", "canceled"]}
          onDays={(next) => past.set({ days: next === "7" ? "" : next })}
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
    <FilterBar values={Object.values(values)}>
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
        label={t("Status")}
        all={t("All statuses")}
        {...bind("status")}
        data={alertStatuses.map((value) => ({ value, label: labelOf(value) }))}
      />
    </FilterBar>
  )
}

/** The server looks for the exact name of an SLO. */
const sloPauseMs = 400

const Active = ({
  filter,
  clear,
}: {
  readonly filter: AlertFilter
  /** Shows every alert; absent: no filter is set. */
  readonly clear: (() => void) | undefined
}) => {
  const [path] = useLocation()
  // Nobody selects alerts on a wall screen.
  const isOnWall = isKiosk(path, useSearch())
  const isEditor = useIsEditor() && !isOnWall
  const { query } = useActiveAlerts(filter)
  const policies = useDocuments("alertpolicies").data
  const note = useFields(acknowledgement)
  const silence = useSilenceFields()
  const page = query.data?.pages[0]
  const count = page?.data.length ?? 0
  const hasMore = page?.links.next !== undefined
  return (
    <Stack gap="sm">
      <h2>
        {count === 0 ? t("Active") : t("Active ({count})", { count: hasMore ? `${count}+` : `${count}` })}
      </h2>
      <BulkList
        {...useAlertRows(page?.data)}
        query={query}
        label={t("Open alerts")}
        isEnabled={isEditor}
        isSelectable={isUnacknowledged}
        selectLabel={({ id, slo }) => t("Select alert {id} on {slo}", { id, slo: shownName(slo) })}
        nameOf={nameOf}
        actions={[
          {
            label: t("Acknowledge"),
            title: (total) =>
              t("{count, plural, one {Acknowledge # alert} other {Acknowledge # alerts}}", { count: total }),
            content: <AcknowledgeFields draft={note.fields()} />,
            run: ({ id }) => acknowledge(id, note.body),
            onDone: note.reset,
          },
          {
            label: t("Silence"),
            title: (total) =>
              t("{count, plural, one {Silence # alert} other {Silence # alerts}}", { count: total }),
            content: silence.content,
            run: silence.silence,
          },
        ]}
        empty={
          clear !== undefined ? (
            <NoMatches title={t("No matching open alerts")} clear={clear} />
          ) : (
            <EmptyState title={t("No open alerts")}>
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
            </EmptyState>
          )
        }
      />
      {hasMore && <p className="dim">{t("Showing the {count} most recent open alerts.", { count })}</p>}
    </Stack>
  )
}

/** An SLO has at most one open alert of a policy and an objective, but several that another system sent. */
const nameOf = ({ id, slo, objective, alertPolicy }: Alert) => {
  const { name, detail } = objectName(slo, slo.displayName)
  const details = [detail, objective, alertPolicy?.name ?? id].filter((each) => each !== undefined)
  return { name, detail: details.join(" · ") }
}

const Past = ({
  filter,
  days,
  status,
  onDays,
}: {
  readonly filter: AlertFilter
  readonly days: string
  readonly status: Array<"resolved" | "canceled">
  readonly onDays: (days: string) => void
}) => {
  const { query, items } = usePastAlerts(filter, Number(days), 50, status)
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
