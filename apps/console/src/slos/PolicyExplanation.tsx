import type { ExplainedPolicy as Explanation } from "@tocsin/api"
import { Button } from "@mantine/core"
import type { DefinitionKey } from "../api/Definitions.ts"
import { api } from "../api/Queries.ts"
import { Warnings } from "../components/Warnings.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { meanText } from "../components/NumberFormat.ts"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"
import { minuteMs } from "../time/Minute.ts"
import { heldReasonText } from "./HeldReason.ts"
import css from "./PolicyExplanation.module.css"
import { useObjectiveNames } from "./ObjectiveNames.ts"
import { timeText } from "../time/TimeZone.ts"

type PolicyAt = DefinitionKey & {
  readonly policy: string
  /** The minute, in Unix milliseconds; the latest one if absent. */
  readonly at?: number | undefined
}

/** A button that shows which conditions of an alert policy are met, and why. */
export const PolicyExplanation = ({
  isOpen,
  onToggle,
  ...props
}: PolicyAt & {
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
}) => (
  <>
    <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
      {isOpen ? t("Hide explanation") : t("Explain")}
    </Button>
    {isOpen && <ExplainedPolicy {...props} />}
  </>
)

/** Which conditions of an alert policy are met at a minute, and why. */
export const ExplainedPolicy = ({ project, name, policy, at }: PolicyAt) => {
  const range = at === undefined ? {} : { from: timeText(at), to: timeText(at + minuteMs) }
  const query = api.useQuery("get", "/api/slos/{sloName}/explain", {
    params: {
      path: { sloName: name },
      header: { project },
      query: { alertPolicy: policy, ...range },
    },
  })
  const objectiveName = useObjectiveNames({ project, name })
  const minute = query.data?.minutes.at(-1)
  return (
    <>
      <QueryError query={query} />
      {query.isPending && <p className="dim small">{t("Loading…")}</p>}
      {minute !== undefined && (
        <div className={css.explanation} aria-busy={query.isPlaceholderData}>
          <p className="dim small">
            {rich("Conditions at {time}", { time: <DateTime at={query.data?.to ?? minute.at} /> })}
          </p>
          <Warnings warnings={query.data?.warnings ?? []} />
          {minute.objectives.map((objective) => (
            <ExplainedObjective
              key={objective.name ?? ""}
              objective={objective}
              name={objectiveName(objective.name)}
            />
          ))}
        </div>
      )}
    </>
  )
}

type Explained = Explanation["minutes"][number]["objectives"][number]

const ExplainedObjective = ({
  objective,
  name,
}: {
  readonly objective: Explained
  readonly name: string
}) => (
  <section aria-label={name}>
    <p>
      <strong>
        <bdi>{name}</bdi>
      </strong>{" "}
      <span className="dim">
        {objective.isMet ? t("meets the conditions") : t("does not meet the conditions")}
      </span>
    </p>
    {objective.held !== undefined && (
      <p>
        <strong>{t("Alert held: {reason}", { reason: heldReasonText(objective.held.reason) })}.</strong>{" "}
        <span className="dim">{objective.held.detail}.</span>
      </p>
    )}
    {objective.conditionGroups.map(({ conditions }, group) => (
      // The groups of a policy have no names, and keep their order.
      // oxlint-disable-next-line react/no-array-index-key
      <ul key={group}>
        {conditions.map(({ condition, isMet, reason, detail, good, total }) => (
          <li key={condition} data-met={isMet}>
            {condition}
            <span className="dim small">
              {detail}. {reason !== "no_data" && eventsText(good, total)}
            </span>
          </li>
        ))}
      </ul>
    ))}
  </section>
)

const eventsText = (good: number, total: number): string =>
  t("{bad} of {total} events are bad.", {
    bad: meanText(Math.max(0, total - good)),
    total: meanText(total),
  })
