import { type Session, SessionIsInvalid } from "@tocsin/domain"
import { sessionLifetimeSeconds, signInLinkLifetimeSeconds } from "@tocsin/domain/limits"
import { SessionTokens } from "@tocsin/domain/ports"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type JsonWebTokens, makeJsonWebTokens, sharedTokenKeys, type TokenKind } from "./JsonWebTokens.ts"

/** Sessions of the web console and sign-in links as `JsonWebTokens` of the audiences `session` and `sign-in link`. */
export const make = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): SessionTokens["Service"] => {
  const sessions = makeJsonWebTokens(tokensOf("session", sessionLifetimeSeconds), masterKey, previous)
  const links = makeJsonWebTokens(tokensOf("sign-in link", signInLinkLifetimeSeconds), masterKey, previous)
  const issueBy =
    ({ sign }: JsonWebTokens<Session, SessionIsInvalid>) =>
    ({ id, organization, clientId, credentialCreatedAt, expiresAt }: Session) =>
      sign({ jti: id, sub: clientId, organization, credentialCreatedAt }, expiresAt)
  return {
    issue: issueBy(sessions),
    verify: sessions.verify,
    issueLink: issueBy(links),
    verifyLink: links.verify,
  }
}

export const layer = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): Layer.Layer<SessionTokens> => Layer.sync(SessionTokens, () => make(masterKey, previous))

const decodeClaims = Schema.decodeUnknownOption(
  Schema.Struct({
    jti: Schema.String,
    sub: Schema.String,
    organization: Schema.String,
    credentialCreatedAt: Schema.Finite,
    exp: Schema.Finite,
  }),
)

const tokensOf = (audience: string, lifetimeSeconds: number): TokenKind<Session, SessionIsInvalid> => ({
  audience,
  keysOf: sharedTokenKeys(audience),
  lifetimeMs: lifetimeSeconds * 1_000,
  readClaims: (payload) =>
    Option.map(decodeClaims(payload), ({ jti, organization, sub, credentialCreatedAt, exp }) => ({
      id: jti,
      organization,
      clientId: sub,
      credentialCreatedAt,
      expiresAt: exp * 1_000,
    })),
  reject: (reason) => new SessionIsInvalid({ reason }),
})
