import { Button, Group, SegmentedControl, TextInput } from "@mantine/core"
import { AddButton } from "../components/AddButton.tsx"
import formCss from "../components/Form.module.css"
import { api } from "../api/Queries.ts"
import { Select } from "../components/Filters.tsx"
import { Card } from "../components/Page.tsx"
import { durationText } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { countText, reliabilityText, targetText } from "../components/NumberFormat.ts"
import { isPreviewable, pointsOf, previewName, sumOf, usePreview } from "./Preview.ts"
import type { Wizard } from "./Wizard.ts"
import css from "./Wizard.module.css"
import {
  allowedMinutes,
  emptyObjective,
  isComposite,
  type ObjectiveRow,
  realisticTarget,
  windowDays,
  type WizardValues,
} from "./WizardValues.ts"

/** Targets and the time window, with what they allow and what history says about them. */
export const ObjectivesStep = ({ wizard }: { readonly wizard: Wizard }) => {
  const { values, set, errorOf } = wizard
  return (
    <>
      <Card title={t("Objectives")}>
        {values.objectives.map((row, at) => (
          <Objective key={row.id} wizard={wizard} row={row} at={at} />
        ))}
        {errorOf("spec.composite") !== undefined && <p>{errorOf("spec.composite")}</p>}
        <Group>
          <AddButton
            onClick={() => {
              const id = Math.max(0, ...values.objectives.map((each) => each.id)) + 1
              set({ objectives: [...values.objectives, emptyObjective(id)] })
            }}
          >
            {t("Add objective")}
          </AddButton>
        </Group>
      </Card>
      <TimeWindow wizard={wizard} />
    </>
  )
}

const Objective = ({
  wizard,
  row,
  at,
}: {
  readonly wizard: Wizard
  readonly row: ObjectiveRow
  readonly at: number
}) => {
  const { values, set, errorOf } = wizard
  const path = `spec.objectives[${at}]`
  const number = at + 1
  const change = (changed: Partial<ObjectiveRow>): void =>
    set({
      objectives: values.objectives.map((each) => (each.id === row.id ? { ...each, ...changed } : each)),
    })
  const field = (name: keyof ObjectiveRow & string) => ({
    id: `objective-${number}-${name}`,
    value: String(row[name]),
    error: errorOf(`${path}.${name}`),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      change({ [name]: currentTarget.value }),
  })
  const isCompared =
    !isComposite(row) &&
    (values.source === "dataSource" || values.source === "url") &&
    (values.method === "metric" || values.method === "histogram")
  return (
    <div className={css.objective} role="group" aria-label={t("Objective {number}", { number })}>
      <Group className={formCss.pair ?? ""} gap={14} align="flex-start">
        <TextInput
          {...field("target")}
          label={t("Target in percent")}
          inputMode="decimal"
          description={<Budget wizard={wizard} row={row} at={at} />}
        />
        <TextInput
          {...field("name")}
          label={t("Name of the objective")}
          placeholder={`objective-${number}`}
          autoCapitalize="none"
          spellCheck={false}
        />
      </Group>
      {isCompared && (
        <Group className={formCss.pair ?? ""} gap={14} align="flex-start">
          {values.method === "metric" && (
            <Select
              label={t("A point is good if the metric is")}
              value={row.op}
              onChange={(op) => change({ op })}
              data={[
                { value: "lte", label: t("at most") },
                { value: "lt", label: t("less than") },
                { value: "gte", label: t("at least") },
                { value: "gt", label: t("more than") },
              ]}
            />
          )}
          <TextInput {...field("value")} label={t("Value")} inputMode="decimal" />
        </Group>
      )}
      {values.budgetingMethod === "Timeslices" && (
        <TextInput
          {...field("timeSliceTarget")}
          label={t("Good events of a good minute in percent")}
          inputMode="decimal"
        />
      )}
      {isComposite(row) && (
        <p className="dim small">{t("Combines objectives of other SLOs, which can be changed as YAML.")}</p>
      )}
      <Realistic wizard={wizard} row={row} at={at} onUse={(target) => change({ target })} />
      {values.objectives.length > 1 && (
        <Group>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={() => set({ objectives: values.objectives.filter(({ id }) => id !== row.id) })}
          >
            {t("Remove objective {number}", { number })}
          </Button>
        </Group>
      )}
    </div>
  )
}

interface RowProps {
  readonly wizard: Wizard
  readonly row: ObjectiveRow
  readonly at: number
}

/** What was counted over the last day for an objective; absent for composite ones and without a preview. */
const useDay = ({ wizard, row }: RowProps) => {
  const { values } = wizard
  const { data } = usePreview(wizard)
  if (isComposite(row) || !isPreviewable(values) || data === undefined || "errors" in data) {
    return undefined
  }
  const place = values.objectives.filter((each) => !isComposite(each)).findIndex(({ id }) => id === row.id)
  return { ...sumOf(pointsOf(data, previewName(place))), hours: data.stepMinutes === 1 ? 1 : 24 }
}

const Budget = (props: RowProps) => {
  const { values } = props.wizard
  const days = windowDays(values)
  const minutes = allowedMinutes(props.row.target, days)
  const day = useDay(props)
  if (minutes === undefined) return <>{t("Enter a target and a time window to see what they allow.")}</>
  const events = day === undefined ? 0 : (day.total * 24 * minutes) / (day.hours * 1_440)
  return (
    <>
      {t("{target}% over {days, plural, one {# day} other {# days}} allows {duration} of complete failure.", {
        target: props.row.target.trim(),
        days: Number(days.toPrecision(4)),
        duration:
          minutes < 1
            ? t("{seconds} s", { seconds: Math.floor(minutes * 60) })
            : durationText(minutes * 60_000),
      })}
      {events >= 1 &&
        ` ${t("At the rate of the last day, that is {events} bad events.", { events: countText(Math.floor(events)) })}`}
    </>
  )
}

