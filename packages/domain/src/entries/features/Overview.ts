/** The overview of an organization: its objectives, their states, and what is urgent. */
export {
  type AlertCoverage,
  type CoveredPolicy,
  type ReachedPolicy,
  readAlertCoverage,
  readPolicyReach,
  type UncoveredSlos,
} from "../../overview/AlertCoverage.ts"
export { First } from "../../overview/First.ts"
export {
  fastBurnMin,
  type FleetObjective,
  type FleetSummary,
  type FleetSummaryOptions,
  readFleetSummary,
} from "../../overview/FleetSummary.ts"
export {
  type Overview,
  type OverviewAlert,
  type OverviewObjective,
  type OverviewService,
  readOverview,
} from "../../overview/ReadOverview.ts"
export { compareSloRanks, roundedBudget, roundedDown, type SloRank } from "../../overview/SloRank.ts"
export {
  displayNameOf,
  readSloSnapshot,
  type SloSnapshot,
  sloState,
  tracksOf,
  type TrackStatus,
} from "../../overview/SloSnapshot.ts"
