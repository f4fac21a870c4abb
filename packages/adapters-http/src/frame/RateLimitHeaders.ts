import type { RateLimitStatus } from "@tocsin/domain/ports"

/**
 * The `RateLimit` and `RateLimit-Policy` headers (draft-ietf-httpapi-ratelimit-headers-10), and `Retry-After` when the
 * request was rejected (RFC 9110 section 10.2.3): whole seconds, rounded up.
 */
export const rateLimitHeaders = ({ policy, decision }: RateLimitStatus): Readonly<Record<string, string>> => {
  const seconds = Math.ceil(decision.retryAfterMs / 1_000)
  const headers = {
    "ratelimit-policy": `"${policy.name}";q=${policy.limit};w=${policy.windowMs / 1_000}`,
    ratelimit: `"${policy.name}";r=${decision.remaining}${seconds > 0 ? `;t=${seconds}` : ""}`,
  }
  return decision.isAccepted ? headers : { ...headers, "retry-after": `${Math.max(1, seconds)}` }
}
