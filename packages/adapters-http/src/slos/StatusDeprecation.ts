import * as Data from "effect/Data"

/** The operator has turned version 1 off; answered 410. Source: decision 0514. */
export class VersionIsTurnedOff extends Data.TaggedError("VersionIsTurnedOff") {}

/** Whether a path is of the deprecated version 1, whatever there is at it. Source: contract section 4.4. */
export const isVersion1 = (path: string): boolean => path.startsWith(version1)

/**
 * What every answer of version 1 tells, refusals too: that it is deprecated, when its sunset was, and the same path
 * in version 2.
 *
 * Source: RFC 9745; RFC 8594; RFC 5829 section 3; decision 0514.
 */
export const deprecationHeaders = (path: string): Readonly<Record<string, string>> => {
  const successor = `/api/v2/${path.slice(version1.length)}`.replace(/[^!#-;=?-~]/gu, percentEncode)
  return { deprecation, sunset, link: `<${successor}>; rel="successor-version"` }
}

// Unlike encodeURIComponent it never throws, whatever a host hands in.
const percentEncode = (character: string): string =>
  Buffer.from(character).toString("hex").replaceAll(/../g, "%$&")

const version1 = "/api/v1/"

// The contract names no day of deprecation: the sunset is the latest it can have been.
const sunsetAt = new Date("2026-01-30T12:00:00Z")
const deprecation = `@${sunsetAt.getTime() / 1_000}`
const sunset = sunsetAt.toUTCString()
