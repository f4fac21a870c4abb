import { useQuery } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { poll, pollMs } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card } from "../components/Page.tsx"
import { DefinitionPage } from "../history/DefinitionPage.tsx"
import { t } from "../language/Text.tsx"
import { SilenceState, useSilenceStates } from "./SilenceState.tsx"
import { SilenceCoverage } from "./SilenceCoverage.tsx"

/** A silence: when it is active, what it covers now, and its definition. */
const SilencePage = ({ project, name }: DefinitionKey) => {
  const query = useDocuments("alertsilences", { project, name })
  const silence = query.data?.[0]
  const [state] = useSilenceStates({ project, name }).data ?? []
  const preview = useQuery({
    queryKey: ["silence-preview", silence],
    queryFn: ({ signal }) =>
      bodyOf(
        client.POST("/api/alertsilences/preview", { body: silence as NonNullable<typeof silence>, signal }),
      ),
    enabled: silence !== undefined,
    refetchInterval: poll(5 * pollMs),
  })
  return (
    <DefinitionPage
      kind="alertsilences"
      project={project}
      name={name}
      query={query}
      definition={silence}
      subtitle={silence?.spec.description ?? project}
      deleteText={t("Open alerts that it suppresses are sent, unless another silence covers them.")}
    >
      <QueryError query={preview} />
      {state !== undefined && (
        <Card title={t("Status")}>
          <SilenceState silence={state} />
        </Card>
      )}
      {preview.data !== undefined && <SilenceCoverage coverage={preview.data} />}
    </DefinitionPage>
  )
}
export default SilencePage
