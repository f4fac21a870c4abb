import { publicKeys as publicKeyOperations } from "@tocsin/api"
import { currentPublicKey, findPublicKey, parseOrganization, publicJwks, publicKeys } from "@tocsin/domain"
import { keyDirectoryPath, publicKeyMaxAgeSeconds } from "@tocsin/domain/limits"
import * as Effect from "effect/Effect"
import { KeyDirectorySigner } from "../crypto/KeyDirectorySigner.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import type { ApiRoute } from "../frame/ApiRouter.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { serve } from "../serve/Serve.ts"
import { OrganizationParameterIsInvalid } from "./SigningKeyErrors.ts"
import type { StoreIsUnavailable } from "@tocsin/domain/ports"

export const publicKeyRoutes = serve(publicKeyOperations, {
  currentPublicKey: ({ organization }) => respondOf(organization, currentPublicKey),
  publicKeys: ({ organization }) =>
    respondOf(organization, (owner) => Effect.map(publicKeys(owner), (keys) => ({ keys }))),
  findPublicKey: ({ organization, keyId }) => respondOf(organization, (owner) => findPublicKey(keyId, owner)),
  publicJwks: ({ organization }) =>
    Effect.map(Effect.flatMap(organizationOf(organization), publicJwks), (keys) =>
      // Libraries for JSON Web Keys need the name of the algorithm in JOSE, which the directory must not have.
      cacheable({ keys: keys.map((key) => ({ ...key, alg: "EdDSA" })) }),
    ),
})

/** The directory of the server's keys, with the media type of its draft, which is not JSON of the API. */
export const keyDirectoryRoutes: ReadonlyArray<ApiRoute<StoreIsUnavailable, KeyDirectorySigner>> = [
  {
    method: "GET",
    path: keyDirectoryPath,
    handler: Effect.fnUntraced(function* () {
      const { baseUrl } = yield* ApiOptions
      const { body, headers } = yield* (yield* KeyDirectorySigner).sign(new URL(baseUrl).host)
      return withETag({
        status: 200,
        headers: {
          ...headers,
          "content-type": "application/http-message-signatures-directory+json",
          "cache-control": cacheControl,
        },
        body,
        // The digest is of these bytes.
        precompressed: () => Promise.resolve(undefined),
      })
    }),
  },
]

/**
 * The organization whose keys are wanted; `undefined`: the server's.
 *
 * An empty parameter is rejected: a receiver that lost the name of its organization must not accept the server's keys.
 */
const organizationOf = (organization: string | undefined) =>
  organization === undefined
    ? Effect.succeed(undefined)
    : Effect.mapError(
        Effect.fromResult(parseOrganization(organization)),
        () => new OrganizationParameterIsInvalid(),
      )

/** Names the organization that was asked for: a receiver can tell the response from that of a server without such keys. */
const respondOf = <E, R>(
  wanted: string | undefined,
  find: (organization: string | undefined) => Effect.Effect<object, E, R>,
) =>
  Effect.flatMap(organizationOf(wanted), (organization) =>
    Effect.map(find(organization), (content) =>
      cacheable(organization === undefined ? content : { organization, ...content }),
    ),
  )

const cacheable = (content: unknown): ApiResponse =>
  withETag(jsonResponse(200, JSON.stringify(content), { "cache-control": cacheControl }))

const cacheControl = `public, max-age=${publicKeyMaxAgeSeconds}`
