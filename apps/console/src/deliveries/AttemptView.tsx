import { Group, Stack } from "@mantine/core"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Check, Cross } from "../components/Icon.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { adviceOf, type Attempt, outcomeText } from "./DeliveryText.ts"
import { Phases } from "./Phases.tsx"

/** An attempt: its outcome, how to fix a failure, the time of each phase and the response. */
export const AttemptView = ({
  attempt,
  hidesOutcome = false,
}: {
  readonly attempt: Attempt
  /** The page shows the outcome elsewhere. */
  readonly hidesOutcome?: boolean
}) => {
  const advice = adviceOf(attempt)
  const response = responseText(attempt)
  return (
    <Stack gap="xs" miw={0}>
      <Group justify="space-between" gap="var(--space-2xs) var(--space-md)">
        {!hidesOutcome && <Outcome attempt={attempt} />}
        <span className="dim small">
          <DateTime at={attempt.startedAt} />
        </span>
      </Group>
      {advice !== undefined && <p className="small">{advice}</p>}
      <Phases attempt={attempt} />
      {response !== "" && (
        <Stack gap="xs">
          <h3>{t("Response")}</h3>
          <CodeBlock
            text={response}
            label={t("Response to attempt {number}", { number: attempt.number })}
            isWrapped
          />
        </Stack>
      )}
    </Stack>
  )
}

/** What came of an attempt, as an icon and a line. */
export const Outcome = ({ attempt }: { readonly attempt: Attempt }) => {
  const isFailed = attempt.reason !== undefined
  return (
    <strong className={isFailed ? "bad" : "ok"}>
      {isFailed ? <Cross /> : <Check />} {outcomeText(attempt)}
    </strong>
  )
}

/** The headers that were kept, and the beginning of the body. */
const responseText = ({ responseHeaders = [], responseBody = "" }: Attempt): string =>
  [
    ...responseHeaders.map(({ name, value }) => `${name}: ${value}`),
    ...(responseHeaders.length > 0 && responseBody !== "" ? [""] : []),
    ...(responseBody === "" ? [] : [responseBody]),
  ].join("\n")
