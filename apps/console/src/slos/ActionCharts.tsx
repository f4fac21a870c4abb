import { Stack } from "@mantine/core"
import { type ReactNode, useEffect, useEffectEvent, useState } from "react"
import type { DefinitionKey } from "../api/Definitions.ts"
import { ChartStoreContext, makeChartStore } from "../chart/ChartStore.ts"
import type { Range } from "../chart/Scale.ts"
import { useFilters } from "../components/Filters.tsx"
import { Notice } from "../components/Notice.tsx"
import type { SloChartsProps } from "./ChartParts.tsx"
import { type SelectionAction, SelectionBar } from "./SelectionBar.tsx"
import { SloAction } from "./SloAction.ts"
import type { WrittenAnnotation } from "./SloAnnotations.tsx"
import { SloCharts } from "./SloCharts.tsx"
import type { SloSpec } from "./SloSeries.ts"
import { timeText } from "../time/TimeZone.ts"

interface ActionChartsProps extends DefinitionKey, Omit<SloChartsProps, "onAct"> {
  /** The definition of the SLO, once it is read. */
  readonly spec: SloSpec | undefined
  /** The names of the alert policies that can be explained. */
  readonly policies: ReadonlyArray<string>
  /** The time that is read at first. */
  readonly cursor?: number
  readonly isBusy?: boolean
  readonly onZoom: (range: Range) => void
  /** What is below the charts, which can open the form of an annotation: a new one, or one that is changed. */
  readonly below: (annotate: (annotation?: WrittenAnnotation) => void) => ReactNode
}

/** The charts of an SLO, and what can be done with a part of their range. */
export const ActionCharts = ({
  project,
  name,
  spec,
  policies,
  cursor,
  isBusy = false,
  onZoom,
  below,
  ...charts
}: ActionChartsProps) => {
  const { from, to, stepMs } = charts.frame
  const { values, set } = useFilters(["at"])
  const pinned = timeIn(values.at, from, to)
  const [store] = useState(() => makeChartStore({ pinned, cursor }))
  const [acts, setActs] = useState(0)
  const [action, setAction] = useState<{
    readonly kind: SelectionAction
    readonly range: Range
    readonly annotation?: WrittenAnnotation | undefined
  }>()
  const [result, setResult] = useState<ReactNode>()
  const onPin = useEffectEvent((time: number | undefined) =>
    set({ at: time === undefined ? "" : timeText(time) }),
  )
  // The address has the pinned step. One outside the range is not shown, and stays there for a range that has it.
  useEffect(() => {
    let known = pinned
    store.set({ pinned })
    return store.subscribe(() => {
      const { pinned: time } = store.get()
      if (time === known) return
      known = time
      onPin(time)
    })
  }, [store, pinned])
  // Another range keeps of this one what it has too.
  useEffect(() => {
    const isIn = (time: number): boolean => time >= from && time <= to
    const { selection, cursor: read } = store.get()
    if (selection !== undefined && !(isIn(selection.from) && isIn(selection.to)))
      store.set({ selection: undefined })
    if (read !== undefined)
      store.set({ cursor: isIn(read) ? from + Math.floor((read - from) / stepMs) * stepMs : undefined })
  }, [store, from, to, stepMs])
  const start = (kind: SelectionAction, range: Range, annotation?: WrittenAnnotation): void => {
    setResult(undefined)
    setAction({ kind, range, annotation })
  }
  return (
    <ChartStoreContext value={store}>
      <Stack gap="md" aria-busy={isBusy}>
        <SloCharts {...charts} onAct={() => setActs(acts + 1)} />
        <SelectionBar
          stepMs={stepMs}
          canBackfill={spec?.indicator?.prometheus !== undefined}
          canExplain={policies.length > 0}
          actRequests={acts}
          onZoom={(range) => {
            store.set({ selection: undefined, pinned: undefined })
            onZoom(range)
          }}
          onAction={start}
        />
        {result !== undefined && (
          <Notice kind="ok" role="status">
            <p>{result}</p>
          </Notice>
        )}
        {below((annotation) => start("annotate", { from: Date.now(), to: Date.now() }, annotation))}
      </Stack>
      {action !== undefined && (
        <SloAction
          project={project}
          name={name}
          action={action.kind}
          range={action.range}
          policies={policies}
          annotation={action.annotation}
          objectives={spec?.objectives.flatMap((each) => each.name ?? []) ?? []}
          onClose={() => setAction(undefined)}
          onDone={(done) => {
            setAction(undefined)
            setResult(done)
            store.set({ selection: undefined })
          }}
        />
      )}
    </ChartStoreContext>
  )
}

/** The time of a text, if it is in a range. */
const timeIn = (text: string, from: number, to: number): number | undefined => {
  const time = Date.parse(text)
  return time >= from && time < to ? time : undefined
}
