import * as Result from "effect/Result"
import * as Data from "effect/Data"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { Limits } from "../Limits.ts"

/**
 * Reads the header `Organization`: 1 to 253 visible ASCII characters.
 *
 * Fails with `OrganizationIsInvalid` when it is absent or anything else.
 *
 * Source: contract section 4.
 */
export const parseOrganization = (
  header: string | undefined,
): Result.Result<OrganizationId, OrganizationIsInvalid> => {
  if (header === undefined || header === "")
    return Result.fail(new OrganizationIsInvalid({ reason: "missing" }))
  return header.length <= Limits.nameMaxCharacters && /^[!-~]+$/.test(header)
    ? Result.succeed(header)
    : Result.fail(new OrganizationIsInvalid({ reason: "malformed" }))
}

/** The header `Organization` is absent or cannot be the ID of an organization. Source: decision 0502. */
export class OrganizationIsInvalid extends Data.TaggedError("OrganizationIsInvalid")<{
  readonly reason: "missing" | "malformed"
}> {}
