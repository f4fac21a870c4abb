import { accessTokens } from "../access/AccessTokens.ts"
import { alertMethods } from "../alert-methods/AlertMethods.ts"
import { annotations } from "../annotations/Annotations.ts"
import { backtests } from "../backtests/Backtests.ts"
import { budgetAdjustments } from "../budget-adjustments/BudgetAdjustments.ts"
import { consoleReads } from "../console/Console.ts"
import { overviewReads } from "../console/Overview.ts"
import { credentials } from "../credentials/Credentials.ts"
import { dataSources } from "../data-sources/DataSources.ts"
import { definitions } from "../definitions/Definitions.ts"
import { deliveries } from "../deliveries/Deliveries.ts"
import { alerts } from "../alerts/Alerts.ts"
import { incidents } from "../incidents/Incidents.ts"
import { reports } from "../reports/Reports.ts"
import { reviews } from "../reports/Reviews.ts"
import { resends } from "../resends/Resends.ts"
import { organizationKeys } from "../signing-keys/SigningKeys.ts"
import { session } from "../session/Session.ts"
import { publicKeys } from "../signing-keys/PublicKeys.ts"
import { silences } from "../silences/Silences.ts"
import { statusPageSubscriptions } from "../status-pages/StatusPageSubscriptions.ts"
import { counts } from "../slos/Counts.ts"
import { history } from "../history/History.ts"
import { indicators } from "../slos/Indicators.ts"
import { backfills } from "../slos/Backfills.ts"
import { sloMetrics } from "../slos/SloMetrics.ts"
import { status, statusV1 } from "../slos/Status.ts"

/** The resources of the API. */
export const resources = {
  accessTokens,
  alertMethods,
  alerts,
  annotations,
  backtests,
  budgetAdjustments,
  consoleReads,
  counts,
  credentials,
  dataSources,
  definitions,
  deliveries,
  history,
  incidents,
  indicators,
  backfills,
  sloMetrics,
  status,
  statusV1,
  organizationKeys,
  overviewReads,
  publicKeys,
  reports,
  resends,
  reviews,
  session,
  silences,
  statusPageSubscriptions,
}

/** The operations of all resources. */
export type ApiOperations = Merged<(typeof resources)[keyof typeof resources]["operations"]>

type Merged<U> = (U extends unknown ? (operations: U) => void : never) extends (operations: infer I) => void
  ? I
  : never
