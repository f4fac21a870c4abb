import {
  type Session,
  SessionIsInvalid,
  sessionLifetimeSeconds,
  SessionTokens,
} from "@tocsin/domain/internal/access/Session"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { makeJsonWebTokens, sharedTokenKeys, type TokenKind } from "./JsonWebTokens.ts"

/** Sessions of the web console as `JsonWebTokens` of the audience `session`. */
export const make = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): SessionTokens["Service"] => {
  const { sign, verify } = makeJsonWebTokens(sessionTokens, masterKey, previous)
  return {
    issue: ({ id, organization, clientId, credentialCreatedAt, expiresAt }) =>
      sign({ jti: id, sub: clientId, organization, credentialCreatedAt }, expiresAt),
    verify,
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

const sessionTokens: TokenKind<Session, SessionIsInvalid> = {
  audience: "session",
  keysOf: sharedTokenKeys("session"),
  lifetimeMs: sessionLifetimeSeconds * 1_000,
  readClaims: (payload) =>
    Option.map(decodeClaims(payload), ({ jti, organization, sub, credentialCreatedAt, exp }) => ({
      id: jti,
      organization,
      clientId: sub,
      credentialCreatedAt,
      expiresAt: exp * 1_000,
    })),
  reject: (reason) => new SessionIsInvalid({ reason }),
}
