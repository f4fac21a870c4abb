import { useState } from "react"
import { readDocuments } from "../api/Definitions.ts"
import { useResource } from "../api/Resource.ts"
import { useIsEditor } from "../session/Session.ts"
import { Failure } from "../shell/Failure.tsx"
import { Notice } from "../shell/Notice.tsx"
import { Page } from "../shell/Page.tsx"
import { AlertMethodForm } from "./AlertMethodForm.tsx"
import { draftOf, newDraft } from "./Draft.ts"

interface Key {
  readonly project: string
  readonly name: string
}

/** Where an alert method is made, or changed. */
const AlertMethodFormPage = ({ edited }: { readonly edited?: Key }) => {
  const isEditor = useIsEditor()
  const title = edited === undefined ? "New alert method" : `Edit ${edited.name}`
  const back =
    edited === undefined
      ? { href: "/alert-methods", text: "Alert methods" }
      : { href: `/alert-methods/${edited.project}/${edited.name}`, text: edited.name }
  return (
    <Page title={title} back={back}>
      {!isEditor ? (
        <Notice kind="info">
          You are a viewer: you see everything and change nothing. An editor can do this.
        </Notice>
      ) : edited === undefined ? (
        <AlertMethodForm formKey="new" start={newDraft()} />
      ) : (
        <Stored edited={edited} />
      )}
    </Page>
  )
}
export default AlertMethodFormPage

let openings = 0

const Stored = ({ edited }: { readonly edited: Key }) => {
  // Read anew each time that the form is opened: what one changes must be what is stored.
  const [opening] = useState(() => ++openings)
  const { data, failure, reload } = useResource(`edited/${opening}`, (signal) =>
    readDocuments("alertmethods", edited, signal),
  )
  if (data === undefined) return failure === undefined ? null : <Failure failure={failure} retry={reload} />
  const definition = data[0]
  return definition === undefined ? (
    <Notice kind="warn">There is no such alert method any more.</Notice>
  ) : (
    <AlertMethodForm
      formKey={`${edited.project}/${edited.name}`}
      start={draftOf(definition)}
      edited={edited}
    />
  )
}
