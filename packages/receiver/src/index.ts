export type { CryptoFunctions, VerifySignature } from "./Platform.ts"
export { NotificationRejected, type NotificationRejectionCode } from "./NotificationRejected.ts"
export {
  createNotificationVerifier,
  type NotificationVerifier,
  type NotificationVerifierOptions,
  type ReceivedRequest,
  type VerifiedNotification,
} from "./NotificationVerifier.ts"
export type { ReceivedBody } from "./Body.ts"
export type { Fetch, PublicKeySource } from "./PublicKeys.ts"
export { makeReplayGuardMemory, type ReplayGuard } from "./ReplayGuard.ts"
export type { VerifiedSignature } from "./RequestSignature.ts"
export type { RequestHead } from "./SignatureBase.ts"
export { type NotificationRequest, verifyNotification } from "./VerifyNotification.ts"
export type { OnNotification, OnRejected } from "./Respond.ts"
