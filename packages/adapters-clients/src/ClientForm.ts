import { clientDocuments } from "./ClientDocuments.ts"
import { withUnknownToClients } from "./KeepForClients.ts"
import { matchPropertyNames } from "./MatchPropertyNames.ts"
import { planIssues } from "./PlanIssues.ts"

/** How the service's public clients read and write definitions: an option of the API. */
export const clientForm = {
  read: matchPropertyNames,
  whole: withUnknownToClients,
  write: clientDocuments,
  planIssues,
}
