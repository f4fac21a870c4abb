import type { ReactNode } from "react"
import { type DocumentByKind, useEdited } from "../api/Definitions.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import type { Crumb } from "../components/Page.tsx"
import { EditorPage, EditPage } from "./Editor.tsx"

interface FormPageProps<K extends keyof DocumentByKind> {
  readonly kind: K
  /** What is edited; absent: a new definition. A project is of no project. */
  readonly edited: { readonly project?: string; readonly name: string } | undefined
  readonly createTitle: string
  readonly list: Crumb
  /** Where pages of the kind are, such as `/silences`. */
  readonly folder: string
  /** What to say if what is to be edited does not exist. */
  readonly missing: string
  /** The form, with what is edited as it was when the page was opened. */
  readonly children: (edited: DocumentByKind[K] | undefined) => ReactNode
}

/** The page of a form: it creates a definition, or edits one. Viewers cannot use it. */
export const FormPage = <K extends keyof DocumentByKind>(props: FormPageProps<K>) => {
  const { edited, createTitle, list, children } = props
  return edited === undefined ? (
    <EditorPage title={createTitle} back={list}>
      {children(undefined)}
    </EditorPage>
  ) : (
    <EditFormPage {...props} edited={edited} />
  )
}

/** Alerts alone have none. */
const displayNameOf = (metadata: object | undefined): string | undefined =>
  (metadata as { readonly displayName?: string } | undefined)?.displayName

const EditFormPage = <K extends keyof DocumentByKind>({
  kind,
  edited,
  list,
  folder,
  missing,
  children,
}: FormPageProps<K> & { readonly edited: { readonly project?: string; readonly name: string } }) => {
  const { query, definition } = useEdited(kind, edited)
  return (
    <EditPage
      list={list}
      href={[folder, edited.project, edited.name].filter((each) => each !== undefined).join("/")}
      edited={edited}
      displayName={displayNameOf(definition?.metadata)}
    >
      <QueryError query={query} missing={missing} />
      {definition !== undefined && children(definition)}
    </EditPage>
  )
}
