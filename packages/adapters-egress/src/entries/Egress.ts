/** Outbound connections, guarded against addresses that only the server should reach: webhooks and data sources. */
export { egressGuard, type EgressOptions } from "../EgressGuard.ts"
export { makeGuardedConnector } from "../GuardedConnector.ts"
export * as MetricSourcePrometheus from "../MetricSourcePrometheus.ts"
export { failure as networkFailure } from "../NetworkFailure.ts"
export * as WebhookTransportUndici from "../WebhookTransportUndici.ts"
