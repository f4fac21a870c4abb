import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Page } from "../components/Page.tsx"
import { useIsEditor } from "../session/Session.ts"
import { DataSourceForm } from "./DataSourceForm.tsx"

/** Creates a data source; with `project` and `name`, edits one. */
const DataSourceFormPage = ({ project, name }: Partial<DefinitionKey>) => {
  const isEditor = useIsEditor()
  const edited = project === undefined || name === undefined ? undefined : { project, name }
  const back =
    edited === undefined
      ? { href: "/data-sources", text: "Data sources" }
      : { href: `/data-sources/${project}/${name}`, text: edited.name }
  return (
    <Page title={edited === undefined ? "Create data source" : `Edit ${name}`} back={back}>
      {!isEditor ? (
        <Notice kind="info">
          Your role is viewer, which is read-only. Sign in as an editor to make changes.
        </Notice>
      ) : edited === undefined ? (
        <DataSourceForm />
      ) : (
        <EditForm edited={edited} />
      )}
    </Page>
  )
}
export default DataSourceFormPage

const EditForm = ({ edited }: { readonly edited: DefinitionKey }) => {
  // Read once when the form opens: a change by someone else must not replace what is typed.
  const query = useDocuments("datasources", edited, { staleTime: Infinity, gcTime: 0 })
  const definition = query.data?.[0]
  return (
    <>
      <QueryError
        query={query}
        missing={`Data source ${edited.name} was not found in project ${edited.project}.`}
      />
      {definition !== undefined && <DataSourceForm edited={definition} />}
    </>
  )
}
