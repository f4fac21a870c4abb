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

/** Why the counts of an SLO cannot be read, if they cannot, and how reading its history goes. */
export const SloSource = ({ project, name }: DefinitionKey) => {
  const query = useDocuments("slos", { project, name })
  return !hasSource(query.data?.[0]) ? null : <Reading project={project} name={name} />
}

const Reading = ({ project, name }: DefinitionKey) => {
  const { data } = api.useQuery(
    "get",
    "/api/slos/{sloName}/indicator",
    { params: { path: { sloName: name }, header: { project } } },
    { refetchInterval: poll(5 * pollMs) },
  )
  if (data === undefined) return null
  return (
    <>
      <Problem {...data} />
      <History {...data} />
    </>
  )
}

const Problem = (state: IndicatorState) => {
  const { problem, unavailableSince } = state
  if (problem === undefined) return null
  const readTo = state.history?.recentTo ?? state.readTo
  return (
    <Notice kind="warn">
      <p>
        {unavailableSince === undefined
          ? t("The latest counts have a problem.")
          : rich("{source} has been unavailable since {time}.", {
              source: sourceOf(state),
              time: <DateTime at={unavailableSince} />,
            })}{" "}
        {ruleText(problem.detail)}{" "}
        {readTo !== undefined && rich("Counts have been read to {time}.", { time: <DateTime at={readTo} /> })}
      </p>
    </Notice>
  )
}

const History = ({ readTo, history }: IndicatorState) => {
  if (history === undefined) return null
  const { recentFrom, problem } = history
  return (
    <Notice kind={problem === undefined ? "info" : "warn"}>
      <p>
        {rich("Counts before {time} are still being read.", { time: <DateTime at={recentFrom} /> })}{" "}
        {readTo !== undefined && rich("They have been read to {time}.", { time: <DateTime at={readTo} /> })}{" "}
        {problem !== undefined && ruleText(problem.detail)}
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
