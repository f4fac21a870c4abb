import type { Backtest } from "@tocsin/api"
import { Button, Group } from "@mantine/core"
import { useState } from "react"
import type { DefinitionKey } from "../api/Definitions.ts"
import { api } from "../api/Queries.ts"
import { Select } from "../components/Filters.tsx"
import { type Column, ListTable } from "../components/ListTable.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { budgetText, meanText } from "../components/NumberFormat.ts"
import { dayMs, minuteOf } from "../time/Minute.ts"
import { BacktestTimeline } from "./BacktestTimeline.tsx"
import { useObjectiveNames } from "./ObjectiveNames.ts"
import { CountsBegin } from "./CountsBegin.tsx"
import css from "./PolicyBacktest.module.css"

type BacktestAlert = Backtest["alerts"][number]

/** A button that shows which alerts an alert policy would have opened over the last days. */
export const PolicyBacktest = ({
  project,
  name,
  policy,
  policyName,
  objectives,
  isOpen,
  onToggle,
}: DefinitionKey & {
  readonly policy: string
  /** What people call it. */
  readonly policyName: string
  readonly objectives: ReadonlyArray<string>
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
}) => {
  const isOfAll = objectives.length <= objectivesMax
  const [chosen, setChosen] = useState("")
  const objective = chosen === "" && !isOfAll ? (objectives[0] ?? "") : chosen
  const [range, setRange] = useState({ days: 31, to: isOpen ? lastMinute() : "" })
  const from = new Date(Date.parse(range.to) - range.days * dayMs)
  const query = api.useQuery(
    "post",
    "/api/slos/{sloName}/backtest",
    {
      params: { path: { sloName: name }, header: { project } },
      body: {
        alertPolicy: policy,
        ...(objective !== "" && { objective }),
        ...(range.to !== "" && { from: from.toISOString(), to: range.to }),
      },
    },
    // It takes a second of the server's time.
    { enabled: isOpen, staleTime: Infinity, retry: false },
  )
  const toggle = () => {
    if (!isOpen) setRange({ ...range, to: lastMinute() })
    onToggle(!isOpen)
  }
  const { data } = query
  const objectiveName = useObjectiveNames({ project, name })
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-expanded={isOpen}
        loading={query.isFetching}
        onClick={toggle}
      >
        {isOpen ? t("Hide backtest") : t("Backtest")}
      </Button>
      {isOpen && (
        <section className={css.backtest} aria-label={t("Backtest of {policy}", { policy: policyName })}>
          <Group>
            {objectives.length > 1 && (
              <Select
                label={t("Objective")}
                value={objective}
                {...(isOfAll && { all: t("All objectives") })}
                data={objectives.map((value) => ({ value, label: objectiveName(value) }))}
                onChange={setChosen}
              />
            )}
            <Select
              label={t("Range")}
              value={String(range.days)}
              data={[7, 14, 31].map((days) => ({
                value: String(days),
                label: t("Last {days} days", { days }),
              }))}
              onChange={(days) => setRange({ days: Number(days), to: lastMinute() })}
            />
          </Group>
          {data !== undefined && (
            <>
              <p role="status">
                {data.alertCount === 0
                  ? t("The policy would have opened no alerts.")
                  : t(
                      "The policy would have opened {count, plural, one {# alert} other {# alerts}}, {perMonth} in 30 days.",
                      { count: data.alertCount, perMonth: meanText(data.alertsPerMonth) },
                    )}
              </p>
              <CountsBegin backtest={data} />
              {data.alerts.length > 0 && <BacktestTimeline backtest={data} />}
            </>
          )}
          <ListTable
            query={query}
            items={data?.alerts}
            label={t("Alerts that {policy} would have opened", { policy: policyName })}
            columns={columns(objectiveName)}
            keyOf={({ objective, triggeredAt }) => `${objective ?? ""} ${triggeredAt}`}
            empty={null}
            isInCard
          />
          {data !== undefined && data.alerts.length < data.alertCount && (
            <p className="dim small">
              {t("These are the first {count}. Choose a shorter range to see the others.", {
                count: data.alerts.length,
              })}
            </p>
          )}
        </section>
      )}
    </>
  )
}

const burnedText = (burned: number | undefined) =>
  burned === undefined ? <span className="dim">{t("No data")}</span> : budgetText(burned)

const columns = (
  objectiveName: ReturnType<typeof useObjectiveNames>,
): ReadonlyArray<Column<BacktestAlert>> => [
  { name: t("Objective"), cell: ({ objective }) => <bdi>{objectiveName(objective)}</bdi> },
  { name: t("Triggered"), cell: ({ triggeredAt }) => <DateTime at={triggeredAt} />, isLabeled: true },
  {
    name: t("Ended"),
    cell: ({ closedAt, reason }) =>
      closedAt === undefined ? (
        t("Still open")
      ) : (
        <>
          <DateTime at={closedAt} />
          {reason !== undefined && <span className="dim"> {t("canceled")}</span>}
        </>
      ),
    isLabeled: true,
  },
  {
    name: t("Budget burned when triggered"),
    cell: ({ burnedAtTrigger }) => burnedText(burnedAtTrigger),
    isNumber: true,
    isLabeled: true,
  },
  {
    name: t("Budget burned at the end"),
    cell: ({ burnedAtEnd }) => burnedText(burnedAtEnd),
    isNumber: true,
    isLabeled: true,
  },
]

/** As many as a backtest evaluates at a time. */
const objectivesMax = 10

/** The server rounds to minutes, and rejects a range that ends in the future. */
const lastMinute = (): string => new Date(minuteOf(Date.now())).toISOString()
