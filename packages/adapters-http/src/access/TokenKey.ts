import * as Redacted from "effect/Redacted"
import { createSecretKey, type KeyObject } from "node:crypto"
import { deriveKey } from "../crypto/DeriveKey.ts"

/** The HMAC key of the tokens for one audience, derived from the master key. Source: RFC 7518 section 3.2. */
export const tokenKey = (masterKey: Redacted.Redacted<Uint8Array>, audience: string): KeyObject =>
  createSecretKey(Redacted.value(deriveKey(masterKey, `${audience} token`)))
