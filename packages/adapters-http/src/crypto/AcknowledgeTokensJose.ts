import { AcknowledgeTokenIsInvalid, type LinkedAlert } from "@tocsin/domain"
import { acknowledgeLinkLifetimeMs } from "@tocsin/domain/limits"
import { AcknowledgeTokens } from "@tocsin/domain/ports"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { makeJsonWebTokens, sharedTokenKeys, type TokenKind } from "./JsonWebTokens.ts"

/** Links that acknowledge an alert, as `JsonWebTokens` of the audience `acknowledge`. */
export const make = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): AcknowledgeTokens["Service"] => {
  const { sign, verify } = makeJsonWebTokens(acknowledgeTokens, masterKey, previous)
  return {
    issue: ({ organization, alertId }, expiresAt) => sign({ sub: alertId, organization }, expiresAt),
    verify,
  }
}

/** Links that acknowledge, under keys derived from the master key; those of previous master keys are valid until they expire. */
export const layer = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): Layer.Layer<AcknowledgeTokens> => Layer.sync(AcknowledgeTokens, () => make(masterKey, previous))

const decodeClaims = Schema.decodeUnknownOption(
  Schema.Struct({ sub: Schema.String, organization: Schema.String }),
)

const acknowledgeTokens: TokenKind<LinkedAlert, AcknowledgeTokenIsInvalid> = {
  audience: "acknowledge",
  keysOf: sharedTokenKeys("acknowledge"),
  lifetimeMs: acknowledgeLinkLifetimeMs,
  readClaims: (payload) =>
    Option.map(decodeClaims(payload), ({ organization, sub }) => ({ organization, alertId: sub })),
  reject: (reason) => new AcknowledgeTokenIsInvalid({ reason }),
}
