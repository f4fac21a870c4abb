import { publicKeyToPem } from "./Ed25519PublicKey.ts"
import type { SigningKey } from "./SigningKeyStore.ts"
import type { SigningKeyState } from "./SigningKeyRotation.ts"

/** A public key as the public key endpoint answers it. */
export interface PublishedKey {
  readonly keyId: string
  readonly algorithm: "ed25519"
  readonly publicKeyPem: string
}

/** A public key as the list of keys answers it. */
export interface PublishedKeyWithState extends PublishedKey {
  readonly state: SigningKeyState
}

/** A public key with when it begins, or began, to sign, in Unix milliseconds. */
export interface ScheduledKey extends PublishedKeyWithState {
  readonly activeFromMs: number
}

/** The public part of a key pair. */
export const publishKey = (key: Pick<SigningKey, "keyId" | "publicKey">): PublishedKey => ({
  keyId: key.keyId,
  algorithm: "ed25519",
  publicKeyPem: publicKeyToPem(key.publicKey),
})

/** The public part of a signing key, with its state and when it begins to sign. */
export const scheduledKey = (key: SigningKey, state: SigningKeyState): ScheduledKey => ({
  ...publishKey(key),
  state,
  activeFromMs: key.activeFromMs,
})

/** Where the key that signs now is published, below the base address. */
export const publicKeyPath = "/api/notifications/v1/webhook-http-signature/public-key"

/** Where every key that may have signed is published, below the base address. */
export const publicKeysPath = "/api/notifications/v1/webhook-http-signature/public-keys"
