import { Box, Button, Group } from "@mantine/core"
import { objectiveStates } from "@tocsin/domain/forms"
import { useDeferredValue, useMemo, useState } from "react"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { EmptyState } from "../components/EmptyState.tsx"
import { NoMatches, useFilters } from "../components/Filters.tsx"
import { lazy } from "../components/Lazy.tsx"
import { useSelection } from "../components/Selection.ts"
import { Skeleton } from "../components/Skeleton.tsx"
import { apiErrorOf } from "../api/Client.ts"
import { labelList } from "../editor/Labels.ts"
import { rich, t } from "../language/Text.tsx"
import { ListPage } from "../lists/ListPage.tsx"
import { useIsEditor, useSession } from "../session/Session.ts"
import { allColumns } from "./RecentReliability.tsx"
import { chooseColumns, useColumns } from "../preferences/SloColumns.ts"
import { CreateSlo } from "./CreateSlo.tsx"
import { SavedViews } from "./SavedViews.tsx"
import { SloFilters, StateChips } from "./SloFilters.tsx"
import { filterRows, groupRows, parseSort, rowsToCsv, sortRows, sortText, type SloRow } from "./SloRows.ts"
import { useSloRows } from "./SloRowsQuery.ts"
import css from "./SlosPage.module.css"
import { SloTable } from "./SloTable.tsx"
import { listOf, viewParameters, viewQuery, viewSpec } from "./ViewQuery.ts"

// Code that only editors need, and rarely.
const SloBulkBar = lazy(async () => ({ default: (await import("./SloBulkBar.tsx")).SloBulkBar }))