/** The target that history supports: that of past time windows, or of the last day while there is no other. */
const Realistic = (props: RowProps & { readonly onUse: (target: string) => void }) => {
  const { wizard, row, onUse } = props
  const { edited } = wizard
  const day = useDay(props)
  const proposals = api.useQuery(
    "get",
    "/api/slos/{sloName}/proposals",
    {
      params: {
        path: { sloName: edited?.metadata.name ?? "" },
        header: { project: edited?.metadata.project ?? "" },
      },
    },
    { enabled: edited !== undefined, staleTime: 300_000, retry: false },
  )
  const minutes = Math.round(windowDays(wizard.values) * 1_440)
  const measured = proposals.data?.objectives
    .find(({ name }) => name === (row.name || `objective-${props.at + 1}`))
    ?.proposals.filter(({ median }) => median !== undefined)
  const closest = measured?.find((each) => each.minutes === minutes) ?? measured?.at(-1)
  const use = (target: number) => {
    const text = targetText(target)
    const percent = text.replace(/\u00a0?%$/, "")
    return (
      percent !== row.target.trim() && (
        <Button variant="default" size="compact-sm" onClick={() => onUse(percent)}>
          {t("Use {target}", { target: text })}
        </Button>
      )
    )
  }
  if (closest?.proposedTarget !== undefined && closest.median !== undefined) {
    return (
      <Group gap={10}>
        <span className="small">
          {t(
            "95% of past time windows of {days, plural, one {# day} other {# days}} met {target}; their median was {median}.",
            {
              days: Number((closest.minutes / 1_440).toPrecision(4)),
              target: targetText(closest.proposedTarget),
              median: reliabilityText(closest.median),
            },
          )}
        </span>
        {use(closest.proposedTarget)}
      </Group>
    )
  }
  const target = day?.sli === undefined ? undefined : realisticTarget(day.sli)
  if (day?.sli === undefined) return null
  return (
    <Group gap={10}>
      <span className="small">
        {day.hours === 1
          ? t("The last hour had {sli}.", { sli: reliabilityText(day.sli) })
          : t("The last day had {sli}. One day says little about a long time window.", {
              sli: reliabilityText(day.sli),
            })}
      </span>
      {target !== undefined && use(target)}
    </Group>
  )
}

const TimeWindow = ({ wizard }: { readonly wizard: Wizard }) => {
  const { values, set, errorOf } = wizard
  const isRolling = values.windowKind === "rolling"
  const path = "spec.timeWindows[0]"
  const input = (
    name: "windowCount" | "windowStart" | "windowTimeZone",
    ...paths: ReadonlyArray<string>
  ) => ({
    id: name,
    value: values[name],
    error: errorOf(...paths),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: currentTarget.value }),
  })
  return (
    <Card title={t("Time window")}>
      <SegmentedControl
        aria-label={t("Kind of time window")}
        value={values.windowKind}
        onChange={(kind) =>
          set(
            kind === "rolling"
              ? { windowKind: "rolling", windowCount: "28", windowUnit: "Day" }
              : { windowKind: "calendar", windowCount: "1", windowUnit: "Month" },
          )
        }
        data={[
          { value: "rolling", label: t("Rolling") },
          { value: "calendar", label: t("Calendar") },
        ]}
      />
      <Group className={formCss.pair ?? ""} gap={14} align="flex-start">
        <TextInput {...input("windowCount", path, `${path}.count`)} label={t("Length")} inputMode="numeric" />
        <Select
          label={t("Unit")}
          value={values.windowUnit}
          onChange={(windowUnit) => set({ windowUnit })}
          data={(isRolling ? ["Minute", "Hour", "Day"] : ["Day", "Week", "Month", "Quarter", "Year"]).map(
            (value) => ({ value, label: unitName(value) }),
          )}
        />
      </Group>
      {!isRolling && (
        <Group className={formCss.pair ?? ""} gap={14} align="flex-start">
          <TextInput
            {...input("windowStart", `${path}.calendar.startTime`)}
            label={t("Start of one of the windows")}
            description="2026-01-01 00:00:00"
          />
          <TextInput
            {...input("windowTimeZone", `${path}.calendar.timeZone`)}
            label={t("Time zone")}
            description="Europe/Berlin"
          />
        </Group>
      )}
      <Select
        label={t("What is counted")}
        value={values.budgetingMethod}
        onChange={(method) => set({ budgetingMethod: method as WizardValues["budgetingMethod"] })}
        data={[
          { value: "Occurrences", label: t("Events: each bad event uses budget") },
          { value: "Timeslices", label: t("Minutes: each bad minute uses budget") },
        ]}
      />
      {values.budgetingMethod === "Timeslices" && (
        <Select
          label={t("Minutes without events")}
          description={t("For a service with few events, choose the state of the latest minute with events.")}
          value={values.emptyTimeSlices}
          error={wizard.errorOf("spec.emptyTimeSlices")}
          onChange={(each) => set({ emptyTimeSlices: each as WizardValues["emptyTimeSlices"] })}
          data={[
            { value: "good", label: t("Are good") },
            { value: "ignored", label: t("Are ignored: the share is of the minutes with events") },
            { value: "lastState", label: t("Have the state of the latest minute with events") },
          ]}
        />
      )}
    </Card>
  )
}

const unitName = (unit: string): string => {
  switch (unit) {
    case "Minute":
      return t("Minutes")
    case "Hour":
      return t("Hours")
    case "Week":
      return t("Weeks")
    case "Month":
      return t("Months")
    case "Quarter":
      return t("Quarters")
    case "Year":
      return t("Years")
    default:
      return t("Days")
  }
}
