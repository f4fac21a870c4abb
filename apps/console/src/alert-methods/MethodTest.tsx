import { Button } from "@mantine/core"
import { useState } from "react"
import type { Schemas } from "../api/ApiTypes.ts"
import { call, CallFailed, failureOf } from "../api/Call.ts"
import { AttemptView } from "../deliveries/AttemptView.tsx"
import { CodeBlock } from "../shell/CodeBlock.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Notice } from "../shell/Notice.tsx"
import { Card } from "../shell/Page.tsx"
import css from "./AlertMethodPage.module.css"

/** Sends a test, and shows what was sent and what came of it. Source: contract section 5.2; decision 0309. */
export const MethodTest = ({ project, name }: { readonly project: string; readonly name: string }) => {
  const [state, setState] = useState<"ready" | "busy" | CallFailed | Schemas["AlertMethodTest"]>("ready")
  const test = async (): Promise<void> => {
    setState("busy")
    try {
      setState(await call("POST /api/alertmethods/{name}/test", { path: { name }, headers: { project } }))
    } catch (error) {
      setState(failureOf(error))
    }
  }
  return (
    <Card
      title="Test"
      aside={
        <Button variant="light" loading={state === "busy"} onClick={test}>
          Test
        </Button>
      }
    >
      <div aria-live="polite" className={css.result}>
        {state === "ready" && (
          <p className="dim">Sends one notification with sample values, the very way of a real one.</p>
        )}
        {state === "busy" && <p className="dim">Waiting for the answer, at most 15 s …</p>}
        {state instanceof CallFailed && <Failure failure={state} />}
        {typeof state === "object" && !(state instanceof CallFailed) && <Result test={state} />}
      </div>
    </Card>
  )
}

const Result = ({ test }: { readonly test: Schemas["AlertMethodTest"] }) => (
  <>
    <Notice kind={test.attempt.reason === undefined ? "ok" : "bad"}>
      <strong>{test.message}</strong>
      {test.detail !== undefined && <p>{sentence(test.detail)}</p>}
    </Notice>
    <AttemptView attempt={test.attempt} isOutcomeSaid={test.detail !== undefined} />
    {test.request !== undefined && (
      <div>
        <h3 className={css.requestTitle}>The request</h3>
        <CodeBlock text={requestText(test.request)} label="Request" isWrapped />
      </div>
    )}
  </>
)

const requestText = ({ method, headers, body }: NonNullable<Schemas["AlertMethodTest"]["request"]>): string =>
  [method, ...headers.map(({ name, value }) => `${name}: ${value}`), "", body].join("\n")

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
