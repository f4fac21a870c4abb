import { bodyOf, client } from "../api/Client.ts"
import { pollMs } from "../api/Queries.ts"
import { PagedListPage } from "../lists/ListPage.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { rich, t } from "../language/Text.tsx"

/** Every data source with its state. */
const DataSourcesPage = () => (
  <PagedListPage
    subtitle={t("The servers that the counts of SLOs are read from.")}
    kind="datasources"
    read={(query, signal) => bodyOf(client.GET("/api/datasources", { params: { query }, signal }))}
    everyMs={5 * pollMs}
    columns={[
      {
        name: t("Status"),
        cell: ({ state, unavailableSince }) => (
          <>
            <StatusBadge status={state} />
            {unavailableSince !== undefined && (
              <div className="dim small">
                {rich("First failure: {time}", { time: <RelativeTime at={unavailableSince} /> })}
              </div>
            )}
          </>
        ),
      },
      {
        name: t("SLOs"),
        isLabeled: true,
        cell: ({ sloCount, affectedSloCount }) =>
          affectedSloCount === 0
            ? sloCount
            : t("{count} of {all} affected", { count: affectedSloCount, all: sloCount }),
      },
      {
        name: t("URL"),
        isLabeled: true,
        cell: ({ definition: { spec } }) => <span className="break">{spec.prometheus.url}</span>,
      },
    ]}
    more={t("Load more data sources")}
    emptyTitle={t("No data sources yet")}
    emptyText={t(
      "Data sources appear here with their status. A data source defines a server that has the Prometheus HTTP API, and how to authenticate to it. SLOs reference it to read their counts.",
    )}
  />
)
export default DataSourcesPage
