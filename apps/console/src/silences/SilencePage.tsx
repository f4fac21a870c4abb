import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { poll, pollMs } from "../api/Queries.ts"
import { DefinitionYaml } from "../components/DefinitionYaml.tsx"
import { ConfirmButton } from "../components/Dialog.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Page } from "../components/Page.tsx"
import { useIsEditor } from "../session/Session.ts"
import { SilenceCoverage } from "./SilenceCoverage.tsx"

/** A silence: when it is active, what it covers now, and its definition. */
const SilencePage = ({ project, name }: DefinitionKey) => {
  const isEditor = useIsEditor()
  const queryClient = useQueryClient()
  const [, navigate] = useLocation()
  const query = useDocuments("alertsilences", { project, name })
  const silence = query.data?.[0]
  const preview = useQuery({
    queryKey: ["silence-preview", silence],
    queryFn: ({ signal }) =>
      bodyOf(
        client.POST("/api/alertsilences/preview", { body: silence as NonNullable<typeof silence>, signal }),
      ),
    enabled: silence !== undefined,
    refetchInterval: poll(5 * pollMs),
  })
  const remove = async (): Promise<void> => {
    await client.DELETE("/api/delete/{kind}", {
      params: { path: { kind: "alertsilence" }, header: { project }, query: { name: [name] } },
    })
    await queryClient.invalidateQueries()
    navigate("/silences")
  }
  return (
    <Page
      title={silence?.metadata.displayName ?? name}
      subtitle={silence?.spec.description ?? project}
      back={{ href: "/silences", text: "Silences" }}
      actions={
        isEditor &&
        silence !== undefined && (
          <ConfirmButton label="Delete silence" title={`Delete silence ${name}?`} color="red" action={remove}>
            <p>Open alerts that it suppresses are sent, unless another silence covers them.</p>
          </ConfirmButton>
        )
      }
    >
      <QueryError query={query} missing={`Silence ${name} was not found in project ${project}.`} />
      <QueryError query={preview} />
      {preview.data !== undefined && <SilenceCoverage coverage={preview.data} />}
      {silence !== undefined && <DefinitionYaml kind="alertsilences" project={project} name={name} />}
    </Page>
  )
}
export default SilencePage
