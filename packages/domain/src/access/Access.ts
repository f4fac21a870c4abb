import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"

/** What a credential may do: a viewer reads, an editor also changes. */
export type Role = (typeof roles)[number]

/** The roles, from the one that may do least to the one that may do most. */
export const roles = ["viewer", "editor"] as const

/** Whether a holder of the role may do what needs another one. */
export const roleCovers = (held: Role, needed: Role): boolean => roles.indexOf(held) >= roles.indexOf(needed)

/** The authenticated caller of a request, by a credential or a token issued for one. */
export interface Access {
  readonly organization: OrganizationId
  readonly clientId: string
  readonly role: Role
}

/** Refuses an access whose role does not reach; fails with `RoleIsInsufficient`. */
export const requireRole = (access: Access, needed: Role): Effect.Effect<void, RoleIsInsufficient> =>
  roleCovers(access.role, needed)
    ? Effect.void
    : Effect.fail(new RoleIsInsufficient({ held: access.role, needed }))

/** The token is good, but what is asked needs a higher role. */
export class RoleIsInsufficient extends Data.TaggedError("RoleIsInsufficient")<{
  readonly held: Role
  readonly needed: Role
}> {}

/**
 * Reads the header `Organization`: 1 to 253 visible ASCII characters.
 *
 * Fails with `OrganizationIsInvalid` when it is absent or anything else.
 *
 * Source: spec/access §1.
 */
export const parseOrganization = (
  header: string | undefined,
): Result.Result<OrganizationId, OrganizationIsInvalid> => {
  if (header === undefined || header === "")
    return Result.fail(new OrganizationIsInvalid({ reason: "missing" }))
  return header.length <= nameMaxCharacters && /^[!-~]+$/.test(header)
    ? Result.succeed(header)
    : Result.fail(new OrganizationIsInvalid({ reason: "malformed" }))
}

/** The header `Organization` is absent or cannot be the ID of an organization. */
export class OrganizationIsInvalid extends Data.TaggedError("OrganizationIsInvalid")<{
  readonly reason: "missing" | "malformed"
}> {}
