import { NativeSelect, SegmentedControl, TextInput } from "@mantine/core"
import { useState } from "react"
import type { Schemas } from "../api/ApiTypes.ts"
import { call } from "../api/Call.ts"
import { useResource } from "../api/Resource.ts"
import { Failure } from "../shell/Failure.tsx"
import { Card } from "../shell/Page.tsx"
import { latestRanges, localText, type Range, timesOf } from "./Range.ts"
import { SloCharts } from "./SloCharts.tsx"
import css from "./SloPage.module.css"

/** How often the charts are read anew: a minute is the shortest that changes anything. */
const refreshMs = 30_000

/** How an SLO went over a range of at most 7 days. */
export const OverTime = ({
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
  const [range, setRange] = useState<Range>({ kind: "latest", hours: 24 })
  const [chosen, setChosen] = useState("")
  const isKnown = objectives.some((each) => each.name === chosen)
  const objective = isKnown ? chosen : hasComposite ? undefined : objectives[0]?.name
  const choices = [
    ...(hasComposite ? [{ value: "", label: "All together" }] : []),
    ...objectives.map((each) => ({ value: each.name, label: each.displayName || each.name })),
  ]
  return (
    <Card
      title="Over time"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Range"
          value={range.kind === "latest" ? `${range.hours}` : "between"}
          data={[
            ...latestRanges.map(({ hours, name: label }) => ({ value: `${hours}`, label })),
            { value: "between", label: "From … to" },
          ]}
          onChange={(value) =>
            setRange(value === "between" ? lastDay() : { kind: "latest", hours: Number(value) })
          }
        />
      }
    >
      {(choices.length > 1 || range.kind === "between") && (
        <div className={css.range}>
          {choices.length > 1 && (
            <NativeSelect
              label="Objective"
              value={objective ?? ""}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
              data={choices}
            />
          )}
          {range.kind === "between" && (
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
        </div>
      )}
      <Charts project={project} name={name} objective={objective} range={range} />
    </Card>
  )
}

const lastDay = (): Range => {
  const now = Date.now()
  return { kind: "between", from: localText(now - 86_400_000), to: localText(now) }
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
  readonly range: Range
}) => {
  const { data, isStale, failure, reload } = useResource(
    `series/${project}/${name}/${JSON.stringify(range)}`,
    async (signal) => {
      const times = timesOf(range)
      if ("problem" in times) return times
      const { from, to } = times
      return call("GET /api/slos/{sloName}/series", {
        path: { sloName: name },
        headers: { project },
        query: { from: timeText(from), to: timeText(to) },
        signal,
      })
    },
    range.kind === "latest" ? refreshMs : undefined,
  )
  if (data === undefined) {
    return failure === undefined ? (
      <div style={{ height: 520 }} />
    ) : (
      <Failure failure={failure} retry={reload} />
    )
  }
  if ("problem" in data) return <p role="alert">{data.problem}</p>
  return (
    <div className={css.charts} aria-busy={isStale}>
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      <SloCharts series={data} objective={objective} />
    </div>
  )
}

const timeText = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z")
