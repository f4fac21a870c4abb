/** The HTTP API as a Fetch handler, and the outbound adapters and cryptography that it needs on Node. */
export { ApiOptions } from "./frame/ApiOptions.ts"
export { type ApiFetchHandler, makeApiFetchHandler } from "./server/FetchHandler.ts"
export { verifyEffectRequest } from "./receiver/EffectReceiver.ts"
export * as BackgroundWork from "./server/BackgroundWork.ts"
export * as CryptoNode from "./crypto/CryptoNode.ts"
export * as MetricSourcePrometheus from "./egress/MetricSourcePrometheus.ts"
export * as NodeApiServer from "./server/NodeApiServer.ts"
export * as WebhookTransportUndici from "./egress/WebhookTransportUndici.ts"
