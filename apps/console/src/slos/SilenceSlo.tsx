import type { DefinitionDocument } from "@tocsin/api"
import { TextInput } from "@mantine/core"
import rules from "virtual:rules/AlertSilence"
import { client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import type { DraftFields } from "../editor/Fields.ts"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"

type AlertSilence = DefinitionDocument<"AlertSilence">

/** What is entered of a silence of an SLO for an hour. */
export const hourSilence = {
  rules,
  initial: (): { readonly spec: Pick<AlertSilence["spec"], "description"> } => ({ spec: {} }),
}

/** Silences the alerts of an SLO for an hour from now; returns the name of the silence. */
export const silenceForAnHour = async (
  apiVersion: string,
  { project, name }: DefinitionKey,
  { spec }: ReturnType<typeof hourSilence.initial>,
): Promise<string> => {
  const now = Date.now()
  const silence: AlertSilence = {
    apiVersion,
    kind: "AlertSilence",
    metadata: { name: `${name.slice(0, 40)}-silence-${now.toString(36)}`, project },
    spec: { slo: name, ...spec, period: { startTime: new Date(now).toISOString(), duration: "1h" } },
  }
  await client.PUT("/api/apply", { body: silence })
  return silence.metadata.name
}

/** The dialog that silences an SLO. */
export const SilenceSlo = ({
  onClose,
  onDone,
  ...slo
}: DefinitionKey & { readonly onClose: () => void; readonly onDone: (silence: string) => void }) => {
  const { apiVersion } = useSession()
  return (
    <BodyDialog
      title={t("Silence for 1 h")}
      submitLabel={t("Silence")}
      {...hourSilence}
      send={(entered) => silenceForAnHour(apiVersion, slo, entered)}
      onClose={onClose}
      onDone={onDone}
    >
      {(draft) => (
        <>
          <p>
            {t(
              "No notifications are sent for alerts of this SLO in the next hour. Its figures do not change.",
            )}
          </p>
          <SilenceDescription draft={draft} />
        </>
      )}
    </BodyDialog>
  )
}

/** Why alerts are silenced. */
export const SilenceDescription = ({ draft }: { readonly draft: DraftFields }) => (
  <TextInput
    {...draft.field("spec.description")}
    label={t("Description")}
    description={draft.hint("spec.description")}
    data-autofocus
  />
)
