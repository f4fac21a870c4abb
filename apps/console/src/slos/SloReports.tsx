import { api } from "../api/Queries.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { Card } from "../components/Page.tsx"
import css from "./SloPage.module.css"

/** The latest reports of an SLO, each as a page for printing and as files. */
export const SloReports = ({ project, name }: DefinitionKey) => {
  const query = api.useQuery("get", "/api/reports", {
    params: { query: { project, slo: name, limit: reportsShown } },
  })
  const reports = query.data?.data
  return (
    <Card title="Reports">
      <QueryError query={query} />
      {reports?.length === 0 && (
        <p className="dim">
          A signed report of this SLO will appear here an hour after the end of each time window, or of each
          month if the window is rolling.
        </p>
      )}
      {reports !== undefined && reports.length > 0 && (
        <ul className={css.policies}>
          {reports.map(({ id, period }) => {
            const link = (format: string) => `/api/reports/${encodeURIComponent(id)}?format=${format}`
            return (
              <li key={id}>
                <a href={link("html")} target="_blank" rel="noreferrer">
                  <DateTime at={period.from} /> to <DateTime at={period.to} />
                </a>{" "}
                <a className="small" href={link("json")} download={`report-${id}.json`}>
                  JSON
                </a>{" "}
                <a className="small" href={link("csv")} download={`report-${id}.csv`}>
                  CSV
                </a>
              </li>
            )
          })}
        </ul>
      )}
    </Card>
  )
}

/** How many reports an SLO's page shows. */
const reportsShown = 12
