/** Bulk resends of deliveries. */
export { bulkResendStates, resendableStates } from "../../resend/BulkResend.ts"
export {
  BulkResendNotFound,
  cancelBulkResend,
  findBulkResend,
  listBulkResends,
  requestBulkResend,
  ResendIsInvalid,
  resendRequest,
  runBulkResends,
} from "../../resend/BulkResends.ts"
