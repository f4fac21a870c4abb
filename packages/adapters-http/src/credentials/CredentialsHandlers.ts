import { credentials, type credential, type credentialWithSecret } from "@tocsin/api"
import {
  createOwnCredential,
  deleteCredential,
  disableCredential,
  requireOther,
  rotateSecret,
} from "@tocsin/domain"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { type Credential, CredentialStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { serve } from "../serve/Serve.ts"

export const credentialsRoutes = serve(credentials, {
  listCredentials: ({ organization }) => listCredentials(organization),
  createCredential: ({ organization, body }) =>
    Effect.map(Effect.flatMap(createOwnCredential({ ...body, organization }), withSecret), (value) => ({
      status: 201,
      value,
    })),
  rotateCredential: ({ organization, clientId, body }) =>
    Effect.flatMap(rotateSecret(organization, clientId, body.previousFor?.ms ?? 0), withSecret),
  disableCredential: ({ organization, caller, clientId }) =>
    Effect.andThen(requireOther(caller, clientId), disableCredential(organization, clientId)),
  deleteCredential: ({ organization, caller, clientId }) =>
    Effect.andThen(requireOther(caller, clientId), deleteCredential(organization, clientId)),
})

/** The credentials of an organization, as the API returns them. */
export const listCredentials = Effect.fnUntraced(function* (organization: OrganizationId) {
  const found = yield* (yield* CredentialStore).list(organization)
  const now = yield* Clock.currentTimeMillis
  return { data: found.map((each) => credentialOf(each, now)) }
})

/** A credential with the secret that it got, as the API returns it. */
export const withSecret = ({
  credential,
  clientSecret,
}: {
  readonly credential: Credential
  readonly clientSecret: Redacted.Redacted
}) =>
  Effect.map(Clock.currentTimeMillis, (now): typeof credentialWithSecret.Type => ({
    ...credentialOf(credential, now),
    clientSecret: Redacted.value(clientSecret),
  }))

/** Without the hashes of its secrets, which the response leaves out. */
const credentialOf = ({ previousSecret, ...rest }: Credential, now: number): typeof credential.Type => ({
  ...rest,
  ...(previousSecret !== undefined &&
    now < previousSecret.until && { previousSecretExpiresAt: previousSecret.until }),
})
