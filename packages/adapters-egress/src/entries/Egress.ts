/** Outbound connections: webhooks and data sources, guarded against addresses that only the server should reach, and email. */
export { egressGuard, type EgressOptions } from "../EgressGuard.ts"
export { makeGuardedConnector } from "../GuardedConnector.ts"
export * as MetricSourcePrometheus from "../MetricSourcePrometheus.ts"
export * as MailerSmtp from "../MailerSmtp.ts"
export { failure as networkFailure } from "../NetworkFailure.ts"
export * as WebhookTransportUndici from "../WebhookTransportUndici.ts"
