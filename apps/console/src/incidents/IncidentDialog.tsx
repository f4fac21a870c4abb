import type { Incident } from "@tocsin/api"
import { TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"
import rules from "virtual:rules/createIncident"
import { bodyOf, client } from "../api/Client.ts"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import { ChoiceField } from "../editor/ChoiceField.tsx"
import { numberText } from "../editor/Fields.ts"
import { t } from "../language/Text.tsx"
import { incidentHref, incidentSeverityName } from "./Incident.ts"

interface Entered extends Pick<Incident, "title" | "severity" | "groupAlertsWithinMinutes"> {
  readonly owner?: string
}

/** Creates an incident, or edits one as it was when the dialog was opened; then its page is shown. */
export const IncidentDialog = ({
  incident,
  onClose,
}: {
  readonly incident?: Incident
  readonly onClose: () => void
}) => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  const { id, revision, title = "", severity = "major", groupAlertsWithinMinutes = 0 } = incident ?? {}
  const owner = incident && (incident.owner ?? "")
  return (
    <BodyDialog
      title={id === undefined ? t("Create incident") : t("Edit incident")}
      submitLabel={id === undefined ? t("Create incident") : t("Save changes")}
      rules={rules}
      initial={(): Entered & { readonly revision?: number } => ({
        title,
        severity,
        groupAlertsWithinMinutes,
        ...(owner !== undefined && { owner }),
        ...(revision !== undefined && { revision }),
      })}
      send={(body) =>
        bodyOf(
          id === undefined
            ? client.POST("/api/incidents", { body })
            : client.POST("/api/incidents/{id}", { params: { path: { id } }, body }),
        )
      }
      onDone={async (saved) => {
        onClose()
        navigate(incidentHref(saved.id))
        await queryClient.invalidateQueries()
      }}
      onClose={onClose}
    >
      {(draft) => (
        <>
          <TextInput
            {...draft.field("title")}
            label={t("Title")}
            description={t("What is wrong, in a line.")}
            data-autofocus
          />
          <ChoiceField draft={draft} path="severity" label={t("Severity")} names={incidentSeverityName} />
          <TextInput
            // An empty text removes the owner.
            {...draft.field("owner", {
              format: (value) => String(value ?? ""),
              parse: (text) => text || (owner && ""),
            })}
            label={t("Owner")}
            description={t("Who is in charge.")}
          />
          <TextInput
            {...draft.field("groupAlertsWithinMinutes", numberText)}
            label={t("Add alerts of its services automatically")}
            description={t(
              "If they trigger within this number of minutes of one of its alerts. 0: none are added.",
            )}
            inputMode="numeric"
          />
        </>
      )}
    </BodyDialog>
  )
}
