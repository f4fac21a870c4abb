import { Paper, Stack } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { Fragment, type ReactNode, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react"
import { openAlertsStatus } from "./OpenAlerts.ts"
import { ArrowDown, ArrowUp, Siren } from "../components/Icon.tsx"
import { RowLink } from "../components/ListTable.tsx"
import { SelectBox } from "../components/SelectBox.tsx"
import type { KeySelection } from "../components/Selection.ts"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { type ReliabilityColumn, reliabilityColumns, sloSortKeys } from "@tocsin/domain/forms"
import { rich, t } from "../language/Text.tsx"
import { useDensity } from "../preferences/Density.ts"
import { BudgetBar } from "./BudgetBar.tsx"
import { budgetText, burnText, countText, reliabilityText, targetText } from "../components/NumberFormat.ts"
import {
  countRows,
  type ObjectiveRow,
  type RowGroup,
  type SharedValues,
  sharedValues,
  type SloRow,
  type Sort,
  type SortKey,
} from "./SloRows.ts"
import { columnName, RecentReliability, useRecentReliability } from "./RecentReliability.tsx"
import css from "./SloTable.module.css"
import { Sparkline } from "./Sparkline.tsx"
import { StateCountsText } from "./StateCounts.tsx"
import { useTrends } from "./Trends.ts"

/** Whether the list can be sorted by a column. */
export const isSortKey = (key: Column["key"]): key is SortKey => sloSortKeys.some((each) => each === key)

/** The columns of the list; the first click sorts so that the most urgent is first. */
export const columns = (recent: ReadonlyArray<ReliabilityColumn> = []): ReadonlyArray<Column> => [
  { key: "name", name: t("SLO") },
  { key: "objective", name: t("Objective") },
  { key: "status", name: t("Status") },
  { key: "reliability", name: t("SLI"), isNumber: true },
  ...recent.map((key) => ({ key, name: columnName(key), isNumber: true })),
  { key: "target", name: t("Target"), isNumber: true },
  { key: "budget", name: t("Error budget") },
  { key: "burn", name: t("Burn rate"), isNumber: true, isDescendingFirst: true },
  { key: "trend", name: t("Trend") },
  { key: "alerts", name: t("Alerts"), isNumber: true, isDescendingFirst: true },
]

interface Column {
  readonly key: SortKey | "trend" | ReliabilityColumn
  readonly name: string
  readonly isNumber?: boolean
  readonly isDescendingFirst?: boolean
}

/** The columns that are dropped if their value is the same in all rows, as long as the list is not sorted by them. */
const droppable = ["objective", "target", "alerts"] as const

/** From more rows on, each takes one line. */
const comfortableRowsMax = 50

/** What a virtual row shows. */
type Item =
  | { readonly kind: "group"; readonly key: string; readonly group: RowGroup }
  | { readonly kind: "slo"; readonly key: string; readonly row: SloRow }
  | {
      readonly kind: "objective"
      readonly key: string
      readonly row: SloRow
      readonly objective: ObjectiveRow
    }

/** The list of SLOs as a table, on phones as cards. Only the rows in view are drawn, and only their trends are read. */
export const SloTable = ({
  groups,
  count,
  recent = noColumns,
  sort,
  onSort,
  selection,
}: {
  /** One without a title is the whole list. */
  readonly groups: ReadonlyArray<RowGroup>
  /** How many rows there will be once all have been read. */
  readonly count?: number | undefined
  /** The columns with the reliability over past days. Default: none. */
  readonly recent?: ReadonlyArray<ReliabilityColumn>
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  /** Absent: nothing can be selected. */
  readonly selection?: KeySelection
}) => {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set())
  const isPhone = useMediaQuery("(max-width: 820px)", false, { getInitialValueInEffect: false }) ?? false
  const items = useMemo(() => itemsOf(groups, expanded), [groups, expanded])
  const list = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const element = list.current
    if (element === null) return
    const measure = (): void => setTop(element.getBoundingClientRect().top + window.scrollY)
    measure()
    // What is above it changes its height: filters that wrap, notices.
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  // Others may be different.
  const isComplete = count === undefined
  const shared = useMemo(
    () => sharedValues(isComplete ? groups.flatMap((group) => group.rows) : []),
    [isComplete, groups],
  )
  const rows = count ?? groups.reduce((sum, group) => sum + group.rows.length, 0)
  const isDense = !isPhone && rows > comfortableRowsMax
  const heights = useHeights(isPhone, isDense)
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: (at) => heights[items[at]?.kind ?? "slo"],
    overscan: 10,
    scrollMargin: top,
    // With another function, all rows are measured again.
    getItemKey: useCallback((at: number) => items[at]?.key ?? at, [items]),
  })
  const measuredFor = useRef(heights)
  useLayoutEffect(() => {
    if (measuredFor.current === heights) return
    measuredFor.current = heights
    virtualizer.measure()
  }, [virtualizer, heights])
  const visible = virtualizer.getVirtualItems()
  const keys = useKeys(visible.flatMap(({ index }) => keyOfItem(items[index])))
  const trendOf = useTrends(keys)
  const reliabilityOf = useRecentReliability(
    recent.length === 0 ? noKeys : keys,
    recent.map((each) => reliabilityColumns[each]).join(","),
  )
  const toggle = useCallback((key: string): void => {
    setExpanded((keys) => {
      const toggled = new Set(keys)
      if (!toggled.delete(key)) toggled.add(key)
      return toggled
    })
  }, [])

  return (
    <Stack gap="xs">
      <SharedText values={shared} />
      <Paper
        className={css.wrap}
        data-recent={recent.length}
        data-selecting={selection !== undefined || undefined}
        data-dense={isDense || undefined}
        data-without={droppable.filter((each) => shared[each] !== undefined && sort.by !== each).join(" ")}
      >
        <div
          role="table"
          aria-label={t("SLOs")}
          aria-rowcount={(count ?? items.length) + 1}
          className={css.table}
        >
          <div role="rowgroup" className={css.headGroup}>
            <div role="row" aria-rowindex={1} className={css.head}>
              {columns(recent).map((column) => (
                <HeaderCell key={column.key} column={column} sort={sort} onSort={onSort} />
              ))}
            </div>
          </div>
          <div role="rowgroup" ref={list} className={css.body} style={{ height: virtualizer.getTotalSize() }}>
            {visible.map(({ key, index, start }) => {
              const item = items[index]
              if (item === undefined) return null
              return (
                <div
                  key={key}
                  ref={isPhone ? virtualizer.measureElement : undefined}
                  data-index={index}
                  role="row"
                  aria-rowindex={index + 2}
                  className={item.kind === "group" ? css.group : item.kind === "slo" ? css.row : css.more}
                  style={{ transform: `translateY(${start - top}px)` }}
                >
                  {item.kind === "group" ? (
                    <GroupCell group={item.group} />
                  ) : (
                    <Cells
                      row={item.row}
                      objective={item.kind === "slo" ? item.row.objectives[0] : item.objective}
                      isFirst={item.kind === "slo"}
                      shared={shared}
                      isExpanded={expanded.has(item.row.key)}
                      onToggle={toggle}
                      selection={selection}
                      recent={recent.map((column) => (
                        <span
                          key={column}
                          role="cell"
                          className={`${css.recent} number`}
                          data-label={columnName(column)}
                        >
                          <RecentReliability
                            column={column}
                            figures={reliabilityOf(
                              item.row.key,
                              (item.kind === "slo" ? item.row.objectives[0] : item.objective).key,
                            )}
                          />
                        </span>
                      ))}
                      trend={
                        <Sparkline
                          trend={trendOf(
                            item.row.key,
                            (item.kind === "slo" ? item.row.objectives[0] : item.objective).key,
                          )}
                          state={(item.kind === "slo" ? item.row.objectives[0] : item.objective).state}
                        />
                      }
                    />
                  )}
                </div>
              )
            })}
          </div>
        </div>
      </Paper>
    </Stack>
  )
}

