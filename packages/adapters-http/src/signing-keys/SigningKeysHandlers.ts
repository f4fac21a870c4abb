import { organizationKeys as keys } from "@tocsin/api"
import {
  createOrganizationKey,
  endOrganizationKey,
  organizationKeys,
  revokeOrganizationKey,
  rotateOrganizationKey,
} from "@tocsin/domain"
import type { ScheduledKey } from "@tocsin/domain/signature"
import * as Effect from "effect/Effect"
import { serve } from "../serve/Serve.ts"

export const signingKeysRoutes = serve(keys, {
  listSigningKeys: ({ organization }) => Effect.map(organizationKeys(organization), keysOf),
  createSigningKey: ({ organization }) => Effect.map(createOrganizationKey(organization), timesOf),
  rotateSigningKey: ({ organization }) => Effect.map(rotateOrganizationKey(organization), timesOf),
  revokeSigningKey: ({ organization, keyId }) =>
    Effect.map(revokeOrganizationKey(organization, keyId), keysOf),
  deleteSigningKey: ({ organization }) => Effect.map(endOrganizationKey(organization), timesOf),
})

const keysOf = ({ signedBy, keys, serverKeys }: Effect.Success<ReturnType<typeof organizationKeys>>) => ({
  signedBy,
  keys: keys.map(timesOf),
  serverKeys: serverKeys.map(timesOf),
})

const timesOf = ({ activeFromMs, endsAtMs, ...key }: ScheduledKey) => ({
  ...key,
  activeFrom: activeFromMs,
  ...(endsAtMs !== undefined && { activeUntil: endsAtMs }),
})
