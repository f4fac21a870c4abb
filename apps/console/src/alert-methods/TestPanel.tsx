import type { AlertMethodTest } from "@tocsin/api"
import { Stack } from "@mantine/core"
import { Link } from "wouter"
import { api } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Notice } from "../components/Notice.tsx"
import { TestCard } from "../components/TestCard.tsx"
import { t } from "../language/Text.tsx"
import { VerifyCard } from "../deliveries/VerifyCard.tsx"
import { AttemptView } from "../deliveries/AttemptView.tsx"

/** Sends a test notification through a stored alert method, and shows the request and its outcome. */
export const TestPanel = ({ project, name }: { readonly project: string; readonly name: string }) => {
  const test = api.useMutation("post", "/api/alertmethods/{name}/test")
  return (
    <TestCard
      label={t("Send test")}
      hint={t("Sends a signed notification with sample values to the URL of this alert method.")}
      test={test}
      onTest={() => test.mutate({ params: { path: { name }, header: { project } } })}
    >
      {test.data !== undefined && (
        <>
          <TestOutcome test={test.data} />
          {test.data.deliveryId !== undefined && (
            <Link href={`/deliveries/${test.data.deliveryId}`}>{t("View test in the delivery log")}</Link>
          )}
          {test.data.request !== undefined && (
            <VerifyCard
              key={test.data.attempt.startedAt}
              headers={test.data.request.headers}
              body={test.data.request.body}
              sentAt={test.data.attempt.startedAt}
              status={test.data.attempt.status}
            />
          )}
        </>
      )}
    </TestCard>
  )
}

/** What came of a test. */
export const TestOutcome = ({ test }: { readonly test: AlertMethodTest }) => (
  <>
    <Notice kind={test.attempt.reason === undefined ? "ok" : "bad"}>
      <strong>{test.message}</strong>
      {test.detail !== undefined && <p>{sentence(test.detail)}</p>}
    </Notice>
    <AttemptView attempt={test.attempt} hidesOutcome={test.detail !== undefined} />
    {test.request !== undefined && (
      <Stack gap="xs">
        <h3>{t("Request")}</h3>
        <CodeBlock text={requestText(test.request)} label={t("Request")} isWrapped />
      </Stack>
    )}
  </>
)

const requestText = ({ method, headers, body }: NonNullable<AlertMethodTest["request"]>): string =>
  [method, ...headers.map(({ name, value }) => `${name}: ${value}`), "", body].join("\n")

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`
