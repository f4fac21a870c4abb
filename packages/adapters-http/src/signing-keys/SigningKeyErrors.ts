import type { PublicKeyNotFound, RotationIsTooSoon } from "@tocsin/domain/internal/signature/SigningKeys"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import { timeText } from "../frame/TimeText.ts"

export const signingKeyErrors: StatusTable<PublicKeyNotFound | RotationIsTooSoon> = {
  PublicKeyNotFound: ({ keyId }) =>
    oneError(404, {
      title: "Public key not found",
      code: "public_key_not_found",
      source: { propertyName: "keyId", propertyValue: keyId },
    }),
  RotationIsTooSoon: ({ untilMs }) =>
    oneError(409, {
      title: "Signing key was rotated recently",
      code: "rotation_too_soon",
      detail: `You can rotate the signing key again at ${timeText(untilMs)}. The operator can rotate it at any time.`,
    }),
}
