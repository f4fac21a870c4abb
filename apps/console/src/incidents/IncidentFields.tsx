import { TextInput } from "@mantine/core"
import { ChoiceField } from "../editor/ChoiceField.tsx"
import type { DraftFields } from "../editor/Fields.ts"
import { t } from "../language/Text.tsx"
import { incidentSeverityName } from "./Incident.ts"

/** The title and the severity of an incident. */
export const IncidentFields = ({ draft }: { readonly draft: DraftFields }) => (
  <>
    <TextInput
      {...draft.field("title")}
      label={t("Title")}
      description={t("What is wrong, in a line.")}
      maxLength={draft.rules("title").max}
      autoComplete="off"
      data-autofocus
    />
    <ChoiceField draft={draft} path="severity" label={t("Severity")} names={incidentSeverityName} />
  </>
)
