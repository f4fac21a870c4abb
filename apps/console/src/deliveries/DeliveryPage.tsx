import { Button, SegmentedControl, Stack } from "@mantine/core"
import { attemptsMax } from "@tocsin/domain/forms"
import { Link } from "wouter"
import { useDisplayNames } from "../api/Definitions.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { useFilters } from "../components/Filters.tsx"
import { NamedObject } from "../components/NamedObject.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DateTime, RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { rich, t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { AttemptView, Outcome } from "./AttemptView.tsx"
import css from "./Deliveries.module.css"
import { type Attempt, type Delivery, deliveryStatus, eventName, isResendable } from "./DeliveryText.ts"
import { RequestView } from "./RequestView.tsx"
import { VerifyCard } from "./VerifyCard.tsx"

/** A delivery: its status, what each attempt sent and received, and a button to resend it. */
const DeliveryPage = ({ id }: { readonly id: string }) => {
  const isEditor = useIsEditor()
  const init = { params: { path: { id } } }
  const query = api.useQuery("get", "/api/deliveries/{id}", init, { refetchInterval: poll(pollMs) })
  const resend = api.useMutation("post", "/api/deliveries/{id}/resend", {
    onSuccess: async () => {
      await query.refetch()
      // The button that had it is gone.
      document.querySelector("h1")?.focus()
    },
  })
  const { data } = query
  const methodName = useDisplayNames("alertmethods", data?.alertMethod, { enabled: data !== undefined })
  const back = { href: "/deliveries", text: t("Deliveries") }
  if (data === undefined) {
    return (
      <Page title={t("Delivery")} back={back}>
        <QueryError query={query} />
      </Page>
    )
  }
  const { alertMethod } = data
  const isRetrying = deliveryStatus(data) === "retrying"
  return (
    <Page
      title={eventName(data.event)}
      back={back}
      subtitle={
        <>
          <StatusBadge status={deliveryStatus(data)} />
          <span>
            {rich("to <method></method>", {
              method: () => (
                <NamedObject
                  {...alertMethod}
                  displayName={methodName(alertMethod)}
                  // A subscriber of a status page has no page.
                  href={
                    data.event.startsWith("status_page.")
                      ? undefined
                      : `/alert-methods/${alertMethod.project}/${alertMethod.name}`
                  }
                />
              ),
            })}
          </span>
        </>
      }
      actions={
        isEditor &&
        isResendable(data) && (
          <Button
            loading={resend.isPending}
            onClick={() => resend.mutate(init)}
            variant={data.state === "delivered" ? "default" : "filled"}
          >
            {isRetrying ? t("Retry now") : t("Resend notification")}
          </Button>
        )
      }
    >
      <QueryError query={query} />
      <ErrorNotice error={resend.error} />
      {resend.isSuccess && (
        <Notice kind="ok" role="status">
          {t("The notification is being resent with the same ID.")}
        </Notice>
      )}
      {data.state === "exhausted" && data.event !== "test" && (
        <Notice kind="bad">
          {t(
            "All attempts failed, and no further attempts are scheduled. Fix the cause shown for the last attempt, then resend the notification.",
          )}
        </Notice>
      )}
      {data.event === "test" && (
        <Notice kind="info">
          {t(
            "A test with sample values: one attempt, which is not retried and does not change the health of the alert method.",
          )}
        </Notice>
      )}
      <Card title={t("Details")}>
        <DescriptionList
          properties={[
            [
              t("SLO"),
              data.event !== "test" && data.slo.name !== "" ? (
                <NamedObject {...data.slo} href={`/slos/${data.slo.project}/${data.slo.name}`} />
              ) : undefined,
            ],
            [
              t("Alert"),
              data.alertId && (
                <Link href={`/alerts/${encodeURIComponent(data.alertId)}`}>{data.alertId}</Link>
              ),
            ],
            [t("Notification ID"), <code>{data.id}</code>],
            [t("Created"), <DateTime at={data.createdAt} />],
            [t("Next attempt"), data.nextAttemptAt && <RelativeTime at={data.nextAttemptAt} />],
            [t("First success"), data.deliveredAt && <DateTime at={data.deliveredAt} />],
            [t("Settled"), data.settledAt && <DateTime at={data.settledAt} />],
          ]}
        />
      </Card>
      <Attempts id={id} delivery={data} attempts={data.attempts} />
    </Page>
  )
}
export default DeliveryPage

const Attempts = ({
  id,
  delivery,
  attempts,
}: {
  readonly id: string
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
}) => {
  const { values, set } = useFilters(["attempt", "show"])
  const chosen = attempts.find(({ number }) => `${number}` === values.attempt) ?? attempts.at(-1)
  const isRequest = values.show === "request"
  const query = api.useQuery(
    "get",
    "/api/console/deliveries/{id}/request",
    { params: { path: { id } } },
    // What was sent is shown again after each attempt.
    { enabled: chosen !== undefined, staleTime: 0, refetchInterval: false },
  )
  const request = query.data
  const sent = request?.attempts.find(({ number }) => number === chosen?.number)
  if (chosen === undefined) {
    return (
      <Card title={t("Attempts")}>
        <p className="dim">{t("No attempts yet.")}</p>
      </Card>
    )
  }
  return (
    <>
      <Card
        title={t("Attempts")}
        aside={
          delivery.event !== "test" && (
            <span className="dim small">
              {t("{used} of {max} attempts used", { used: delivery.attemptsUsed, max: attemptsMax })}
            </span>
          )
        }
      >
        <div className={css.log}>
          <ol className={css.attempts} reversed aria-label={t("Attempts")}>
            {attempts.toReversed().map((attempt) => (
              <li key={attempt.number}>
                <Link
                  href={`?${new URLSearchParams({ ...(isRequest && { show: "request" }), attempt: `${attempt.number}` })}`}
                  replace
                  className={css.attempt}
                  aria-current={attempt === chosen ? "true" : undefined}
                >
                  <span className={css.no}>
                    <span className="visually-hidden">{t("Attempt")}</span> {attempt.number}
                  </span>
                  <Outcome attempt={attempt} />
                  <span />
                  <span className="dim small">
                    <RelativeTime at={attempt.startedAt} />
                  </span>
                </Link>
              </li>
            ))}
          </ol>
          <Stack
            gap="md"
            miw={0}
            component="section"
            aria-label={t("Attempt {number}", { number: chosen.number })}
          >
            <SegmentedControl
              size="xs"
              style={{ alignSelf: "flex-start" }}
              aria-label={t("Part of the attempt")}
              value={isRequest ? "request" : "response"}
              onChange={(value) => set({ show: value === "request" ? value : "" })}
              data={[
                { value: "response", label: t("Response") },
                { value: "request", label: t("Request") },
              ]}
            />
            {isRequest ? (
              <>
                <QueryError query={query} />
                {request !== undefined && <RequestView request={request} number={chosen.number} />}
              </>
            ) : (
              <AttemptView attempt={chosen} />
            )}
          </Stack>
        </div>
      </Card>
      {request?.body !== undefined && sent !== undefined && (
        <VerifyCard
          key={chosen.number}
          headers={sent.headers}
          body={request.body}
          sentAt={chosen.startedAt}
          status={chosen.status}
        />
      )}
    </>
  )
}
