import { operator, operatorCredentials } from "@tocsin/api"
import {
  createCredential,
  deleteCredential,
  disableCredential,
  issueSignInLink,
  parseOrganization,
  rotateSecret,
  revokeServerKey,
  rotateSigningKey,
} from "@tocsin/domain"
import { DeliveryQueue, SealedSecrets } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { listCredentials, withSecret } from "../credentials/CredentialsHandlers.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { serve } from "../serve/Serve.ts"

const credentialRoutes = serve(operatorCredentials, {
  listCredentials: (_, request) => Effect.flatMap(organizationOf(request), listCredentials),

  createCredential: Effect.fnUntraced(function* ({ body }, request) {
    const organization = yield* organizationOf(request)
    const created = yield* createCredential({ ...body, organization })
    return { status: 201, value: yield* withSecret(created) } as const
  }),

  rotateCredential: Effect.fnUntraced(function* ({ clientId, body: { previousFor } }, request) {
    const organization = yield* organizationOf(request)
    return yield* withSecret(yield* rotateSecret(organization, clientId, previousFor?.ms ?? 0))
  }),

  disableCredential: ({ clientId }, request) =>
    Effect.flatMap(organizationOf(request), (organization) => disableCredential(organization, clientId)),

  deleteCredential: ({ clientId }, request) =>
    Effect.flatMap(organizationOf(request), (organization) => deleteCredential(organization, clientId)),

  createSignInLink: Effect.fnUntraced(function* ({ clientId }, request) {
    const { token, expiresAt } = yield* issueSignInLink(yield* organizationOf(request), clientId)
    const { baseUrl } = yield* ApiOptions
    // The fragment is not sent, so that no log of a server or a proxy has it.
    return { status: 201, value: { url: `${baseUrl}/sign-in#link=${token}`, expiresAt } } as const
  }),
})

const pauseState = Effect.flatMap(DeliveryQueue, (queue) => queue.pauseState)

const setAllPaused = (isPaused: boolean) =>
  Effect.flatMap(DeliveryQueue, (queue) => Effect.andThen(queue.setPaused(isPaused), queue.pauseState))

const serverRoutes = serve(operator, {
  rotateKeys: () => rotateSigningKey,
  revokeKey: ({ keyId }) => Effect.map(revokeServerKey(keyId), (keys) => ({ keys })),
  resealSecrets: () =>
    Effect.map(
      Effect.flatMap(SealedSecrets, ({ reseal }) => reseal),
      (resealed) => ({ resealed }),
    ),
  findPause: () => pauseState,
  pauseAll: () => setAllPaused(true),
  resumeAll: () => setAllPaused(false),
})

export const operatorRoutes = [...credentialRoutes, ...serverRoutes]

const organizationOf = (request: ApiRequest) =>
  Effect.fromResult(parseOrganization(request.header("organization")))
