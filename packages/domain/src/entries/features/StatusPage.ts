/** Public status pages of a project. */
export {
  type PlannedMaintenance,
  type PostedIncident,
  type PublishedPost,
} from "../../status-page/PublishedPosts.ts"
export {
  type ComponentState,
  type ExcludedMinutes,
  findStatusPage,
  outageBurnRate,
  type PublishedComponent,
  type PublishedDay,
  type PublishedIncident,
  type PublishedPage,
  readStatusPage,
  StatusPageNotFound,
  type StatusPageOwner,
} from "../../status-page/ReadStatusPage.ts"
export { statusPages } from "../../status-page/StatusPageParticipant.ts"
