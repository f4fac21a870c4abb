/** What signs notifications: digests, key IDs and the schedule of signing keys. */
export { base64UrlToBytes, bytesToBase64 } from "../signature/Base64.ts"
export { writeContentDigest } from "../signature/ContentDigest.ts"
export { publicKeyToKeyId } from "../signature/Ed25519PublicKey.ts"
export { activeSigningKey, type ScheduledKey } from "../signature/SigningKeySchedule.ts"
export {
  RequestCannotBeSigned,
  type RequestToSign,
  type SignatureHeaders,
  signedBase,
  type SigningKeyInUse,
  signDigested,
  signRequest,
} from "../signature/SignRequest.ts"
export { writeSignatureParams } from "../signature/SignatureParams.ts"
