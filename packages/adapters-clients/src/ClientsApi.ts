import { adjustmentErrors, adjustmentEventRoutes } from "./AdjustmentEvents.ts"
import { agentCredentialRoutes } from "./AgentCredentials.ts"
import { annotationRoutes } from "./Annotations.ts"
import { oauthErrorForm, oauthRoutes } from "./OAuth.ts"
import { backfillErrors, backfillQueueRoutes } from "./BackfillQueue.ts"
import { unsupportedCallsRoutes } from "./UnsupportedCalls.ts"
import { userRoutes } from "./Users.ts"

/** The calls that only the service's public clients make (spec/clients), as a feature of the API. */
export const clientsApi = {
  routes: [
    ...oauthRoutes,
    ...userRoutes,
    ...agentCredentialRoutes,
    ...backfillQueueRoutes,
    ...unsupportedCallsRoutes,
    ...adjustmentEventRoutes,
    ...annotationRoutes,
  ],
  errorForm: oauthErrorForm,
  errors: { ...adjustmentErrors, ...backfillErrors },
}
