/** Requests to the list of SLOs per second and organization. */
export const listSlosPerSecond = 10

/** Series per second and organization. */
export const seriesPerSecond = 10

/** Searches for SLOs per second and organization. */
export const searchSlosPerSecond = 10

/** Reads of one SLO per second and organization, by default. */
export const findSloPerSecond = 100

/** The most that an operator can set it to: the times of as many requests are kept. */
export const findSloPerSecondMax = 10_000

/** Requests to the access token per window and organization. */
export const accessTokenPerWindow = 1

/** The window of the access token's limit, in milliseconds. */
export const accessTokenWindowMs = 3_000

/** Requests for a token without good credentials per window, organization and address. */
export const failedCredentialsPerWindow = 5

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
  limit: listSlosPerSecond,
  windowMs: 1_000,
}

/** The list of SLOs, version 1, which has a window of its own. Source: spec/rate-limits §1. */
export const listSlosV1Policy: RateLimitPolicy = { ...listSlosPolicy, name: "list-slos-v1" }

/** Searches for SLOs, by session and by token together. Source: spec/console §4. */
export const searchSlosPolicy: RateLimitPolicy = {
  name: "console-slos",
  limit: searchSlosPerSecond,
  windowMs: 1_000,
}

/** Reading series, by session and by token together. */
export const seriesPolicy: RateLimitPolicy = {
  name: "series",
  limit: seriesPerSecond,
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
  limit: accessTokenPerWindow,
  windowMs: accessTokenWindowMs,
}

/** Requests for a token that do not prove their credentials, per client address. Source: spec/rate-limits §3. */
export const failedCredentialsPolicy: RateLimitPolicy = {
  name: "failed-credentials",
  limit: failedCredentialsPerWindow,
  windowMs: accessTokenWindowMs,
}

/**
 * The limit of another policy, counted apart for requests of the web console, so that an open console takes nothing
 * from the clients of the API.
 */
export const consolePolicy = (policy: RateLimitPolicy): RateLimitPolicy => ({
  ...policy,
  name: `${policy.name}-console`,
})
