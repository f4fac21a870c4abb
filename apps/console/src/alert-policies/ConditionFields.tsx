import { ActionIcon, Button, Fieldset, Group, Input, Stack, TextInput } from "@mantine/core"
import { AddButton } from "../components/AddButton.tsx"
import { Select } from "../components/Filters.tsx"
import { Cross } from "../components/Icon.tsx"
import { comparisonName } from "../editor/Comparison.ts"
import type { DraftFields } from "../editor/Fields.ts"
import { t } from "../language/Text.tsx"
import css from "./AlertPolicy.module.css"
import {
  type ConditionGroups,
  type ConditionRow,
  conditionTyping,
  groupPath,
  hasWindow,
  isDuration,
  isFewerThan,
  type Measurement,
  newCondition,
} from "./PolicyValues.ts"

/** The groups of conditions: the policy alerts when all conditions of one group are met. */
export const ConditionFields = ({ draft }: { readonly draft: DraftFields }) => {
  const path = draft.at("spec.conditionGroups") === undefined ? "spec.conditions" : "spec.conditionGroups"
  const [groups] = draft.typed(path, conditionTyping[path])
  const ops = (draft.rules("spec.conditions[0].op").choices ?? []) as ReadonlyArray<ConditionRow["op"]>
  const setGroups = (next: ConditionGroups): void => {
    const to = next.length === 1 ? "spec.conditions" : "spec.conditionGroups"
    draft.put({ [path]: undefined, [to]: conditionTyping[to].parse(next) }, { [to]: next })
  }
  const setGroup = (at: number, group: ReadonlyArray<ConditionRow>): void =>
    setGroups(groups.map((each, index) => (index === at ? group : each)).filter((each) => each.length > 0))
  return (
    <Stack gap="md" id="spec.conditions" tabIndex={-1}>
      <Group gap="xs">
        {presets().map(({ name, rows }) => (
          <Button
            key={name}
            variant="default"
            size="compact-sm"
            onClick={() => setGroups([rows.map((row) => newCondition(row))])}
          >
            {name}
          </Button>
        ))}
      </Group>
      {groups.map((group, at) => (
        <Fieldset
          // A group is known by its first condition, which it always has.
          key={group[0]?.id}
          legend={
            groups.length === 1
              ? t("All of these conditions")
              : t("Group {number}: all of these conditions", { number: at + 1 })
          }
        >
          {group.map((row, index) => (
            <Condition
              key={row.id}
              row={row}
              ops={ops}
              number={index + 1}
              error={draft.errorOf("spec.conditions", `${groupPath(groups, at)}[${index}]`)}
              isRemovable={groups.length > 1 || group.length > 1}
              onChange={(changed) =>
                setGroup(
                  at,
                  group.map((each) => (each.id === row.id ? { ...each, ...changed } : each)),
                )
              }
              onRemove={() =>
                setGroup(
                  at,
                  group.filter(({ id }) => id !== row.id),
                )
              }
            />
          ))}
          <AddButton
            disabled={group.length >= (draft.rules("spec.conditions").max ?? Infinity)}
            onClick={() => setGroup(at, [...group, newCondition()])}
          >
            {t("Add condition")}
          </AddButton>
        </Fieldset>
      ))}
      <div>
        <AddButton
          disabled={groups.length >= (draft.rules("spec.conditionGroups").max ?? Infinity)}
          onClick={() => setGroups([...groups, [newCondition()]])}
        >
          {t("Or: add a group")}
        </AddButton>
      </div>
      <Issue text={draft.errorOf("spec.conditions", path)} />
    </Stack>
  )
}

const Issue = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : <Input.Error>{text}</Input.Error>

