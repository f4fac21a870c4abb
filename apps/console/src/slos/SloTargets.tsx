import type { TargetProposals } from "@tocsin/api"
import { Button, Group } from "@mantine/core"
import { useState } from "react"
import type { DefinitionKey } from "../api/Definitions.ts"
import { api } from "../api/Queries.ts"
import { type Column, ListTable } from "../components/ListTable.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { reliabilityText, targetText } from "../components/NumberFormat.ts"

type Objective = TargetProposals["objectives"][number]

interface Row {
  readonly objective: Objective
  readonly proposal: Objective["proposals"][number]
}

/** Which targets the objectives of an SLO would have met, on request. */
export const SloTargets = ({ project, name }: DefinitionKey) => {
  const [isOpen, setIsOpen] = useState(false)
  const query = api.useQuery(
    "get",
    "/api/slos/{sloName}/proposals",
    { params: { path: { sloName: name }, header: { project } } },
    { enabled: isOpen, staleTime: Infinity, retry: false },
  )
  const rows = query.data?.objectives.flatMap((objective) =>
    objective.proposals.map((proposal): Row => ({ objective, proposal })),
  )
  return (
    <Card title={t("Targets")}>
      <p className="dim">
        {t(
          "How reliable this SLO was in the time windows of the last 92 days, and which targets 95% of them would have met.",
        )}
      </p>
      {query.data === undefined && (
        <Group>
          <Button variant="default" loading={query.isFetching} onClick={() => setIsOpen(true)}>
            {t("Propose targets")}
          </Button>
        </Group>
      )}
      <ListTable
        query={query}
        items={rows}
        label={t("Proposed targets")}
        columns={columns()}
        keyOf={({ objective, proposal }) => `${objective.name ?? ""} ${proposal.minutes}`}
        empty={null}
        isInCard
      />
    </Card>
  )
}

const columns = (): ReadonlyArray<Column<Row>> => [
  { name: t("Objective"), cell: ({ objective: { name } }) => <bdi>{name ?? t("Composite")}</bdi> },
  { name: t("Time window"), cell: ({ proposal: { minutes } }) => windowText(minutes), isLabeled: true },
  {
    name: t("Proposed target"),
    cell: ({ proposal: { median, proposedTarget } }) =>
      median === undefined ? (
        <span className="dim">{t("Not enough history")}</span>
      ) : proposedTarget === undefined ? (
        t("None")
      ) : (
        targetText(proposedTarget)
      ),
    isNumber: true,
    isLabeled: true,
  },
  {
    name: t("Current target met"),
    cell: ({ objective: { target }, proposal: { metShare } }) =>
      metShare === undefined
        ? ""
        : t("{target} in {share}", { target: targetText(target), share: reliabilityText(metShare) }),
    isNumber: true,
    isLabeled: true,
  },
  {
    name: t("Median"),
    cell: ({ proposal: { median } }) => (median === undefined ? "" : reliabilityText(median)),
    isNumber: true,
    isLabeled: true,
  },
  {
    name: t("Worst"),
    cell: ({ proposal: { worst } }) => (worst === undefined ? "" : reliabilityText(worst)),
    isNumber: true,
    isLabeled: true,
  },
]

const windowText = (minutes: number): string => {
  const days = minutes / 1_440
  return days < 1
    ? t("{minutes, plural, one {# minute} other {# minutes}}", { minutes })
    : t("{days, plural, one {# day} other {# days}}", { days: Number(days.toPrecision(4)) })
}
