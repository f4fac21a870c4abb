import type { Labels } from "../metadata/Metadata.ts"

/** `{ team: ["a"], region: ["eu", "us"] }` becomes `team:a, region:eu, region:us` (spec/templates §8). */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .flatMap(([key, values]) => values.map((value) => `${key}:${value}`))
    .join(", ")

export const conditionsText = (conditions: ReadonlyArray<string>): string => conditions.join(", ")

export const severityText = (severity: string): string => severity.toLowerCase()

/** Unix milliseconds as Unix seconds, rounded down. */
export const unixSecondsText = (timeMs: number): string => `${Math.floor(timeMs / 1000)}`

/** Unix milliseconds as `2025-08-20T10:00:00Z`, rounded down; for the years 0 to 9999 (RFC 3339, section 5.6). */
export const isoTimestampText = (timeMs: number): string =>
  `${new Date(Math.floor(timeMs / 1000) * 1000).toISOString().slice(0, -".000Z".length)}Z`

/** The URL of an SLO in the console: `{base_url}/slos/{project}/{slo}`, with percent-encoded names. */
export const sloDetailsLink = (baseUrl: string, project: string, slo: string): string =>
  `${baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : baseUrl}/slos/${pathSegment(project)}/${pathSegment(slo)}`

/** A lone surrogate, which has no percent-encoding, becomes U+FFFD, as in UTF-8. */
const pathSegment = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\ufffd"))
