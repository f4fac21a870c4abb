/** Public status pages of a project. */
export {
  type Announcement,
  announcedMaintenance,
  announcedPost,
  componentText,
  incidentStatusNames,
  publicId,
  statusPagePath,
  untilNotice,
} from "../../status-page/Announcement.ts"
export {
  type ComponentName,
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
export { announceDueUpdates, announceUpdates } from "../../status-page/AnnounceUpdates.ts"
export {
  confirmSubscriptionPath,
  makeSubscriberAttempts,
  unsubscribePath,
} from "../../status-page/NotifySubscriber.ts"
export {
  confirmSubscription,
  deleteSubscription,
  findLinkedSubscription,
  listSubscriptions,
  type ListSubscriptionsQuery,
  subscribe,
  SubscriptionIsInvalid,
  SubscriptionLinkIsInvalid,
  SubscriptionNotFound,
  unsubscribe,
} from "../../status-page/Subscribe.ts"
export {
  endpointPrefix,
  recipientOf,
  type StatusPageSubscription,
  storedSubscriber,
  subscriberEndpoint,
  type SubscriptionKind,
  subscriptionKinds,
  subscriptionRequest,
  subscriptionsMax,
  subscriptionsPerPageMax,
} from "../../status-page/Subscription.ts"
