import type { ReactNode } from "react"
import { Link } from "wouter"
import type { Schemas } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { ruleText } from "../api/Issues.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { Notice } from "../components/Notice.tsx"
import { DateTime } from "../components/RelativeTime.tsx"

/** Why the counts of an SLO cannot be read, if they cannot. */
export const SloSource = ({ project, name }: DefinitionKey) => {
  const query = useDocuments("slos", { project, name })
  return query.data?.[0]?.spec.indicator?.prometheus === undefined ? null : (
    <Problem project={project} name={name} />
  )
}

const Problem = ({ project, name }: DefinitionKey) => {
  const { data } = api.useQuery(
    "get",
    "/api/slos/{sloName}/indicator",
    { params: { path: { sloName: name }, header: { project } } },
    { refetchInterval: poll(5 * pollMs) },
  )
  if (data?.problem === undefined) return null
  const { problem, unavailableSince } = data
  return (
    <Notice kind="warn">
      <p>
        {unavailableSince === undefined ? (
          "The latest counts have a problem. "
        ) : (
          <>
            {sourceOf(data)} has been unavailable since <DateTime at={unavailableSince} />.{" "}
          </>
        )}
        {ruleText(problem.detail)}
        {data.readTo !== undefined && (
          <>
            {" "}
            Counts have been read to <DateTime at={data.readTo} />.
          </>
        )}
      </p>
    </Notice>
  )
}

const sourceOf = ({ dataSource }: Schemas["IndicatorState"]): ReactNode =>
  dataSource === undefined ? (
    "Its Prometheus server"
  ) : (
    <>
      The data source{" "}
      <Link href={`/data-sources/${dataSource.project}/${dataSource.name}`}>{dataSource.name}</Link>
    </>
  )
