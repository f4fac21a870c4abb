import { type Access, roles } from "@tocsin/domain/internal/access/Access"
import {
  AccessTokenIsInvalid,
  accessTokenLifetimeSeconds,
  AccessTokens,
} from "@tocsin/domain/internal/access/AccessToken"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { makeJsonWebTokens, type TokenKind } from "./JsonWebTokens.ts"

/** Access tokens as `JsonWebTokens` of the audience `api`. */
export const make = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): AccessTokens["Service"] => {
  const { sign, verify } = makeJsonWebTokens(accessTokens, masterKey, previous)
  return {
    issue: ({ organization, clientId, role }, { issuedAt, expiresAt }) =>
      sign({ sub: clientId, organization, role, iat: Math.floor(issuedAt / 1_000) }, expiresAt),
    verify,
  }
}

export const layer = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): Layer.Layer<AccessTokens> => Layer.sync(AccessTokens, () => make(masterKey, previous))

const decodeClaims = Schema.decodeUnknownOption(
  Schema.Struct({
    sub: Schema.String,
    organization: Schema.String,
    role: Schema.Literals(roles),
  }),
)

const accessTokens: TokenKind<Access, AccessTokenIsInvalid> = {
  audience: "api",
  lifetimeMs: accessTokenLifetimeSeconds * 1_000,
  readClaims: (payload) =>
    Option.map(decodeClaims(payload), ({ organization, sub, role }) => ({
      organization,
      clientId: sub,
      role,
    })),
  reject: (reason) => new AccessTokenIsInvalid({ reason }),
}
