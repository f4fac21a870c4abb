import { Button } from "@mantine/core"
import { useState } from "react"
import { useResource } from "../api/Resource.ts"
import { Empty } from "../shell/Empty.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Page } from "../shell/Page.tsx"
import { pollMs } from "../shell/Poll.ts"
import table from "../shell/Table.module.css"
import { isOpen, readAlerts } from "./Alert.ts"
import { AlertTable } from "./AlertTable.tsx"
import css from "./Alerts.module.css"

/** What is in danger now, and what was. */
const AlertsPage = () => {
  const { data, failure, reload } = useResource("alerts", (signal) => readAlerts("*", signal), pollMs)
  const [pastShown, setPastShown] = useState(pastStep)
  const open = data?.filter(isOpen) ?? []
  const past = data?.filter((alert) => !isOpen(alert)) ?? []
  return (
    <Page title="Alerts" subtitle="Which SLOs are in danger, and which were.">
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      {data?.length === 0 && (
        <Empty title="No alert so far">
          <p>When an SLO is in danger, its alert stands here, with what was met and whom it rang.</p>
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <section className={css.section}>
            <h2>Open{open.length > 0 && ` (${open.length})`}</h2>
            {open.length === 0 ? (
              <p className="dim">Nothing is in danger now.</p>
            ) : (
              <div className={table.wrap}>
                <AlertTable alerts={open} label="Open alerts" />
              </div>
            )}
          </section>
          {past.length > 0 && (
            <section className={css.section}>
              <h2>Past</h2>
              <div className={table.wrap}>
                <AlertTable alerts={past.slice(0, pastShown)} label="Past alerts" />
                {past.length > pastShown && (
                  <div className={table.more}>
                    <Button variant="default" onClick={() => setPastShown(pastShown + pastStep)}>
                      Show older alerts
                    </Button>
                  </div>
                )}
              </div>
            </section>
          )}
        </>
      )}
    </Page>
  )
}
export default AlertsPage

const pastStep = 50
