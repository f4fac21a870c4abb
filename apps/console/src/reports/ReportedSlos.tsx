import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { readQuery } from "../components/ListTable.tsx"

const rowsAtOnce = 200

/** The first of the items of a report, and the query of a table that shows more of them. */
export const useShown = <T,>(items: ReadonlyArray<T>) => {
  const [count, setCount] = useState(rowsAtOnce)
  const shown = items.slice(0, count)
  const query = {
    ...readQuery,
    data: shown,
    hasNextPage: count < items.length,
    fetchNextPage: () => setCount(count + rowsAtOnce),
  }
  return { shown, query }
}

/** The name of an SLO of a report, which leads to it, above its project and service. */
export const SloName = ({
  slo: { project, service, slo, displayName },
  children,
}: {
  readonly slo: {
    readonly project: string
    readonly service: string
    readonly slo: string
    readonly displayName: string
  }
  readonly children?: ReactNode
}) => (
  <div style={{ minWidth: "12rem" }}>
    <Link href={`/slos/${project}/${slo}`}>
      <bdi>{displayName}</bdi>
    </Link>
    <div className="dim small">
      {project}/{service}
      {children}
    </div>
  </div>
)