/** The status of every SLO: filtered, sorted and grouped in the browser, which has all of them in brief. */
const SlosPage = () => {
  const { values, set } = useFilters(viewParameters)
  const isDefault = viewParameters.every(
    (name) => name === "columns" || values[name] === "" || `${name}=${values[name]}` === "sort=status",
  )
  const { query, rows, states } = useSloRows(isDefault)
  const isComplete = rows !== undefined && states === undefined
  const isEmpty = isComplete && rows.length === 0
  const { search, project, service, label, state, group, sort: sorted, columns } = values
  const text = useDeferredValue(search)
  const filter = useMemo(
    () => ({
      search: text,
      projects: listOf(project),
      // A service alone, as in links from other pages, is one of the project.
      services: listOf(service).map((each) => (each.includes("/") ? each : `${project}/${each}`)),
      labels: labelList(label),
      states: listOf(state).filter((each) => objectiveStates.some((known) => known === each)),
    }),
    [text, project, service, label, state],
  )
  const { found, ...filtered } = useMemo(() => filterRows(rows ?? noRows, filter), [rows, filter])
  const isListed = isComplete && found.length > 0
  const counts = states ?? filtered.counts
  const total = objectiveStates.reduce((sum, each) => sum + counts[each], 0)
  const sort = parseSort(sorted)
  const ordered = useMemo(() => sortRows(found, parseSort(sorted)), [found, sorted])
  const groups = useMemo(
    () => (group === "" ? [{ key: "", title: "", rows: ordered }] : groupRows(ordered, group)),
    [ordered, group],
  )
  const chosen = useColumns()
  const recent = useMemo(() => {
    const selected = listOf(columns === "" ? chosen : columns)
    return allColumns.filter((each) => selected.includes(each))
  }, [columns, chosen])
  const isEditor = useIsEditor()
  const [isSelecting, setIsSelecting] = useState(false)
  const shown = useMemo(() => [...new Set(groups.flatMap((each) => each.rows))], [groups])
  const selection = useSelection(shown, keyOf)
  // A transient error is retried, and leaves the list as it is.
  const isFailed = query.error !== null && !(rows !== undefined && apiErrorOf(query.error).isTransient)
  const listState = isEmpty
    ? "empty"
    : isListed || states !== undefined
      ? "listed"
      : isComplete
        ? "unmatched"
        : "loading"
  return (
    <ListPage
      title={t("SLOs")}
      subtitle={t("SLI, error budget and burn rate of each objective in its time window.")}
      actions={
        <>
          {isEditor && !isEmpty && (
            <Button
              variant="default"
              disabled={!isListed}
              aria-pressed={isSelecting}
              onClick={() => {
                selection.set([])
                setIsSelecting(!isSelecting)
              }}
            >
              {t("Select")}
            </Button>
          )}
          {!isEmpty && (
            <Button variant="default" disabled={!isListed} onClick={() => download(ordered)}>
              {t("Export CSV")}
            </Button>
          )}
          {!isEmpty && <CreateSlo />}
        </>
      }
      above={
        <>
          <SavedViews
            query={viewQuery(values)}
            spec={viewSpec({ ...values, columns: recent.join(",") }, filter)}
          />
          <div className={css.controls}>
            <SloFilters
              rows={isComplete ? rows : noRows}
              values={values}
              filter={filter}
              recent={recent}
              set={(changed) => {
                if (changed.columns !== undefined) chooseColumns(changed.columns)
                set(changed)
              }}
            />
            <StateChips
              counts={counts}
              total={total}
              selected={listOf(state)}
              onChange={(states) => set({ state: states.join(",") })}
            />
          </div>
        </>
      }
      query={isFailed ? query : undefined}
      state={listState}
      loading={!isFailed && <Skeleton />}
      empty={<NoSlos />}
      noMatches={
        <NoMatches
          title={t("No matching SLOs")}
          clear={() => set({ search: "", project: "", service: "", label: "", state: "" })}
        >
          <p>
            {t(
              "Search by part of a name or display name, or select another project, service, label or status.",
            )}
          </p>
        </NoMatches>
      }
      list={
        <SloTable
          groups={groups}
          count={states && total}
          recent={recent}
          sort={sort}
          onSort={(next) => set({ sort: sortText(next) })}
          {...(isSelecting && { selection })}
        />
      }
    >
      {states !== undefined && <p className="dim">{t("Loading…")}</p>}
      {isSelecting && <SloBulkBar selection={selection} />}
      <p className="visually-hidden" role="status">
        {isComplete &&
          t("{count, plural, =0 {No SLOs listed} one {# SLO listed} other {# SLOs listed}}", {
            count: found.length,
          })}
      </p>
    </ListPage>
  )
}
export default SlosPage

const keyOf = ({ key }: SloRow): string => key

const noRows: ReadonlyArray<SloRow> = []

const download = (rows: ReadonlyArray<SloRow>): void => {
  const url = URL.createObjectURL(new Blob([rowsToCsv(rows)], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = url
  link.download = "slos.csv"
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const NoSlos = () => {
  const { apiVersion } = useSession()
  const isEditor = useIsEditor()
  return (
    <EmptyState title={t("No SLOs yet")}>
      <p>{t("Each SLO appears here with its status.")}</p>
      {isEditor ? (
        <>
          <Group justify="center" gap="xs">
            <CreateSlo />
          </Group>
          <p className="dim">
            {rich(
              "Or save this definition as <code>slo.yaml</code> and run <command>tocsin apply -f slo.yaml</command>:",
              { code: (text) => <code>{text}</code>, command: (text) => <code>{text}</code> },
            )}
          </p>
          <Box ta="left" w="min(560px, 100%)">
            <CodeBlock text={firstSlo(apiVersion)} label={t("First SLO as YAML")} />
          </Box>
        </>
      ) : (
        <p className="dim">{t("Your role is viewer. An editor can create SLOs.")}</p>
      )}
    </EmptyState>
  )
}

const firstSlo = (apiVersion: string): string => `apiVersion: ${apiVersion}
kind: Service
metadata: { name: checkout, project: default }
---
apiVersion: ${apiVersion}
kind: SLO
metadata: { name: checkout-latency, project: default }
spec:
  service: checkout
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: fast, target: 0.99 }]`
