import { Button } from "@mantine/core"
import { Link } from "wouter"
import { api, poll, pollMs } from "../api/Queries.ts"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DateTime, RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { useIsEditor } from "../session/Session.ts"
import { AttemptView } from "./AttemptView.tsx"
import css from "./Deliveries.module.css"
import { deliveryStatus, eventNames } from "./DeliveryText.ts"

/** A delivery: its status, its attempts, and a button to resend it. */
const DeliveryPage = ({ id }: { readonly id: string }) => {
  const isEditor = useIsEditor()
  const init = { params: { path: { id } } }
  const query = api.useQuery("get", "/api/deliveries/{id}", init, { refetchInterval: poll(pollMs) })
  const resend = api.useMutation("post", "/api/deliveries/{id}/resend", { onSuccess: () => query.refetch() })
  const { data } = query
  const back = { href: "/deliveries", text: "Deliveries" }
  if (data === undefined) {
    return (
      <Page title="Delivery" back={back}>
        <QueryError query={query} />
      </Page>
    )
  }
  const { alertMethod } = data
  return (
    <Page
      title={eventNames[data.event]}
      back={back}
      subtitle={
        <>
          <StatusBadge status={deliveryStatus(data)} />
          <span>
            to{" "}
            <Link href={`/alert-methods/${alertMethod.project}/${alertMethod.name}`}>{alertMethod.name}</Link>{" "}
            in {alertMethod.project}
          </span>
        </>
      }
      actions={
        isEditor &&
        data.state !== "sending" && (
          <Button
            loading={resend.isPending}
            onClick={() => resend.mutate(init)}
            variant={data.state === "delivered" ? "default" : "filled"}
          >
            Resend notification
          </Button>
        )
      }
    >
      <QueryError query={query} />
      <ErrorNotice error={resend.error} />
      {resend.isSuccess && (
        <Notice kind="ok" role="status">
          The notification is being resent with the same ID.
        </Notice>
      )}
      {data.state === "exhausted" && (
        <Notice kind="bad">
          All attempts failed, and no further attempts are scheduled. Fix the cause shown for the last
          attempt, then resend the notification.
        </Notice>
      )}
      <Card title="Details">
        <DescriptionList
          properties={[
            [
              "SLO",
              <>
                <Link href={`/slos/${data.slo.project}/${data.slo.name}`}>{data.slo.name}</Link>{" "}
                <span className="dim">{data.slo.project}</span>
              </>,
            ],
            [
              "Alert",
              data.alertId && (
                <Link href={`/alerts/${encodeURIComponent(data.alertId)}`}>{data.alertId}</Link>
              ),
            ],
            ["Notification ID", <code>{data.id}</code>],
            ["Created", <DateTime at={data.createdAt} />],
            ["Next attempt", data.nextAttemptAt && <RelativeTime at={data.nextAttemptAt} />],
            ["Settled", data.settledAt && <DateTime at={data.settledAt} />],
          ]}
        />
      </Card>
      <Card title="Attempts">
        {data.attempts.length === 0 ? (
          <p className="dim">No attempts yet.</p>
        ) : (
          <ol className={css.attempts} reversed>
            {data.attempts.toReversed().map((attempt) => (
              <li key={attempt.number}>
                <span className={css.no} aria-label={`Attempt ${attempt.number}`} role="img">
                  {attempt.number}
                </span>
                <AttemptView attempt={attempt} />
              </li>
            ))}
          </ol>
        )}
      </Card>
    </Page>
  )
}
export default DeliveryPage
