import { Button, Group, SegmentedControl, TextInput } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import { AddButton } from "../components/AddButton.tsx"
import formCss from "../components/Form.module.css"
import { api } from "../api/Queries.ts"
import { Card } from "../components/Page.tsx"
import { durationText } from "../components/RelativeTime.tsx"
import { ChoiceField } from "../editor/ChoiceField.tsx"
import { comparisonName } from "../editor/Comparison.ts"
import { numberText } from "../editor/Fields.ts"
import { t } from "../language/Text.tsx"
import { countText, reliabilityText, targetText } from "../components/NumberFormat.ts"
import { isPreviewable, pointsOf, previewName, sumOf, usePreview } from "./Preview.ts"
import type { Wizard } from "./Wizard.ts"
import css from "./Wizard.module.css"
import {
  allowedMinutes,
  chooseBudgeting,
  chooseWindow,
  isComposite,
  isQueried,
  methodOf,
  newObjective,
  type Objective as Row,
  percent,
  realisticTarget,
  type Spec,
  windowDays,
} from "./SloDocument.ts"

const objectivesPath = "spec.objectives"

/** Targets and the time window, with what they allow and what history says about them. */
export const ObjectivesStep = ({ wizard }: { readonly wizard: Wizard }) => {
  const { slo, draft } = wizard
  const { objectives, budgetingMethod, indicator } = slo.spec
  const composite = draft.errorOf("spec.composite", "spec.composite")
  const method = isQueried(slo) ? methodOf(indicator?.prometheus) : undefined
  return (
    <>
      <Card title={t("Objectives")}>
        {objectives.map((row, at) => (
          <Objective key={at} wizard={wizard} row={row} at={at} />
        ))}
        {composite !== undefined && <p>{composite}</p>}
        <Group>
          <AddButton
            onClick={() =>
              draft.put({ [objectivesPath]: [...objectives, newObjective(method, budgetingMethod)] })
            }
          >
            {t("Add objective")}
          </AddButton>
        </Group>
      </Card>
      <TimeWindow wizard={wizard} />
    </>
  )
}

interface RowProps {
  readonly wizard: Wizard
  readonly row: Row
  readonly at: number
}

const Objective = ({ wizard, row, at }: RowProps) => {
  const { slo, draft } = wizard
  const path = `${objectivesPath}[${at}]`
  const number = at + 1
  const method = methodOf(slo.spec.indicator?.prometheus)
  const isCompared = !isComposite(row) && isQueried(slo) && (method === "metric" || method === "histogram")
  const [, setTarget] = draft.typed(`${path}.target`, percent)
  return (
    <div className={css.objective} role="group" aria-label={t("Objective {number}", { number })}>
      <Group className={formCss.pair ?? ""} gap="sm" align="flex-start">
        <TextInput
          {...draft.field(`${path}.target`, percent)}
          label={t("Target (%)")}
          inputMode="decimal"
          description={<Budget wizard={wizard} row={row} at={at} />}
        />
        <NameInput
          {...draft.field(`${path}.name`)}
          label={t("Name of the objective")}
          placeholder={`objective-${number}`}
        />
      </Group>
      {isCompared && (
        <Group className={formCss.pair ?? ""} gap="sm" align="flex-start">
          {method === "metric" && (
            <ChoiceField
              draft={draft}
              path={`${path}.op`}
              label={t("A point is good if the metric is")}
              names={comparisonName}
            />
          )}
          <TextInput {...draft.field(`${path}.value`, numberText)} label={t("Value")} inputMode="decimal" />
        </Group>
      )}
      {slo.spec.budgetingMethod === "Timeslices" && (
        <TextInput
          {...draft.field(`${path}.timeSliceTarget`, percent)}
          label={t("Minimum % good events in a good minute")}
          inputMode="decimal"
        />
      )}
      {isComposite(row) && (
        <p className="dim small">{t("Combines objectives of other SLOs, which can be changed as YAML.")}</p>
      )}
      <Realistic wizard={wizard} row={row} at={at} onUse={setTarget} />
      {slo.spec.objectives.length > 1 && (
        <Group>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={() =>
              draft.put({ [objectivesPath]: slo.spec.objectives.filter((_, place) => place !== at) })
            }
          >
            {t("Remove objective {number}", { number })}
          </Button>
        </Group>
      )}
    </div>
  )
}

/** What was counted over the last day for an objective; absent for composite ones and without a preview. */
const useDay = ({ wizard, row, at }: RowProps) => {
  const { slo } = wizard
  const { data } = usePreview(wizard)
  if (isComposite(row) || !isPreviewable(slo) || data === undefined || "errors" in data) return undefined
  const place = slo.spec.objectives.slice(0, at).filter((each) => !isComposite(each)).length
  return { ...sumOf(pointsOf(data, previewName(place))), hours: data.stepMinutes === 1 ? 1 : 24 }
}

