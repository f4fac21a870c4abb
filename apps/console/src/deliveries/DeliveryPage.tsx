import { Button } from "@mantine/core"
import { useState } from "react"
import { Link } from "wouter"
import { call, CallFailed, failureOf } from "../api/Call.ts"
import { pollMs, useResource } from "../api/Resource.ts"
import { useIsEditor } from "../session/Session.ts"
import { Ago, At } from "../shell/Ago.tsx"
import { Fact, Facts } from "../shell/Facts.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Notice } from "../shell/Notice.tsx"
import { Card, Page } from "../shell/Page.tsx"
import { StateChip } from "../shell/StateChip.tsx"
import { AttemptView } from "./AttemptView.tsx"
import css from "./Deliveries.module.css"
import { eventNames, stateOf } from "./Words.ts"

/** One delivery: where it stands, every attempt, and sending it again. */
const DeliveryPage = ({ id }: { readonly id: string }) => {
  const isEditor = useIsEditor()
  const { data, failure, reload } = useResource(
    `delivery/${id}`,
    (signal) => call("GET /api/deliveries/{id}", { path: { id }, signal }),
    pollMs,
  )
  const [resend, setResend] = useState<"ready" | "busy" | "done" | CallFailed>("ready")
  const back = { href: "/deliveries", text: "Deliveries" }
  if (data === undefined) {
    return (
      <Page title="Delivery" back={back}>
        {failure !== undefined && <Failure failure={failure} retry={reload} />}
      </Page>
    )
  }

  const sendAgain = async (): Promise<void> => {
    setResend("busy")
    try {
      await call("POST /api/deliveries/{id}/resend", { path: { id } })
      setResend("done")
      reload()
    } catch (error) {
      setResend(failureOf(error))
    }
  }

  return (
    <Page
      title={eventNames[data.event]}
      back={back}
      subtitle={
        <>
          <StateChip state={stateOf(data)} />
          <span>
            to <MethodLink {...data.alertMethod} />
          </span>
        </>
      }
      actions={
        isEditor &&
        data.state !== "sending" && (
          <Button
            loading={resend === "busy"}
            onClick={sendAgain}
            variant={data.state === "delivered" ? "default" : "filled"}
          >
            Resend
          </Button>
        )
      }
    >
      {failure !== undefined && <Failure failure={failure} />}
      {resend instanceof CallFailed && <Failure failure={resend} />}
      {resend === "done" && (
        <Notice kind="ok" role="status">
          It is sent again, under the same ID.
        </Notice>
      )}
      {data.state === "exhausted" && (
        <Notice kind="bad">
          Every attempt failed, and no more is made by itself. Mend what the last attempt says, then resend.
        </Notice>
      )}
      <Card title="Delivery">
        <Facts>
          <Fact name="SLO">
            <Link href={`/slos/${data.slo.project}/${data.slo.name}`}>{data.slo.name}</Link>{" "}
            <span className="dim">{data.slo.project}</span>
          </Fact>
          <Fact name="Alert">
            <Link href={`/alerts/${encodeURIComponent(data.alertId)}`}>{data.alertId}</Link>
          </Fact>
          <Fact name="Notification-Id">
            <code>{data.id}</code>
          </Fact>
          <Fact name="Created">
            <At at={data.createdAt} />
          </Fact>
          {data.nextAttemptAt !== undefined && (
            <Fact name="Next attempt">
              <Ago at={data.nextAttemptAt} />
            </Fact>
          )}
          {data.settledAt !== undefined && (
            <Fact name="Settled">
              <At at={data.settledAt} />
            </Fact>
          )}
        </Facts>
      </Card>
      <Card title="Attempts">
        {data.attempts.length === 0 ? (
          <p className="dim">None yet.</p>
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

const MethodLink = ({ project, name }: { readonly project: string; readonly name: string }) => (
  <>
    <Link href={`/alert-methods/${project}/${name}`}>{name}</Link> in {project}
  </>
)
