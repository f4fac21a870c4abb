/** The query API of Prometheus over SLOs, as a feature of the HTTP API. */
export { type PrometheusRequest, prometheusApi } from "../PrometheusHandlers.ts"
export { type ErrorStatus, QueryTimedOut } from "../PrometheusErrors.ts"
export type { JsonResponse } from "../JsonResponse.ts"
