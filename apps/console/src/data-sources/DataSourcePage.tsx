import { Button } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"
import { client, type Schemas } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { ruleText } from "../api/Issues.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { DefinitionYaml } from "../components/DefinitionYaml.tsx"
import { ConfirmButton } from "../components/Dialog.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DateTime, RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { TestCard } from "../components/TestCard.tsx"
import { useIsEditor } from "../session/Session.ts"
import { TestResult } from "./SourceTest.tsx"

type Source = Schemas["DataSourceStatus"]

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
  const back = { href: "/data-sources", text: "Data sources" }
  const error = (
    <QueryError query={query} missing={`Data source ${name} was not found in project ${project}.`} />
  )
  if (source === undefined) {
    return (
      <Page title={name} back={back}>
        {error}
      </Page>
    )
  }
  const { metadata, spec } = source.definition
  return (
    <Page
      title={metadata.displayName ?? name}
      back={back}
      subtitle={
        <>
          <StatusBadge status={source.state} />
          <span>
            {project} / {name}
          </span>
        </>
      }
      actions={isEditor && <Actions project={project} name={name} />}
    >
      {error}
      {outageNotice(source)}
      {spec.description !== undefined && <p className="description">{spec.description}</p>}
      {source.affectedSloCount > 0 && <AffectedSlos source={source} />}
      {isEditor && <TestPanel project={project} name={name} />}
      <Configuration source={source} />
      <DefinitionYaml kind="datasources" project={project} name={name} />
    </Page>
  )
}
export default DataSourcePage

const outageNotice = ({ state, unavailableSince, problem, sloCount, affectedSloCount }: Source): ReactNode =>
  unavailableSince !== undefined && (
    <Notice kind={state === "unavailable" ? "bad" : "warn"}>
      <p>
        {state === "unavailable"
          ? "This data source has been unavailable"
          : `This data source has been unavailable to ${affectedSloCount} of ${sloCount} SLOs`}{" "}
        since <DateTime at={unavailableSince} />. {problem !== undefined && ruleText(problem.detail)}
      </p>
      <p>It is queried again at least every 5 minutes. Then the missing minutes are read.</p>
    </Notice>
  )

const Actions = ({ project, name }: DefinitionKey) => {
  const queryClient = useQueryClient()
  const [, navigate] = useLocation()
  return (
    <>
      <Button component={Link} href={`/data-sources/${project}/${name}/edit`}>
        Edit data source
      </Button>
      <ConfirmButton
        label="Delete data source"
        title={`Delete ${name}?`}
        color="red"
        action={async () => {
          await client.DELETE("/api/delete/{kind}", {
            params: { path: { kind: "datasources" }, query: { name: [name] }, header: { project } },
          })
          navigate("/data-sources")
          await queryClient.invalidateQueries({ queryKey: ["data-sources"] })
        }}
      >
        <p>A data source that an SLO names cannot be deleted.</p>
      </ConfirmButton>
    </>
  )
}

const TestPanel = ({ project, name }: DefinitionKey) => {
  const test = api.useMutation("post", "/api/datasources/{name}/test")
  return (
    <TestCard
      label="Test connection"
      hint="Logs in to the server and evaluates vector(1)."
      test={test}
      onTest={() => test.mutate({ params: { path: { name }, header: { project } } })}
    >
      {test.data !== undefined && <TestResult test={test.data} />}
    </TestCard>
  )
}

const AffectedSlos = ({ source: { affectedSlos, affectedSloCount } }: { readonly source: Source }) => (
  <Card title={`Affected SLOs (${affectedSloCount})`}>
    <ul aria-label="Affected SLOs">
      {affectedSlos.map(({ project, name }) => (
        <li key={`${project}/${name}`}>
          <Link href={`/slos/${project}/${name}`}>
            {project} / {name}
          </Link>
        </li>
      ))}
    </ul>
    {affectedSloCount > affectedSlos.length && (
      <p className="dim">And {affectedSloCount - affectedSlos.length} more.</p>
    )}
  </Card>
)

const Configuration = ({ source: { definition, sloCount, succeededAt } }: { readonly source: Source }) => {
  const { url, tls, tenant, headers, queryDelay } = definition.spec.prometheus
  return (
    <Card title="Configuration">
      <DescriptionList
        properties={[
          ["URL", <span className="break">{url}</span>],
          ["Login", loginText(definition)],
          [
            "Certificate authorities",
            url.startsWith("https://") ? (tls?.ca === undefined ? "Public" : "Its own") : undefined,
          ],
          ["Client certificate", tls?.certificate === undefined ? undefined : "Stored; its key is hidden"],
          ["Tenant", tenant],
          [
            "Headers",
            headers?.map(({ name, value, isSecret }) => (
              <div key={name}>
                <code>
                  {name}: {isSecret ? "••••••••" : value}
                </code>
              </div>
            )),
          ],
          ["Query delay", queryDelay ?? "15s"],
          ["SLOs", sloCount],
          ["Last read", succeededAt === undefined ? "Never" : <RelativeTime at={succeededAt} />],
          ...Object.entries(definition.metadata.annotations ?? {}),
        ]}
      />
    </Card>
  )
}

const loginText = ({ spec: { prometheus } }: Source["definition"]): ReactNode => {
  const { bearer, basic, oauth2 } = prometheus
  if (bearer !== undefined) return "Bearer token, hidden"
  if (basic !== undefined) return `Basic as ${basic.username}, with a hidden password`
  if (oauth2 === undefined) return "None"
  return (
    <span className="break">
      OAuth 2.0 as {oauth2.clientId}, with a hidden secret, at {oauth2.tokenUrl}
    </span>
  )
}
