import { parseOrganization } from "@tocsin/domain/access/Access"
import { currentPublicKey, findPublicKey, publicKeys } from "@tocsin/domain/signature/PublicKeys"
import { publicKeyMaxAgeSeconds } from "@tocsin/domain/signature/SigningKeys"
import * as Effect from "effect/Effect"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { PublicKeyApi } from "./PublicKeyApi.ts"
import { OrganizationParameterIsInvalid } from "./SigningKeyErrors.ts"

export const publicKeyRoutes = routesOf(PublicKeyApi, {
  currentPublicKey: (request: ApiRequest) =>
    Effect.map(Effect.flatMap(organizationOf(request), currentPublicKey), cacheable),
  publicKeys: (request: ApiRequest) =>
    Effect.map(Effect.flatMap(organizationOf(request), publicKeys), (keys) => cacheable({ keys })),
  findPublicKey: (request: ApiRequest) =>
    Effect.map(
      Effect.flatMap(organizationOf(request), (organization) =>
        findPublicKey(request.pathParams["keyId"] ?? "", organization),
      ),
      cacheable,
    ),
})

/**
 * The organization whose keys are wanted; `undefined`: the server's.
 *
 * An empty parameter is rejected: a receiver that lost the name of its organization must not accept the server's keys.
 */
const organizationOf = (request: ApiRequest) => {
  const organization = request.query.get("organization")
  return organization === null
    ? Effect.succeed(undefined)
    : Effect.mapError(
        Effect.fromResult(parseOrganization(organization)),
        () => new OrganizationParameterIsInvalid(),
      )
}

const cacheable = (content: unknown): ApiResponse =>
  withETag(
    jsonResponse(200, JSON.stringify(content), {
      "cache-control": `public, max-age=${publicKeyMaxAgeSeconds}`,
    }),
  )
