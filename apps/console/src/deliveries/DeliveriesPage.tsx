import { Button, Input } from "@mantine/core"
import { Link } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { pollMs, usePages } from "../api/Queries.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { FilterBar, NoMatches, Select, useFilters } from "../components/Filters.tsx"
import { Cross } from "../components/Icon.tsx"
import { Page } from "../components/Page.tsx"
import { labelOf } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { DeliveryTable } from "./DeliveryTable.tsx"
import { keyOf } from "../editor/NameList.tsx"
import { BulkResendButton, BulkResends, useMethodText } from "./BulkResend.tsx"
import { type Delivery, eventName, events } from "./DeliveryText.ts"

/** The delivery log, newest first. */
const DeliveriesPage = () => {
  const { values, set, bind, isFiltered, clear } = useFilters(filterNames)
  const { method, since, alert } = values
  const state = values.state as Delivery["state"] | ""
  const event = values.event as Delivery["event"] | ""
  const isEditor = useIsEditor()
  const { query, items } = usePages(
    ["deliveries", values],
    (cursor, signal) => {
      const [project, alertMethod] = method === "" ? [] : method.split("/")
      return bodyOf(
        client.GET("/api/deliveries", {
          params: {
            query: {
              limit: 50,
              cursor,
              project,
              alertMethod,
              state: state ? [state] : undefined,
              event: event ? [event] : undefined,
              from: since === "" ? undefined : timeBefore(since),
              alertId: alert || undefined,
            },
          },
          signal,
        }),
      )
    },
    pollMs,
  )

  return (
    <Page
      title={t("Deliveries")}
      subtitle={t("Every notification and its delivery attempts.")}
      actions={isEditor && <BulkResendButton filter={resendFilter(method, since)} />}
    >
      <BulkResends isEditor={isEditor} />
      <FilterBar values={Object.values(values)}>
        <MethodFilter
          {...bind("method")}
          listed={items?.map(({ alertMethod }) => `${alertMethod.project}/${alertMethod.name}`) ?? []}
        />
        <Select
          label={t("Status")}
          all={t("All statuses")}
          {...bind("state")}
          data={states.map((value) => ({
            value,
            label: value === "pending" ? t("Pending or retrying") : labelOf(value),
          }))}
        />
        <Select
          label={t("Event")}
          all={t("All events")}
          {...bind("event")}
          data={events.map((value) => ({ value, label: eventName(value) }))}
        />
        <Select
          label={t("Created")}
          all={t("Any time")}
          {...bind("since")}
          data={[
            { value: "1h", label: t("Last hour") },
            { value: "24h", label: t("Last 24 hours") },
            { value: "168h", label: t("Last 7 days") },
          ]}
        />
        {alert !== "" && (
          // A link from an alert sets this filter; it can only be removed.
          <Input.Wrapper label={t("Alert")} labelElement="div">
            <Button
              variant="default"
              fullWidth
              justify="space-between"
              rightSection={<Cross />}
              aria-label={t("Remove filter: alert {alert}", { alert })}
              onClick={() => set({ alert: "" })}
            >
              {alert}
            </Button>
          </Input.Wrapper>
        )}
      </FilterBar>
      <DeliveryTable
        query={query}
        items={items}
        label={t("Deliveries, newest first")}
        more={t("Load older deliveries")}
        empty={
          isFiltered ? (
            <NoMatches title={t("No matching deliveries")} clear={clear} />
          ) : (
            <EmptyState title={t("No deliveries yet")}>
              <p>{t("When an alert notifies an alert method, the delivery appears here.")}</p>
              <Button component={Link} href="/alert-methods" variant="default">
                {t("View alert methods")}
              </Button>
            </EmptyState>
          )
        }
      />
    </Page>
  )
}
export default DeliveriesPage

const states: ReadonlyArray<Delivery["state"]> = ["pending", "sending", "delivered", "exhausted", "failed"]

const filterNames = ["method", "state", "event", "since", "alert"] as const

const MethodFilter = ({
  value,
  listed,
  onChange,
}: {
  readonly value: string
  /** The alert methods of the listed deliveries, which may have been deleted since. */
  readonly listed: ReadonlyArray<string>
  readonly onChange: (value: string) => void
}) => {
  const { data = [] } = useDocuments("alertmethods")
  const stored = data.map(({ metadata }) => `${metadata.project}/${metadata.name}`)
  const methodText = useMethodText()
  const names = [...new Set([...stored, ...listed, ...(value === "" ? [] : [value])])].toSorted()
  return (
    <Select
      label={t("Alert method")}
      all={t("All alert methods")}
      value={value}
      onChange={onChange}
      data={names.map((name) => ({ value: name, label: methodText(keyOf(name)) }))}
    />
  )
}

const resendFilter = (method: string, since: string) => {
  const [project, name] = method.split("/")
  return {
    ...(project !== undefined && name !== undefined && { alertMethod: { project, name } }),
    ...(since !== "" && { from: timeBefore(since) }),
  }
}

const timeBefore = (hours: string): string =>
  new Date(Date.now() - Number.parseInt(hours, 10) * 3_600_000).toISOString()
