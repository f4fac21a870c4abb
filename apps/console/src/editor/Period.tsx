import { Group, SegmentedControl, TextInput } from "@mantine/core"
import css from "../components/Form.module.css"
import { Select } from "../components/Filters.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { TimeField, timeTyping } from "./TimeField.tsx"
import { DateTimeInput } from "../components/DateTimeInput.tsx"
import { inputOfTime, timeOfInput, timeZoneName } from "../time/TimeZone.ts"
import { type DraftFields, requiredText, type Typing } from "./Fields.ts"

interface Recurrence {
  readonly startTime: string
  readonly timeZone: string
  readonly rrule: string
  readonly duration: string
}

/** A period of an hour, from a time to another or from a time that is still to be entered. */
export const newPeriod = (startTime = "", endTime = "") => ({
  startTime: startTime || undefined,
  endTime: endTime || undefined,
  duration: endTime === "" ? "1h" : undefined,
})

/** A wall-clock time without its seconds. */
const wallClock: Typing<string> = {
  format: (time) => String(time ?? "").slice(0, 16),
  parse: (text) => text.trim().replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?$/, "$1 $2:00"),
}

/** Fails for a period that the form cannot show. */
export const showPeriod = ({
  period,
}: {
  readonly period?: { readonly startTime?: string; readonly endTime?: string }
}) => [period?.startTime, period?.endTime].map(timeTyping.format)

const once = "spec.period"
const recurring = "spec.recurrence"

/** When something applies: once, or by a rule. */
export const PeriodCard = ({
  draft,
  startDescription,
}: {
  readonly draft: DraftFields
  readonly startDescription: string
}) => {
  const { at, put, swap, left, field, typed } = draft
  const isRecurring = at(recurring) !== undefined
  const path = isRecurring ? recurring : once
  const [start] = typed(`${once}.startTime`, timeTyping)
  const [end] = typed(`${once}.endTime`, timeTyping)
  const duration = at(`${path}.duration`) ?? left(`${once}.duration`) ?? ""
  /** The start is at the same time in the other choice; what is at this time already stays. */
  const choose = (next: string): void => {
    if (next === recurring) {
      const first = inputOfTime(start)
      const before = (left(recurring) ?? { rrule: "FREQ=WEEKLY;BYDAY=SA" }) as Recurrence
      const isSame = wallClock.format(before.startTime) === first && before.timeZone !== undefined
      const timeZone = isSame ? before.timeZone : timeZoneName()
      const startTime = wallClock.parse(first)
      swap([once], {}, { [recurring]: { startTime, timeZone, rrule: before.rrule, duration } })
    } else {
      const first = wallClock.format(at(`${recurring}.startTime`))
      const before = (left(once) ?? {}) as ReturnType<typeof newPeriod>
      const isSame = inputOfTime(before.startTime ?? "") === first
      const startTime = isSame ? before.startTime : timeOfInput(first) || undefined
      const period = { ...before, startTime, ...(before.endTime === undefined && { duration }) }
      swap([recurring], {}, { [once]: period })
    }
  }
  const rrule = field(`${recurring}.rrule`)
  return (
    <Card title={t("Time")}>
      <SegmentedControl
        aria-label={t("How often")}
        value={path}
        onChange={choose}
        data={[
          { value: once, label: t("Once") },
          { value: recurring, label: t("Recurring") },
        ]}
      />
      <Group className={css.pair ?? ""} gap="sm" align="flex-start">
        {isRecurring ? (
          <DateTimeInput
            {...field(`${recurring}.startTime`, wallClock)}
            onChange={typed(`${recurring}.startTime`, wallClock)[1]}
            label={t("Start")}
            description={t("Of the first occurrence.")}
          />
        ) : (
          <>
            <TimeField
              draft={draft}
              path={`${once}.startTime`}
              label={t("Start")}
              description={startDescription}
            />
            <TimeField
              draft={draft}
              path={`${once}.endTime`}
              label={t("End")}
              description={t("Or a duration.")}
              onChange={(next) =>
                next === ""
                  ? swap([`${once}.endTime`], { [`${once}.duration`]: duration })
                  : swap([`${once}.duration`], {}, { [`${once}.endTime`]: next })
              }
            />
          </>
        )}
        <TextInput
          {...field(`${path}.duration`, requiredText, ...(isRecurring ? [] : [once]))}
          {...(!isRecurring && end !== "" && { value: String(duration), disabled: true })}
          label={t("Duration")}
          description={t("For example 30m or 2h.")}
        />
      </Group>
      {isRecurring ? (
        <Group className={css.pair ?? ""} gap="sm" align="flex-start">
          <Select
            label={t("Repeats")}
            value={usualRules().some(({ value }) => value === rrule.value) ? rrule.value : ""}
            onChange={(value) => put({ [rrule.id]: value })}
            data={[...usualRules(), { value: "", label: t("Custom rule") }]}
          />
          <TextInput
            {...rrule}
            label={t("Recurrence rule")}
            description={t("RFC 5545, such as FREQ=MONTHLY;BYDAY=1SU.")}
            spellCheck={false}
          />
          <TextInput
            {...field(`${recurring}.timeZone`)}
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

const usualRules = () => [
  { value: "FREQ=DAILY", label: t("Every day") },
  { value: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", label: t("Every weekday") },
  { value: "FREQ=WEEKLY;BYDAY=SA", label: t("Every Saturday") },
  { value: "FREQ=WEEKLY;BYDAY=SU", label: t("Every Sunday") },
  { value: "FREQ=MONTHLY;BYMONTHDAY=1", label: t("On the first of every month") },
]
