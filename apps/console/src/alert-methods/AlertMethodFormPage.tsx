import { useState } from "react"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Page } from "../components/Page.tsx"
import { useIsEditor } from "../session/Session.ts"
import { AlertMethodForm } from "./AlertMethodForm.tsx"
import { newValues, valuesOf } from "./FormValues.ts"

/** Creates an alert method; with `project` and `name`, edits one. */
const AlertMethodFormPage = ({ project, name }: Partial<DefinitionKey>) => {
  const isEditor = useIsEditor()
  const edited = project === undefined || name === undefined ? undefined : { project, name }
  const back =
    edited === undefined
      ? { href: "/alert-methods", text: "Alert methods" }
      : { href: `/alert-methods/${project}/${name}`, text: edited.name }
  return (
    <Page title={edited === undefined ? "Create alert method" : `Edit ${name}`} back={back}>
      {!isEditor ? (
        <Notice kind="info">
          Your role is viewer, which is read-only. Sign in as an editor to make changes.
        </Notice>
      ) : edited === undefined ? (
        <NewForm />
      ) : (
        <EditForm edited={edited} />
      )}
    </Page>
  )
}
export default AlertMethodFormPage

const NewForm = () => {
  const [initialValues] = useState(newValues)
  return <AlertMethodForm formKey="new" initialValues={initialValues} />
}

const EditForm = ({ edited }: { readonly edited: DefinitionKey }) => {
  // Read once when the form opens: a change by someone else must not replace what is typed.
  const query = useDocuments("alertmethods", edited, { staleTime: Infinity, gcTime: 0 })
  const definition = query.data?.[0]
  return (
    <>
      <QueryError
        query={query}
        missing={`Alert method ${edited.name} was not found in project ${edited.project}.`}
      />
      {definition !== undefined && (
        <AlertMethodForm
          formKey={`${edited.project}/${edited.name}`}
          initialValues={valuesOf(definition)}
          edited={edited}
        />
      )}
    </>
  )
}
