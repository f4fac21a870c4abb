import { useInfiniteQuery } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { pageOptions, poll, pollMs } from "../api/Queries.ts"
import { CreateLink } from "../components/CreateLink.tsx"
import { EmptyState } from "../components/EmptyState.tsx"
import { ListTable, RowLink } from "../components/ListTable.tsx"
import { Page } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { labelOf, StatusBadge } from "../components/StatusBadge.tsx"
import { deliveryStatus } from "../deliveries/DeliveryText.ts"
import { StoredWithoutEffect } from "./StoredWithoutEffect.tsx"
import { useIsEditor } from "../session/Session.ts"
import { t } from "../language/Text.tsx"

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
  const create = isEditor && <CreateLink href="/alert-methods/new" label={t("Create alert method")} />
  return (
    <Page
      title={t("Alert methods")}
      subtitle={t("The webhooks that alerts are sent to.")}
      actions={methods !== undefined && methods.length > 0 && create}
    >
      <ListTable
        query={query}
        items={methods}
        label={t("Alert methods")}
        columns={[
          {
            name: t("Name"),
            cell: ({ definition: { metadata } }) => (
              <>
                <RowLink href={`/alert-methods/${metadata.project}/${metadata.name}`}>
                  {metadata.displayName ?? metadata.name}
                </RowLink>
                <div className="dim small">
                  {metadata.project} / {metadata.name}
                </div>
              </>
            ),
          },
          { name: t("Status"), cell: ({ state }) => <StatusBadge status={state} /> },
          {
            name: t("Latest delivery"),
            isLabeled: true,
            cell: ({ latestDelivery }) =>
              latestDelivery === undefined ? (
                <span className="dim">{t("None")}</span>
              ) : (
                <>
                  {labelOf(deliveryStatus(latestDelivery))}{" "}
                  <span className="dim">
                    <RelativeTime at={latestDelivery.createdAt} />
                  </span>
                </>
              ),
          },
          {
            name: t("Content"),
            isLabeled: true,
            cell: ({ definition: { spec } }) =>
              spec.webhook.template === undefined
                ? detailCount(spec.webhook.templateFields?.length ?? 0)
                : t("Custom JSON"),
          },
        ]}
        keyOf={({ definition: { metadata } }) => `${metadata.project}/${metadata.name}`}
        more={t("Load more alert methods")}
        empty={
          <EmptyState title={t("No alert methods yet")}>
            <p>
              {t(
                "Alert methods appear here with their status. An alert method sends a signed webhook to your URL when an alert is triggered.",
              )}
            </p>
            {create}
          </EmptyState>
        }
      />
      <StoredWithoutEffect />
    </Page>
  )
}
export default AlertMethodsPage

const detailCount = (count: number): string =>
  t("{count, plural, one {# detail} other {# details}}", { count })
