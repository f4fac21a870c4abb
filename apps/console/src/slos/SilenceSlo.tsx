import type { DefinitionDocument } from "@tocsin/api"
import { TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { ActionDialog } from "../components/Dialog.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"

/** Silences the alerts of an SLO for an hour from now; returns the name of the silence. */
export const silenceForAnHour = async (
  apiVersion: string,
  { project, name }: DefinitionKey,
  description: string,
): Promise<string> => {
  const now = Date.now()
  const silence: DefinitionDocument<"AlertSilence"> = {
    apiVersion,
    kind: "AlertSilence",
    metadata: { name: `${name.slice(0, 40)}-silence-${now.toString(36)}`, project },
    spec: {
      slo: name,
      ...(description.trim() !== "" && { description: description.trim() }),
      period: { startTime: new Date(now).toISOString(), duration: "1h" },
    },
  }
  await client.PUT("/api/apply", { body: silence })
  return silence.metadata.name
}

/** The dialog that silences an SLO. */
export const SilenceSlo = ({
  project,
  name,
  onClose,
  onDone,
}: DefinitionKey & { readonly onClose: () => void; readonly onDone: (silence: string) => void }) => {
  const { apiVersion } = useSession()
  const [description, setDescription] = useState("")
  const create = useMutation({
    mutationFn: () => silenceForAnHour(apiVersion, { project, name }, description),
    onSuccess: onDone,
  })
  return (
    <ActionDialog
      title={t("Silence for 1 h")}
      submitLabel={t("Silence")}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={create.mutate}
      onClose={onClose}
    >
      <p>
        {t("No notifications are sent for alerts of this SLO in the next hour. Its figures do not change.")}
      </p>
      <SilenceDescription value={description} onChange={setDescription} />
    </ActionDialog>
  )
}

/** Why alerts are silenced. */
export const SilenceDescription = ({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) => (
  <TextInput
    label={t("Description")}
    description={t("Optional.")}
    data-autofocus
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
)
