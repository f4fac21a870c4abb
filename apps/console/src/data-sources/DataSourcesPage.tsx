import { useInfiniteQuery } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { pageOptions, poll, pollMs } from "../api/Queries.ts"
import { CreateLink } from "../components/CreateLink.tsx"
import { EmptyState } from "../components/EmptyState.tsx"
import { ListTable, RowLink } from "../components/ListTable.tsx"
import { Page } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { useIsEditor } from "../session/Session.ts"
import { rich, t } from "../language/Text.tsx"

/** Every data source with its state. */
const DataSourcesPage = () => {
  const isEditor = useIsEditor()
  const query = useInfiniteQuery({
    queryKey: ["data-sources"],
    queryFn: ({ pageParam: cursor, signal }) =>
      bodyOf(client.GET("/api/datasources", { params: { query: { limit: 100, cursor } }, signal })),
    ...pageOptions,
    refetchInterval: poll(5 * pollMs),
  })
  const sources = query.data?.pages.flatMap(({ data }) => data)
  const create = isEditor && <CreateLink href="/data-sources/new" label={t("Create data source")} />
  return (
    <Page
      title={t("Data sources")}
      subtitle={t("The servers that the counts of SLOs are read from.")}
      actions={sources !== undefined && sources.length > 0 && create}
    >
      <ListTable
        query={query}
        items={sources}
        label={t("Data sources")}
        columns={[
          {
            name: t("Name"),
            cell: ({ definition: { metadata } }) => (
              <>
                <RowLink href={`/data-sources/${metadata.project}/${metadata.name}`}>
                  {metadata.displayName ?? metadata.name}
                </RowLink>
                <div className="dim small">
                  {metadata.project} / {metadata.name}
                </div>
              </>
            ),
          },
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
        keyOf={({ definition: { metadata } }) => `${metadata.project}/${metadata.name}`}
        more={t("Load more data sources")}
        empty={
          <EmptyState title={t("No data sources yet")}>
            <p>
              {t(
                "Data sources appear here with their status. A data source is a server with Prometheus's HTTP API, and how to log in to it. SLOs name it to read their counts.",
              )}
            </p>
            {create}
          </EmptyState>
        }
      />
    </Page>
  )
}
export default DataSourcesPage
