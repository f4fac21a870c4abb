import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { decode, described, named, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { boolean, literals } from "../codec/Leaves.ts"
import { utcInstant } from "../codec/MinuteInstant.ts"
import { objectName, projectKey } from "../metadata/Metadata.ts"
import { type ResendableState, resendableStates, type ResendFilter } from "./BulkResend.ts"

const asGiven = { absent: "none" } as const

/** The wire format of a resend request. Rejects `null` and `""`, which could otherwise resend more than intended. */
export const resendRequest = named(
  object(
    {
      alertMethod: optional(projectKey(objectName), asGiven),
      states: optional(
        described(
          list(literals(resendableStates), { distinct: { by: (state) => state } }),
          "Default: exhausted and failed",
        ),
        asGiven,
      ),
      from: optional(described(utcInstant, "Created at from ≤ t < to, in UTC"), asGiven),
      to: optional(utcInstant, asGiven),
      dryRun: optional(boolean, asGiven),
    },
    {
      rules: ({ value: { from, to }, at, issues }) => {
        if (from !== undefined && to !== undefined && from >= to) {
          issues.add(at("to"), "out_of_range", "must be after from")
        }
      },
    },
  ),
  "ResendRequest",
)

/** What a request to resend asks for. */
export interface ResendRequest {
  readonly filter: ResendFilter
  /** Whether nothing is to be resent, only counted. */
  readonly isDryRun: boolean
}

/** A request to resend breaks rules; nothing is resent. */
export class ResendIsInvalid extends Data.TaggedError("ResendIsInvalid")<{
  /** Every issue, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Decodes a request to resend, parsed from JSON.
 *
 * Without states, or with none, those that are exhausted or failed are meant: what was delivered is resent only where
 * the state is named.
 */
export const decodeResendRequest = (body: unknown): Result.Result<ResendRequest, ResendIsInvalid> =>
  Result.mapBoth(decode(resendRequest, body, undefined), {
    onSuccess: ({ dryRun = false, states = [], ...filter }: TypeOf<typeof resendRequest>) => ({
      filter: { ...filter, states: states.length === 0 ? statesByDefault : states },
      isDryRun: dryRun,
    }),
    onFailure: (issues) => new ResendIsInvalid({ issues }),
  })

const statesByDefault: ReadonlyArray<ResendableState> = ["exhausted", "failed"]
