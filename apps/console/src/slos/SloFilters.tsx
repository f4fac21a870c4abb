import { groupBy, type ObjectiveState, objectiveStates, type ReliabilityColumn } from "@tocsin/domain/forms"
import { useMemo } from "react"
import { Facet } from "../components/Facet.tsx"
import { FilterBar, FilterInput, Select } from "../components/Filters.tsx"
import { iconOf, labelOf } from "../components/StatusBadge.tsx"
import { labelText } from "../editor/Labels.ts"
import { t } from "../language/Text.tsx"
import { countText } from "../components/NumberFormat.ts"
import { filterRows, labelCounts, serviceKey, type SloRow, type SloRowFilter } from "./SloRows.ts"
import css from "./SlosPage.module.css"
import { allColumns, columnName } from "./RecentReliability.tsx"
import { columns, isSortKey } from "./SloTable.tsx"

interface FilterValues {
  readonly search: string
  /** Comma-separated. */
  readonly project: string
  /** Comma-separated, each with its project. */
  readonly service: string
  /** Labels as they are typed. */
  readonly label: string
  readonly group: string
  readonly sort: string
  readonly columns: string
}

/** The filters, and how the list is grouped; on phones, which have no column headers, also how it is sorted. */
export const SloFilters = ({
  rows,
  values: { search, project, service, label, group, sort },
  filter,
  recent,
  set,
}: {
  readonly rows: ReadonlyArray<SloRow>
  readonly values: FilterValues
  /** What they let through. */
  readonly filter: SloRowFilter
  readonly recent: ReadonlyArray<ReliabilityColumn>
  readonly set: (changed: Partial<FilterValues>) => void
}) => {
  const { projects, services, keys } = useMemo(() => namesOf(rows), [rows])
  const found = (changed: Partial<SloRowFilter>) => filterRows(rows, { ...filter, ...changed }).found
  return (
    <FilterBar role="search" label={t("SLOs")} values={[search, project, service, label, group]}>
      <FilterInput
        label={t("Search")}
        type="search"
        placeholder={t("Part of a name")}
        value={search}
        onChange={(next) => set({ search: next })}
        pauseMs={searchPauseMs}
      />
      <Facet
        label={t("Project")}
        all={t("All projects")}
        selected={filter.projects}
        nameOf={(value) => projects.get(value) ?? value}
        onChange={(next) =>
          set({
            project: next.join(","),
            // A service belongs to a project.
            service: filter.services
              .filter((each) => next.length === 0 || next.some((name) => each.startsWith(`${name}/`)))
              .join(","),
          })
        }
        choices={() => countsOf(found({ projects: [] }), ({ project }) => project)}
      />
      <Facet
        label={t("Service")}
        all={t("All services")}
        selected={filter.services}
        nameOf={(value) => services.get(value) ?? value}
        onChange={(next) => set({ service: next.join(",") })}
        choices={() => countsOf(found({ services: [] }), serviceKey)}
      />
      <Facet
        label={t("Label")}
        all={t("Any label")}
        selected={filter.labels}
        onChange={(next) => set({ label: next.map(labelText).join(",") })}
        choices={() => labelCounts(found({ labels: [] }))}
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
      <Facet
        label={t("Reliability over")}
        all={t("Time window")}
        selected={recent}
        nameOf={(value) =>
          allColumns.map((each) => (each === value ? columnName(each) : "")).join("") || value
        }
        onChange={(next) => set({ columns: allColumns.filter((each) => next.includes(each)).join(",") })}
        choices={() => new Map(allColumns.map((each) => [each, undefined]))}
      />
      <div className={css.sortSelect}>
        <Select
          label={t("Sort by")}
          value={sort === "" ? "status" : sort}
          onChange={(next) => set({ sort: next })}
          data={columns().flatMap(({ key, name, isDescendingFirst = false }) =>
            !isSortKey(key) ? [] : [{ value: isDescendingFirst ? `-${key}` : key, label: name }],
          )}
        />
      </div>
    </FilterBar>
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

const countsOf = (rows: ReadonlyArray<SloRow>, valueOf: (row: SloRow) => string) =>
  new Map(Array.from(groupBy(rows, valueOf), ([value, found]) => [value, found.length]))

const namesOf = (rows: ReadonlyArray<SloRow>) => ({
  projects: new Map(rows.map((row) => [row.project, row.projectName])),
  services: new Map(rows.map((row) => [serviceKey(row), `${row.serviceName} (${row.projectName})`])),
  keys: [...new Set(Array.from(labelCounts(rows).keys(), (label) => label.slice(0, label.indexOf("="))))],
})
