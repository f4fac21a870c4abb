import type {
  AlertIsGrouped,
  IncidentHasChanged,
  IncidentIsInvalid,
  IncidentNotFound,
  IncidentTaskNotFound,
} from "@tocsin/domain/features/incident"
import { invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const incidentErrors: StatusTable<
  AlertIsGrouped | IncidentHasChanged | IncidentIsInvalid | IncidentNotFound | IncidentTaskNotFound
> = {
  IncidentIsInvalid: ({ issues }) => invalidBody("Invalid incident", issues),
  IncidentNotFound: ({ id }) =>
    oneError(404, {
      title: "Incident not found",
      code: "incident_not_found",
      detail: "No incident has this ID. GET /api/incidents lists incidents (tocsin incident list).",
      source: { propertyName: "id", propertyValue: id },
    }),
  IncidentTaskNotFound: ({ id }) =>
    oneError(404, {
      title: "Task not found",
      code: "incident_task_not_found",
      detail:
        "The timeline of the incident has no task with this ID. GET /api/incidents/{id}/entries?kind=task (tocsin incident tasks ID) lists tasks.",
      source: { propertyName: "entryId", propertyValue: id },
    }),
  IncidentHasChanged: ({ revision }) =>
    oneError(412, {
      title: "Incident has changed",
      code: "revision_mismatch",
      detail: `The incident has revision ${revision}. Read it again, and repeat the change with its revision.`,
      source: { propertyName: "revision" },
    }),
  AlertIsGrouped: ({ alert, incident }) =>
    oneError(409, {
      title: "Alert belongs to another incident",
      code: "alert_grouped",
      detail: `The alert belongs to the open incident ${incident}. Remove it from that incident first, or resolve that incident.`,
      source: { propertyName: "alerts", propertyValue: alert },
    }),
}
