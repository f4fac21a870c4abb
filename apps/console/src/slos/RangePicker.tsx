import { Group, SegmentedControl } from "@mantine/core"
import { useState } from "react"
import { fieldsOf, unchanged } from "../editor/Fields.ts"
import { t } from "../language/Text.tsx"
import { minuteOf } from "../time/Minute.ts"
import { RangeFields, typedRange } from "./RangeFields.tsx"
import css from "./RangePicker.module.css"
import { customIssue, presetHours, type TimeRange } from "./TimeRange.ts"

/** Chooses the range of charts: the time window, a preset, or two times. */
export const RangePicker = ({
  range,
  series,
  onChoose,
}: {
  readonly range: TimeRange
  /** The range that is shown, from which a custom one starts. */
  readonly series: { readonly from: string; readonly to: string } | undefined
  /** `isTyped`: while it is typed, which is no step to go back to. */
  readonly onChoose: (range: TimeRange, isTyped?: boolean) => void
}) => {
  const preset = range.kind === "last" ? `${range.hours}` : range.kind
  const hours =
    range.kind === "last" && !presetHours.includes(range.hours) ? [...presetHours, range.hours] : presetHours
  return (
    <Group gap="var(--space-xs) var(--space-md)" align="flex-end" miw={0} maw="100%">
      <div className={css.presets}>
        <SegmentedControl
          size="xs"
          aria-label={t("Time range")}
          value={preset}
          data={[
            { value: "window", label: t("Window") },
            ...hours.map((each) => ({ value: `${each}`, label: presetText(each) })),
            { value: "custom", label: t("Custom") },
          ]}
          onChange={(value) => {
            if (value === "window") onChoose({ kind: "window" })
            else if (value === "custom") {
              const to = series === undefined ? Date.now() : Math.min(Date.now(), Date.parse(series.to))
              const from = series === undefined ? to - 86_400_000 : Date.parse(series.from)
              onChoose({ kind: "custom", from: minuteOf(from), to: minuteOf(to) })
            } else onChoose({ kind: "last", hours: Number(value) })
          }}
        />
      </div>
      {range.kind === "custom" && <CustomRange range={range} onChoose={onChoose} />}
    </Group>
  )
}

const presetText = (hours: number): string =>
  hours <= 24 ? t("{hours} h", { hours }) : t("{days} d", { days: Math.round(hours / 24) })

const CustomRange = ({
  range,
  onChoose,
}: {
  readonly range: { readonly from: number; readonly to: number }
  readonly onChoose: (range: TimeRange, isTyped: boolean) => void
}) => {
  const [typed, setTyped] = useState(() => typedRange(range))
  const [last, setLast] = useState(range)
  const [from, to] = timesOf(typed)
  // Zooming changes the range too.
  if (last.from !== range.from || last.to !== range.to) {
    setLast(range)
    if (from !== range.from || to !== range.to) setTyped(typedRange(range))
  }
  const issue = customIssue(from, to)
  const draft = fieldsOf({
    ...unchanged(typed),
    rules: {},
    issues: issue === undefined ? [] : [{ path: issue.at, message: issue.text }],
    isShown: () => true,
    change: ({ values: next }) => {
      setTyped(next)
      const [start, end] = timesOf(next)
      if (customIssue(start, end) === undefined) onChoose({ kind: "custom", from: start, to: end }, true)
    },
  })
  return <RangeFields draft={draft} />
}

const timesOf = ({ from, to }: Partial<ReturnType<typeof typedRange>>) =>
  [Date.parse(from ?? ""), Date.parse(to ?? "")] as const
