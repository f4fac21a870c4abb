import { Button } from "@mantine/core"
import type { ReactNode } from "react"
import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { QueryError, type QueryState } from "../components/ErrorNotice.tsx"
import { Page } from "../components/Page.tsx"
import { DeleteButton } from "../editor/DeleteButton.tsx"
import { kindPages, type PagedKind } from "../editor/KindPages.ts"
import { useIsEditor } from "../session/Session.ts"
import { DefinitionYaml } from "./DefinitionYaml.tsx"

/** The page of a stored definition: what editors can do with it, its content, and at the end its YAML and its changes. */
export const DefinitionPage = ({
  kind,
  project,
  name,
  query,
  definition,
  subtitle = project === undefined ? name : `${project} / ${name}`,
  links,
  actions,
  deleteText,
  children,
}: Partial<DefinitionKey> & {
  readonly kind: PagedKind
  readonly name: string
  /** How it is read. */
  readonly query: QueryState
  /** Absent: it was not read yet, or is not there. */
  readonly definition: { readonly metadata: { readonly displayName?: string } } | undefined
  readonly subtitle?: ReactNode
  readonly links?: ReactNode
  /** What else editors can do with it. */
  readonly actions?: ReactNode
  /** What a deletion affects. */
  readonly deleteText: string
  readonly children: ReactNode
}) => {
  const { folder, list, edit, remove, missing } = kindPages(kind)
  const isEditor = useIsEditor()
  const key = project === undefined ? { name } : { project, name }
  return (
    <Page
      title={definition?.metadata.displayName ?? name}
      subtitle={subtitle}
      back={list}
      actions={
        definition !== undefined && (
          <>
            {links}
            {isEditor && (
              <>
                <Button component={Link} href={[folder, ...Object.values(key), "edit"].join("/")}>
                  {edit}
                </Button>
                {actions}
                <DeleteButton
                  kind={kind}
                  definition={{ project: "", ...key }}
                  label={remove}
                  listHref={list.href}
                >
                  <p>{deleteText}</p>
                </DeleteButton>
              </>
            )}
          </>
        )
      }
    >
      <QueryError query={query} missing={missing(key)} />
      {children}
      {definition !== undefined && (
        <div className="no-kiosk">
          <DefinitionYaml kind={kind} project={project ?? "*"} name={name} />
        </div>
      )}
    </Page>
  )
}