const Budget = (props: RowProps) => {
  const days = windowDays(props.wizard.slo)
  const minutes = allowedMinutes(props.row.target, days)
  const day = useDay(props)
  if (minutes === undefined) return <>{t("Enter a target and a time window to see what they allow.")}</>
  const events = day === undefined ? 0 : (day.total * 24 * minutes) / (day.hours * 1_440)
  return (
    <>
      {t("{target}% over {days, plural, one {# day} other {# days}} allows {duration} of complete failure.", {
        target: percent.format(props.row.target),
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
  const minutes = Math.round(windowDays(wizard.slo) * 1_440)
  const measured = proposals.data?.objectives
    .find(({ name }) => name === (row.name || `objective-${props.at + 1}`))
    ?.proposals.filter(({ median }) => median !== undefined)
  const closest = measured?.find((each) => each.minutes === minutes) ?? measured?.at(-1)
  const use = (target: number) => {
    const text = targetText(target)
    const typed = text.replace(/\u00a0?%$/, "")
    return (
      typed !== percent.format(row.target) && (
        <Button variant="default" size="compact-sm" onClick={() => onUse(typed)}>
          {t("Use {target}", { target: text })}
        </Button>
      )
    )
  }
  if (closest?.proposedTarget !== undefined && closest.median !== undefined) {
    return (
      <Group gap="xs">
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
    <Group gap="xs">
      <span className="small">
        {day.hours === 1
          ? t("The last hour had {sli}.", { sli: reliabilityText(day.sli) })
          : t("The last day had {sli}. One day is not representative of a long time window.", {
              sli: reliabilityText(day.sli),
            })}
      </span>
      {target !== undefined && use(target)}
    </Group>
  )
}

const TimeWindow = ({ wizard: { slo, draft } }: { readonly wizard: Wizard }) => {
  const { budgetingMethod } = slo.spec
  const path = "spec.timeWindows[0]"
  const isRolling = draft.at(`${path}.calendar`) === undefined
  const units = draft.rules(`${path}.unit`).choices ?? []
  return (
    <Card title={t("Time window")}>
      <SegmentedControl
        aria-label={t("Kind of time window")}
        value={isRolling ? "rolling" : "calendar"}
        onChange={(kind) => chooseWindow(draft, kind === "rolling")}
        data={[
          { value: "rolling", label: t("Rolling") },
          { value: "calendar", label: t("Calendar") },
        ]}
      />
      <Group className={formCss.pair ?? ""} gap="sm" align="flex-start">
        <TextInput
          {...draft.field(`${path}.count`, numberText, path)}
          label={t("Length")}
          inputMode="numeric"
        />
        <ChoiceField
          draft={draft}
          path={`${path}.unit`}
          label={t("Unit")}
          names={unitName}
          isListed={(unit) =>
            isRolling
              ? units.indexOf(unit) <= units.indexOf("Day")
              : units.indexOf(unit) >= units.indexOf("Day")
          }
        />
      </Group>
      {!isRolling && (
        <Group className={formCss.pair ?? ""} gap="sm" align="flex-start">
          <TextInput
            {...draft.field(`${path}.calendar.startTime`)}
            label={t("Start of one of the windows")}
            description="2026-01-01 00:00:00"
          />
          <TextInput
            {...draft.field(`${path}.calendar.timeZone`)}
            label={t("Time zone")}
            description="Europe/Berlin"
          />
        </Group>
      )}
      <ChoiceField
        draft={draft}
        path="spec.budgetingMethod"
        label={t("What is counted")}
        names={countedName}
        onChange={(method) => chooseBudgeting(draft, method)}
      />
      {budgetingMethod === "Timeslices" && (
        <ChoiceField
          draft={draft}
          path="spec.emptyTimeSlices"
          label={t("Minutes without events")}
          description={t("For a service with few events, choose the state of the latest minute with events.")}
          names={emptyName}
        />
      )}
    </Card>
  )
}

const countedName = (method: Spec["budgetingMethod"]): string =>
  ({
    Occurrences: t("Events: each bad event uses budget"),
    Timeslices: t("Minutes: each bad minute uses budget"),
  })[method]

const emptyName = (state: NonNullable<Spec["emptyTimeSlices"]>): string =>
  ({
    good: t("Are good"),
    ignored: t("Are ignored: only minutes with events count"),
    lastState: t("Have the state of the latest minute with events"),
  })[state]

const unitName = (unit: Spec["timeWindows"][number]["unit"]): string =>
  ({
    Minute: t("Minutes"),
    Hour: t("Hours"),
    Day: t("Days"),
    Week: t("Weeks"),
    Month: t("Months"),
    Quarter: t("Quarters"),
    Year: t("Years"),
  })[unit]
