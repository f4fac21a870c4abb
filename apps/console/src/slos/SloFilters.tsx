import { Button, Group } from "@mantine/core"
import { type ObjectiveState, objectiveStates } from "@tocsin/domain/forms"
import { useMemo } from "react"
import { FilterInput, Select } from "../components/Filters.tsx"
import { Cross } from "../components/Icon.tsx"
import { iconOf, labelOf } from "../components/StatusBadge.tsx"
import { labelList, labelText } from "../editor/Labels.ts"
import { t } from "../language/Text.tsx"
import { countText } from "../components/NumberFormat.ts"
import { labelCounts, type SloRow } from "./SloRows.ts"
import css from "./SlosPage.module.css"
import { columns } from "./SloTable.tsx"

interface FilterValues {
  readonly search: string
  readonly project: string
  readonly service: string
  /** Labels as they are typed. */
  readonly label: string
  readonly group: string
  readonly sort: string
}

/** The filters, and how the list is grouped; on phones, which have no column headers, also how it is sorted. */
export const SloFilters = ({
  rows,
  values: { search, project, service, label, group, sort },
  set,
}: {
  readonly rows: ReadonlyArray<SloRow>
  readonly values: FilterValues
  readonly set: (changed: Partial<FilterValues>) => void
}) => {
  const { projects, services, labels, keys } = useMemo(() => choicesOf(rows), [rows])
  const selected = labelList(label)
  const select = (next: ReadonlyArray<string>): void => set({ label: next.map(labelText).join(",") })
  return (
    <>
      <Group gap={10} align="flex-end" className="filters" role="search" aria-label={t("SLOs")}>
        <FilterInput
          label={t("Search")}
          type="search"
          placeholder={t("Part of a name")}
          value={search}
          onChange={(next) => set({ search: next })}
          pauseMs={searchPauseMs}
        />
        <Select
          label={t("Project")}
          all={t("All projects")}
          value={project}
          onChange={(next) => set({ project: next, service: "" })}
          data={withSelected(projects, project)}
        />
        <Select
          label={t("Service")}
          all={t("All services")}
          value={service && `${project}/${service}`}
          onChange={(next) => {
            // A service belongs to a project: selecting it selects its project too.
            const [ofProject = project, name = ""] = next === "" ? [] : next.split("/")
            set({ project: ofProject, service: name })
          }}
          data={withSelected(
            services.filter((each) => project === "" || each.value.startsWith(`${project}/`)),
            service && `${project}/${service}`,
          )}
        />
        <Select
          label={t("Label")}
          all={t("Any label")}
          value=""
          disabled={labels.length === 0}
          onChange={(next) => select([...selected, next])}
          data={labels.filter(({ value }) => !selected.includes(value))}
        />
        <Select
          label={t("Group by")}
          all={t("No grouping")}
          value={group}
          onChange={(next) => set({ group: next })}
          data={[
            { value: "service", label: t("Service") },
            { value: "project", label: t("Project") },
            ...keys.map((key) => ({ value: `label:${key}`, label: t("Label {key}", { key }) })),
          ]}
        />
        <div className={css.sortSelect}>
          <Select
            label={t("Sort by")}
            value={sort === "" ? "status" : sort}
            onChange={(next) => set({ sort: next })}
            data={columns().flatMap(({ key, name, isDescendingFirst = false }) =>
              key === "trend" ? [] : [{ value: isDescendingFirst ? `-${key}` : key, label: name }],
            )}
          />
        </div>
      </Group>
      {selected.length > 0 && (
        <Group gap={8} role="group" aria-label={t("Selected labels")}>
          {selected.map((each) => (
            <Button
              key={each}
              variant="light"
              size="compact-sm"
              rightSection={<Cross />}
              aria-label={t("Remove the label {label}", { label: each })}
              onClick={() => select(selected.filter((other) => other !== each))}
            >
              {each}
            </Button>
          ))}
        </Group>
      )}
    </>
  )
}

/** The list is filtered in the browser. */
const searchPauseMs = 120

/** How many SLOs are in each state, as toggles that filter by it. */
export const StateChips = ({
  counts,
  total,
  selected,
  onChange,
}: {
  readonly counts: Readonly<Record<ObjectiveState, number>>
  readonly total: number
  readonly selected: ReadonlyArray<string>
  readonly onChange: (selected: ReadonlyArray<string>) => void
}) => (
  <div className={css.chips} role="group" aria-label={t("Status")}>
    <button
      type="button"
      className={css.chip}
      aria-pressed={selected.length === 0}
      onClick={() => onChange([])}
    >
      {t("All")} <strong>{countText(total)}</strong>
    </button>
    {objectiveStates.map((state) => {
      const isPressed = selected.includes(state)
      return (
        <button
          key={state}
          type="button"
          className={`${css.chip} ${css[state]}`}
          aria-pressed={isPressed}
          onClick={() =>
            onChange(
              objectiveStates.filter((each) => (each === state ? !isPressed : selected.includes(each))),
            )
          }
        >
          {iconOf(state)} {labelOf(state)} <strong>{countText(counts[state])}</strong>
        </button>
      )
    })}
  </div>
)

interface Choice {
  readonly value: string
  readonly label: string
}

/** What the address names may have no SLO. */
const withSelected = (choices: ReadonlyArray<Choice>, selected: string): ReadonlyArray<Choice> =>
  selected === "" || choices.some(({ value }) => value === selected)
    ? choices
    : [...choices, { value: selected, label: selected }]

/** More values than a person reads through: the search finds the rest. */
const labelChoicesMax = 300

const choicesOf = (rows: ReadonlyArray<SloRow>) => {
  const projects = new Map(rows.map((row) => [row.project, row.projectName]))
  const services = new Map(
    rows.map((row) => [`${row.project}/${row.service}`, `${row.serviceName} (${row.projectName})`]),
  )
  const labels = labelCounts(rows)
  const byLabel = (choices: ReadonlyMap<string, string>) =>
    Array.from(choices, ([value, label]) => ({ value, label })).toSorted((a, b) =>
      a.label.localeCompare(b.label),
    )
  return {
    projects: byLabel(projects),
    services: byLabel(services),
    labels: Array.from(labels, ([value, count]) => ({
      value,
      label: `${value} (${countText(count)})`,
    })).slice(0, labelChoicesMax),
    keys: [...new Set(Array.from(labels.keys(), (label) => label.slice(0, label.indexOf("="))))],
  }
}
