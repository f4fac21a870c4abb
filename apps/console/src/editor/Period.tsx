import { Group, SegmentedControl, TextInput } from "@mantine/core"
import css from "../components/Form.module.css"
import { Select } from "../components/Filters.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { inputOfTime, timeOfInput, timeZoneName } from "../time/TimeZone.ts"
import type { Draft } from "./Draft.ts"

/** A time, once or recurring, as it was typed. */
export interface PeriodValues {
  readonly isRecurring: boolean
  /** As the value of an input of type `datetime-local`: once in the console's time zone, recurring in `timeZone`. */
  readonly start: string
  readonly end: string
  readonly duration: string
  readonly rrule: string
  readonly timeZone: string
}

/** The part of a definition that says when. */
interface StoredPeriod {
  readonly period?: { readonly startTime?: string; readonly endTime?: string; readonly duration?: string }
  readonly recurrence?: {
    readonly startTime: string
    readonly timeZone: string
    readonly rrule: string
    readonly duration: string
  }
}

export const emptyPeriod = (): PeriodValues => ({
  isRecurring: false,
  start: "",
  end: "",
  duration: "1h",
  rrule: "FREQ=WEEKLY;BYDAY=SA",
  timeZone: timeZoneName(),
})

/** The values of a stored period. */
export const periodValuesOf = ({ period, recurrence }: StoredPeriod): PeriodValues =>
  recurrence === undefined
    ? {
        ...emptyPeriod(),
        start: inputOf(period?.startTime),
        end: inputOf(period?.endTime),
        duration: period?.duration ?? "",
      }
    : {
        isRecurring: true,
        start: recurrence.startTime.replace(" ", "T").slice(0, 16),
        end: "",
        duration: recurrence.duration,
        rrule: recurrence.rrule,
        timeZone: recurrence.timeZone,
      }

/** The part of the definition that the values describe, valid or not. */
export const periodOf = (values: PeriodValues) => {
  const { isRecurring, start, end, duration, rrule, timeZone } = values
  if (isRecurring) {
    return {
      recurrence: {
        startTime: start === "" ? "" : `${start.replace("T", " ")}:00`,
        timeZone: timeZone.trim(),
        rrule: rrule.trim(),
        duration: duration.trim(),
      },
    }
  }
  const startTime = timeOf(start)
  const endTime = timeOf(end)
  return {
    period: {
      ...(startTime !== undefined && { startTime }),
      ...(endTime === undefined ? { duration: duration.trim() } : { endTime }),
    },
  }
}

const inputOf = (time: string | undefined): string =>
  time === undefined ? "" : inputOfTime(Date.parse(time))

const timeOf = (input: string): string | undefined => {
  if (input === "") return undefined
  const time = timeOfInput(input)
  return Number.isNaN(time) ? input : new Date(time).toISOString().replace(".000Z", "Z")
}

/** When something applies: once, or by a rule. */
export const PeriodCard = <V extends PeriodValues>({
  draft,
  startDescription,
}: {
  readonly draft: Draft<V, unknown>
  readonly startDescription: string
}) => {
  const { values, set, input } = draft
  const change = (changed: Partial<PeriodValues>): void => set(changed as Partial<V>)
  const isKnown = rules().some(({ value }) => value === values.rrule)
  return (
    <Card title={t("Time")}>
      <SegmentedControl
        aria-label={t("How often")}
        value={values.isRecurring ? "recurring" : "once"}
        onChange={(value) => change({ isRecurring: value === "recurring" })}
        data={[
          { value: "once", label: t("Once") },
          { value: "recurring", label: t("Recurring") },
        ]}
      />
      <Group className={css.pair ?? ""} gap={14} align="flex-start">
        <TextInput
          {...input("start", "spec.period.startTime", "spec.recurrence.startTime")}
          type="datetime-local"
          label={t("Start")}
          description={values.isRecurring ? t("Of the first occurrence.") : startDescription}
        />
        {!values.isRecurring && (
          <TextInput
            {...input("end", "spec.period.endTime")}
            type="datetime-local"
            label={t("End")}
            description={t("Or a duration.")}
          />
        )}
        <TextInput
          {...input("duration", "spec.period.duration", "spec.period", "spec.recurrence.duration")}
          label={t("Duration")}
          description={t("For example 30m or 2h.")}
          disabled={!values.isRecurring && values.end !== ""}
        />
      </Group>
      {values.isRecurring ? (
        <Group className={css.pair ?? ""} gap={14} align="flex-start">
          <Select
            label={t("Repeats")}
            value={isKnown ? values.rrule : ""}
            onChange={(rrule) => change({ rrule })}
            data={[...rules(), { value: "", label: t("Custom rule") }]}
          />
          <TextInput
            {...input("rrule", "spec.recurrence.rrule")}
            label={t("Recurrence rule")}
            description={t("RFC 5545, such as FREQ=MONTHLY;BYDAY=1SU.")}
            spellCheck={false}
          />
          <TextInput
            {...input("timeZone", "spec.recurrence.timeZone")}
            label={t("Time zone")}
            description={t("IANA name, such as Europe/Berlin.")}
            spellCheck={false}
          />
        </Group>
      ) : (
        <p className="dim small">{t("In the time zone {zone}.", { zone: timeZoneName() })}</p>
      )}
    </Card>
  )
}

const rules = () => [
  { value: "FREQ=DAILY", label: t("Every day") },
  { value: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", label: t("Every weekday") },
  { value: "FREQ=WEEKLY;BYDAY=SA", label: t("Every Saturday") },
  { value: "FREQ=WEEKLY;BYDAY=SU", label: t("Every Sunday") },
  { value: "FREQ=MONTHLY;BYMONTHDAY=1", label: t("On the first of every month") },
]
