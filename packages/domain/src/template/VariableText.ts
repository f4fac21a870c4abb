import type { Labels } from "../metadata/Metadata.ts"

/**
 * Writes labels as `key:value` pairs joined with `, `; a key with two values gives two pairs.
 *
 * `{ team: ["a"], region: ["eu", "us"] }` gives `team:a, region:eu, region:us`.
 *
 * Source: spec/templates §2, spec/templates §8.
 */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .flatMap(([key, values]) => values.map((value) => `${key}:${value}`))
    .join(", ")

/** Joins the texts of all conditions with `, `. Source: spec/templates §2, spec/templates §8. */
export const conditionsText = (conditions: ReadonlyArray<string>): string => conditions.join(", ")

/** Writes a severity in lower case. Source: spec/templates §8. */
export const severityText = (severity: string): string => severity.toLowerCase()

/** Writes a time of Unix milliseconds as whole Unix seconds, rounded down. Source: spec/templates §8. */
export const unixSecondsText = (timeMs: number): string => `${Math.floor(timeMs / 1000)}`

/**
 * Writes a time of Unix milliseconds in UTC with whole seconds, rounded down, as `2025-08-20T10:00:00Z`.
 *
 * The years 0 to 9999 can be written, which are those RFC 3339 has.
 *
 * Source: RFC 3339 section 5.6; spec/templates §8.
 */
export const isoTimestampText = (timeMs: number): string =>
  `${new Date(Math.floor(timeMs / 1000) * 1000).toISOString().slice(0, -".000Z".length)}Z`

/**
 * Writes the address of an SLO's page in the console, `{base_url}/slos/{project}/{slo}`.
 *
 * The names are percent-encoded; a slash at the end of the base address does not count.
 *
 * Source: spec/templates §8.
 */
export const sloDetailsLink = (baseUrl: string, project: string, slo: string): string =>
  `${baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : baseUrl}/slos/${pathSegment(project)}/${pathSegment(slo)}`

/** A lone surrogate, which has no percent-encoding, becomes U+FFFD, as in UTF-8. */
const pathSegment = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\ufffd"))
