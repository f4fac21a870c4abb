import { Box, Button, Group, Stack } from "@mantine/core"
import { useDeferredValue, useMemo, useState } from "react"
import type { DefinitionKey } from "../api/Definitions.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Select, useFilters } from "../components/Filters.tsx"
import { Download } from "../components/Icon.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import type { ObjectiveStatus } from "./ObjectiveStatus.ts"
import { RangePicker } from "./RangePicker.tsx"
import { saveSeries } from "./SaveSeries.ts"
import { SloComponents } from "./SloComponents.tsx"
import { SloDays } from "./SloDays.tsx"
import { SloHistory } from "./SloHistory.tsx"
import { SloBackfill } from "./SloBackfill.tsx"
import { type SloSpec, tracksOf, useAnnotations, useSeries } from "./SloSeries.ts"
import { SloTargets } from "./SloTargets.tsx"
import { rangeOfParameters, rangeToParameters, type TimeRange, widerRange } from "./TimeRange.ts"

/** In the address, all objectives at once. */
const comparedObjectives = "*"

/** How many objectives are compared at most. */
const comparedMax = 6

interface OverviewProps extends DefinitionKey {
  readonly title: string
  readonly objectives: ReadonlyArray<ObjectiveStatus>
  readonly spec: SloSpec | undefined
}

/** The charts of an SLO, what happened meanwhile, and what can be done with a range of them. */
export const SloOverview = ({ project, name, title, objectives, spec }: OverviewProps) => {
  const { values, set } = useFilters(["range", "from", "to", "objective"])
  const range = rangeOfParameters(values)
  const [earlier, setEarlier] = useState<ReadonlyArray<TimeRange>>([])
  const choose = (next: TimeRange, isTyped = false): void => {
    if (!isTyped) setEarlier([...earlier.slice(-49), range])
    set(rangeToParameters(next), !isTyped)
  }
  const isCompared = values.objective === comparedObjectives && objectives.length > 1
  const chosen = objectives.find(({ key }) => key === values.objective) ?? objectives[0]
  const shown = isCompared ? objectives.slice(0, comparedMax) : chosen === undefined ? [] : [chosen]

  const key = { project, name }
  const series = useSeries(key, range)
  // Drawn in slices, between which the browser can respond.
  const data = useDeferredValue(series.data)
  const annotations = useAnnotations(key, series.data)
  const tracks = useMemo(
    () => (data === undefined ? [] : tracksOf(data, shown)),
    // oxlint-disable-next-line react/exhaustive-deps -- the statuses of objectives change more often than what is drawn
    [data, shown.map(({ key, target }) => `${key} ${target}`).join("\n")],
  )
  return (
    <Stack gap="lg">
      <Card
        title={t("History")}
        aside={
          <Group gap="xs">
            {earlier.length > 0 && (
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => {
                  set(rangeToParameters(earlier.at(-1) ?? { kind: "window" }), true)
                  setEarlier(earlier.slice(0, -1))
                }}
              >
                {t("Zoom back")}
              </Button>
            )}
            {data !== undefined && (
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => choose(widerRange(Date.parse(data.from), Date.parse(data.to)))}
              >
                {t("Zoom out")}
              </Button>
            )}
            {tracks.length > 0 && data !== undefined && (
              <Button
                variant="default"
                size="compact-sm"
                leftSection={<Download />}
                onClick={() => saveSeries(name, data, tracks)}
              >
                {t("Download CSV")}
              </Button>
            )}
          </Group>
        }
      >
        <Group gap="var(--space-xs) var(--space-md)" align="flex-end">
          <RangePicker range={range} onChoose={choose} series={data} />
          {objectives.length > 1 && (
            <Select
              label={t("Objective")}
              value={isCompared ? comparedObjectives : (chosen?.key ?? "")}
              onChange={(objective) => set({ objective }, true)}
              data={[
                ...objectives.map((each) => ({ value: each.key, label: each.name })),
                { value: comparedObjectives, label: t("Compare all") },
              ]}
            />
          )}
        </Group>
        <QueryError query={series} />
        {data === undefined ? (
          series.error === null && <Box h={1010} />
        ) : (
          <SloHistory
            {...key}
            subject={title}
            series={data}
            isBusy={series.isPlaceholderData}
            isOpenEnded={range.kind !== "custom"}
            tracks={tracks}
            annotations={annotations.data}
            spec={spec}
            onZoom={({ from, to }) => choose({ kind: "custom", from, to })}
          />
        )}
        <QueryError query={annotations} />
      </Card>
      <SloDays
        {...key}
        objective={isCompared ? objectives[0] : chosen}
        onChoose={(from, to) => choose({ kind: "custom", from, to })}
      />
      {spec !== undefined && <SloComponents spec={spec} project={project} />}
      <SloTargets {...key} />
      <SloBackfill {...key} />
    </Stack>
  )
}
