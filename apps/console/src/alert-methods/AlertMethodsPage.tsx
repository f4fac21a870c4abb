import { Button } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import { pageOptions, poll, pollMs } from "../api/Queries.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Plus } from "../components/Icon.tsx"
import { LoadMore } from "../components/LoadMore.tsx"
import { Page } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { labelOf, StatusBadge } from "../components/StatusBadge.tsx"
import table from "../components/Table.module.css"
import { deliveryStatus } from "../deliveries/DeliveryText.ts"
import { useIsEditor } from "../session/Session.ts"

/** Every alert method with its status. */
const AlertMethodsPage = () => {
  const isEditor = useIsEditor()
  const query = useInfiniteQuery({
    queryKey: ["alert-methods"],
    queryFn: ({ pageParam: cursor, signal }) =>
      bodyOf(client.GET("/api/console/alertmethods", { params: { query: { limit: 100, cursor } }, signal })),
    ...pageOptions,
    refetchInterval: poll(pollMs),
  })
  const methods = query.data?.pages.flatMap(({ data }) => data)
  const create = isEditor && (
    <Button component={Link} href="/alert-methods/new" leftSection={<Plus />}>
      Create alert method
    </Button>
  )
  return (
    <Page
      title="Alert methods"
      subtitle="The webhooks that alerts are sent to."
      actions={methods !== undefined && methods.length > 0 && create}
    >
      <QueryError query={query} />
      {methods?.length === 0 && (
        <EmptyState title="No alert methods yet">
          <p>
            Alert methods appear here with their status. An alert method sends a signed webhook to your URL
            when an alert is triggered.
          </p>
          {create}
        </EmptyState>
      )}
      {methods !== undefined && methods.length > 0 && (
        <div className={table.wrap}>
          <table className={table.table} aria-label="Alert methods">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Status</th>
                <th scope="col">Latest delivery</th>
                <th scope="col">Content</th>
              </tr>
            </thead>
            <tbody>
              {methods.map(({ definition: { metadata, spec }, state, latestDelivery }) => (
                <tr key={`${metadata.project}/${metadata.name}`} className={table.row}>
                  <td>
                    <Link href={`/alert-methods/${metadata.project}/${metadata.name}`} className={table.link}>
                      {metadata.displayName ?? metadata.name}
                    </Link>
                    <div className="dim small">
                      {metadata.project} / {metadata.name}
                    </div>
                  </td>
                  <td>
                    <StatusBadge status={state} />
                  </td>
                  <td data-label="Latest delivery" className={table.nowrap}>
                    {latestDelivery === undefined ? (
                      <span className="dim">None</span>
                    ) : (
                      <>
                        {labelOf(deliveryStatus(latestDelivery))}{" "}
                        <span className="dim">
                          <RelativeTime at={latestDelivery.createdAt} />
                        </span>
                      </>
                    )}
                  </td>
                  <td className={`dim ${table.nowrap}`}>
                    {spec.webhook.template === undefined
                      ? detailCount(spec.webhook.templateFields?.length ?? 0)
                      : "Custom JSON"}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <LoadMore query={query} label="Load more alert methods" />
        </div>
      )}
    </Page>
  )
}
export default AlertMethodsPage

const detailCount = (count: number): string => (count === 1 ? "1 detail" : `${count} details`)
