import { Button, Group, Stack } from "@mantine/core"
import { useState } from "react"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { api, queryClient } from "../api/Queries.ts"
import { AddButton } from "../components/AddButton.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { AdjustedTime, adjustmentText } from "../budget-adjustments/AdjustmentText.tsx"
import { type BudgetAdjustment, projectOf, reasonOf } from "../budget-adjustments/AdjustmentValues.ts"
import { BudgetChanges } from "../budget-adjustments/BudgetChanges.tsx"
import { DeleteButton } from "../editor/DeleteButton.tsx"
import { ExcludeRange } from "../slos/ExcludeRange.tsx"
import { dayMs, minuteOf } from "../time/Minute.ts"
import css from "./SloPage.module.css"
import { timeText } from "../time/TimeZone.ts"

/** The budget adjustments of an SLO, with the record of what each has changed. */
const SloAdjustments = ({ project, name }: DefinitionKey) => {
  const isEditor = useIsEditor()
  const [isAdding, setIsAdding] = useState(false)
  const [added, setAdded] = useState<string>()
  const [now] = useState(() => minuteOf(Date.now()))
  // The server knows which adjustments select an SLO, also by its labels.
  const events = api.useQuery("get", "/api/slos/{sloName}/annotations", {
    params: {
      path: { sloName: name },
      header: { project },
      query: { from: timeText(now - 335 * dayMs), to: timeText(now + 65 * dayMs) },
    },
  })
  const ids = new Set(
    events.data?.annotations.flatMap(({ kind, id }) => (kind === "adjustment" ? [id] : [])) ?? [],
  )
  const names = [...new Set(Array.from(ids, (id) => id.slice(id.indexOf("/") + 1)))]
  const query = useDocuments("budgetadjustments", { name: names }, { enabled: names.length > 0 })
  const adjustments =
    names.length === 0
      ? []
      : query.data?.filter(({ metadata }) => ids.has(`${projectOf(metadata)}/${metadata.name}`))
  return (
    <Card
      title={t("Budget adjustments")}
      aside={isEditor && <AddButton onClick={() => setIsAdding(true)}>{t("Exclude a range")}</AddButton>}
    >
      <QueryError query={events} />
      <QueryError query={query} />
      {added !== undefined && (
        <Notice kind="ok" role="status">
          <p>{t("The budget adjustment {name} was created.", { name: added })}</p>
        </Notice>
      )}
      {events.data !== undefined && adjustments?.length === 0 && (
        <p className="dim">
          {t(
            "No budget adjustments in the last 11 months or the next 2 months. To exclude maintenance or a false alarm from the error budget, select the range in the charts, or exclude it here.",
          )}
        </p>
      )}
      {adjustments !== undefined && adjustments.length > 0 && (
        <ul className={css.policies} aria-label={t("Budget adjustments")}>
          {adjustments.map((adjustment) => (
            <Adjustment
              key={`${projectOf(adjustment.metadata)}/${adjustment.metadata.name}`}
              adjustment={adjustment}
              slo={{ project, name }}
              isEditor={isEditor}
            />
          ))}
        </ul>
      )}
      {isAdding && (
        <ExcludeRange
          project={project}
          name={name}
          range={{ from: now - 3_600_000, to: now }}
          onClose={() => setIsAdding(false)}
          onDone={(adjustment) => {
            setIsAdding(false)
            setAdded(adjustment)
            void queryClient.invalidateQueries()
          }}
        />
      )}
    </Card>
  )
}
export default SloAdjustments

const Adjustment = ({
  adjustment,
  slo,
  isEditor,
}: {
  readonly adjustment: BudgetAdjustment
  readonly slo: DefinitionKey
  readonly isEditor: boolean
}) => {
  const [isOpen, setIsOpen] = useState(false)
  const { metadata } = adjustment
  const key = { project: projectOf(metadata), name: metadata.name }
  return (
    <li>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs" align="flex-start">
          <div>
            <p>
              <strong>
                <bdi>{reasonOf(adjustment) || metadata.name}</bdi>
              </strong>{" "}
              <span className="dim">{adjustmentText(adjustment.spec)}</span>
            </p>
            <div className="dim small">
              <AdjustedTime adjustment={adjustment} />
            </div>
            <p className="dim small">
              <bdi>{key.project}</bdi> / <bdi>{key.name}</bdi>
            </p>
          </div>
          <Group gap="xs">
            <Button
              variant="default"
              size="compact-sm"
              aria-expanded={isOpen}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? t("Hide changes") : t("Changes")}
            </Button>
            {isEditor && (
              <DeleteButton
                kind="budgetadjustments"
                definition={key}
                label={t("Delete")}
                title={t("Delete budget adjustment {name}?", { name: metadata.name })}
              >
                <p>
                  {t(
                    "All figures return to their values without the adjustment. Its change history remains.",
                  )}
                </p>
              </DeleteButton>
            )}
          </Group>
        </Group>
        {isOpen && <BudgetChanges adjustment={key} slo={slo} />}
      </Stack>
    </li>
  )
}
