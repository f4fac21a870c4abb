/** Alert policies and alerts: their shapes, and what is decided about them. */
export type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
export { AcknowledgementIsInvalid, AlertIsClosed } from "../alerting/AcknowledgeAlert.ts"
export type { Alert, CancelReason } from "../alerting/Alert.ts"
export { heldLifecycleText, holdReasons, storedLifecycles } from "../alerting/AlertLifecycle.ts"
export { listHeldAlerts } from "../alerting/ListHeldAlerts.ts"
export type { ListedSilence } from "../alerting/ListSilences.ts"
export type { SilencePreview } from "../alerting/PreviewSilence.ts"
