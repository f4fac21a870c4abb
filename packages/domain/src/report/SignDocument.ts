import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { bytesToBase64 } from "../signature/Base64.ts"
import { Signer } from "../signature/SignRequest.ts"
import { inParts } from "../work/Parts.ts"
import { utf8Bytes } from "../work/Utf8Bytes.ts"

/** A document as it is stored: the text that was signed, and its signature. */
export interface SignedDocument {
  /** JSON. */
  readonly document: string
  /** The ID of the key that verifies `signature`; `findPublicKey` finds it, even after its retirement. */
  readonly keyId: string
  /** Ed25519 over the UTF-8 bytes of `document` (RFC 8032, section 5.1.6), in base64. */
  readonly signature: string
}

/** Signs a document with the current key of an organization. */
export const signDocument = Effect.fnUntraced(function* (organization: OrganizationId, document: string) {
  const key = yield* (yield* Signer).current(organization)
  const bytes = yield* inParts(() => utf8Bytes(document))
  // Signing some megabytes takes as long as a part of other work may.
  yield* Effect.yieldNow
  const signature = bytesToBase64(key.sign(bytes))
  const signed: SignedDocument = { document, keyId: key.keyId, signature }
  return signed
})