/** What no row repeats, as it is the same in all of them. */
const SharedText = ({ values }: { readonly values: SharedValues }) => {
  const { project, service, objective, target } = values
  const texts = [
    project !== undefined && rich("All in project {project}", { project: <bdi>{project}</bdi> }),
    service !== undefined && rich("All of service {service}", { service: <bdi>{service}</bdi> }),
    objective !== undefined && rich("Objective: {objective}", { objective: <bdi>{objective}</bdi> }),
    target !== undefined && t("Target: {target}", { target: targetText(target) }),
  ].filter((text) => text !== false)
  if (texts.length === 0) return null
  return (
    <p className="dim small">
      {texts.map((text, at) => (
        <Fragment key={at}>
          {at > 0 && " · "}
          {text}
        </Fragment>
      ))}
    </p>
  )
}

/** The same array as long as its texts are the same. */
const useKeys = (keys: ReadonlyArray<string>): ReadonlyArray<string> => {
  const unique = [...new Set(keys)]
  const text = unique.join(" ")
  // The text lists them.
  return useMemo(() => unique, [text])
}

const noKeys: ReadonlyArray<string> = []

const noColumns: ReadonlyArray<ReliabilityColumn> = []

const keyOfItem = (item: Item | undefined): ReadonlyArray<string> =>
  item === undefined || item.kind === "group" ? [] : [item.row.key]

