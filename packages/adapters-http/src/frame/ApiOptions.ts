import * as Context from "effect/Context"
import { findSloPerSecond } from "@tocsin/domain/rate-limit"

/** The options of the API that a host sets. */
export interface ApiOptions {
  /** The public base URL, without a trailing slash; links in notifications start with it. */
  readonly baseUrl: string
  /** Reads of one SLO per second and organization (spec/rate-limits §1). */
  readonly findSloPerSecond: number
  /**
   * How many proxies in front append to `X-Forwarded-For`; with 0 the header is ignored, and the client address is
   * that of the connection.
   */
  readonly trustedProxies: number
  /** Whether version 1 is served; otherwise it returns 410. */
  readonly isV1Served: boolean
  /**
   * The origins whose pages may call the API from a browser, such as `https://console.example.com`, or `*` for all. Empty:
   * browsers allow only pages of the server itself.
   */
  readonly corsOrigins: ReadonlyArray<string>
  /** Whether notifications continue the trace of what caused them, with the header `traceparent`. */
  readonly sendsTraceparent: boolean
}

/** The options of the API. Default: `http://localhost:8080` as base URL, and no proxies or other origins. */
export const ApiOptions = Context.Reference<ApiOptions>("@tocsin/adapters-http/internal/frame/ApiOptions", {
  defaultValue: () => ({
    baseUrl: "http://localhost:8080",
    findSloPerSecond: findSloPerSecond,
    trustedProxies: 0,
    isV1Served: true,
    corsOrigins: [],
    sendsTraceparent: true,
  }),
})
