import { Limits } from "../Limits.ts"

/** How many requests may be accepted within any window of time. Source: spec/rate-limits §1. */
export interface RateLimitPolicy {
  /** What the `RateLimit` headers call it; no two policies share a name. */
  readonly name: string
  readonly limit: number
  /** Whole seconds, as in the headers. */
  readonly windowMs: number
}

/** The list of SLOs, version 2. Source: spec/rate-limits §1. */
export const listSlosPolicy: RateLimitPolicy = {
  name: "list-slos",
  limit: Limits.listSlosPerSecond,
  windowMs: 1_000,
}

/** The list of SLOs, version 1, which has a window of its own. Source: spec/rate-limits §1. */
export const listSlosV1Policy: RateLimitPolicy = { ...listSlosPolicy, name: "list-slos-v1" }

/** Searches for SLOs, by session and by token together. Source: spec/console §4. */
export const searchSlosPolicy: RateLimitPolicy = {
  name: "console-slos",
  limit: Limits.searchSlosPerSecond,
  windowMs: 1_000,
}

/** Reading series, by session and by token together. */
export const seriesPolicy: RateLimitPolicy = {
  name: "series",
  limit: Limits.seriesPerSecond,
  windowMs: 1_000,
}

/** Reading one SLO; the operator sets how often. Source: spec/rate-limits §1. */
export const findSloPolicy = (perSecond: number): RateLimitPolicy => ({
  name: "find-slo",
  limit: perSecond,
  windowMs: 1_000,
})

/** Access tokens that are issued. Source: spec/rate-limits §1. */
export const accessTokenPolicy: RateLimitPolicy = {
  name: "access-token",
  limit: Limits.accessTokenPerWindow,
  windowMs: Limits.accessTokenWindowMs,
}

/** Requests for a token that do not prove their credentials, per client address. Source: spec/rate-limits §3. */
export const failedCredentialsPolicy: RateLimitPolicy = {
  name: "failed-credentials",
  limit: Limits.failedCredentialsPerWindow,
  windowMs: Limits.accessTokenWindowMs,
}

/**
 * The limit of another policy, counted apart for requests of the web console, so that an open console takes nothing
 * from the clients of the API.
 */
export const consolePolicy = (policy: RateLimitPolicy): RateLimitPolicy => ({
  ...policy,
  name: `${policy.name}-console`,
})
