import { bodyOf, client } from "../api/Client.ts"
import { pollMs } from "../api/Queries.ts"
import { PagedListPage } from "../lists/ListPage.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { labelOf, StatusBadge } from "../components/StatusBadge.tsx"
import { deliveryStatus } from "../deliveries/DeliveryText.ts"
import { t } from "../language/Text.tsx"
import { StoredWithoutEffect } from "./StoredWithoutEffect.tsx"

/** Every alert method with its status. */
const AlertMethodsPage = () => (
  <PagedListPage
    subtitle={t("The webhooks that alerts are sent to.")}
    kind="alertmethods"
    read={(query, signal) => bodyOf(client.GET("/api/console/alertmethods", { params: { query }, signal }))}
    everyMs={pollMs}
    columns={[
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
    more={t("Load more alert methods")}
    emptyTitle={t("No alert methods yet")}
    emptyText={t(
      "Alert methods appear here with their status. An alert method sends a signed webhook to your URL when an alert is triggered.",
    )}
  >
    <StoredWithoutEffect />
  </PagedListPage>
)
export default AlertMethodsPage

const detailCount = (count: number): string =>
  t("{count, plural, one {# detail} other {# details}}", { count })
