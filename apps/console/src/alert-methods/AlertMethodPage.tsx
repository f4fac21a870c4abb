import { Button } from "@mantine/core"
import { useState } from "react"
import { Link, useLocation } from "wouter"
import { call, type CallFailed, failureOf } from "../api/Call.ts"
import { readDocuments } from "../api/Definitions.ts"
import { pollMs, useResource } from "../api/Resource.ts"
import { DeliveryTable } from "../deliveries/DeliveryTable.tsx"
import { useIsEditor } from "../session/Session.ts"
import { Ago, At } from "../shell/Ago.tsx"
import { CodeBlock } from "../shell/CodeBlock.tsx"
import { Definition } from "../shell/Definition.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import { Fact, Facts } from "../shell/Facts.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Notice } from "../shell/Notice.tsx"
import { Card, Page } from "../shell/Page.tsx"
import { StateChip } from "../shell/StateChip.tsx"
import table from "../shell/Table.module.css"
import css from "./AlertMethodPage.module.css"
import type { AlertMethodDefinition } from "./Draft.ts"
import { MethodTest } from "./MethodTest.tsx"
import { type Health, stateOf } from "./MethodHealth.ts"

/** What names an alert method. */
interface Key {
  readonly project: string
  readonly name: string
}

/** One alert method: how it is, a test of it, its latest deliveries and its definition. */
const AlertMethodPage = ({ project, name }: Key) => {
  const isEditor = useIsEditor()
  const definition = useResource(`alert-method/${project}/${name}`, (signal) =>
    readDocuments("alertmethods", { project, name }, signal),
  )
  const health = useResource(
    `health/${project}/${name}`,
    (signal) => call("GET /api/alertmethods/{name}/health", { path: { name }, headers: { project }, signal }),
    pollMs,
  )
  const method = definition.data?.[0]
  const back = { href: "/alert-methods", text: "Alert methods" }
  if (method === undefined) {
    return (
      <Page title={name} back={back}>
        {definition.failure !== undefined && (
          <Failure failure={definition.failure} retry={definition.reload} />
        )}
        {definition.data !== undefined && (
          <Notice kind="warn">There is no alert method of this name in the project {project}.</Notice>
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
          {health.data !== undefined && <StateChip state={stateOf(health.data)} />}
          <span>
            {project} / {name}
          </span>
        </>
      }
      actions={
        isEditor && <Actions project={project} name={name} health={health.data} reload={health.reload} />
      }
    >
      {health.failure !== undefined && health.failure.status !== 404 && <Failure failure={health.failure} />}
      {health.data !== undefined && <HealthNotice health={health.data} />}
      {method.spec.description !== undefined && <p className="description">{method.spec.description}</p>}
      {isEditor && <MethodTest project={project} name={name} />}
      <WhatItDoes method={method} health={health.data} />
      <LatestDeliveries project={project} name={name} />
      <Definition kind="alertmethods" project={project} name={name} />
    </Page>
  )
}
export default AlertMethodPage

const HealthNotice = ({ health }: { readonly health: Health }) => {
  if (health.isDisabled) {
    return (
      <Notice kind="bad">
        {health.disabledBecause === "gone"
          ? "It is disabled, because the receiver answered 410 Gone."
          : "It is disabled, because it failed for five days."}{" "}
        Nothing is sent to it. Mend the receiver, then enable it again; deliveries that failed meanwhile can
        be resent.
      </Notice>
    )
  }
  if (health.isAllPaused) {
    return (
      <Notice kind="warn">
        Whoever runs this server has paused all deliveries. They wait, and none is lost.
      </Notice>
    )
  }
  if (health.isPaused) {
    return (
      <Notice kind="warn">
        It is paused: deliveries wait until it is resumed, and none is lost.
        {health.sending > 0 &&
          ` ${health.sending} on the way ${health.sending === 1 ? "is" : "are"} being finished.`}
      </Notice>
    )
  }
  if (health.failures > 0 && health.failingSince !== undefined) {
    return (
      <Notice kind="warn">
        <p>
          {health.failures} {health.failures === 1 ? "attempt" : "attempts"} failed since{" "}
          <At at={health.failingSince} />. They are made again by themselves.
          {health.circuitOpenUntil !== undefined && (
            <>
              {" "}
              The next one: <Ago at={health.circuitOpenUntil} />.
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
  reload,
}: Key & { readonly health: Health | undefined; readonly reload: () => void }) => {
  const [, navigate] = useLocation()
  const [isDeleting, setIsDeleting] = useState(false)
  const [failure, setFailure] = useState<CallFailed>()
  const run = async (action: () => Promise<unknown>): Promise<boolean> => {
    setFailure(undefined)
    try {
      await action()
      return true
    } catch (error) {
      setFailure(failureOf(error))
      return false
    }
  }
  const input = { path: { name }, headers: { project } }
  return (
    <>
      <Button component={Link} href={`/alert-methods/${project}/${name}/edit`}>
        Edit
      </Button>
      {health?.isDisabled && (
        <Button
          variant="default"
          onClick={() => run(() => call("POST /api/alertmethods/{name}/enable", input)).then(reload)}
        >
          Enable
        </Button>
      )}
      {health !== undefined && (
        <Button
          variant="default"
          onClick={() =>
            run(() =>
              health.isPaused
                ? call("POST /api/alertmethods/{name}/resume", input)
                : call("POST /api/alertmethods/{name}/pause", input),
            ).then(reload)
          }
        >
          {health.isPaused ? "Resume" : "Pause"}
        </Button>
      )}
      <Button variant="default" onClick={() => setIsDeleting(true)}>
        Delete
      </Button>
      {failure !== undefined && !isDeleting && <Failure failure={failure} />}
      {isDeleting && (
        <Dialog
          title={`Delete ${name}?`}
          onClose={() => setIsDeleting(false)}
          buttons={
            <>
              <Button
                color="red"
                onClick={async () => {
                  const isDone = await run(() =>
                    call("DELETE /api/delete/{kind}", {
                      path: { kind: "alertmethods" },
                      query: { name },
                      headers: { project },
                    }),
                  )
                  if (isDone) navigate("/alert-methods")
                }}
              >
                Delete
              </Button>
              <Button variant="default" onClick={() => setIsDeleting(false)}>
                Keep it
              </Button>
            </>
          }
        >
          <p>Alerts will not ring it any more. What waits to be sent to it fails, and stays in the log.</p>
          {failure !== undefined && <Failure failure={failure} />}
        </Dialog>
      )}
    </>
  )
}

const WhatItDoes = ({
  method,
  health,
}: {
  readonly method: AlertMethodDefinition
  readonly health: Health | undefined
}) => {
  const { webhook } = method.spec
  return (
    <Card title="What it does">
      <Facts>
        <Fact name="URL">
          <span className="dim">Stored and hidden</span>
        </Fact>
        <Fact name="Says">
          {webhook.template === undefined ? (
            <span className={css.fields}>
              {webhook.templateFields?.map((field) => (
                <code key={field}>{field}</code>
              ))}
            </span>
          ) : (
            <CodeBlock text={webhook.template} label="Template" />
          )}
        </Fact>
        {webhook.headers !== undefined && webhook.headers.length > 0 && (
          <Fact name="Headers">
            {webhook.headers.map((header) => (
              <div key={header.name}>
                <code>
                  {header.name}: {header.isSecret ? "••••••••" : header.value}
                </code>
              </div>
            ))}
          </Fact>
        )}
        <Fact name="Resolved alerts">{webhook.sendResolution ? "Told too" : "Not told"}</Fact>
        <Fact name="Latest success">
          {health?.lastSuccessAt === undefined ? "Never" : <Ago at={health.lastSuccessAt} />}
        </Fact>
        {Object.entries(method.metadata.annotations ?? {}).map(([key, value]) => (
          <Fact key={key} name={key}>
            {value}
          </Fact>
        ))}
      </Facts>
    </Card>
  )
}

const LatestDeliveries = ({ project, name }: Key) => {
  const { data, failure, reload } = useResource(
    `deliveries-of/${project}/${name}`,
    (signal) => call("GET /api/deliveries", { query: { project, alertMethod: name, limit: 5 }, signal }),
    pollMs,
  )
  if (data === undefined) return failure === undefined ? null : <Failure failure={failure} retry={reload} />
  return (
    <Card
      title="Latest deliveries"
      aside={<Link href={`/deliveries?method=${encodeURIComponent(`${project}/${name}`)}`}>All of them</Link>}
    >
      {data.data.length === 0 ? (
        <p className="dim">Nothing was sent to it yet.</p>
      ) : (
        <div className={table.inset}>
          <DeliveryTable deliveries={data.data} label="Latest deliveries" isOfOneMethod />
        </div>
      )}
    </Card>
  )
}
