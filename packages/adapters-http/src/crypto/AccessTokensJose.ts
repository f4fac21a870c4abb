import { AccessTokenIsInvalid, parseOrganization, roles } from "@tocsin/domain"
import { accessTokenLifetimeSeconds } from "@tocsin/domain/limits"
import { AccessTokens, type TokenClaims } from "@tocsin/domain/ports"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeProtectedHeader } from "jose"
import { onceForEach } from "./OnceForEach.ts"
import { publicTokenKey, publicTokenKeys } from "./PublicTokenKeys.ts"
import { makeJsonWebTokens, sharedTokenKeys, type TokenKind } from "./JsonWebTokens.ts"

/** Access tokens as `JsonWebTokens` of the audience `api`. */
export const make = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): AccessTokens["Service"] => {
  const { sign, verify, verifyKnown } = makeJsonWebTokens(accessTokens, masterKey, previous)
  const publicTokens = makeJsonWebTokens(publicAccessTokens, masterKey, previous)
  return {
    issue: ({ organization, clientId, role, credentialCreatedAt }, { issuedAt, expiresAt }) =>
      sign(
        { sub: clientId, organization, role, credentialCreatedAt, iat: Math.floor(issuedAt / 1_000) },
        expiresAt,
      ),
    issuePublic: (
      { organization, clientId, role, credentialCreatedAt },
      { issuer, environment },
      { issuedAt, expiresAt },
    ) =>
      publicTokens.sign(
        {
          iss: issuer,
          sub: clientId,
          cid: clientId,
          organization,
          role,
          credentialCreatedAt,
          scp: ["m2m"],
          m2mProfile: { user: clientId, organization, environment },
          iat: Math.floor(issuedAt / 1_000),
        },
        expiresAt,
      ),
    // Anyone can ask for the keys of any name.
    publicKeys: onceForEach((organization) =>
      [masterKey, ...previous].map((key) => publicTokenKey(key, organization)),
    ),
    // A token that is known needs no look at its header.
    verify: (token, now) =>
      verifyKnown(token, now) ??
      publicTokens.verifyKnown(token, now) ??
      (isPublic(token) ? publicTokens.verify : verify)(token, now),
  }
}

/** Access tokens, under keys derived from the master key; those of previous master keys are valid until they expire. */
export const layer = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): Layer.Layer<AccessTokens> => Layer.sync(AccessTokens, () => make(masterKey, previous))

const decodeClaims = Schema.decodeUnknownOption(
  Schema.Struct({
    sub: Schema.String,
    organization: Schema.String,
    role: Schema.Literals(roles),
    credentialCreatedAt: Schema.Finite,
  }),
)

const accessTokens: TokenKind<TokenClaims, AccessTokenIsInvalid> = {
  audience: "api",
  keysOf: sharedTokenKeys("api"),
  lifetimeMs: accessTokenLifetimeSeconds * 1_000,
  readClaims: (payload) =>
    Option.map(decodeClaims(payload), ({ organization, sub, role, credentialCreatedAt }) => ({
      organization,
      clientId: sub,
      role,
      credentialCreatedAt,
    })),
  reject: (reason) => new AccessTokenIsInvalid({ reason }),
}

const publicAccessTokens: TokenKind<TokenClaims, AccessTokenIsInvalid> = {
  ...accessTokens,
  keysOf: publicTokenKeys,
  ownerOf: ({ organization }) =>
    typeof organization === "string" ? Result.getOrUndefined(parseOrganization(organization)) : undefined,
  readClaims: (payload) =>
    Option.map(accessTokens.readClaims(payload), (claims) => ({ ...claims, hasPublicToken: true })),
}

/** Only public tokens name their key; the verification decides whether a token is what it says. */
const isPublic = (token: string): boolean => {
  try {
    return decodeProtectedHeader(token).kid !== undefined
  } catch {
    return false
  }
}
