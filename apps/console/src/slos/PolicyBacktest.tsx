import { Button, Group } from "@mantine/core"
import { useState } from "react"
import type { Schemas } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { api } from "../api/Queries.ts"
import { Select } from "../components/Filters.tsx"
import { type Column, ListTable } from "../components/ListTable.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { budgetText } from "./NumberFormat.ts"
import css from "./PolicyBacktest.module.css"

type Backtest = Schemas["Backtest"]
type BacktestAlert = Backtest["alerts"][number]

/** A button that shows which alerts an alert policy would have opened over the last days. */
export const PolicyBacktest = ({
  project,
  name,
  policy,
  objectives,
}: DefinitionKey & { readonly policy: string; readonly objectives: ReadonlyArray<string> }) => {
  const [isOpen, setIsOpen] = useState(false)
  const isOfAll = objectives.length <= objectivesMax
  const [chosen, setChosen] = useState("")
  const objective = chosen === "" && !isOfAll ? (objectives[0] ?? "") : chosen
  const [range, setRange] = useState({ days: 31, to: "" })
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
  // The server rounds to minutes, and rejects a range that ends in the future.
  const to = () => new Date(Math.floor(Date.now() / minuteMs) * minuteMs).toISOString()
  const open = () => {
    if (!isOpen) setRange({ ...range, to: to() })
    setIsOpen(!isOpen)
  }
  const { data } = query
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-expanded={isOpen}
        loading={query.isFetching}
        onClick={open}
      >
        {isOpen ? "Hide backtest" : "Backtest"}
      </Button>
      {isOpen && (
        <section className={css.backtest} aria-label={`Backtest of ${policy}`}>
          <Group>
            {objectives.length > 1 && (
              <Select
                label="Objective"
                value={objective}
                {...(isOfAll && { all: "All objectives" })}
                data={objectives.map((value) => ({ value, label: value }))}
                onChange={setChosen}
              />
            )}
            <Select
              label="Range"
              value={String(range.days)}
              data={[7, 14, 31].map((days) => ({ value: String(days), label: `Last ${days} days` }))}
              onChange={(days) => setRange({ days: Number(days), to: to() })}
            />
          </Group>
          {data !== undefined && (
            <>
              <p role="status">
                {data.alertCount === 0
                  ? "The policy would have opened no alerts."
                  : `The policy would have opened ${data.alertCount} ${data.alertCount === 1 ? "alert" : "alerts"}, ${number.format(data.alertsPerMonth)} in 30 days.`}
              </p>
              {data.alerts.length > 0 && <Timeline backtest={data} />}
            </>
          )}
          <ListTable
            query={query}
            items={data?.alerts}
            label={`Alerts that ${policy} would have opened`}
            columns={columns}
            keyOf={({ objective, triggeredAt }) => `${objective ?? ""} ${triggeredAt}`}
            empty={null}
            isInCard
          />
          {data !== undefined && data.alerts.length < data.alertCount && (
            <p className="dim small">
              These are the first {data.alerts.length}. Choose a shorter range to see the others.
            </p>
          )}
        </section>
      )}
    </>
  )
}

/** When alerts would have been open, a line for each objective; the table beside it says the same in words. */
const Timeline = ({ backtest }: { readonly backtest: Backtest }) => {
  const [from, to] = [Date.parse(backtest.from), Date.parse(backtest.to)]
  const x = (at: string): number => (1_000 * (Date.parse(at) - from)) / (to - from)
  const objectives = backtest.objectives.filter(({ alertCount }) => alertCount > 0)
  return (
    <ul className={css.timeline} aria-hidden="true">
      {objectives.map(({ name }) => (
        <li key={name ?? ""}>
          <span className="dim small">{name ?? "Composite"}</span>
          <svg viewBox="0 0 1000 20" preserveAspectRatio="none">
            <rect className={css.range} x={0} y={9} width={1_000} height={2} />
            {backtest.alerts
              .filter(({ objective }) => objective === name)
              .map(({ triggeredAt, closedAt }) => (
                <rect
                  key={triggeredAt}
                  className={css.alert}
                  x={x(triggeredAt)}
                  y={0}
                  width={Math.max(3, x(closedAt ?? backtest.to) - x(triggeredAt))}
                  height={20}
                />
              ))}
          </svg>
        </li>
      ))}
    </ul>
  )
}

const burnedText = (burned: number | undefined) =>
  burned === undefined ? <span className="dim">No data</span> : budgetText(burned)

const columns: ReadonlyArray<Column<BacktestAlert>> = [
  { name: "Objective", cell: ({ objective }) => <bdi>{objective ?? "Composite"}</bdi> },
  { name: "Triggered", cell: ({ triggeredAt }) => <DateTime at={triggeredAt} />, isLabeled: true },
  {
    name: "Ended",
    cell: ({ closedAt, reason }) =>
      closedAt === undefined ? (
        "Still open"
      ) : (
        <>
          <DateTime at={closedAt} />
          {reason !== undefined && <span className="dim"> canceled</span>}
        </>
      ),
    isLabeled: true,
  },
  {
    name: "Budget burned when triggered",
    cell: ({ burnedAtTrigger }) => burnedText(burnedAtTrigger),
    isNumber: true,
    isLabeled: true,
  },
  {
    name: "Budget burned at the end",
    cell: ({ burnedAtEnd }) => burnedText(burnedAtEnd),
    isNumber: true,
    isLabeled: true,
  },
]

/** As many as a backtest evaluates at a time. */
const objectivesMax = 10

const minuteMs = 60_000
const dayMs = 86_400_000

const number = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 })
