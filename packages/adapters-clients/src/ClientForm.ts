import type { Kind } from "@tocsin/domain/kernel"
import { alertFilters } from "./AlertFilters.ts"
import { clientDocuments } from "./ClientDocuments.ts"
import { withUnknownToClients } from "./KeepForClients.ts"
import { matchPropertyNames } from "./MatchPropertyNames.ts"
import { planIssues } from "./PlanIssues.ts"

/** How the service's public clients read and write definitions: an option of the API. */
export const clientForm = {
  read: matchPropertyNames,
  whole: withUnknownToClients,
  write: clientDocuments,
  dryRunIssues: planIssues,
  /** The clients know adjustments by events, and no others. */
  kindsOfNoProject: new Set<Kind>(["BudgetAdjustment"]),
  alertFilters,
}
