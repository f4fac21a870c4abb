import * as Effect from "effect/Effect"
import { ApiOptions } from "./ApiOptions.ts"
import type { IncomingRequest } from "./ApiRequest.ts"

/** The address of the client (`clientAddress`) with the proxies of `ApiOptions`. */
export const clientAddressOf = (request: IncomingRequest): Effect.Effect<string> =>
  Effect.map(ApiOptions, (options) => clientAddress(request, options))

/**
 * The address of the client: the peer's, or with `trustedProxies` as many steps back in `X-Forwarded-For`. Only entries that those
 * proxies appended are trusted.
 */
export const clientAddress = (
  request: IncomingRequest,
  { trustedProxies }: Pick<ApiOptions, "trustedProxies">,
): string => {
  const { peerAddress } = request
  if (trustedProxies === 0) return peerAddress
  const forwarded = request.header("x-forwarded-for")?.split(",") ?? []
  const addresses = [...forwarded, peerAddress]
  return addresses[Math.max(0, addresses.length - 1 - trustedProxies)]?.trim() ?? peerAddress
}
