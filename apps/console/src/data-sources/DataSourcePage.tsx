import type { DataSourceStatus } from "@tocsin/api"
import type { ReactNode } from "react"
import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { ruleText } from "../api/Issues.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { HeaderTexts } from "../components/HeaderTexts.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card, DescriptionList } from "../components/Page.tsx"
import { DateTime, RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { TestCard } from "../components/TestCard.tsx"
import { useIsEditor } from "../session/Session.ts"
import { DefinitionPage } from "../history/DefinitionPage.tsx"
import { rich, t } from "../language/Text.tsx"
import { TestResult } from "./SourceTest.tsx"

type Source = DataSourceStatus

/** A data source: its state, a test, its configuration, the SLOs that cannot be read, and its definition. */
const DataSourcePage = ({ project, name }: DefinitionKey) => {
  const isEditor = useIsEditor()
  const query = api.useQuery(
    "get",
    "/api/datasources/{name}",
    { params: { path: { name }, header: { project } } },
    { refetchInterval: poll(5 * pollMs) },
  )
  const source = query.data
  return (
    <DefinitionPage
      kind="datasources"
      project={project}
      name={name}
      query={query}
      definition={source?.definition}
      subtitle={
        <>
          {source !== undefined && <StatusBadge status={source.state} />}
          <span>
            {project} / {name}
          </span>
        </>
      }
      deleteText={t("A data source that an SLO references cannot be deleted.")}
    >
      {source !== undefined && (
        <>
          {outageNotice(source)}
          {source.definition.spec.description !== undefined && (
            <p className="description">{source.definition.spec.description}</p>
          )}
          {source.affectedSloCount > 0 && <AffectedSlos source={source} />}
          {isEditor && <TestPanel project={project} name={name} />}
          <Configuration source={source} />
        </>
      )}
    </DefinitionPage>
  )
}
export default DataSourcePage

const outageNotice = ({ state, unavailableSince, problem, sloCount, affectedSloCount }: Source): ReactNode =>
  unavailableSince !== undefined && (
    <Notice kind={state === "unavailable" ? "bad" : "warn"}>
      <p>
        {state === "unavailable"
          ? rich("This data source has been unavailable since {time}.", {
              time: <DateTime at={unavailableSince} />,
            })
          : rich(
              "This data source has been unavailable to {affected} of {count, plural, one {# SLO} other {# SLOs}} since {time}.",
              {
                affected: affectedSloCount,
                count: sloCount,
                time: <DateTime at={unavailableSince} />,
              },
            )}{" "}
        {problem !== undefined && ruleText(problem.detail)}
      </p>
      <p>{t("It is queried again at least every 5 minutes. Then the missing minutes are read.")}</p>
    </Notice>
  )

const TestPanel = ({ project, name }: DefinitionKey) => {
  const test = api.useMutation("post", "/api/datasources/{name}/test")
  return (
    <TestCard
      label={t("Test connection")}
      hint={t("Authenticates to the server and evaluates vector(1).")}
      test={test}
      onTest={() => test.mutate({ params: { path: { name }, header: { project } } })}
    >
      {test.data !== undefined && <TestResult test={test.data} />}
    </TestCard>
  )
}

const AffectedSlos = ({ source: { affectedSlos, affectedSloCount } }: { readonly source: Source }) => (
  <Card title={t("Affected SLOs ({count})", { count: affectedSloCount })}>
    <ul aria-label={t("Affected SLOs")}>
      {affectedSlos.map(({ project, name }) => (
        <li key={`${project}/${name}`}>
          <Link href={`/slos/${project}/${name}`}>
            {project} / {name}
          </Link>
        </li>
      ))}
    </ul>
    {affectedSloCount > affectedSlos.length && (
      <p className="dim">{t("And {count} more.", { count: affectedSloCount - affectedSlos.length })}</p>
    )}
  </Card>
)

const Configuration = ({ source: { definition, sloCount, succeededAt } }: { readonly source: Source }) => {
  const { url, tls, tenant, headers, queryDelay } = definition.spec.prometheus
  return (
    <Card title={t("Configuration")}>
      <DescriptionList
        properties={[
          [t("URL"), <span className="break">{url}</span>],
          [t("Authentication"), authenticationText(definition)],
          [
            t("Certificate authorities"),
            url.startsWith("https://") ? (tls?.ca === undefined ? t("Public") : t("Its own")) : undefined,
          ],
          [
            t("Client certificate"),
            tls?.certificate === undefined ? undefined : t("Stored; its key is hidden"),
          ],
          [t("Tenant"), tenant],
          [t("Headers"), headers && <HeaderTexts headers={headers} />],
          [t("Query delay"), queryDelay ?? "15s"],
          [t("SLOs"), sloCount],
          [t("Last read"), succeededAt === undefined ? t("Never") : <RelativeTime at={succeededAt} />],
          ...Object.entries(definition.metadata.annotations ?? {}),
        ]}
      />
    </Card>
  )
}

const authenticationText = ({ spec: { prometheus } }: Source["definition"]): ReactNode => {
  const { bearer, basic, oauth2 } = prometheus
  if (bearer !== undefined) return t("Bearer token, hidden")
  if (basic !== undefined) return t("Basic as {user}, with a hidden password", { user: basic.username })
  if (oauth2 === undefined) return t("None")
  return (
    <span className="break">
      {t("OAuth 2.0 as {client}, with a hidden secret, at {url}", {
        client: oauth2.clientId,
        url: oauth2.tokenUrl,
      })}
    </span>
  )
}
