import { incidents, postmortemType } from "@tocsin/api"
import {
  addIncidentAlerts,
  addIncidentEntry,
  createIncident,
  deleteIncident,
  findIncident,
  listIncidentEntries,
  listIncidents,
  postmortemToMarkdown,
  readPostmortem,
  removeIncidentAlert,
  updateIncident,
  updateIncidentTask,
} from "@tocsin/domain/features/incident"
import { costly, costlyReadsPolicy, costlyWritesPolicy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { serve } from "../serve/Serve.ts"

/** Units of costly requests for which adding alerts counts, which are read first. */
const alertsUnits = 5

/** Units of costly requests for which a post-mortem counts. */
const postmortemUnits = 30

export const incidentsRoutes = serve(incidents, {
  listIncidents: ({ organization, page, ...filter }) => listIncidents(organization, { ...page, ...filter }),
  createIncident: ({ organization, caller, body }) =>
    Effect.map(
      costly(
        organization,
        costlyWritesPolicy,
        alertsUnits,
      )(createIncident(organization, body, caller.clientId)),
      (value) => ({ status: 201, value }) as const,
    ),
  findIncident: ({ organization, id }) => findIncident(organization, id),
  updateIncident: ({ organization, caller, id, body }) =>
    updateIncident(organization, id, body, caller.clientId),
  deleteIncident: ({ organization, id }) => deleteIncident(organization, id),
  addIncidentAlerts: ({ organization, caller, id, body }) =>
    costly(
      organization,
      costlyWritesPolicy,
      alertsUnits,
    )(addIncidentAlerts(organization, id, body, caller.clientId)),
  removeIncidentAlert: ({ organization, caller, id, alertId }) =>
    removeIncidentAlert(organization, id, alertId, caller.clientId),
  listIncidentEntries: ({ organization, id, page, ...filter }) =>
    listIncidentEntries(organization, id, { ...page, ...filter }),
  addIncidentEntry: ({ organization, caller, id, body }) =>
    Effect.map(
      addIncidentEntry(organization, id, body, caller.clientId),
      (value) => ({ status: 201, value }) as const,
    ),
  updateIncidentTask: ({ organization, caller, id, entryId, body }) =>
    updateIncidentTask(organization, id, entryId, body, caller.clientId),
  findPostmortem: ({ organization, id }) =>
    Effect.map(
      costly(organization, costlyReadsPolicy, postmortemUnits)(readPostmortem(organization, id)),
      (postmortem) =>
        withETag({
          status: 200,
          headers: {
            "cache-control": "private, no-cache",
            "content-type": postmortemType,
            "content-disposition": `attachment; filename="postmortem-${postmortem.incident.id}.md"`,
          },
          body: postmortemToMarkdown(postmortem),
        } satisfies ApiResponse),
    ),
})
