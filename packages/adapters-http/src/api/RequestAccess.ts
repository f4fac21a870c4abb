import { requireRole, type Access } from "@tocsin/domain/access/Access"
import { authenticate } from "@tocsin/domain/access/Authenticate"
import type { Role } from "@tocsin/domain/access/Role"
import { Effect } from "effect"
import { ApiOptions } from "./ApiOptions.ts"
import type { ApiRequest } from "./ApiRequest.ts"

/** Who the request comes from; fails as `authenticate` does. Source: contract section 5.1. */
export const accessOf = (request: ApiRequest) =>
  authenticate({
    authorization: request.header("authorization"),
    organization: request.header("organization"),
  })

/** Who the request comes from, if its role reaches; fails also with `RoleIsTooLow`. Source: decision 0600. */
export const accessWithRole = (request: ApiRequest, role: Role) =>
  Effect.tap(accessOf(request), (access: Access) => requireRole(access, role))

/**
 * The address of the client: the peer's, or with `ApiOptions.trustedProxies` as many steps back in
 * `X-Forwarded-For`. Only what those proxies wrote is believed.
 */
export const clientAddressOf = (request: ApiRequest): Effect.Effect<string> =>
  Effect.map(ApiOptions, ({ trustedProxies }) => {
    if (trustedProxies === 0) return request.peerAddress
    const forwarded = request.header("x-forwarded-for")?.split(",") ?? []
    const addresses = [...forwarded, request.peerAddress]
    return addresses[Math.max(0, addresses.length - 1 - trustedProxies)]?.trim() ?? request.peerAddress
  })
