import { hiddenValue } from "@tocsin/domain/forms"
import type { DefinitionDocument, FoundRevision } from "@tocsin/api"
import { Textarea } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { writeYamlDocument } from "@tocsin/formats/yaml"
import { client } from "../api/Client.ts"
import type { Stored } from "../editor/Merging.ts"
import { DefinitionDiff } from "./DefinitionDiff.tsx"
import { ActionDialog } from "../components/Dialog.tsx"
import { t } from "../language/Text.tsx"
import css from "./RestoreDialog.module.css"

/** Applies an earlier version of a definition, after its differences from the current one were shown. */
export const RestoreDialog = ({
  revision: { definition },
  now,
  onBack,
  onDone,
}: {
  readonly revision: FoundRevision
  /** What the user has compared with, which alone is replaced. */
  readonly now: Stored<object>
  readonly onBack: () => void
  readonly onDone: () => void
}) => {
  const queryClient = useQueryClient()
  const { definition: current, revision } = now
  const yaml = writeYamlDocument(definition)
  const [text, setText] = useState(yaml)
  const needsSecrets = current === undefined && yaml.includes(hiddenValue)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      client.PUT(
        "/api/apply",
        !needsSecrets || text === yaml
          ? { body: { ...definition, revision } as unknown as DefinitionDocument }
          : {
              body: text as unknown as DefinitionDocument,
              bodySerializer: (body: unknown) => body as string,
              // Only what was deleted is restored as text.
              headers: { "content-type": "application/yaml", "if-none-match": "*" },
            },
      ),
    onError: () => queryClient.invalidateQueries(),
    onSuccess: async () => {
      onDone()
      await queryClient.invalidateQueries()
    },
  })
  const { name } = definition.metadata
  return (
    <ActionDialog
      title={t("Restore {name}?", { name })}
      submitLabel={t("Restore")}
      isWide
      isDangerous
      isBusy={isPending}
      error={error}
      onSubmit={mutate}
      onClose={onBack}
    >
      {current === undefined ? (
        <p>
          {definition.kind === "SLO"
            ? t(
                "This SLO was deleted. Restoring it creates it again from its last definition, without its earlier counts.",
              )
            : t("This definition was deleted. Restoring it creates it again as it was.")}
        </p>
      ) : (
        <p>{t("The definition changes as follows. Hidden secrets keep their current values.")}</p>
      )}
      {needsSecrets ? (
        <Textarea
          className={css.yaml}
          label={t("Definition as YAML")}
          description={t("The history does not store secrets. Replace each [hidden] with the secret.")}
          value={text}
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      ) : (
        <DefinitionDiff before={current} after={definition} label={t("What changes")} />
      )}
    </ActionDialog>
  )
}
