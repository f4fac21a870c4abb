import { Button, NativeSelect } from "@mantine/core"
import { call } from "../api/Call.ts"
import { readDocuments } from "../api/Definitions.ts"
import { usePages } from "../api/Pages.ts"
import { pollMs, useResource } from "../api/Resource.ts"
import { useQuery } from "../shell/Address.ts"
import { Empty } from "../shell/Empty.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Cross } from "../shell/Icon.tsx"
import { Page } from "../shell/Page.tsx"
import table from "../shell/Table.module.css"
import css from "./Deliveries.module.css"
import { DeliveryTable } from "./DeliveryTable.tsx"
import { type Delivery, eventNames } from "./Words.ts"

/** The log of deliveries, the newest first, by itself up to date. */
const DeliveriesPage = () => {
  const [search, setSearch] = useQuery()
  const method = search.get("method") ?? ""
  const state = search.get("state") ?? ""
  const event = search.get("event") ?? ""
  const since = search.get("since") ?? ""
  const alert = search.get("alert") ?? ""
  const filtered = [method, state, event, since, alert].some((each) => each !== "")

  const { items, isStale, more, isReadingMore, failure, reload } = usePages(
    `deliveries?${search}`,
    (cursor, signal) => {
      const [project = "", name = ""] = method.split("/")
      return call("GET /api/deliveries", {
        query: {
          limit: 50,
          ...(cursor !== undefined && { cursor }),
          ...(method !== "" && { project, alertMethod: name }),
          ...(state !== "" && { state: state as Delivery["state"] }),
          ...(event !== "" && { event: event as Exclude<Delivery["event"], "test"> }),
          ...(since !== "" && { from: sinceTime(since) }),
          ...(alert !== "" && { alertId: alert }),
        },
        signal,
      })
    },
    idOf,
    pollMs,
  )

  const set = (name: string, value: string): void => {
    const next = new URLSearchParams(search)
    if (value === "") next.delete(name)
    else next.set(name, value)
    setSearch(next)
  }

  return (
    <Page
      title="Deliveries"
      subtitle="Every notification on its way, and how it went. Kept up to date by itself."
    >
      <div className={table.filters} role="group" aria-label="Filters">
        <MethodFilter
          value={method}
          seen={items?.map(({ alertMethod }) => `${alertMethod.project}/${alertMethod.name}`) ?? []}
          onChange={(value) => set("method", value)}
        />
        <NativeSelect
          label="State"
          value={state}
          onChange={({ currentTarget: { value } }) => set("state", value)}
          data={[
            { value: "", label: "All states" },
            { value: "pending", label: "Waiting or retrying" },
            { value: "sending", label: "Sending" },
            { value: "delivered", label: "Delivered" },
            { value: "exhausted", label: "Exhausted" },
            { value: "failed", label: "Failed" },
          ]}
        />
        <NativeSelect
          label="Event"
          value={event}
          onChange={({ currentTarget: { value } }) => set("event", value)}
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
          onChange={({ currentTarget: { value } }) => set("since", value)}
          data={[
            { value: "", label: "At any time" },
            { value: "1h", label: "In the last hour" },
            { value: "24h", label: "In the last 24 hours" },
            { value: "168h", label: "In the last 7 days" },
          ]}
        />
        {alert !== "" && <AlertFilter id={alert} onRemove={() => set("alert", "")} />}
      </div>
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      {items?.length === 0 && (
        <Empty title={filtered ? "No delivery fits these filters" : "Nothing was sent yet"}>
          {filtered ? (
            <Button variant="default" onClick={() => setSearch(new URLSearchParams())}>
              Show all deliveries
            </Button>
          ) : (
            <p>When an alert rings an alert method, its delivery appears here by itself.</p>
          )}
        </Empty>
      )}
      {items !== undefined && items.length > 0 && (
        <div className={table.wrap} aria-busy={isStale}>
          <DeliveryTable deliveries={items} label="Deliveries, the newest first" />
          {more !== undefined && (
            <div className={table.more}>
              <Button variant="default" loading={isReadingMore} onClick={more}>
                Show older deliveries
              </Button>
            </div>
          )}
        </div>
      )}
    </Page>
  )
}
export default DeliveriesPage

const idOf = ({ id }: Delivery): string => id

const MethodFilter = ({
  value,
  seen,
  onChange,
}: {
  readonly value: string
  /** Those of the deliveries on the page: one that was deleted, or made since, has deliveries too. */
  readonly seen: ReadonlyArray<string>
  readonly onChange: (value: string) => void
}) => {
  const { data = [] } = useResource("alert-method-names", (signal) =>
    readDocuments("alertmethods", {}, signal),
  )
  const stored = data.map(({ metadata }) => `${metadata.project}/${metadata.name}`)
  const names = [...new Set([...stored, ...seen, ...(value === "" ? [] : [value])])].toSorted()
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

/** Comes with the way from an alert to its deliveries, and can only be taken away. */
const AlertFilter = ({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) => (
  <div className={css.alertFilter}>
    <span>Alert</span>
    <Button
      variant="default"
      fullWidth
      justify="space-between"
      rightSection={<Cross />}
      aria-label={`${id}: show those of all alerts`}
      onClick={onRemove}
    >
      <span className={css.alertId}>{id}</span>
    </Button>
  </div>
)

const sinceTime = (since: string): string =>
  new Date(Date.now() - Number.parseInt(since, 10) * 3_600_000).toISOString()
