import { useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useLocation } from "wouter"
import { client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { ConfirmButton } from "../components/Dialog.tsx"
import { RestoreHint } from "../components/RestoreHint.tsx"
import { t } from "../language/Text.tsx"

/** A button that deletes a definition, after its name was typed. */
export const DeleteButton = ({
  kind,
  definition: { project, name },
  label,
  title = t("Delete {name}?", { name }),
  listHref,
  children,
}: {
  /** As in the path of the API. */
  readonly kind: string
  readonly definition: DefinitionKey
  readonly label: string
  readonly title?: string
  /** Where its page leads then; absent: this page stays. */
  readonly listHref?: string
  /** What the deletion affects. */
  readonly children: ReactNode
}) => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  return (
    <ConfirmButton
      label={label}
      title={title}
      color="red"
      typed={name}
      action={async () => {
        await deleteDefinitions(kind, project, [name])
        if (listHref !== undefined) navigate(listHref)
        await queryClient.invalidateQueries()
      }}
    >
      {children}
      <RestoreHint />
    </ConfirmButton>
  )
}

/** Deletes definitions of a project, all or none of them. */
export const deleteDefinitions = (kind: string, project: string, names: ReadonlyArray<string>) =>
  client.DELETE("/api/delete/{kind}", {
    params: { path: { kind }, query: { name: [...names] }, ...(project !== "" && { header: { project } }) },
  })
