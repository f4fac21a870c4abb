/** The overview of an organization: its objectives, their states, and what is urgent. */
export {
  type AlertCoverage,
  type CoveredPolicy,
  type ReachedPolicy,
  readAlertCoverage,
  readPolicyReach,
  type UncoveredSlos,
} from "../../overview/AlertCoverage.ts"
export {
  fastBurnMin,
  type FleetObjective,
  type FleetServiceState,
  type FleetSummary,
  type FleetSummaryOptions,
  readFleetSummary,
} from "../../overview/FleetSummary.ts"
export {
  type Overview,
  type OverviewAlert,
  type OverviewService,
  readOverview,
} from "../../overview/ReadOverview.ts"
export { roundedBudget, roundedDown } from "../../overview/SloRank.ts"
export { readOpenAlerts, readSloPage, type SloPage } from "../../overview/SloPage.ts"
