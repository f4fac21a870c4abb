import { NativeSelect } from "@mantine/core"
import { useState } from "react"
import { EmptyState } from "../components/EmptyState.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { LoadMore } from "../components/LoadMore.tsx"
import { Page } from "../components/Page.tsx"
import table from "../components/Table.module.css"
import { useActiveAlerts, usePastAlerts } from "./AlertQueries.ts"
import { AlertTable } from "./AlertTable.tsx"
import css from "./Alerts.module.css"

/** The active alerts and the past ones. */
const AlertsPage = () => {
  const [days, setDays] = useState(7)
  const activeQuery = useActiveAlerts({})
  const pastQuery = usePastAlerts({}, days, 50)
  const active = activeQuery.data?.pages[0]
  const past = pastQuery.data?.pages.flatMap(({ data }) => data)
  const hasMore = active?.links.next !== undefined
  return (
    <Page title="Alerts" subtitle="SLOs whose alert policy conditions are met now, and past alerts.">
      <QueryError query={activeQuery.error === null ? pastQuery : activeQuery} />
      {active !== undefined && past !== undefined && (
        <>
          <section className={css.section}>
            <h2>Active{active.data.length > 0 && ` (${active.data.length}${hasMore ? "+" : ""})`}</h2>
            {active.data.length === 0 ? (
              <EmptyState title="No active alerts">
                <p>
                  When an SLO meets the conditions of an alert policy, its alert appears here with the
                  notifications that were sent.
                </p>
              </EmptyState>
            ) : (
              <div className={table.wrap}>
                <AlertTable alerts={active.data} label="Active alerts" />
              </div>
            )}
            {hasMore && <p className="dim">Showing the {active.data.length} most recent active alerts.</p>}
          </section>
          <section className={css.section}>
            <div className={css.head}>
              <h2>Past</h2>
              <NativeSelect
                aria-label="Time range of past alerts"
                value={`${days}`}
                onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
                data={[
                  { value: "1", label: "Last 24 hours" },
                  { value: "7", label: "Last 7 days" },
                  { value: "30", label: "Last 30 days" },
                  { value: "365", label: "Last year" },
                ]}
              />
            </div>
            {past.length === 0 ? (
              <p className="dim">No alerts were resolved or canceled in this time range.</p>
            ) : (
              <div className={table.wrap} aria-busy={pastQuery.isPlaceholderData}>
                <AlertTable alerts={past} label="Past alerts" />
                <LoadMore query={pastQuery} label="Load older alerts" />
              </div>
            )}
          </section>
        </>
      )}
    </Page>
  )
}
export default AlertsPage
