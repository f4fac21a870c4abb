/** Most requests to list SLOs, per second and organization. */
export const listSlosPerSecond = 10

/** Most requests for a series, per second and organization. */
export const seriesPerSecond = 10

/** Most requests to search SLOs, per second and organization. */
export const searchSlosPerSecond = 10

/** Most requests to list SLOs in brief, per window and organization: an open console makes one in each window. */
const sloRowsPerWindow = 300

/** Window of the rate limit for listing SLOs in brief, in milliseconds. */
const sloRowsWindowMs = 10_000

/** Most requests to read one SLO, per second and organization, by default. */
export const findSloPerSecond = 100

/** Largest rate limit for reading one SLO that an operator can set, in requests per second. */
export const findSloPerSecondMax = 10_000

/** Most requests for an access token, per window and organization. */
export const accessTokenPerWindow = 1

/** Window of the rate limit for access tokens, in milliseconds. */
export const accessTokenWindowMs = 3_000

/** Most requests for a token that others can verify, per second and organization. */
const publicTokensPerSecond = 10

/** Most requests with an invalid client ID or secret, per window, process and client network. */
export const failedCredentialsPerWindow = 5

/** Most sessions of the web console that open, per window and credential. */
const openSessionPerWindow = 20

/** Window of the rate limit for opening sessions, in milliseconds. */
const openSessionWindowMs = 10_000

/** Maximum number of units of large bodies in JSON or OTLP of an organization, per window; each is some 10 ms of processor time. */
const largeBodyUnitsPerWindow = 300

/** Size of a large body that counts as one unit, in bytes after decompression. */
export const largeBodyUnitBytes = 65_536

/** Window of the limits of costly requests and large bodies, in milliseconds. */
export const costlyWindowMs = 10_000

/** The limit of accepted requests within any window of this length. */
export interface RateLimitPolicy {
  /** The unique name of the policy in the `RateLimit` headers. */
  readonly name: string
  /** Requests, or units of a costly one, that a window accepts; at least 1. */
  readonly limit: number
  /** Whole seconds, as in the headers. */
  readonly windowMs: number
  /** Each process counts by itself, in memory: for requests of strangers, which must not write to a database. */
  readonly isPerProcess?: true
}

const perSecond = (name: string, limit: number): RateLimitPolicy => ({ name, limit, windowMs: 1_000 })

/** At most `listSlosPerSecond` per second and organization: lists of SLOs, except version 1, and their metrics. */
export const listSlosPolicy = perSecond("list-slos", listSlosPerSecond)

/** Version 1 of the list has a window of its own. */
export const listSlosV1Policy = perSecond("list-slos-v1", listSlosPerSecond)

/** Searches for SLOs, by session and by token together. */
export const searchSlosPolicy = perSecond("console-slos", searchSlosPerSecond)

/** Lists of SLOs in brief, by session and by token together. */
export const sloRowsPolicy: RateLimitPolicy = {
  name: "console-rows",
  limit: sloRowsPerWindow,
  windowMs: sloRowsWindowMs,
}

/** Reading series, by session and by token together. */
export const seriesPolicy = perSecond("series", seriesPerSecond)

/** Reading one SLO, with the limit that the operator set. */
export const findSloPolicy = (limit: number) => perSecond("find-slo", limit)

/** Bodies of more than 16 KiB in JSON or OTLP, which are decoded in parts. */
export const largeBodiesPolicy: RateLimitPolicy = {
  name: "large-bodies",
  limit: largeBodyUnitsPerWindow,
  windowMs: costlyWindowMs,
}

/** Requests for an access token. */
export const accessTokenPolicy: RateLimitPolicy = {
  name: "access-token",
  limit: accessTokenPerWindow,
  windowMs: accessTokenWindowMs,
}

/** Not that of access tokens: command lines ask for such a token with each command, some for two at once. */
export const publicTokenPolicy = perSecond("public-token", publicTokensPerSecond)

/** Requests for a token and sign-ins with invalid credentials, per client network, whatever organization they name. */
export const failedCredentialsPolicy: RateLimitPolicy = {
  name: "failed-credentials",
  limit: failedCredentialsPerWindow,
  windowMs: accessTokenWindowMs,
  isPerProcess: true,
}

/** Sign-ins to the web console. */
export const openSessionPolicy: RateLimitPolicy = {
  name: "open-session",
  limit: openSessionPerWindow,
  windowMs: openSessionWindowMs,
}

/** Most revocations of signing keys, per window and organization: each adds a public key, which is stored forever. */
export const revokeKeyPerWindow = 20

/** Window of the rate limit for revoking signing keys, in hours. */
export const revokeKeyWindowHours = 24

/** Revocations of signing keys of an organization. */
export const revokeKeyPolicy: RateLimitPolicy = {
  name: "revoke-key",
  limit: revokeKeyPerWindow,
  windowMs: revokeKeyWindowHours * 3_600_000,
}

/** A policy with a separate window for the web console, so that an open console does not use up the limit of API clients. */
export const consolePolicy = (policy: RateLimitPolicy): RateLimitPolicy => ({
  ...policy,
  name: `${policy.name}-console`,
})
