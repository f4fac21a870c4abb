import { bulkResendsRunningMax } from "@tocsin/domain/adapter"
import type { BulkResendNotFound } from "@tocsin/domain/features/resend"
import type { BulkResendsAreTooMany } from "@tocsin/domain/ports"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const resendErrors: StatusTable<BulkResendNotFound | BulkResendsAreTooMany> = {
  BulkResendNotFound: ({ id }) =>
    oneError(404, {
      title: "Bulk resend not found",
      code: "resend_not_found",
      detail: "No bulk resend has this ID. GET /api/resends lists them (tocsin resend list).",
      source: { propertyName: "id", propertyValue: id },
    }),
  BulkResendsAreTooMany: () =>
    oneError(409, {
      title: "Too many running bulk resends",
      code: "too_many_resends",
      detail: `An organization can have at most ${bulkResendsRunningMax} running bulk resends. Wait until one completes, or cancel one: GET /api/resends (tocsin resend list) lists them, POST /api/resends/{id}/cancel (tocsin resend cancel) cancels one.`,
    }),
}
