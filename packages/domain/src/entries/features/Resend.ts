/** Bulk resends of deliveries. */
export { bulkResendStates, resendableStates } from "../../resend/BulkResend.ts"
export {
  BulkResendNotFound,
  cancelBulkResend,
  findBulkResend,
  listBulkResends,
  requestBulkResend,
  resendRequest,
  type ResendRequest,
  runBulkResends,
} from "../../resend/BulkResends.ts"
