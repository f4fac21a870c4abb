import * as Context from "effect/Context"
import { findSloPerSecond } from "@tocsin/domain/rate-limit/RateLimitPolicy"

/** What an operator sets of the API. */
export interface ApiOptions {
  /** Where the service is reached from outside, without a final slash; what links in notifications lead to. */
  readonly baseUrl: string
  /** Reads of one SLO per second and organization. Source: spec/rate-limits §1. */
  readonly findSloPerSecond: number
  /**
   * How many proxies are in front, each adding its client to `X-Forwarded-For`; 0: the header is not believed,
   * and the client address is that of the connection.
   */
  readonly trustedProxies: number
  /** Whether version 1 is served; when it is not, it answers 410. */
  readonly isV1Served: boolean
}

/** The settings of the API, with their defaults where nothing is provided. */
export const ApiOptions = Context.Reference<ApiOptions>("@tocsin/adapters-http/frame/ApiOptions", {
  defaultValue: () => ({
    baseUrl: "http://localhost:8080",
    findSloPerSecond: findSloPerSecond,
    trustedProxies: 0,
    isV1Served: true,
  }),
})
