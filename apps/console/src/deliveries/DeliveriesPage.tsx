import { Button, NativeSelect } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { pageOptions, poll, pollMs } from "../api/Queries.ts"
import { useFilters } from "../components/AddressBar.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Cross } from "../components/Icon.tsx"
import { LoadMore } from "../components/LoadMore.tsx"
import { Page } from "../components/Page.tsx"
import table from "../components/Table.module.css"
import css from "./Deliveries.module.css"
import { DeliveryTable } from "./DeliveryTable.tsx"
import { type Delivery, eventNames } from "./DeliveryText.ts"

/** The delivery log, newest first. */
const DeliveriesPage = () => {
  const [search, set] = useFilters()
  const [method, state, event, since, alert] = filterNames.map((name) => search.get(name) ?? "") as Filters
  const isFiltered = filterNames.some((name) => search.has(name))

  const query = useInfiniteQuery({
    queryKey: ["deliveries", method, state, event, since, alert],
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
      <div className={table.filters} role="group" aria-label="Filters">
        <MethodFilter
          value={method}
          listed={deliveries?.map(({ alertMethod }) => `${alertMethod.project}/${alertMethod.name}`) ?? []}
          onChange={(value) => set({ method: value })}
        />
        <NativeSelect
          label="Status"
          value={state}
          onChange={({ currentTarget: { value } }) => set({ state: value })}
          data={[
            { value: "", label: "All statuses" },
            { value: "pending", label: "Pending or retrying" },
            { value: "sending", label: "Sending" },
            { value: "delivered", label: "Delivered" },
            { value: "exhausted", label: "Exhausted" },
            { value: "failed", label: "Failed" },
          ]}
        />
        <NativeSelect
          label="Event"
          value={event}
          onChange={({ currentTarget: { value } }) => set({ event: value })}
          data={[
            { value: "", label: "All events" },
            ...Object.entries(eventNames)
              .filter(([value]) => value !== "test")
              .map(([value, label]) => ({ value, label })),
          ]}
        />
        <NativeSelect
          label="Created"
          value={since}
          onChange={({ currentTarget: { value } }) => set({ since: value })}
          data={[
            { value: "", label: "Any time" },
            { value: "1h", label: "Last hour" },
            { value: "24h", label: "Last 24 hours" },
            { value: "168h", label: "Last 7 days" },
          ]}
        />
        {alert !== "" && <AlertFilter id={alert} onRemove={() => set({ alert: "" })} />}
      </div>
      <QueryError query={query} />
      {deliveries?.length === 0 && (
        <EmptyState title={isFiltered ? "No matching deliveries" : "No deliveries yet"}>
          {isFiltered ? (
            <Button
              variant="default"
              onClick={() => set(Object.fromEntries(filterNames.map((name) => [name, ""])))}
            >
              Clear filters
            </Button>
          ) : (
            <p>When an alert notifies an alert method, the delivery appears here.</p>
          )}
        </EmptyState>
      )}
      {deliveries !== undefined && deliveries.length > 0 && (
        <div className={table.wrap} aria-busy={query.isPlaceholderData}>
          <DeliveryTable deliveries={deliveries} label="Deliveries, newest first" />
          <LoadMore query={query} label="Load older deliveries" />
        </div>
      )}
    </Page>
  )
}
export default DeliveriesPage

const filterNames = ["method", "state", "event", "since", "alert"]

type Filters = [
  method: string,
  state: Delivery["state"] | "",
  event: Exclude<Delivery["event"], "test"> | "",
  since: string,
  alert: string,
]

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
    <NativeSelect
      label="Alert method"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: "", label: "All alert methods" },
        ...names.map((name) => ({ value: name, label: name })),
      ]}
    />
  )
}

/** The filter that a link from an alert sets; it can only be removed. */
const AlertFilter = ({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) => (
  <div className={css.alertFilter}>
    <span>Alert</span>
    <Button
      variant="default"
      fullWidth
      justify="space-between"
      rightSection={<Cross />}
      aria-label={`Remove filter: alert ${id}`}
      onClick={onRemove}
    >
      <span className={css.alertId}>{id}</span>
    </Button>
  </div>
)

const timeBefore = (hours: string): string =>
  new Date(Date.now() - Number.parseInt(hours, 10) * 3_600_000).toISOString()
