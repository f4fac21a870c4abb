import { Group, Stack } from "@mantine/core"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Check, Cross } from "../components/Icon.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import css from "./Deliveries.module.css"
import { adviceOf, type Attempt, durationText } from "./DeliveryText.ts"

/** An attempt: its outcome, how to fix a failure, the time of each phase and the response. */
export const AttemptView = ({
  attempt,
  hidesOutcome = false,
}: {
  readonly attempt: Attempt
  /** The page shows the outcome elsewhere. */
  readonly hidesOutcome?: boolean
}) => {
  const isFailed = attempt.reason !== undefined
  const advice = adviceOf(attempt)
  return (
    <Stack gap={10} miw={0}>
      <Group justify="space-between" gap="4px 16px">
        {!hidesOutcome && (
          <strong className={isFailed ? "bad" : "ok"}>
            {isFailed ? <Cross /> : <Check />} {outcomeText(attempt)}
          </strong>
        )}
        <span className="dim small">
          <DateTime at={attempt.startedAt} />
        </span>
      </Group>
      {advice !== undefined && <p className="small">{advice}</p>}
      <Phases attempt={attempt} />
      {attempt.responseBody !== undefined && attempt.responseBody !== "" && (
        <Stack gap={6}>
          <h3>Response</h3>
          <CodeBlock text={attempt.responseBody} label={`Response to attempt ${attempt.number}`} isWrapped />
        </Stack>
      )}
    </Stack>
  )
}

const outcomeText = ({ status, reason, detail }: Attempt): string => {
  if (reason === undefined || reason === "http_status") return `Response status ${status ?? "unknown"}`
  const text = detail ?? reason.replaceAll("_", " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The phases as a bar to scale and as a list. */
const Phases = ({ attempt }: { readonly attempt: Attempt }) => {
  const phases = phasesOf(attempt)
  const total = phases.reduce((sum, { ms }) => sum + ms, 0)
  return (
    <Stack gap="xs">
      {total > 0 && phases.length > 1 && (
        <div className={css.bar} aria-hidden="true">
          {phases.map(({ name, ms, color }) => (
            <span key={name} className={css[color]} style={{ flexGrow: ms }} />
          ))}
        </div>
      )}
      <dl className={css.phaseList}>
        {phases.length > 1 &&
          phases.map(({ name, ms, color }) => (
            <div key={name}>
              <dt>
                <span className={`${css.key} ${css[color]}`} aria-hidden="true" />
                {name}
              </dt>
              <dd>{durationText(ms)}</dd>
            </div>
          ))}
        <div>
          <dt>Total</dt>
          <dd>{durationText(attempt.durationMs)}</dd>
        </div>
      </dl>
    </Stack>
  )
}

const phasesOf = ({ connectMs = 0, headMs, durationMs }: Attempt) =>
  headMs === undefined
    ? [{ name: "Until failure", ms: durationMs, color: "phase0" }]
    : [
        { name: "Connect", ms: connectMs, color: "phase0" },
        { name: "Wait for response", ms: Math.max(0, headMs - connectMs), color: "phase1" },
        { name: "Read response", ms: Math.max(0, durationMs - headMs), color: "phase2" },
      ].filter(({ name, ms }) => ms > 0 || name === "Wait for response")
