/**
 * What every adapter of a port does, as suites for Vitest: each takes a name and a layer with the port, and the ports
 * that belong to the same database.
 */
export { alertStoreContract } from "./contract/alert-store.ts"
export { annotationStoreContract } from "./contract/annotation-store.ts"
export { bulkResendStoreContract } from "./contract/bulk-resend-store.ts"
export { countStoreContract } from "./contract/count-store.ts"
export { credentialStoreContract } from "./contract/credential-store.ts"
export { definitionHistoryContract } from "./contract/definition-history.ts"
export { definitionStoreContract } from "./contract/definition-store.ts"
export { deliveryLogContract } from "./contract/delivery-log.ts"
export type { DeliveryStores } from "./contract/delivery-steps.ts"
export { deliveryQueueContract } from "./contract/delivery-queue.ts"
export { endpointStoreContract } from "./contract/endpoint-store.ts"
export { incidentStoreContract } from "./contract/incident-store.ts"
export { indicatorStoreContract } from "./contract/indicator-store.ts"
export { type MetricHistory, metricSourceContract } from "./contract/metric-source.ts"
export { objectiveGroupsContract } from "./contract/objective-groups.ts"
export { pushedMetricStoreContract } from "./contract/pushed-metric-store.ts"
export { rateLimiterContract } from "./contract/rate-limiter.ts"
export { backfillStoreContract } from "./contract/backfill-store.ts"
export { reportStoreContract } from "./contract/report-store.ts"
export { reviewStoreContract } from "./contract/review-store.ts"
export { signingKeyStoreContract } from "./contract/signing-key-store.ts"
export { silenceNoticesContract } from "./contract/silence-notices.ts"
export { sloDueContract } from "./contract/slo-due.ts"
export { sloMoveContract } from "./contract/slo-move.ts"
export { sloStoreContract } from "./contract/slo-store.ts"
export {
  type ReceivedWebhook,
  type WebhookAnswer,
  webhookTransportContract,
} from "./contract/webhook-transport.ts"
export { statusPageSubscriptionStoreContract } from "./contract/status-page-subscription-store.ts"
