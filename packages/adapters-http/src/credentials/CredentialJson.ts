import type { Credential } from "@tocsin/domain/ports"
import { timeText } from "../frame/TimeText.ts"

/** A credential as the API returns it at `now` (Unix milliseconds): without the hashes of its secrets. */
export const credentialToJson = (
  { organization, clientId, role, isDisabled, createdAt, lastUsedAt, previousSecret }: Credential,
  now: number,
) => ({
  organization,
  clientId,
  role,
  isDisabled,
  createdAt: timeText(createdAt),
  ...(lastUsedAt !== undefined && { lastUsedAt: timeText(lastUsedAt) }),
  ...(previousSecret !== undefined &&
    now < previousSecret.until && { previousSecretExpiresAt: timeText(previousSecret.until) }),
})
