import { Paper } from "@mantine/core"
import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { objectiveState } from "@tocsin/domain/internal/status/ObjectiveState"
import { type ReactNode, useLayoutEffect, useRef, useState } from "react"
import type { Schemas } from "../api/Client.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { RowLink } from "../components/ListTable.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { BudgetBar } from "./BudgetBar.tsx"
import { budgetText, burnText, reliabilityText, targetText } from "./NumberFormat.ts"
import css from "./SloList.module.css"
import { type ObjectiveStatus, objectiveStatuses } from "./ObjectiveStatus.ts"
import { type SloFilters, useSlos } from "./SloQuery.ts"

/** The list of SLOs. Only visible rows are rendered, and only their pages are refreshed. */
export const SloList = ({ empty, ...filters }: SloFilters & { readonly empty: ReactNode }) => {
  const { slos, isStale, hasMore, failed, show } = useSlos(filters)
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    setTop(list.current?.offsetTop ?? 0)
  }, [slos === undefined, failed === undefined])
  const virtualizer = useWindowVirtualizer({
    count: slos?.length ?? 0,
    estimateSize: (at) => rowHeight(slos?.[at]),
    overscan: 8,
    scrollMargin: top,
    getItemKey: (at) => keyOf(slos?.[at]) ?? at,
  })
  const rows = virtualizer.getVirtualItems()
  const first = rows[0]?.index ?? 0
  const last = rows.at(-1)?.index ?? 0
  useLayoutEffect(() => show(first, last))

  const error = failed !== undefined && <QueryError query={failed} />
  if (slos === undefined) return error
  return (
    <>
      {error}
      {slos.length === 0 ? (
        empty
      ) : (
        <Paper className={css.wrap} aria-busy={isStale}>
          <div className={css.head} aria-hidden="true">
            <span>SLO</span>
            <span className={css.objective}>
              <span>Objective</span>
              <span>Status</span>
              <span className="number">Reliability</span>
              <span>Error budget</span>
              <span className="number">Burn rate</span>
            </span>
          </div>
          <ul
            ref={list}
            className={css.list}
            style={{ height: virtualizer.getTotalSize() }}
            aria-label="SLOs"
          >
            {rows.map((row) => {
              const slo = slos[row.index]
              return (
                slo !== undefined && (
                  <li
                    key={row.key}
                    ref={virtualizer.measureElement}
                    data-index={row.index}
                    className={css.row}
                    style={{ transform: `translateY(${row.start - top}px)` }}
                    aria-setsize={hasMore ? -1 : slos.length}
                    aria-posinset={row.index + 1}
                  >
                    <Row slo={slo} />
                  </li>
                )
              )
            })}
          </ul>
        </Paper>
      )}
    </>
  )
}

/** The estimated height of a row before it is measured. */
const rowHeight = (slo: Schemas["Slo"] | undefined): number =>
  slo === undefined ? 66 : Math.max(66, 10 + 33 * objectiveStatuses(slo).length)

const keyOf = (slo: Schemas["Slo"] | undefined): string | undefined =>
  slo === undefined ? undefined : `${slo.project.name}/${slo.name}`

const Row = ({ slo }: { readonly slo: Schemas["Slo"] }) => (
  <>
    <div>
      <RowLink href={`/slos/${slo.project.name}/${slo.name}`}>{slo.displayName || slo.name}</RowLink>
      <div className="dim small">
        <bdi>{slo.project.displayName || slo.project.name}</bdi> /{" "}
        <bdi>{slo.service.displayName || slo.service.name}</bdi>
      </div>
    </div>
    <div className={css.objectives}>
      {objectiveStatuses(slo).map((objective) => (
        <Objective key={objective.key} objective={objective} />
      ))}
    </div>
  </>
)

const Objective = ({ objective }: { readonly objective: ObjectiveStatus }) => {
  const { name, target, reliability, errorBudgetRemainingPercentage: budget, burnRate } = objective
  return (
    <dl className={css.objective}>
      <div>
        <dt>Objective</dt>
        <dd>
          <bdi>{name}</bdi>{" "}
          <span className="dim small">
            ≥{"\u00a0"}
            {targetText(target)}
          </span>
        </dd>
      </div>
      <div>
        <dt>Status</dt>
        <dd>
          <StatusBadge status={objectiveState(objective)} />
        </dd>
      </div>
      {reliability !== undefined && (
        <>
          <div className={css.figure}>
            <dt>Reliability</dt>
            <dd className="number">{reliabilityText(reliability)}</dd>
          </div>
          <div className={css.budget}>
            <dt>Error budget</dt>
            <dd>
              {budget === undefined ? (
                <span className="dim">–</span>
              ) : (
                <>
                  <span className={budget <= 0 ? "number bad" : "number"}>{budgetText(budget)}</span>
                  <BudgetBar objective={objective} />
                </>
              )}
            </dd>
          </div>
          <div className={css.figure}>
            <dt>Burn rate</dt>
            <dd className="number">
              {burnRate === undefined ? <span className="dim">No data</span> : burnText(burnRate)}
            </dd>
          </div>
        </>
      )}
    </dl>
  )
}
