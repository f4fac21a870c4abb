import { Checkbox, TextInput } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useLocation } from "wouter"
import { ApiError, client, type ErrorItem } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { rejection } from "../components/BulkBar.tsx"
import { ActionDialog } from "../components/Dialog.tsx"
import { t } from "../language/Text.tsx"

/** Where SLOs are moved to. */
export interface Move {
  readonly project: string
  /** Empty: a service of the same name. */
  readonly service: string
  readonly isWithoutPolicies: boolean
}

export const noMove: Move = { project: "", service: "", isWithoutPolicies: false }

/** Moves an SLO with everything that is stored of it. In its own project it only gets another service. */
export const moveSlo = async ({ project, name }: DefinitionKey, move: Move): Promise<void> => {
  const newProject = move.project.trim()
  const service = move.service.trim()
  const isCrossing = newProject !== project
  if (!isCrossing && service === "")
    throw rejection(t("The SLO is already in project {project}.", { project }))
  try {
    await client.POST("/api/objects/v1/slos/move", {
      body: {
        sloNames: [name],
        oldProject: project,
        ...(isCrossing && { newProject, detachAlertPolicies: move.isWithoutPolicies }),
        ...(service !== "" && { service }),
      },
    })
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.status, error.errors.map(inWordsOfDialog)) : error
  }
}

/** The API names a field of its own, which is a checkbox here. */
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
export const MoveFields = ({
  move,
  onChange,
}: {
  readonly move: Move
  readonly onChange: (move: Move) => void
}) => {
  const projects = useDocuments("projects").data ?? []
  const names = new Set(["default", ...projects.map(({ metadata }) => metadata.name)])
  return (
    <>
      <p>
        {t(
          "Counts, alerts, annotations and reports move with the SLO. Composite SLOs and budget adjustments that name it are updated.",
        )}
      </p>
      <p>
        {t(
          "Links to the SLO change. Also change the project in files and programs that apply it or send its counts.",
        )}
      </p>
      <p>{t("An SLO that a silence names can’t be moved to another project. Delete the silence first.")}</p>
      <TextInput
        label={t("New project")}
        description={t("Created if it does not exist.")}
        data-autofocus
        list="move-projects"
        value={move.project}
        spellCheck={false}
        autoCapitalize="none"
        onChange={({ currentTarget }) => onChange({ ...move, project: currentTarget.value })}
      />
      <datalist id="move-projects">
        {[...names].toSorted().map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextInput
        label={t("Service")}
        description={t("Optional. By default, a service of the same name, which is created if necessary.")}
        value={move.service}
        spellCheck={false}
        autoCapitalize="none"
        onChange={({ currentTarget }) => onChange({ ...move, service: currentTarget.value })}
      />
      <Checkbox
        label={t("Remove alert policies")}
        description={t(
          "Required to move an SLO that has alert policies to another project. Its open alerts are canceled.",
        )}
        checked={move.isWithoutPolicies}
        onChange={({ currentTarget }) => onChange({ ...move, isWithoutPolicies: currentTarget.checked })}
      />
    </>
  )
}

/** The dialog that moves an SLO, and then opens its new page. */
export const MoveSlo = ({ project, name, onClose }: DefinitionKey & { readonly onClose: () => void }) => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  const [move, setMove] = useState(noMove)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => moveSlo({ project, name }, move),
    onSuccess: async () => {
      onClose()
      navigate(`/slos/${encodeURIComponent(move.project.trim())}/${encodeURIComponent(name)}`, {
        replace: true,
      })
      await queryClient.invalidateQueries()
    },
  })
  return (
    <ActionDialog
      title={t("Move {name}", { name })}
      submitLabel={t("Move")}
      isBusy={isPending}
      isDisabled={move.project.trim() === ""}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      <MoveFields move={move} onChange={setMove} />
    </ActionDialog>
  )
}