/** Conditions to start from; the names say when they alert. */
const presets = (): ReadonlyArray<{
  readonly name: string
  readonly rows: ReadonlyArray<Partial<ConditionRow>>
}> => [
  {
    name: t("Fast burn (14.4× in 1 h)"),
    rows: [
      { value: "14.4", alertingWindow: "1h" },
      { value: "14.4", alertingWindow: "5m" },
    ],
  },
  {
    name: t("Slow burn (6× in 6 h)"),
    rows: [
      { value: "6", alertingWindow: "6h" },
      { value: "6", alertingWindow: "30m" },
    ],
  },
  {
    name: t("90% of the budget burned"),
    rows: [{ measurement: "burnedBudget", value: "0.9", alertingWindow: "" }],
  },
  {
    name: t("Exhausted within 3 days"),
    rows: [{ measurement: "timeToBurnBudget", value: "72h", alertingWindow: "6h" }],
  },
  {
    name: t("10% of the budget in 1 h"),
    rows: [{ measurement: "budgetDrop", value: "0.1", alertingWindow: "1h" }],
  },
  {
    name: t("No traffic for 15 minutes"),
    rows: [{ measurement: "fewerThan", value: "1", alertingWindow: "15m" }],
  },
  {
    name: t("A quarter of the usual traffic"),
    rows: [{ measurement: "fewerThanUsual", value: "0.25", alertingWindow: "30m" }],
  },
]

const measurements = (): Readonly<Record<Measurement, string>> => ({
  averageBurnRate: t("Average burn rate"),
  burnedBudget: t("Budget burned"),
  budgetDrop: t("Budget burned in the window"),
  timeToBurnBudget: t("Time until the remaining budget is burned"),
  timeToBurnEntireBudget: t("Time in which the entire budget burns"),
  fewerThan: t("Fewer events than"),
  fewerThanUsual: t("Fewer events than a share of the usual number"),
})

const Condition = ({
  row,
  ops,
  number,
  error,
  isRemovable,
  onChange,
  onRemove,
}: {
  readonly row: ConditionRow
  /** The comparisons to choose from. */
  readonly ops: ReadonlyArray<ConditionRow["op"]>
  readonly number: number
  readonly error: string | undefined
  readonly isRemovable: boolean
  readonly onChange: (changed: Partial<ConditionRow>) => void
  readonly onRemove: () => void
}) => {
  const text = (
    field: "value" | "alertingWindow" | "lastsFor" | "minEvents" | "minBadEvents" | "weeks",
    label: string,
    placeholder: string,
  ) => (
    <TextInput
      label={label}
      aria-label={t("{label} of condition {number}", { label, number })}
      value={row[field]}
      placeholder={placeholder}
      onChange={({ currentTarget }) => onChange({ [field]: currentTarget.value })}
      spellCheck={false}
    />
  )
  return (
    <div className={css.condition} role="group" aria-label={t("Condition {number}", { number })}>
      <Select
        label={t("Measurement")}
        aria-label={t("Measurement of condition {number}", { number })}
        value={row.measurement}
        onChange={(value) => {
          const measurement = value as Measurement
          const isOther = isDuration(measurement) !== isDuration(row.measurement)
          onChange({ measurement, ...(isOther && { value: isDuration(measurement) ? "72h" : "1" }) })
        }}
        data={Object.entries(measurements()).map(([value, label]) => ({ value, label }))}
      />
      {row.measurement === "burnedBudget" && (
        <Select
          label={t("Comparison")}
          value={row.op}
          onChange={(op) => onChange({ op: op as ConditionRow["op"] })}
          data={ops.map((value) => ({ value, label: comparisonName(value) }))}
        />
      )}
      {text(
        "value",
        isDuration(row.measurement) ? t("At most") : t("Value"),
        isDuration(row.measurement) ? "72h" : "14.4",
      )}
      {hasWindow(row.measurement) && text("alertingWindow", t("Window"), "1h")}
      {text("lastsFor", t("Lasts for"), "0m")}
      {isFewerThan(row.measurement) ? (
        row.measurement === "fewerThanUsual" && (
          <>
            {text("weeks", t("Past weeks"), "4")}
            {text("minEvents", t("Minimum usual events"), "20")}
          </>
        )
      ) : (
        <>
          {text("minEvents", t("Minimum events"), "1")}
          {text("minBadEvents", t("Minimum bad events"), "1")}
        </>
      )}
      {isRemovable && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          className={css.remove}
          aria-label={t("Remove condition {number}", { number })}
          onClick={onRemove}
        >
          <Cross />
        </ActionIcon>
      )}
      {error !== undefined && <Input.Error className={css.error ?? ""}>{error}</Input.Error>}
    </div>
  )
}
