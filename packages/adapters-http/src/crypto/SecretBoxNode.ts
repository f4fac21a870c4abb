import * as Result from "effect/Result"
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto"
import { redact, reveal, SecretBox, SecretCannotBeOpened, type SecretPlace } from "@tocsin/domain/ports"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { deriveKey } from "./DeriveKey.ts"

/** The master key that seals, and the previous ones that stored secrets may still be sealed with. */
export interface MasterKeys {
  /** 32 bytes; seals new secrets. */
  readonly current: Redacted.Redacted<Uint8Array>
  /** 32 bytes each; only open what they sealed. */
  readonly previous: ReadonlyArray<Redacted.Redacted<Uint8Array>>
}

/**
 * Seals with AES-256-GCM under a key derived from the master key. A sealed secret is 12 random bytes, the ciphertext
 * and 16 bytes of tag; its location is authenticated data.
 *
 * The ID of a key is part of a hash of the derived key. Random nonces are safe for 2^32 secrets per key (NIST SP 800-38D
 * section 8.3). Hashes are HMAC with SHA-256, in base64url, under another derived key.
 */
export const make = ({ current, previous }: MasterKeys): SecretBox["Service"] => {
  const sealing = boxKey(current)
  const hashKey = Redacted.value(deriveKey(current, "keyed hash"))
  const keyById = new Map([sealing, ...previous.map(boxKey)].map((each) => [each.keyId, each.key]))
  return {
    keyId: sealing.keyId,
    seal: (place, secret) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv("aes-256-gcm", sealing.key, nonce).setAAD(placeToBytes(place))
      const ciphertext = [cipher.update(reveal(secret)), cipher.final()]
      return { keyId: sealing.keyId, bytes: Buffer.concat([nonce, ...ciphertext, cipher.getAuthTag()]) }
    },
    open: (place, { keyId, bytes }) => {
      const key = keyById.get(keyId)
      if (key === undefined || bytes.length < nonceBytes + tagBytes) {
        return Result.fail(new SecretCannotBeOpened({ place, keyId }))
      }
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(placeToBytes(place)).setAuthTag(bytes.subarray(-tagBytes))
      try {
        const parts = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]
        return Result.succeed(redact(new Uint8Array(Buffer.concat(parts))))
      } catch {
        return Result.fail(new SecretCannotBeOpened({ place, keyId }))
      }
    },
    hash: (text) => createHmac("sha256", hashKey).update(text).digest("base64url"),
  }
}

/** The port `SecretBox` under these keys. */
export const layer = (masterKeys: MasterKeys): Layer.Layer<SecretBox> =>
  Layer.sync(SecretBox, () => make(masterKeys))

const nonceBytes = 12
const tagBytes = 16

const boxKey = (masterKey: Redacted.Redacted<Uint8Array>) => {
  const key = Redacted.value(deriveKey(masterKey, "secret box"))
  return { key, keyId: createHash("sha256").update(key).digest("hex").slice(0, 16) }
}

const placeToBytes = ({ organization, record }: SecretPlace): Buffer =>
  Buffer.from(JSON.stringify([organization, record]))
