import { SegmentedControl } from "@mantine/core"
import { useState } from "react"
import { TimeChart } from "../chart/TimeChart.tsx"
import { countText, shortCountText } from "../components/NumberFormat.ts"
import { t } from "../language/Text.tsx"
import { type ChartProps, textOr } from "./ChartParts.tsx"
import { EventBars, EventLegend } from "./EventBars.tsx"

/** The good and the bad events of each step. */
export const EventChart = ({ tracks, frame, marks, annotated, ...shared }: ChartProps) => {
  const [isBadOnly, setIsBadOnly] = useState(false)
  const counts = tracks[0]?.counts
  if (counts === undefined) return null
  const drawn = isBadOnly
    ? {
        good: counts.total.map((total) => (total === null ? null : 0)),
        total: counts.total.map((total, at) => (total === null ? null : total - (counts.good[at] ?? 0))),
      }
    : counts
  return (
    <TimeChart
      {...shared}
      frame={frame}
      label={t("Good and bad events")}
      min={0}
      max={Math.max(1, ...drawn.total.map((total) => total ?? 0))}
      formatValue={shortCountText}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={t("Events")}
          value={isBadOnly ? "bad" : "all"}
          onChange={(value) => setIsBadOnly(value === "bad")}
          data={[
            { value: "all", label: t("All") },
            { value: "bad", label: t("Bad only") },
          ]}
        />
      }
      draw={(scale) => (
        <>
          <EventBars frame={frame} {...drawn} scale={scale} />
          {marks(scale)}
        </>
      )}
      read={(index) => {
        const [good, total] = [counts.good[index], counts.total[index]]
        const bad = typeof good === "number" && typeof total === "number" ? total - good : null
        return [
          [t("Good"), textOr(good, countText)],
          [t("Bad"), textOr(bad, countText)],
          [t("Total"), textOr(total, countText)],
          ...annotated(index),
        ]
      }}
      legend={<EventLegend />}
    />
  )
}
