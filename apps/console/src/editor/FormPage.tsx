import type { ReactNode } from "react"
import { type DefinitionKey, type DocumentByKind, useEdited } from "../api/Definitions.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { EditorPage, EditPage } from "./Editor.tsx"
import { kindPages, type PagedKind } from "./KindPages.ts"

interface FormPageProps<K extends PagedKind> extends Partial<DefinitionKey> {
  readonly kind: K
  /** The form, with what is edited as it was when the page was opened. */
  readonly children: (edited: DocumentByKind[K] | undefined) => ReactNode
}

/** The page of a form: it creates a definition, or with a name edits one. Viewers cannot use it. */
export const FormPage = <K extends PagedKind>({ name, ...props }: FormPageProps<K>) => {
  const { create, list } = kindPages(props.kind)
  return name === undefined ? (
    <EditorPage title={create} back={list}>
      {props.children(undefined)}
    </EditorPage>
  ) : (
    <EditFormPage {...props} name={name} />
  )
}

const EditFormPage = <K extends PagedKind>({
  kind,
  project,
  name,
  children,
}: FormPageProps<K> & { readonly name: string }) => {
  const edited = project === undefined ? { name } : { project, name }
  const { query, definition } = useEdited(kind, edited)
  const { folder, list, missing } = kindPages(kind)
  return (
    <EditPage
      list={list}
      href={[folder, project, name].filter((each) => each !== undefined).join("/")}
      edited={edited}
      displayName={definition?.metadata.displayName}
    >
      <QueryError query={query} missing={missing(edited)} />
      {definition !== undefined && children(definition)}
    </EditPage>
  )
}
