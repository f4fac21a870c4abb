import { Button } from "@mantine/core"
import { useState } from "react"
import type { DefinitionKey } from "../api/Definitions.ts"
import { api } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import css from "./PolicyExplanation.module.css"

/** A button that shows which conditions of an alert policy are met now, and why. */
export const PolicyExplanation = ({ project, name, policy }: DefinitionKey & { readonly policy: string }) => {
  const [isOpen, setIsOpen] = useState(false)
  const query = api.useQuery(
    "get",
    "/api/slos/{sloName}/explain",
    { params: { path: { sloName: name }, header: { project }, query: { alertPolicy: policy } } },
    { enabled: isOpen },
  )
  const minute = query.data?.minutes.at(-1)
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-expanded={isOpen}
        loading={query.isLoading}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? "Hide explanation" : "Explain"}
      </Button>
      {isOpen && <QueryError query={query} />}
      {isOpen && minute !== undefined && (
        <div className={css.explanation}>
          <p className="dim small">
            Conditions at <DateTime at={query.data?.to ?? minute.at} />
          </p>
          {minute.objectives.map((objective) => (
            <section key={objective.name ?? ""} aria-label={objective.name ?? "Composite"}>
              <p>
                <strong>{objective.name ?? "Composite"}</strong>{" "}
                <span className="dim">
                  {objective.isMet ? "meets the conditions" : "does not meet the conditions"}
                </span>
              </p>
              {objective.conditionGroups.map(({ conditions }, group) => (
                // The groups of a policy have no names, and keep their order.
                // oxlint-disable-next-line react/no-array-index-key
                <ul key={group}>
                  {conditions.map(({ condition, isMet, detail, good, total }) => (
                    <li key={condition} data-met={isMet}>
                      {condition}
                      <span className="dim small">
                        {detail}. {eventsText(good, total)}
                      </span>
                    </li>
                  ))}
                </ul>
              ))}
            </section>
          ))}
        </div>
      )}
    </>
  )
}

const eventsText = (good: number, total: number): string => {
  const bad = Math.max(0, total - good)
  return `${number.format(bad)} of ${number.format(total)} events are bad.`
}

const number = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 })
