/** The HTTP API as a Fetch handler, and the cryptography that it needs on Node. */
export { ApiOptions } from "./frame/ApiOptions.ts"
export { type ApiFetchHandler, makeApiFetchHandler, type RequestConnection } from "./server/FetchHandler.ts"
export { verifyEffectRequest } from "./receiver/EffectReceiver.ts"
export * as BackgroundWork from "./server/BackgroundWork.ts"
export * as CryptoNode from "./crypto/CryptoNode.ts"
export * as MetricsServer from "./telemetry/MetricsServer.ts"
export * as NodeApiServer from "./server/NodeApiServer.ts"
