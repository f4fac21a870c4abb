import * as Result from "effect/Result"
import * as Data from "effect/Data"
import type { Issue } from "../codec/Issue.ts"
import { projectKey } from "../metadata/Metadata.ts"
import { objectOf } from "../codec/ObjectRule.ts"
import { decodeBy, distinctListOf, oneOf, type Rule, trueOrFalse } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import { utcInstant } from "../codec/MinuteInstant.ts"
import { type ResendableState, resendableStates, type ResendFilter } from "./BulkResend.ts"

/** What a request to resend asks for. */
export interface ResendRequest {
  readonly filter: ResendFilter
  /** Whether nothing is to be resent, only counted. */
  readonly isDryRun: boolean
}

/** A request to resend breaks rules; nothing is resent. Source: decision 0311. */
export class ResendIsInvalid extends Data.TaggedError("ResendIsInvalid")<{
  /** Every issue, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Reads a request to resend, `{alertMethod?, states?, from?, to?, dryRun?}` parsed from JSON, and tells every issue.
 *
 * Without states, or with none, those that are exhausted or failed are meant: what was delivered is resent only where
 * the state is named. `from` and `to` are date-times in UTC, `from` before `to`. `null` and `""` are issues: whoever
 * writes them would otherwise resend more than is meant.
 *
 * Source: decisions 0311 and 0314.
 */
export const decodeResendRequest = (body: unknown): Result.Result<ResendRequest, ResendIsInvalid> =>
  Result.mapError(decodeBy(resendRequest, body), (issues) => new ResendIsInvalid({ issues }))

const resendRequest: Rule<ResendRequest> = objectOf((reader) => {
  const alertMethod = reader.optionalAsGiven("alertMethod", projectKey(Limits.nameMaxCharacters))
  const states = reader.optionalAsGiven("states", stateList)
  const from = reader.optionalAsGiven("from", utcInstant)
  const to = reader.optionalAsGiven("to", utcInstant)
  const isDryRun = reader.optionalAsGiven("dryRun", trueOrFalse)
  if (from !== undefined && to !== undefined && from >= to) {
    return reader.issues.add(reader.at("to"), "out_of_range", "must be after from")
  }
  return {
    filter: {
      ...(alertMethod !== undefined && { alertMethod }),
      states: states === undefined || states.length === 0 ? statesByDefault : states,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    },
    isDryRun: isDryRun ?? false,
  }
})

const stateList = distinctListOf(oneOf(resendableStates), (state) => state)

const statesByDefault: ReadonlyArray<ResendableState> = ["exhausted", "failed"]
