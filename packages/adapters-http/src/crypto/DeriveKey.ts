import { hkdfSync } from "node:crypto"
import * as Redacted from "effect/Redacted"

/**
 * Derives the 32-byte key of one purpose from the master key: HKDF (RFC 5869) with SHA-256, no salt, and the purpose as
 * info. Keys of different purposes reveal nothing about one another or about the master key.
 */
export const deriveKey = (
  masterKey: Redacted.Redacted<Uint8Array>,
  purpose: string,
): Redacted.Redacted<Uint8Array> =>
  Redacted.make(
    new Uint8Array(hkdfSync("sha256", Redacted.value(masterKey), new Uint8Array(0), `tocsin ${purpose}`, 32)),
  )
