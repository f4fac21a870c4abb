/** What a valid definition probably does not do as it was meant to. A warning never rejects, and never changes what is stored. */
import { described, named, type TypeOf } from "./Codec.ts"
import { exactOptional, object } from "./Containers.ts"
import { comparePaths, joinPaths } from "./Issue.ts"
import { anyString, literals } from "./Leaves.ts"

/** Maximum number of warnings in one result. */
export const warningsMax = 1_000

const warningCodes = [
  "more_warnings",
  "notifies_nobody",
  "unsupported",
  "foreign_placeholder",
  "rate_not_count",
  "range_not_one_minute",
  "counter_without_increase",
  "ratio_not_count",
  "increase_of_increase",
  "no_series",
  "several_series",
  "good_above_total",
  "unreachable_condition",
  "window_too_short",
  "sparse_time_slices",
] as const

export type WarningCode = (typeof warningCodes)[number]

/** The shape of a warning in API responses. */
export const warning = named(
  object({
    path: described(anyString, "The affected property, as in errors; empty for the whole document"),
    code: literals(warningCodes),
    message: described(
      anyString,
      "What probably does not work as intended, and how to fix it. Never contains a secret",
    ),
    suggestion: exactOptional(
      described(anyString, "The corrected text of the property; absent where none is known"),
    ),
  }),
  "Warning",
)

/** A warning about a valid definition. */
export type Warning = TypeOf<typeof warning>

/** Warnings whose paths are relative to `path`. */
export const warningsBelow = (path: string, warnings: ReadonlyArray<Warning>): ReadonlyArray<Warning> =>
  path === "" ? warnings : warnings.map((each) => ({ ...each, path: joinPaths(path, each.path) }))

/**
 * The warnings of one result, sorted by path; for one path, in the order given. At most `warningsMax`, and then one before them
 * that says so.
 */
export const sortedWarnings = (warnings: ReadonlyArray<Warning>): ReadonlyArray<Warning> => {
  const sorted = warnings.toSorted((a, b) => comparePaths(a.path, b.path))
  if (sorted.length <= warningsMax) return sorted
  const message = `There are more warnings than these ${warningsMax}.`
  return [{ path: "", code: "more_warnings", message }, ...sorted.slice(0, warningsMax)]
}
