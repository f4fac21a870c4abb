import type { ApiOperations, BodyJsonOf } from "@tocsin/api"
import { Checkbox } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import { useQueryClient } from "@tanstack/react-query"
import rules from "virtual:rules/moveSlos"
import { useLocation } from "wouter"
import { ApiError, client, type ErrorItem, rejection } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import type { DraftFields } from "../editor/Fields.ts"
import { t } from "../language/Text.tsx"

/** Where SLOs are moved to; without a service, to one of the same name. */
type Move = Pick<BodyJsonOf<ApiOperations["moveSlos"]>, "newProject" | "service" | "detachAlertPolicies">

/** What is entered of a move. */
export const moveFields = { rules, initial: (): Move => ({}) }

/** Whether a move does not say where to. */
export const isIncompleteMove = ({ newProject }: Move): boolean => newProject === undefined

/** Moves an SLO with everything that is stored of it. In its own project it only gets another service. */
export const moveSlo = async ({ project, name }: DefinitionKey, move: Move): Promise<void> => {
  const { newProject, detachAlertPolicies: _none, ...within } = move
  const isCrossing = newProject !== project
  if (!isCrossing && move.service === undefined)
    throw rejection(t("The SLO is already in project {project}.", { project }))
  try {
    await client.POST("/api/objects/v1/slos/move", {
      body: { sloNames: [name], oldProject: project, ...(isCrossing ? move : within) },
    })
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.status, error.errors.map(inWordsOfDialog)) : error
  }
}

/** The API has a separate field, which is a checkbox here. */
const inWordsOfDialog = (item: ErrorItem): ErrorItem =>
  (item.detail ?? item.title).includes("detachAlertPolicies")
    ? {
        ...item,
        detail: t(
          "The SLO has alert policies. Select “Remove alert policies” to move it to another project.",
        ),
      }
    : item

/** What a move means, and its fields. */
export const MoveFields = ({ draft }: { readonly draft: DraftFields }) => {
  const projects = useDocuments("projects").data ?? []
  const names = new Set(["default", ...projects.map(({ metadata }) => metadata.name)])
  return (
    <>
      <p>
        {t(
          "Counts, alerts, annotations and reports move with the SLO. Composite SLOs and budget adjustments that reference it are updated.",
        )}
      </p>
      <p>
        {t(
          "Links to the SLO change. Also change the project in files and programs that apply it or send its counts.",
        )}
      </p>
      <p>
        {t("An SLO that a silence references can’t be moved to another project. Delete the silence first.")}
      </p>
      <NameInput
        {...draft.field("newProject")}
        label={t("New project")}
        description={t("Created if it does not exist.")}
        data-autofocus
        suggestions={[...names].toSorted().map((value) => ({ value }))}
      />
      <NameInput
        {...draft.field("service")}
        label={t("Service")}
        description={draft.hint(
          "service",
          t("By default, a service of the same name, which is created if necessary."),
        )}
      />
      <Checkbox
        label={t("Remove alert policies")}
        description={t(
          "Required to move an SLO that has alert policies to another project. Its open alerts are canceled.",
        )}
        checked={draft.at("detachAlertPolicies") === true}
        onChange={({ currentTarget }) =>
          draft.put({ detachAlertPolicies: currentTarget.checked || undefined })
        }
      />
    </>
  )
}

/** The dialog that moves an SLO, and then opens its new page. */
export const MoveSlo = ({ project, name, onClose }: DefinitionKey & { readonly onClose: () => void }) => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  return (
    <BodyDialog
      title={t("Move {name}", { name })}
      submitLabel={t("Move")}
      {...moveFields}
      isIncomplete={isIncompleteMove}
      send={(move) => moveSlo({ project, name }, move).then(() => move.newProject ?? project)}
      onClose={onClose}
      onDone={async (newProject) => {
        onClose()
        navigate(`/slos/${encodeURIComponent(newProject)}/${encodeURIComponent(name)}`, { replace: true })
        await queryClient.invalidateQueries()
      }}
    >
      {(draft) => <MoveFields draft={draft} />}
    </BodyDialog>
  )
}
