import { TaggedError } from "@tocsin/domain/adapter"

/** The version of the API. */
export const apiVersion = "2.0.0"

/** Whether a path belongs to the deprecated version 1, known or not. */
export const isVersion1 = (path: string): boolean => path.startsWith(version1)

/**
 * The headers of every version 1 response, errors included: the deprecation date, the sunset date and the same path in
 * version 2 (RFC 9745; RFC 8594; RFC 5829 section 3).
 */
export const deprecationHeaders = (path: string): Readonly<Record<string, string>> => {
  const successor = `/api/v2/${path.slice(version1.length)}`.replace(/[^!#-;=?-~]/gu, percentEncode)
  return { deprecation, sunset, link: `<${successor}>; rel="successor-version"` }
}

/**
 * Whether an `Accept` header is satisfiable: no media range in it names a version, or one names `v1alpha`. Media types
 * are not negotiated here; OpenMetrics has versions of its own.
 */
export const isVersionAcceptable = (accept: string | undefined): boolean => {
  if (accept === undefined || !/version/i.test(accept)) return true
  const ranges = accept
    .split(",")
    .map((range) =>
      /^\s*application\/openmetrics-text\s*;/i.test(range)
        ? undefined
        : /;\s*version\s*=\s*"?([^";,\s]*)"?/i.exec(range)?.[1],
    )
  return ranges.some((version) => version === undefined || version.toLowerCase() === mediaTypeVersion)
}

export class VersionIsTurnedOff extends TaggedError("VersionIsTurnedOff") {}

/** The `Accept` header names a version other than `v1alpha`. */
export class VersionIsNotAcceptable extends TaggedError("VersionIsNotAcceptable") {}

// Unlike encodeURIComponent it never throws, whatever a host passes.
const percentEncode = (character: string): string =>
  Buffer.from(character).toString("hex").replaceAll(/../g, "%$&")

const version1 = "/api/v1/"
const mediaTypeVersion = "v1alpha"

// No deprecation date was announced: the sunset is the latest it can have been.
const sunsetAt = new Date("2026-01-30T12:00:00Z")
const deprecation = `@${sunsetAt.getTime() / 1_000}`
const sunset = sunsetAt.toUTCString()
