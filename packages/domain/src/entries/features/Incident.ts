/** Incidents: groups of alerts with an owner, a status and a timeline. */
export {
  type Incident,
  incidentAlertsMax,
  incidentAlertsRequest,
  incidentEntriesMax,
  type IncidentEntry,
  incidentEntryKinds,
  incidentEntryRequest,
  incidentGroupingMaxMinutes,
  incidentRequest,
  incidentServicesMax,
  incidentSeverities,
  type IncidentSeverity,
  type IncidentStatus,
  incidentStatuses,
  type IncidentSummary,
  incidentTaskUpdate,
  incidentTextMaxCharacters,
  incidentUpdate,
  isGrouping,
  storedIncident,
  storedIncidentEntry,
} from "../../incident/Incident.ts"
export {
  addIncidentAlerts,
  addIncidentEntry,
  createIncident,
  deleteIncident,
  IncidentHasChanged,
  IncidentTaskNotFound,
  removeIncidentAlert,
  updateIncident,
  updateIncidentTask,
} from "../../incident/ChangeIncidents.ts"
export { AlertIsGrouped, IncidentIsInvalid } from "../../incident/EditIncident.ts"
export { groupAlerts, groupDueAlerts } from "../../incident/GroupAlerts.ts"
export {
  findIncident,
  IncidentNotFound,
  listIncidentEntries,
  type ListIncidentEntriesQuery,
  listIncidents,
  type ListIncidentsQuery,
} from "../../incident/ListIncidents.ts"
export { postmortemToMarkdown } from "../../incident/PostmortemMarkdown.ts"
export {
  type Postmortem,
  postmortemAlertsMax,
  postmortemDeliveriesMax,
  postmortemSlosMax,
  readPostmortem,
  type UsedBudget,
} from "../../incident/ReadPostmortem.ts"
