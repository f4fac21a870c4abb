/** The headers of responses that the OpenAPI document describes. */
export const documentedHeaders = {
  "Trace-Id": {
    description: "Identifies the request in the server's log.",
    schema: { type: "string", pattern: "^[0-9a-f]{32}$" },
  },
  "Retry-After": {
    description: "The number of seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
  },
  RateLimit: {
    description:
      "The number of requests remaining (r) and the seconds until the limit resets (t), by policy.",
    schema: { type: "string" },
    example: '"find-slo";r=99',
  },
  "RateLimit-Policy": {
    description: "The maximum number of requests (q) in a window (w, in seconds), by policy.",
    schema: { type: "string" },
    example: '"find-slo";q=100;w=1',
  },
  ETag: {
    description: "The version of the response, for If-None-Match; of one definition, also for If-Match.",
    schema: { type: "string" },
  },
  Link: {
    description: 'Related resources, as rel="next" or rel="successor-version".',
    schema: { type: "string" },
  },
  "Truncated-Limit-Max": {
    description: "The number of objects in a truncated list; absent if the list is complete.",
    schema: { type: "integer", minimum: 1 },
  },
  Deprecation: {
    description: "The date on which the endpoint was deprecated (RFC 9745).",
    schema: { type: "string" },
  },
  Sunset: {
    description: "The date after which the endpoint can be removed (RFC 8594).",
    schema: { type: "string" },
  },
} as const

/** A header of responses that the document describes. */
export type HeaderName = keyof typeof documentedHeaders
