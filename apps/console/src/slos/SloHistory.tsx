import { Box, Group, SegmentedControl, Stack, TextInput } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { bodyOf, client, type Schemas } from "../api/Client.ts"
import { poll } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Select } from "../components/Filters.tsx"
import { Card } from "../components/Page.tsx"
import { AnnotationList } from "./SloAnnotations.tsx"
import { SloCharts } from "./SloCharts.tsx"
import { localText, presetRanges, rangeMaxMs, type TimeRange, timesOf } from "./TimeRange.ts"

/** How often the charts are refreshed: their shortest step is a minute. */
const refreshMs = 30_000

/** The history of an SLO over a range of at most 7 days. */
export const SloHistory = ({
  project,
  name,
  objectives,
  hasComposite,
}: {
  readonly project: string
  readonly name: string
  readonly objectives: ReadonlyArray<Schemas["Objective"]>
  readonly hasComposite: boolean
}) => {
  const [range, setRange] = useState<TimeRange>({ kind: "last", hours: 24 })
  const [chosen, setChosen] = useState("")
  const isKnown = objectives.some((each) => each.name === chosen)
  const objective = isKnown ? chosen : hasComposite ? undefined : objectives[0]?.name
  const choices = [
    ...(hasComposite ? [{ value: "", label: "Composite" }] : []),
    ...objectives.map((each) => ({ value: each.name, label: each.displayName || each.name })),
  ]
  return (
    <Card
      title="History"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          value={range.kind === "last" ? `${range.hours}` : "custom"}
          data={[
            ...presetRanges.map(({ hours, name: label }) => ({ value: `${hours}`, label })),
            { value: "custom", label: "Custom" },
          ]}
          onChange={(value) =>
            setRange(value === "custom" ? lastDay() : { kind: "last", hours: Number(value) })
          }
        />
      }
    >
      {(choices.length > 1 || range.kind === "custom") && (
        <Group gap="10px 16px" align="flex-end">
          {choices.length > 1 && (
            <Select label="Objective" value={objective ?? ""} onChange={setChosen} data={choices} />
          )}
          {range.kind === "custom" && (
            <>
              <TextInput
                type="datetime-local"
                label="From"
                value={range.from}
                onChange={({ currentTarget }) => setRange({ ...range, from: currentTarget.value })}
              />
              <TextInput
                type="datetime-local"
                label="To"
                value={range.to}
                onChange={({ currentTarget }) => setRange({ ...range, to: currentTarget.value })}
              />
            </>
          )}
        </Group>
      )}
      <Charts project={project} name={name} objective={objective} range={range} />
    </Card>
  )
}

const lastDay = (): TimeRange => {
  const now = Date.now()
  return { kind: "custom", from: localText(now - 86_400_000), to: localText(now) }
}

const Charts = ({
  project,
  name,
  objective,
  range,
}: {
  readonly project: string
  readonly name: string
  readonly objective: string | undefined
  readonly range: TimeRange
}) => {
  const checked = timesOf(range)
  const problem = "problem" in checked ? checked.problem : undefined
  const query = useQuery({
    queryKey: ["series", project, name, range],
    enabled: problem === undefined,
    queryFn: ({ signal }) => {
      const times = timesOf(range)
      if ("problem" in times) throw new Error(times.problem)
      return bodyOf(
        client.GET("/api/slos/{sloName}/series", {
          params: {
            path: { sloName: name },
            header: { project },
            query: { from: timeText(times.from), to: timeText(times.to) },
          },
          signal,
        }),
      )
    },
    refetchInterval: poll(range.kind === "last" ? refreshMs : undefined),
    placeholderData: keepPreviousData,
  })
  const annotated = useQuery({
    queryKey: ["annotations", project, name, range],
    enabled: problem === undefined,
    queryFn: ({ signal }) => {
      const times = timesOf(range)
      if ("problem" in times) throw new Error(times.problem)
      // A new one may be of the minute under way.
      const to = range.kind === "last" ? times.to + 60_000 : times.to
      return bodyOf(
        client.GET("/api/slos/{sloName}/annotations", {
          params: {
            path: { sloName: name },
            header: { project },
            query: { from: timeText(Math.max(times.from, to - rangeMaxMs)), to: timeText(to) },
          },
          signal,
        }),
      )
    },
    refetchInterval: poll(range.kind === "last" ? refreshMs : undefined),
    placeholderData: keepPreviousData,
  })
  const annotations = annotated.data?.annotations ?? []
  if (problem !== undefined) return <p role="alert">{problem}</p>
  return (
    <Stack gap={14} aria-busy={query.isPlaceholderData}>
      <QueryError query={query} />
      {query.data !== undefined && (
        <SloCharts series={query.data} objective={objective} annotations={annotations} />
      )}
      {query.isPending && <Box h={520} />}
      <QueryError query={annotated} />
      <AnnotationList
        project={project}
        name={name}
        annotations={annotations}
        onChange={() => void annotated.refetch()}
      />
    </Stack>
  )
}

const timeText = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z")
