import { Button, Group } from "@mantine/core"
import { useEffect, useRef, useState } from "react"
import { useChartState, useChartStore } from "../chart/ChartStore.ts"
import type { Range } from "../chart/Scale.ts"
import { rangeTimeText, stepTimeText } from "../chart/TimeText.ts"
import css from "../components/ActionBar.module.css"
import { durationText } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"

/** What can be done with a selected range or minute. */
export type SelectionAction = "exclude" | "backfill" | "annotate" | "explain"

/** The selection of the charts in words, and what can be done with it. A pinned step is a selection of one. */
export const SelectionBar = ({
  stepMs,
  canBackfill,
  canExplain,
  actRequests,
  onZoom,
  onAction,
}: {
  readonly stepMs: number
  readonly canBackfill: boolean
  readonly canExplain: boolean
  /** Changes when the bar is to get the focus. */
  readonly actRequests: number
  readonly onZoom: (range: Range) => void
  readonly onAction: (action: SelectionAction, range: Range) => void
}) => {
  const isEditor = useIsEditor()
  const store = useChartStore()
  const selection = useChartState((state) => (state.isSelecting ? undefined : state.selection))
  const pinned = useChartState((state) => state.pinned)
  const bar = useRef<HTMLDivElement>(null)
  const [handled, setHandled] = useState(actRequests)
  useEffect(() => {
    if (actRequests === handled) return
    setHandled(actRequests)
    bar.current?.querySelector("button")?.focus()
  }, [actRequests, handled])

  const range = selection ?? (pinned === undefined ? undefined : { from: pinned, to: pinned + stepMs })
  if (range === undefined) return null
  const isStep = selection === undefined
  const button = (action: SelectionAction, label: string) => (
    <Button size="compact-sm" variant="default" onClick={() => onAction(action, range)}>
      {label}
    </Button>
  )
  return (
    <div ref={bar} className={css.bar} role="toolbar" aria-label={t("Selection")}>
      <span className={css.text} role="status">
        {isStep
          ? stepTimeText(range.from, stepMs)
          : t("{range}, {length}", {
              range: rangeTimeText(range.from, range.to),
              length: durationText(range.to - range.from),
            })}
      </span>
      <Group gap="xs">
        {!isStep && (
          <Button size="compact-sm" onClick={() => onZoom(range)}>
            {t("Zoom in")}
          </Button>
        )}
        {canExplain && button("explain", t("Explain here"))}
        {isEditor && button("exclude", t("Exclude this range"))}
        {isEditor && canBackfill && button("backfill", t("Backfill this range"))}
        {isEditor && button("annotate", t("Add annotation"))}
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => store.set({ selection: undefined, pinned: undefined })}
        >
          {t("Clear")}
        </Button>
      </Group>
    </div>
  )
}
