import type { RotationIsTooSoon } from "@tocsin/domain/signature/SigningKeys"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import { timeText } from "../frame/TimeText.ts"

export const signingKeyErrors: StatusTable<RotationIsTooSoon> = {
  RotationIsTooSoon: ({ untilMs }) =>
    oneError(409, {
      title: "Signing key was rotated recently",
      code: "rotation_too_soon",
      detail: `You can rotate the signing key again at ${timeText(untilMs)}. The operator can rotate it at any time.`,
    }),
}
