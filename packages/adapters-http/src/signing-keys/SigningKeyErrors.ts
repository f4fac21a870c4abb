import type {
  OrganizationKeyEnds,
  OrganizationKeyNotFound,
  PublicKeyNotFound,
  RotationIsTooSoon,
} from "@tocsin/domain"
import { TaggedError } from "@tocsin/domain/adapter"
import { nameMaxCharacters, retiredKeysMax } from "@tocsin/domain/limits"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import { timeText } from "../frame/TimeText.ts"

/** The query parameter `organization` is given, and no ID of an organization. */
export class OrganizationParameterIsInvalid extends TaggedError("OrganizationParameterIsInvalid") {}

export const signingKeyErrors: StatusTable<
  | OrganizationParameterIsInvalid
  | PublicKeyNotFound
  | OrganizationKeyNotFound
  | OrganizationKeyEnds
  | RotationIsTooSoon
> = {
  OrganizationParameterIsInvalid: () =>
    oneError(400, {
      title: "Invalid organization",
      code: "organization_malformed",
      detail: `The parameter \`organization\` must be the ID of an organization: 1 to ${nameMaxCharacters} visible ASCII characters.`,
      source: { propertyName: "organization" },
    }),
  PublicKeyNotFound: ({ keyId }) =>
    oneError(404, {
      title: "Public key not found",
      code: "public_key_not_found",
      detail:
        "GET /api/notifications/v1/webhook-http-signature/public-keys and `tocsin keys list` list the keys.",
      source: { propertyName: "keyId", propertyValue: keyId },
    }),
  OrganizationKeyNotFound: ({ organization }) =>
    oneError(404, {
      title: "Organization has no signing key",
      code: "organization_key_not_found",
      detail:
        "The server's key signs for an organization without a signing key of its own. An editor of the organization creates one with POST /api/signingkeys (tocsin keys create). The operator rotates the server's key with tocsin keys rotate --server.",
      source: { propertyName: "organization", propertyValue: organization },
    }),
  OrganizationKeyEnds: ({ endsAtMs }) =>
    oneError(409, {
      title: "Signing key was deleted",
      code: "organization_key_ends",
      detail: `The server's key signs for the organization from ${timeText(endsAtMs)}. To keep the organization's key, send POST /api/signingkeys (tocsin keys create) before then.`,
    }),
  RotationIsTooSoon: ({ untilMs }) =>
    oneError(409, {
      title: "Signing key was rotated too often",
      code: "rotation_too_soon",
      detail: `At most ${retiredKeysMax} retired keys are listed, each for a day. Try again at ${timeText(untilMs)}.`,
    }),
}
