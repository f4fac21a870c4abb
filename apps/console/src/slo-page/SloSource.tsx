import type { IndicatorState } from "@tocsin/api"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { type DefinitionKey, useDisplayNames, useDocuments } from "../api/Definitions.ts"
import { ruleText } from "../api/Issues.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { Notice } from "../components/Notice.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { hasSource } from "../slos/SloIndicator.ts"
import { rich, t } from "../language/Text.tsx"

/** Why the counts of an SLO cannot be read, if they cannot. */
export const SloSource = ({ project, name }: DefinitionKey) => {
  const query = useDocuments("slos", { project, name })
  return !hasSource(query.data?.[0]) ? null : <Problem project={project} name={name} />
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
        {unavailableSince === undefined
          ? t("The latest counts have a problem.")
          : rich("{source} has been unavailable since {time}.", {
              source: sourceOf(data),
              time: <DateTime at={unavailableSince} />,
            })}{" "}
        {ruleText(problem.detail)}{" "}
        {data.readTo !== undefined &&
          rich("Counts have been read to {time}.", { time: <DateTime at={data.readTo} /> })}
      </p>
    </Notice>
  )
}

const sourceOf = ({ dataSource }: IndicatorState): ReactNode =>
  dataSource === undefined
    ? t("Its Prometheus server")
    : rich("The data source {name}", {
        name: <SourceLink {...dataSource} />,
      })

const SourceLink = (key: DefinitionKey) => {
  const sourceName = useDisplayNames("datasources", key)
  return (
    <Link href={`/data-sources/${key.project}/${key.name}`}>
      <bdi>{sourceName(key)}</bdi>
    </Link>
  )
}
