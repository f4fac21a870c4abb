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
  listSigningKeys: ({ organization }) => listKeys(organization),
  createSigningKey: ({ organization }) => Effect.map(createOrganizationKey(organization), timesOf),
  rotateSigningKey: ({ organization }) => Effect.map(rotateOrganizationKey(organization), timesOf),
  revokeSigningKey: ({ organization, keyId }) =>
    Effect.andThen(revokeOrganizationKey(organization, keyId), listKeys(organization)),
  deleteSigningKey: ({ organization }) => Effect.map(endOrganizationKey(organization), timesOf),
})

const listKeys = (organization: string) =>
  Effect.map(organizationKeys(organization), ({ signedBy, keys, serverKeys }) => ({
    signedBy,
    keys: keys.map(timesOf),
    serverKeys: serverKeys.map(timesOf),
  }))

const timesOf = ({ activeFromMs, endsAtMs, ...key }: ScheduledKey) => ({
  ...key,
  activeFrom: activeFromMs,
  ...(endsAtMs !== undefined && { activeUntil: endsAtMs }),
})
