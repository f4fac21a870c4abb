import type { AlertMethodHealth } from "@tocsin/api"
import { Button, Group } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { client } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { HeaderTexts } from "../components/HeaderTexts.tsx"
import { StoredWarnings } from "../components/Warnings.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card, DescriptionList } from "../components/Page.tsx"
import { DateTime, RelativeTime } from "../components/RelativeTime.tsx"
import { type Status, StatusBadge } from "../components/StatusBadge.tsx"
import { DeliveryTable } from "../deliveries/DeliveryTable.tsx"
import { useIsEditor } from "../session/Session.ts"
import { DefinitionPage } from "../history/DefinitionPage.tsx"
import { rich, t } from "../language/Text.tsx"
import type { AlertMethodDefinition } from "./FormValues.ts"
import { TestPanel } from "./TestPanel.tsx"

/** An alert method: its status, a test, its configuration, its latest deliveries and its definition. */
const AlertMethodPage = ({ project, name }: DefinitionKey) => {
  const isEditor = useIsEditor()
  const definition = useDocuments("alertmethods", { project, name })
  const health = api.useQuery(
    "get",
    "/api/alertmethods/{name}/health",
    { params: { path: { name }, header: { project } } },
    { refetchInterval: poll(pollMs) },
  )
  const method = definition.data?.[0]
  return (
    <DefinitionPage
      kind="alertmethods"
      project={project}
      name={name}
      query={definition}
      definition={method}
      subtitle={
        <>
          {health.data !== undefined && <StatusBadge status={healthStatus(health.data)} />}
          <span>
            {project} / {name}
          </span>
        </>
      }
      actions={
        <Actions project={project} name={name} health={health.data} onChanged={() => health.refetch()} />
      }
      deleteText={t(
        "Alerts no longer notify this alert method. Its pending deliveries fail and remain in the delivery log.",
      )}
    >
      {method !== undefined && (
        <>
          <QueryError query={health} />
          {health.data !== undefined && healthNotice(health.data)}
          <StoredWarnings kind="alertmethod" project={project} name={name} />
          {method.spec.description !== undefined && <p className="description">{method.spec.description}</p>}
          {isEditor && <TestPanel project={project} name={name} />}
          <Configuration method={method} health={health.data} />
          <LatestDeliveries project={project} name={name} />
        </>
      )}
    </DefinitionPage>
  )
}
export default AlertMethodPage

const healthStatus = (health: AlertMethodHealth): Status => {
  if (health.isDisabled) return "disabled"
  if (health.isPaused || health.isAllPaused) return "paused"
  if (health.failures > 0) return "failing"
  return health.lastSuccessAt === undefined ? "unused" : "healthy"
}

/** What the status means and what to do about it; nothing while deliveries succeed. */
const healthNotice = (health: AlertMethodHealth): ReactNode => {
  if (health.isDisabled) {
    return (
      <Notice kind="bad">
        <p>
          {health.disabledBecause === "gone"
            ? t("Disabled because the receiver responded with status 410 Gone.")
            : t("Disabled because every delivery failed for five days.")}{" "}
          {t(
            "No notifications are sent. Fix the receiver, then enable the alert method and resend the failed deliveries.",
          )}
        </p>
      </Notice>
    )
  }
  if (health.isAllPaused) {
    return (
      <Notice kind="warn">
        {t(
          "The operator of this server paused all deliveries. They stay queued until the operator resumes them.",
        )}
      </Notice>
    )
  }
  if (health.isPaused) {
    return (
      <Notice kind="warn">
        <p>
          {t("Deliveries are paused. They stay queued until you resume them.")}
          {health.inFlight > 0 && " "}
          {health.inFlight > 0 &&
            t("{count, plural, one {# delivery is} other {# deliveries are}} still in flight.", {
              count: health.inFlight,
            })}
        </p>
      </Notice>
    )
  }
  if (health.failures === 0 || health.failingSince === undefined) return null
  return (
    <Notice kind="warn">
      <p>
        {rich(
          "{count, plural, one {# attempt has} other {# attempts have}} failed since {time}. Deliveries are retried automatically.",
          { count: health.failures, time: <DateTime at={health.failingSince} /> },
        )}
        {health.circuitOpenUntil !== undefined && (
          <> {rich("Next attempt: {time}.", { time: <RelativeTime at={health.circuitOpenUntil} /> })}</>
        )}
      </p>
    </Notice>
  )
}

const Actions = ({
  project,
  name,
  health,
  onChanged,
}: DefinitionKey & { readonly health: AlertMethodHealth | undefined; readonly onChanged: () => unknown }) => {
  const init = { params: { path: { name }, header: { project } } }
  const change = useMutation({
    mutationFn: (action: "enable" | "pause" | "resume") =>
      ({
        enable: () => client.POST("/api/alertmethods/{name}/enable", init),
        pause: () => client.POST("/api/alertmethods/{name}/pause", init),
        resume: () => client.POST("/api/alertmethods/{name}/resume", init),
      })[action](),
    onSuccess: onChanged,
  })
  return (
    <>
      {health?.isDisabled && (
        <Button variant="default" onClick={() => change.mutate("enable")}>
          {t("Enable method")}
        </Button>
      )}
      {health !== undefined && (
        <Button variant="default" onClick={() => change.mutate(health.isPaused ? "resume" : "pause")}>
          {health.isPaused ? t("Resume deliveries") : t("Pause deliveries")}
        </Button>
      )}
      <ErrorNotice error={change.error} />
    </>
  )
}

const Configuration = ({
  method: { metadata, spec },
  health,
}: {
  readonly method: AlertMethodDefinition
  readonly health: AlertMethodHealth | undefined
}) => {
  const { template, templateFields, headers, sendResolution } = spec.webhook
  return (
    <Card title={t("Configuration")}>
      <DescriptionList
        properties={[
          [t("URL"), <span className="dim">{t("Stored and hidden")}</span>],
          [
            t("Content"),
            template === undefined ? (
              <Group gap="xs">
                {templateFields?.map((field) => (
                  <code key={field}>{field}</code>
                ))}
              </Group>
            ) : (
              <CodeBlock text={template} label={t("Template")} />
            ),
          ],
          [t("Headers"), headers && <HeaderTexts headers={headers} />],
          [t("Resolved alerts"), sendResolution ? t("Sent") : t("Not sent")],
          [
            t("Last success"),
            health?.lastSuccessAt === undefined ? t("Never") : <RelativeTime at={health.lastSuccessAt} />,
          ],
          ...Object.entries(metadata.annotations ?? {}),
        ]}
      />
    </Card>
  )
}

const LatestDeliveries = ({ project, name }: DefinitionKey) => {
  const query = api.useQuery(
    "get",
    "/api/deliveries",
    { params: { query: { project, alertMethod: name, limit: 5 } } },
    { refetchInterval: poll(pollMs) },
  )
  return (
    <Card
      title={t("Latest deliveries")}
      aside={
        <Link href={`/deliveries?method=${encodeURIComponent(`${project}/${name}`)}`}>
          {t("View all deliveries")}
        </Link>
      }
    >
      <DeliveryTable
        query={query}
        items={query.data?.data}
        label={t("Latest deliveries")}
        empty={
          <p className="dim">
            {t("No deliveries yet. They appear here when an alert notifies this alert method.")}
          </p>
        }
        isInCard
        isOfOneMethod
      />
    </Card>
  )
}
