import type { StatusPageSubscription } from "@tocsin/api"
import { useQueryClient } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { usePages } from "../api/Queries.ts"
import { ConfirmButton } from "../components/Dialog.tsx"
import { ListTable } from "../components/ListTable.tsx"
import { Card } from "../components/Page.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"

/** Who is notified of what the status page of a project publishes. */
export const Subscriptions = ({ project }: { readonly project: string }) => {
  const queryClient = useQueryClient()
  const queryKey = ["subscriptions", project]
  const { query, items } = usePages(queryKey, (cursor, signal) =>
    bodyOf(
      client.GET("/api/status-page-subscriptions", {
        params: { query: { project, limit: 50, cursor } },
        signal,
      }),
    ),
  )
  return (
    <Card title={t("Subscriptions")}>
      <ListTable
        query={query}
        items={items}
        label={t("Subscriptions")}
        keyOf={({ id }: StatusPageSubscription) => id}
        more={t("Load more")}
        isInCard
        empty={<p className="dim">{t("No subscriptions yet. People subscribe on the status page.")}</p>}
        columns={[
          { name: t("Contact"), cell: ({ contact }) => <bdi>{contact}</bdi> },
          { name: t("Kind"), cell: ({ kind }) => (kind === "email" ? t("Email") : t("Webhook")) },
          {
            name: t("Confirmed"),
            cell: ({ confirmedAt }) =>
              confirmedAt === undefined ? t("Not confirmed") : <DateTime at={confirmedAt} />,
          },
          {
            name: t("Actions"),
            cell: ({ id }) => (
              <ConfirmButton
                label={t("Delete subscription")}
                title={t("Delete this subscription?")}
                color="red"
                action={async () => {
                  await client.DELETE("/api/status-page-subscriptions/{id}", { params: { path: { id } } })
                  await queryClient.invalidateQueries({ queryKey })
                }}
              >
                <p>{t("The address is deleted, and nothing more is sent to it.")}</p>
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Card>
  )
}
