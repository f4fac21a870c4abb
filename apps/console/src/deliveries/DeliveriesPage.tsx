import { Button, Group, Input } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { pageOptions, poll, pollMs } from "../api/Queries.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { Select, useFilters } from "../components/Filters.tsx"
import { Cross } from "../components/Icon.tsx"
import { Page } from "../components/Page.tsx"
import { DeliveryTable } from "./DeliveryTable.tsx"
import { type Delivery, eventNames } from "./DeliveryText.ts"

/** The delivery log, newest first. */
const DeliveriesPage = () => {
  const { values, set, isFiltered } = useFilters(filterNames)
  const { method, since, alert } = values
  const state = values.state as Delivery["state"] | ""
  const event = values.event as Exclude<Delivery["event"], "test"> | ""
  const query = useInfiniteQuery({
    queryKey: ["deliveries", values],
    queryFn: ({ pageParam: cursor, signal }) => {
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
    ...pageOptions,
    refetchInterval: poll(pollMs),
  })
  const deliveries = query.data?.pages.flatMap(({ data }) => data)

  return (
    <Page title="Deliveries" subtitle="Every notification and its delivery attempts.">
      <Group gap={10} align="flex-end" className="filters" role="group" aria-label="Filters">
        <MethodFilter
          value={method}
          listed={deliveries?.map(({ alertMethod }) => `${alertMethod.project}/${alertMethod.name}`) ?? []}
          onChange={(value) => set({ method: value })}
        />
        <Select
          label="Status"
          all="All statuses"
          value={state}
          onChange={(value) => set({ state: value })}
          data={[
            { value: "pending", label: "Pending or retrying" },
            { value: "sending", label: "Sending" },
            { value: "delivered", label: "Delivered" },
            { value: "exhausted", label: "Exhausted" },
            { value: "failed", label: "Failed" },
          ]}
        />
        <Select
          label="Event"
          all="All events"
          value={event}
          onChange={(value) => set({ event: value })}
          data={Object.entries(eventNames)
            .filter(([value]) => value !== "test")
            .map(([value, label]) => ({ value, label }))}
        />
        <Select
          label="Created"
          all="Any time"
          value={since}
          onChange={(value) => set({ since: value })}
          data={[
            { value: "1h", label: "Last hour" },
            { value: "24h", label: "Last 24 hours" },
            { value: "168h", label: "Last 7 days" },
          ]}
        />
        {alert !== "" && (
          // A link from an alert sets this filter; it can only be removed.
          <Input.Wrapper label="Alert" labelElement="div">
            <Button
              variant="default"
              fullWidth
              justify="space-between"
              rightSection={<Cross />}
              aria-label={`Remove filter: alert ${alert}`}
              onClick={() => set({ alert: "" })}
            >
              {alert}
            </Button>
          </Input.Wrapper>
        )}
      </Group>
      <DeliveryTable
        query={query}
        items={deliveries}
        label="Deliveries, newest first"
        more="Load older deliveries"
        empty={
          <EmptyState title={isFiltered ? "No matching deliveries" : "No deliveries yet"}>
            {isFiltered ? (
              <Button
                variant="default"
                onClick={() => set({ method: "", state: "", event: "", since: "", alert: "" })}
              >
                Clear filters
              </Button>
            ) : (
              <>
                <p>When an alert notifies an alert method, the delivery appears here.</p>
                <Button component={Link} href="/alert-methods" variant="default">
                  View alert methods
                </Button>
              </>
            )}
          </EmptyState>
        }
      />
    </Page>
  )
}
export default DeliveriesPage

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
  const names = [...new Set([...stored, ...listed, ...(value === "" ? [] : [value])])].toSorted()
  return (
    <Select
      label="Alert method"
      all="All alert methods"
      value={value}
      onChange={onChange}
      data={names.map((name) => ({ value: name, label: name }))}
    />
  )
}

const timeBefore = (hours: string): string =>
  new Date(Date.now() - Number.parseInt(hours, 10) * 3_600_000).toISOString()
