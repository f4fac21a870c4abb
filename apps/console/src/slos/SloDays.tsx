import { useDeferredValue } from "react"
import { Box } from "@mantine/core"
import type { DefinitionKey } from "../api/Definitions.ts"
import { DayMap } from "../chart/DayMap.tsx"
import { dayLevel } from "../chart/DayWeeks.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { budgetText, burnText, countText, reliabilityText } from "../components/NumberFormat.ts"
import type { ObjectiveStatus } from "./ObjectiveStatus.ts"
import { tracksOf, useDays } from "./SloSeries.ts"

/** A calendar of the days of the last year: how fast each burned the error budget of an objective. */
export const SloDays = ({
  project,
  name,
  objective,
  onChoose,
}: DefinitionKey & {
  readonly objective: ObjectiveStatus | undefined
  readonly onChoose: (from: number, to: number) => void
}) => {
  const query = useDays({ project, name })
  const data = useDeferredValue(query.data)
  const [track] = data === undefined || objective === undefined ? [] : tracksOf(data, [objective])
  const or = (value: number | null | undefined, text: (value: number) => string): string =>
    value === null || value === undefined ? t("no data") : text(value)
  return (
    <Card title={t("Days")}>
      <QueryError query={query} />
      {data === undefined && query.error === null && <Box h={220} />}
      {data !== undefined && track !== undefined && (
        <DayMap
          label={t("How fast each day burned the error budget")}
          from={Date.parse(data.from)}
          levels={track.stepReliability.map((each) =>
            each === null ? null : dayLevel((1 - each) / Math.max(1e-9, 1 - track.target)),
          )}
          levelNames={{
            none: t("None"),
            some: t("Up to half of what the window allows"),
            most: t("Up to all of it"),
            burned: t("Too fast"),
            fast: t("More than 4 times too fast"),
          }}
          read={(index) => [
            [t("SLI"), or(track.stepReliability[index], reliabilityText)],
            [t("Burn rate"), or(track.burnRate[index], burnText)],
            [t("Budget at the end"), or(track.budget[index], budgetText)],
            ...(track.counts === undefined
              ? []
              : [[t("Events"), or(track.counts.total[index], countText)] as const]),
          ]}
          onChoose={onChoose}
        />
      )}
    </Card>
  )
}
