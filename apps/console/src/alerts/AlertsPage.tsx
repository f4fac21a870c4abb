import { NativeSelect } from "@mantine/core"
import { useState } from "react"
import { Empty } from "../shell/Empty.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Page } from "../shell/Page.tsx"
import table from "../shell/Table.module.css"
import { useOpenAlerts, usePastAlerts } from "./Alert.ts"
import { AlertTable, OlderAlerts } from "./AlertTable.tsx"
import css from "./Alerts.module.css"

/** What is in danger now, and what was. */
const AlertsPage = () => {
  const [days, setDays] = useState(7)
  const { data: open, failure, reload } = useOpenAlerts({})
  const past = usePastAlerts({}, days, 50)
  const openCount = open === undefined ? "" : `${open.data.length}${open.links.next === undefined ? "" : "+"}`
  return (
    <Page title="Alerts" subtitle="Which SLOs are in danger, and which were.">
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      {failure === undefined && past.failure !== undefined && (
        <Failure failure={past.failure} retry={past.reload} />
      )}
      {open !== undefined && past.items !== undefined && (
        <>
          <section className={css.section}>
            <h2>Open{open.data.length > 0 && ` (${openCount})`}</h2>
            {open.data.length === 0 ? (
              <Empty title="Nothing is in danger now">
                <p>When an SLO is, its alert stands here by itself, with what was met and whom it rang.</p>
              </Empty>
            ) : (
              <div className={table.wrap}>
                <AlertTable alerts={open.data} label="Open alerts" />
              </div>
            )}
            {open.links.next !== undefined && (
              <p className="dim">More are open: these are the {open.data.length} that triggered last.</p>
            )}
          </section>
          <section className={css.section}>
            <div className={css.head}>
              <h2>Past</h2>
              <NativeSelect
                aria-label="How far back"
                value={`${days}`}
                onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
                data={[
                  { value: "1", label: "In the last 24 hours" },
                  { value: "7", label: "In the last 7 days" },
                  { value: "30", label: "In the last 30 days" },
                  { value: "365", label: "In the last year" },
                ]}
              />
            </div>
            {past.items.length === 0 ? (
              <p className="dim">No alert of this time is over.</p>
            ) : (
              <div className={table.wrap} aria-busy={past.isStale}>
                <AlertTable alerts={past.items} label="Past alerts" />
                <OlderAlerts past={past} />
              </div>
            )}
          </section>
        </>
      )}
    </Page>
  )
}
export default AlertsPage
