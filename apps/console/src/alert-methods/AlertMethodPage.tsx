import { Button } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { Link, useLocation } from "wouter"
import { client } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { DefinitionYaml } from "../components/DefinitionYaml.tsx"
import { DescriptionList, Property } from "../components/DescriptionList.tsx"
import { Dialog } from "../components/Dialog.tsx"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card, Page } from "../components/Page.tsx"
import { DateTime, RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import table from "../components/Table.module.css"
import { DeliveryTable } from "../deliveries/DeliveryTable.tsx"
import { useIsEditor } from "../session/Session.ts"
import css from "./AlertMethodPage.module.css"
import type { AlertMethodDefinition } from "./FormValues.ts"
import { type Health, healthStatus } from "./HealthStatus.ts"
import { TestPanel } from "./TestPanel.tsx"

interface Key {
  readonly project: string
  readonly name: string
}

/** An alert method: its status, a test, its configuration, its latest deliveries and its definition. */
const AlertMethodPage = ({ project, name }: Key) => {
  const isEditor = useIsEditor()
  const definition = useDocuments("alertmethods", { project, name })
  const health = api.useQuery(
    "get",
    "/api/alertmethods/{name}/health",
    { params: { path: { name }, header: { project } } },
    { refetchInterval: poll(pollMs) },
  )
  const method = definition.data?.[0]
  const back = { href: "/alert-methods", text: "Alert methods" }
  if (method === undefined) {
    return (
      <Page title={name} back={back}>
        <QueryError query={definition} />
        {definition.data !== undefined && (
          <Notice kind="warn">
            Alert method {name} was not found in project {project}.
          </Notice>
        )}
      </Page>
    )
  }
  return (
    <Page
      title={method.metadata.displayName ?? name}
      back={back}
      subtitle={
        <>
          {health.data !== undefined && <StatusBadge status={healthStatus(health.data)} />}
          <span>
            {project} / {name}
          </span>
        </>
      }
      actions={
        isEditor && (
          <Actions project={project} name={name} health={health.data} onChanged={() => health.refetch()} />
        )
      }
    >
      <QueryError query={health} />
      {health.data !== undefined && <HealthNotice health={health.data} />}
      {method.spec.description !== undefined && <p className="description">{method.spec.description}</p>}
      {isEditor && <TestPanel project={project} name={name} />}
      <Configuration method={method} health={health.data} />
      <LatestDeliveries project={project} name={name} />
      <DefinitionYaml kind="alertmethods" project={project} name={name} />
    </Page>
  )
}
export default AlertMethodPage

const HealthNotice = ({ health }: { readonly health: Health }) => {
  if (health.isDisabled) {
    return (
      <Notice kind="bad">
        <p>
          {health.disabledBecause === "gone"
            ? "Disabled because the receiver responded with status 410 Gone."
            : "Disabled because every delivery failed for five days."}{" "}
          No notifications are sent. Fix the receiver, then enable the alert method and resend the failed
          deliveries.
        </p>
      </Notice>
    )
  }
  if (health.isAllPaused) {
    return (
      <Notice kind="warn">
        The operator of this server paused all deliveries. They stay queued until the operator resumes them.
      </Notice>
    )
  }
  if (health.isPaused) {
    return (
      <Notice kind="warn">
        <p>
          Deliveries are paused. They stay queued until you resume them.
          {health.sending > 0 &&
            ` ${health.sending} ${health.sending === 1 ? "delivery is" : "deliveries are"} still in flight.`}
        </p>
      </Notice>
    )
  }
  if (health.failures > 0 && health.failingSince !== undefined) {
    return (
      <Notice kind="warn">
        <p>
          {health.failures} {health.failures === 1 ? "attempt has" : "attempts have"} failed since{" "}
          <DateTime at={health.failingSince} />. Deliveries are retried automatically.
          {health.circuitOpenUntil !== undefined && (
            <>
              {" "}
              Next attempt: <RelativeTime at={health.circuitOpenUntil} />.
            </>
          )}
        </p>
      </Notice>
    )
  }
  return null
}

const Actions = ({
  project,
  name,
  health,
  onChanged,
}: Key & { readonly health: Health | undefined; readonly onChanged: () => unknown }) => {
  const [, navigate] = useLocation()
  const [isDeleting, setIsDeleting] = useState(false)
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
  const remove = api.useMutation("delete", "/api/delete/{kind}", {
    onSuccess: () => navigate("/alert-methods"),
  })
  return (
    <>
      <Button component={Link} href={`/alert-methods/${project}/${name}/edit`}>
        Edit method
      </Button>
      {health?.isDisabled && (
        <Button variant="default" onClick={() => change.mutate("enable")}>
          Enable method
        </Button>
      )}
      {health !== undefined && (
        <Button variant="default" onClick={() => change.mutate(health.isPaused ? "resume" : "pause")}>
          {health.isPaused ? "Resume deliveries" : "Pause deliveries"}
        </Button>
      )}
      <Button
        variant="default"
        onClick={() => {
          remove.reset()
          setIsDeleting(true)
        }}
      >
        Delete method
      </Button>
      <ErrorNotice error={change.error} />
      {isDeleting && (
        <Dialog
          title={`Delete ${name}?`}
          onClose={() => setIsDeleting(false)}
          buttons={
            <>
              <Button
                color="red"
                loading={remove.isPending}
                onClick={() =>
                  remove.mutate({
                    params: { path: { kind: "alertmethods" }, query: { name: [name] }, header: { project } },
                  })
                }
              >
                Delete method
              </Button>
              <Button variant="default" onClick={() => setIsDeleting(false)}>
                Cancel
              </Button>
            </>
          }
        >
          <p>
            Alerts no longer notify this alert method. Its pending deliveries fail and remain in the delivery
            log.
          </p>
          <ErrorNotice error={remove.error} />
        </Dialog>
      )}
    </>
  )
}

const Configuration = ({
  method: { metadata, spec },
  health,
}: {
  readonly method: AlertMethodDefinition
  readonly health: Health | undefined
}) => {
  const { template, templateFields, headers, sendResolution } = spec.webhook
  return (
    <Card title="Configuration">
      <DescriptionList>
        <Property name="URL">
          <span className="dim">Stored and hidden</span>
        </Property>
        <Property name="Content">
          {template === undefined ? (
            <span className={css.fields}>
              {templateFields?.map((field) => (
                <code key={field}>{field}</code>
              ))}
            </span>
          ) : (
            <CodeBlock text={template} label="Template" />
          )}
        </Property>
        {headers !== undefined && headers.length > 0 && (
          <Property name="Headers">
            {headers.map((header) => (
              <div key={header.name}>
                <code>
                  {header.name}: {header.isSecret ? "••••••••" : header.value}
                </code>
              </div>
            ))}
          </Property>
        )}
        <Property name="Resolved alerts">{sendResolution ? "Sent" : "Not sent"}</Property>
        <Property name="Last success">
          {health?.lastSuccessAt === undefined ? "Never" : <RelativeTime at={health.lastSuccessAt} />}
        </Property>
        {Object.entries(metadata.annotations ?? {}).map(([key, value]) => (
          <Property key={key} name={key}>
            {value}
          </Property>
        ))}
      </DescriptionList>
    </Card>
  )
}

const LatestDeliveries = ({ project, name }: Key) => {
  const query = api.useQuery(
    "get",
    "/api/deliveries",
    { params: { query: { project, alertMethod: name, limit: 5 } } },
    { refetchInterval: poll(pollMs) },
  )
  const deliveries = query.data?.data
  return (
    <Card
      title="Latest deliveries"
      aside={
        <Link href={`/deliveries?method=${encodeURIComponent(`${project}/${name}`)}`}>
          View all deliveries
        </Link>
      }
    >
      <QueryError query={query} />
      {deliveries?.length === 0 && (
        <p className="dim">No deliveries yet. They appear here when an alert notifies this alert method.</p>
      )}
      {deliveries !== undefined && deliveries.length > 0 && (
        <div className={table.inset}>
          <DeliveryTable deliveries={deliveries} label="Latest deliveries" isOfOneMethod />
        </div>
      )}
    </Card>
  )
}
