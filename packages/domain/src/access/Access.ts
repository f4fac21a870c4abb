import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"

/** What a credential may do: a viewer reads, an editor also changes, an admin also manages credentials. */
export type Role = (typeof roles)[number]

/** The roles, in the order of their permissions. */
export const roles = ["viewer", "editor", "admin"] as const

/** The authenticated caller of a request, by a credential or a token issued for one. */
export interface Access {
  /** The organization that the credential belongs to. */
  readonly organization: OrganizationId
  /** The client ID of the credential, unique within its organization. */
  readonly clientId: string
  /** The role of the credential. */
  readonly role: Role
  /** By a token of `issuePublicToken`, which others can verify too. */
  readonly hasPublicToken?: true
}

/** Whether the role of an access has at least the permissions of the required one. */
export const hasRole = ({ role }: Access, required: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(required)

/** Fails with `RoleIsInsufficient` if the role of an access has fewer permissions than the required one. */
export const requireRole = (access: Access, required: Role): Effect.Effect<void, RoleIsInsufficient> =>
  hasRole(access, required)
    ? Effect.void
    : Effect.fail(new RoleIsInsufficient({ role: access.role, required }))

/** The token is valid, but the operation requires a role with more permissions. */
export class RoleIsInsufficient extends TaggedError("RoleIsInsufficient")<{
  /** The role of the caller. */
  readonly role: Role
  /** The lowest role that is permitted. */
  readonly required: Role
}> {}

/** Parses the header `Organization` (spec/access §1): 1 to 253 visible ASCII characters. */
export const parseOrganization = (
  header: string | undefined,
): Result.Result<OrganizationId, OrganizationIsInvalid> => {
  if (header === undefined || header === "")
    return Result.fail(new OrganizationIsInvalid({ reason: "missing" }))
  return header.length <= nameMaxCharacters && /^[!-~]+$/.test(header)
    ? Result.succeed(header)
    : Result.fail(new OrganizationIsInvalid({ reason: "malformed" }))
}

/** The `Organization` header is missing, or has no valid organization ID. */
export class OrganizationIsInvalid extends TaggedError("OrganizationIsInvalid")<{
  /** `missing`: absent or empty; `malformed`: longer than 253 characters, or not only visible ASCII characters. */
  readonly reason: "missing" | "malformed"
}> {}
