import { Button } from "@mantine/core"
import type { ReactNode } from "react"
import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { useIsEditor } from "../session/Session.ts"
import { DeleteButton } from "./DeleteButton.tsx"
import { kindPages, type PagedKind } from "./KindPages.ts"

/** The actions of an editor on the page of a definition; a project is of no project. */
export const DefinitionActions = ({
  kind,
  project,
  name,
  deleteText,
  children,
}: Partial<DefinitionKey> & {
  readonly kind: PagedKind
  readonly name: string
  /** What a deletion affects. */
  readonly deleteText: string
  readonly children?: ReactNode
}) => {
  const { folder, list, edit, remove } = kindPages(kind)
  if (!useIsEditor()) return null
  return (
    <>
      <Button
        component={Link}
        href={[folder, project, name, "edit"].filter((each) => each !== undefined).join("/")}
      >
        {edit}
      </Button>
      {children}
      <DeleteButton
        kind={kind}
        definition={{ project: project ?? "", name }}
        label={remove}
        listHref={list.href}
      >
        <p>{deleteText}</p>
      </DeleteButton>
    </>
  )
}
