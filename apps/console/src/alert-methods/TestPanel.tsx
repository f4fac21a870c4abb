import { Stack } from "@mantine/core"
import type { Schemas } from "../api/Client.ts"
import { api } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Notice } from "../components/Notice.tsx"
import { TestCard } from "../components/TestCard.tsx"
import { AttemptView } from "../deliveries/AttemptView.tsx"

/** Sends a test notification and shows the request and its outcome. */
export const TestPanel = ({ project, name }: { readonly project: string; readonly name: string }) => {
  const test = api.useMutation("post", "/api/alertmethods/{name}/test")
  return (
    <TestCard
      label="Send test"
      hint="Sends a signed notification with sample values to the URL of this alert method."
      test={test}
      onTest={() => test.mutate({ params: { path: { name }, header: { project } } })}
    >
      {test.data !== undefined && <Result test={test.data} />}
    </TestCard>
  )
}

const Result = ({ test }: { readonly test: Schemas["AlertMethodTest"] }) => (
  <>
    <Notice kind={test.attempt.reason === undefined ? "ok" : "bad"}>
      <strong>{test.message}</strong>
      {test.detail !== undefined && <p>{sentence(test.detail)}</p>}
    </Notice>
    <AttemptView attempt={test.attempt} hidesOutcome={test.detail !== undefined} />
    {test.request !== undefined && (
      <Stack gap={6}>
        <h3>Request</h3>
        <CodeBlock text={requestText(test.request)} label="Request" isWrapped />
      </Stack>
    )}
  </>
)

const requestText = ({ method, headers, body }: NonNullable<Schemas["AlertMethodTest"]["request"]>): string =>
  [method, ...headers.map(({ name, value }) => `${name}: ${value}`), "", body].join("\n")

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`
