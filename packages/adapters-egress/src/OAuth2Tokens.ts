import { createHash } from "node:crypto"
import type { PrometheusServer } from "@tocsin/domain/definitions"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { type MetricsAreUnavailable, reveal } from "@tocsin/domain/ports"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { metricFailure } from "./PrometheusResponse.ts"

/** Most access tokens of data sources that a process keeps. */
const accessTokensMax = 1_000

/** Lifetime of an access token for which the token endpoint states none, in milliseconds. */
const accessTokenDefaultMs = 300_000

/** Longest time that an access token of a data source is reused, in milliseconds. */
const accessTokenMaxMs = 86_400_000

/** Longest time before its expiry at which an access token is replaced, in milliseconds. */
const accessTokenEarlyMs = 30_000

/** Time for which a token endpoint that failed is not asked again for the same credentials, in milliseconds. */
const tokenFailureMs = 10_000

export interface TokenRequest {
  readonly organization: OrganizationId
  readonly oauth2: NonNullable<PrometheusServer["oauth2"]>
  readonly tls: PrometheusServer["tls"]
}

export interface TokenResponse {
  readonly status: number
  readonly body: string
}

export interface OAuth2Tokens {
  /** The access token to use. Rejects with `MetricsAreUnavailable` or the failure of `send`. */
  readonly get: (request: TokenRequest) => Promise<string>
  /** Fetches another token next time, unless that has happened since. */
  readonly forget: (request: TokenRequest, token: string) => Promise<void>
}

/**
 * Keeps the access tokens of the client credentials grant (RFC 6749, section 4.4), for one organization each.
 *
 * Concurrent callers share one request. A token is replaced shortly before it expires. `send` posts a form with an
 * `authorization` header to the token endpoint.
 */
export const makeOAuth2Tokens = (
  send: (request: TokenRequest, authorization: string, form: string) => Promise<TokenResponse>,
): OAuth2Tokens => {
  interface Kept {
    readonly token: Promise<string>
    /** In the time of `performance.now()`; Infinity while it is fetched. */
    until: number
  }
  const kept = new Map<string, Kept>()

  const fetchToken = (request: TokenRequest): Kept => {
    const { clientId, clientSecret, scopes, audience } = request.oauth2
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      ...(audience !== undefined && { audience }),
    })
    const entry: Kept = {
      until: Infinity,
      token: send(request, basicOf(clientId, reveal(clientSecret)), form.toString()).then((response) => {
        const { token, lifetimeMs } = tokenOf(response)
        entry.until = performance.now() + lifetimeMs - Math.min(accessTokenEarlyMs, lifetimeMs / 10)
        return token
      }),
    }
    entry.token.catch(() => {
      entry.until = performance.now() + tokenFailureMs
    })
    return entry
  }

  return {
    get: (request) => {
      const key = keyOf(request)
      const known = kept.get(key)
      if (known !== undefined && performance.now() < known.until) return known.token
      const fetched = fetchToken(request)
      kept.delete(key)
      kept.set(key, fetched)
      const [oldest] = kept.keys()
      if (kept.size > accessTokensMax && oldest !== undefined) kept.delete(oldest)
      return fetched.token
    },
    forget: async (request, token) => {
      const key = keyOf(request)
      const known = kept.get(key)
      const current = await known?.token.catch(() => undefined)
      if (current === token && kept.get(key) === known) kept.delete(key)
    },
  }
}

const keyOf = ({ organization, oauth2, tls }: TokenRequest): string => {
  const { tokenUrl, clientId, clientSecret, scopes, audience } = oauth2
  const parts = [tokenUrl.href, clientId, reveal(clientSecret), scopes, audience, tls?.ca]
  return `${organization} ${createHash("sha256").update(JSON.stringify(parts)).digest("base64")}`
}

/** RFC 6749, section 2.3.1: both are form-encoded before they are joined. */
const basicOf = (clientId: string, clientSecret: string): string => {
  const [user, password] = [clientId, clientSecret].map((text) =>
    new URLSearchParams([["", text]]).toString().slice(1),
  )
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
}

/** RFC 6749, section 5.1. */
const tokenBody = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      access_token: Schema.String.check(Schema.isPattern(/^[!-~]+$/)),
      token_type: Schema.String.check(Schema.isPattern(/^bearer$/i)),
      expires_in: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    }),
  ),
)

const tokenOf = ({
  status,
  body,
}: TokenResponse): { readonly token: string; readonly lifetimeMs: number } => {
  if (status !== 200) throw tokenUnavailable(`the token endpoint responded with ${status}`)
  const read = Option.getOrUndefined(tokenBody(body))
  if (read === undefined) throw tokenUnavailable("the token endpoint did not return a bearer token")
  const seconds = read.expires_in ?? accessTokenDefaultMs / 1_000
  return {
    token: read.access_token,
    lifetimeMs: Math.min(accessTokenMaxMs, Math.max(0, seconds * 1_000)),
  }
}

const tokenUnavailable = (detail: string): MetricsAreUnavailable => metricFailure("token_unavailable", detail)