const itemsOf = (groups: ReadonlyArray<RowGroup>, expanded: ReadonlySet<string>): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  for (const group of groups) {
    const prefix = groups.length > 1 ? `${group.key} ` : ""
    if (group.title !== "" || groups.length > 1)
      items.push({ kind: "group", key: `group ${group.key}`, group })
    for (const row of group.rows) {
      items.push({ kind: "slo", key: `${prefix}${row.key}`, row })
      if (!expanded.has(row.key)) continue
      for (const objective of row.objectives.slice(1)) {
        items.push({ kind: "objective", key: `${prefix}${row.key} ${objective.key}`, row, objective })
      }
    }
  }
  return items
}

/** As the style sheet has them for the chosen density; those of cards are estimated, and then measured. */
const useHeights = (isPhone: boolean, isDense: boolean): Readonly<Record<Item["kind"], number>> => {
  const density = useDensity()
  return useMemo(() => {
    if (isPhone) return { group: 64, slo: 164, objective: 120 }
    const style = getComputedStyle(document.documentElement)
    const height = (name: string): number => Number.parseFloat(style.getPropertyValue(name))
    return {
      group: height("--group-height"),
      slo: height(isDense ? "--dense-row-height" : "--row-height"),
      objective: height(isDense ? "--dense-row-height" : "--subrow-height"),
    }
    // The density says which they are.
  }, [density, isPhone, isDense])
}

const HeaderCell = ({
  column: { key, name, isNumber = false, isDescendingFirst = false },
  sort,
  onSort,
}: {
  readonly column: Column
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}) => {
  const of = css[key] ?? css.recent
  const className = isNumber ? `${of} number` : of
  if (!isSortKey(key)) {
    return (
      <span role="columnheader" className={className}>
        {name}
      </span>
    )
  }
  const isSorted = sort.by === key
  const order = sort.isDescending ? "descending" : "ascending"
  return (
    <span role="columnheader" className={className} aria-sort={isSorted ? order : undefined}>
      <button
        type="button"
        className={css.sort}
        onClick={() => onSort({ by: key, isDescending: isSorted ? !sort.isDescending : isDescendingFirst })}
      >
        {name}
        {isSorted && (sort.isDescending ? <ArrowDown /> : <ArrowUp />)}
      </button>
    </span>
  )
}

const GroupCell = ({ group }: { readonly group: RowGroup }) => (
  <span role="cell" aria-colspan={columns().length} className={css.groupCell}>
    <strong>{group.title === "" ? t("Without a value") : <bdi>{group.title}</bdi>}</strong>
    <span className="dim small">
      {t("{count, plural, one {# SLO} other {# SLOs}}", { count: group.rows.length })}
    </span>
    <StateCountsText counts={countRows(group.rows)} />
  </span>
)

