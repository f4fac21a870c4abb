import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useLayoutEffect, useRef, useState } from "react"
import { Link } from "wouter"
import type { Schemas } from "../api/ApiTypes.ts"
import { Failure } from "../shell/Failure.tsx"
import table from "../shell/Table.module.css"
import { BudgetBar } from "./BudgetBar.tsx"
import { budgetText, burnText, shareText, targetText } from "./Numbers.ts"
import css from "./SloList.module.css"
import { type Standing, situationsOf } from "./Standing.ts"
import { type SloFilters, useSlos } from "./UseSlos.ts"

/** SLOs as far as one scrolls: only the rows that are seen are on the page, and only their pages are read anew. */
export const SloList = ({ empty, ...filters }: SloFilters & { readonly empty: ReactNode }) => {
  const { slos, isStale, hasMore, failure, reload, show } = useSlos(filters)
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    setTop(list.current?.offsetTop ?? 0)
  }, [slos === undefined, failure === undefined])
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
  useLayoutEffect(() => show(first, last), [show, first, last])

  if (slos === undefined) return failure === undefined ? null : <Failure failure={failure} retry={reload} />
  return (
    <>
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      {slos.length === 0 ? (
        empty
      ) : (
        <div className={css.wrap} aria-busy={isStale}>
          <div className={css.head} aria-hidden="true">
            <span>SLO</span>
            <span className={css.headObjective}>
              <span>Objective</span>
              <span className="number">Reliability</span>
              <span>Budget left</span>
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
        </div>
      )}
    </>
  )
}

/** What a row is about as high as, before it is measured. */
const rowHeight = (slo: Schemas["Slo"] | undefined): number =>
  slo === undefined ? 66 : Math.max(66, 10 + 33 * situationsOf(slo).length)

const keyOf = (slo: Schemas["Slo"] | undefined): string | undefined =>
  slo === undefined ? undefined : `${slo.project.name}/${slo.name}`

const Row = ({ slo }: { readonly slo: Schemas["Slo"] }) => (
  <>
    <div className={css.name}>
      <Link href={`/slos/${slo.project.name}/${slo.name}`} className={table.link}>
        {slo.displayName || slo.name}
      </Link>
      <div className="dim small">
        <bdi>{slo.project.displayName || slo.project.name}</bdi> /{" "}
        <bdi>{slo.service.displayName || slo.service.name}</bdi>
      </div>
    </div>
    <div className={css.objectives}>
      {situationsOf(slo).map((standing) => (
        <Objective key={standing.key} standing={standing} />
      ))}
    </div>
  </>
)

const Objective = ({ standing }: { readonly standing: Standing }) => {
  const { name, target, reliability, errorBudgetRemainingPercentage: budget, burnRate } = standing
  return (
    <dl className={css.objective}>
      <div>
        <dt className="visually-hidden">Objective</dt>
        <dd>
          <bdi>{name}</bdi>{" "}
          <span className="dim small">
            ≥{"\u00a0"}
            {targetText(target)}
          </span>
        </dd>
      </div>
      {reliability === undefined ? (
        <div className={`no-data ${css.noData}`}>
          <dt className="visually-hidden">Status</dt>
          <dd>No data in the window</dd>
        </div>
      ) : (
        <>
          <div className={css.figure}>
            <dt>Reliability</dt>
            <dd className="number">{shareText(reliability)}</dd>
          </div>
          <div className={css.budget}>
            <dt>Budget left</dt>
            <dd>
              {budget === undefined ? (
                <span className="dim">–</span>
              ) : (
                <>
                  <span className={budget <= 0 ? css.overspent : "number"}>{budgetText(budget)}</span>
                  <BudgetBar fraction={budget} />
                </>
              )}
            </dd>
          </div>
          <div className={css.figure}>
            <dt>Burn rate</dt>
            <dd className="number">
              {burnRate === undefined ? <span className="dim">no data</span> : burnText(burnRate)}
            </dd>
          </div>
        </>
      )}
    </dl>
  )
}
