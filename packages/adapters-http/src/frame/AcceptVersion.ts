import * as Data from "effect/Data"

/**
 * Whether an `Accept` header can be answered: no media range in it asks for a version, or one asks for `v1alpha`.
 *
 * Types are not negotiated here; every answer of the API is JSON unless its endpoint says otherwise.
 *
 * Source: contract sections 4.1 and 9; decision 0502.
 */
export const isVersionAcceptable = (accept: string | undefined): boolean => {
  if (accept === undefined || !/version/i.test(accept)) return true
  const ranges = accept.split(",").map((range) => /;\s*version\s*=\s*"?([^";,\s]*)"?/i.exec(range)?.[1])
  return ranges.some((version) => version === undefined || version.toLowerCase() === apiVersion)
}

/** The `Accept` header asks for another version than `v1alpha`. Source: decision 0502. */
export class VersionIsNotAcceptable extends Data.TaggedError("VersionIsNotAcceptable") {}

const apiVersion = "v1alpha"