const Cells = ({
  row,
  objective,
  isFirst,
  shared,
  isExpanded,
  onToggle,
  selection,
  recent,
  trend,
}: {
  readonly row: SloRow
  readonly objective: ObjectiveRow
  /** Whether it is the first line of its SLO. */
  readonly isFirst: boolean
  readonly shared: SharedValues
  readonly isExpanded: boolean
  readonly onToggle: (key: string) => void
  readonly selection: KeySelection | undefined
  readonly recent: ReactNode
  readonly trend: ReactNode
}) => {
  const { reliability, burnRate, target, errorBudgetRemainingPercentage: budget } = objective
  const noData = <span className="dim">–</span>
  const others = row.objectives.length - 1
  const toggle = isFirst && others > 0 && (
    <button
      type="button"
      className={css.toggle}
      aria-expanded={isExpanded}
      aria-label={
        isExpanded
          ? t("Hide others of {name}", { name: row.displayName })
          : t("{count, plural, one {# more objective of {name}} other {# more objectives of {name}}}", {
              count: others,
              name: row.displayName,
            })
      }
      onClick={() => onToggle(row.key)}
    >
      {isExpanded ? t("Hide others") : t("{count, plural, one {# more} other {# more}}", { count: others })}
    </button>
  )
  return (
    <>
      <span role="rowheader" className={css.name}>
        {isFirst && selection !== undefined && (
          <span className={css.select}>
            <SelectBox selection={selection} id={row.key} />
          </span>
        )}
        {isFirst && (
          <>
            <RowLink href={row.href}>
              <bdi title={row.displayName}>{row.displayName}</bdi>
            </RowLink>
            <span className="dim small">
              {shared.project === undefined && (
                <>
                  <bdi>{row.projectName}</bdi> /{" "}
                </>
              )}
              {shared.service === undefined && <bdi>{row.serviceName}</bdi>}
              {/* Where there is no room for a separate column. */}
              <span className={css.inline}>
                {" · "}
                <bdi>{objective.name}</bdi> {toggle}
              </span>
            </span>
          </>
        )}
        {!isFirst && (
          <>
            <span className="visually-hidden">{row.displayName}</span>
            <bdi className={css.inline}>{objective.name}</bdi>
          </>
        )}
      </span>
      <span role="cell" className={css.objective} data-label={t("Objective")}>
        <bdi title={objective.name}>{objective.name}</bdi>
        {toggle}
      </span>
      <span role="cell" className={css.status}>
        <StatusBadge
          status={
            (isFirst && objective.state === "healthy"
              ? openAlertsStatus(row.openAlerts, row.acknowledgedAlerts)
              : undefined) ?? (objective.isOutdated === true ? "computing" : objective.state)
          }
        />
      </span>
      <span role="cell" className={`${css.reliability} number`} data-label={t("SLI")}>
        {reliability === undefined ? noData : reliabilityText(reliability)}
      </span>
      {recent}
      <span role="cell" className={`${css.target} number`} data-label={t("Target")}>
        {targetText(target)}
      </span>
      <span role="cell" className={css.budget} data-label={t("Error budget")}>
        {budget === undefined ? (
          noData
        ) : (
          <>
            <span className={budget <= 0 ? "number bad" : "number"}>{budgetText(budget)}</span>
            <BudgetBar objective={objective} />
          </>
        )}
      </span>
      <span role="cell" className={`${css.burn} number`} data-label={t("Burn rate")}>
        {burnRate === undefined ? noData : burnText(burnRate)}
      </span>
      <span role="cell" className={css.trend}>
        {trend}
      </span>
      <span role="cell" className={`${css.alerts} number`}>
        {isFirst && row.openAlerts > 0 && <OpenAlerts row={row} />}
      </span>
    </>
  )
}

/** The open alerts of an SLO, quieter once all of them are acknowledged. */
const OpenAlerts = ({ row: { openAlerts, acknowledgedAlerts } }: { readonly row: SloRow }) => {
  const isAcknowledged = openAlerts === acknowledgedAlerts
  const label = isAcknowledged
    ? t("{count, plural, one {# open alert, acknowledged} other {# open alerts, acknowledged}}", {
        count: openAlerts,
      })
    : t("{count, plural, one {# open alert} other {# open alerts}}", { count: openAlerts })
  return (
    <span className={isAcknowledged ? css.acknowledged : css.open} title={label}>
      <Siren />
      <span aria-hidden="true">{countText(openAlerts)}</span>
      <span className="visually-hidden">{label}</span>
    </span>
  )
}
