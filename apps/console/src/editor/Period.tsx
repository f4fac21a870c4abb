import { Group, SegmentedControl, TextInput } from "@mantine/core"
import css from "../components/Form.module.css"
import { Select } from "../components/Filters.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { TimeInput } from "../time/TimeInput.tsx"
import { inputOfTime, timeOfInput, timeText, timeZoneName } from "../time/TimeZone.ts"
import type { Draft } from "./Draft.ts"

/** A time, once or recurring, as it was entered. */
export interface PeriodValues {
  readonly isRecurring: boolean
  /** As the API has it, or empty. */
  readonly start: string
  /** As the API has it, or empty. */
  readonly end: string
  readonly duration: string
  /** When it first recurs in `timeZone`, as the value of an input of type `datetime-local`. */
  readonly first: string
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
  first: "",
  rrule: "FREQ=WEEKLY;BYDAY=SA",
  timeZone: timeZoneName(),
})

/** The values of a stored period. */
export const periodValuesOf = ({ period, recurrence }: StoredPeriod): PeriodValues =>
  recurrence === undefined
    ? {
        ...emptyPeriod(),
        start: timeOf(period?.startTime),
        end: timeOf(period?.endTime),
        duration: period?.duration ?? "",
      }
    : {
        isRecurring: true,
        start: "",
        end: "",
        first: recurrence.startTime.replace(" ", "T").slice(0, 16),
        duration: recurrence.duration,
        rrule: recurrence.rrule,
        timeZone: recurrence.timeZone,
      }

/** The part of the definition that the values describe, valid or not. */
export const periodOf = (values: PeriodValues) => {
  const { isRecurring, start, end, first, duration, rrule, timeZone } = values
  if (isRecurring) {
    return {
      recurrence: {
        startTime: first === "" ? "" : `${first.replace("T", " ")}:00`,
        timeZone: timeZone.trim(),
        rrule: rrule.trim(),
        duration: duration.trim(),
      },
    }
  }
  return {
    period: {
      ...(start !== "" && { startTime: start }),
      ...(end === "" ? { duration: duration.trim() } : { endTime: end }),
    },
  }
}

/** Fails for what is no time, which the form cannot show. */
const timeOf = (time: string | undefined): string => (time === undefined ? "" : timeText(Date.parse(time)))

/** The start is at the same time in the other choice; what is at this time already stays. */
const recurring = ({ start, first }: PeriodValues, isRecurring: boolean): Partial<PeriodValues> => {
  if (inputOfTime(start) === first) return { isRecurring }
  return isRecurring
    ? { isRecurring, first: inputOfTime(start), timeZone: timeZoneName() }
    : { isRecurring, start: timeOfInput(first) }
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
        onChange={(value) => change(recurring(values, value === "recurring"))}
        data={[
          { value: "once", label: t("Once") },
          { value: "recurring", label: t("Recurring") },
        ]}
      />
      <Group className={css.pair ?? ""} gap={14} align="flex-start">
        {values.isRecurring ? (
          <TextInput
            {...input("first", "spec.recurrence.startTime")}
            type="datetime-local"
            label={t("Start")}
            description={t("Of the first occurrence.")}
          />
        ) : (
          <>
            <TimeInput
              {...input("start", "spec.period.startTime")}
              label={t("Start")}
              description={startDescription}
              onChange={(start) => change({ start })}
            />
            <TimeInput
              {...input("end", "spec.period.endTime")}
              label={t("End")}
              description={t("Or a duration.")}
              onChange={(end) => change({ end })}
            />
          </>
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
