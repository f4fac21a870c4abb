import type { AlertIsInvalid, NotificationsQuotaIsExceeded } from "@tocsin/domain"
import type { AlertIsClosed } from "@tocsin/domain/alerting"
import type { AlertmanagerGroupIsInvalid } from "@tocsin/formats/alertmanager"
import type { AlertNotFound, IdempotencyKeyIsReused } from "@tocsin/domain/ports"
import { invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const alertErrors: StatusTable<
  | AlertIsInvalid
  | AlertmanagerGroupIsInvalid
  | AlertIsClosed
  | AlertNotFound
  | IdempotencyKeyIsReused
  | NotificationsQuotaIsExceeded
> = {
  AlertIsInvalid: ({ issues }) => invalidBody("Invalid alert", issues),
  AlertmanagerGroupIsInvalid: ({ issues }) => invalidBody("Invalid Alertmanager notification", issues),
  AlertNotFound: () =>
    oneError(404, {
      title: "Alert not found",
      code: "alert_not_found",
      detail:
        "No alert was triggered with this ID, or for this SLO, objective and alert policy, or it was deleted after its retention. GET /api/get/alert lists alerts (tocsin get alerts -A).",
    }),
  AlertIsClosed: ({ status }) =>
    oneError(409, {
      title: "Alert is not open",
      code: "alert_closed",
      detail: `The alert is ${status}. Only an open alert can be acknowledged. GET /api/get/alert?status=triggered with the header Project: * lists open alerts (tocsin get alerts -A --status triggered).`,
    }),
  NotificationsQuotaIsExceeded: ({ limitBytes, storedBytes, freeAt }) =>
    oneError(403, {
      title: "Too many stored notifications",
      code: "notifications_quota_exceeded",
      detail: `The organization can store ${limitBytes} bytes of notifications and stores ${storedBytes}. ${
        freeAt === undefined
          ? "The oldest are deleted once they are delivered and there are too many."
          : `The oldest are deleted after their retention; alerts are accepted again from ${new Date(freeAt).toISOString()} on.`
      } Report smaller alerts, or ask the operator to raise the quota.`,
    }),
  IdempotencyKeyIsReused: ({ key }) =>
    oneError(409, {
      title: "Idempotency-Key was used for a different request",
      code: "idempotency_key_reused",
      detail: "Repeat a request with the same body, or send a new key.",
      source: { propertyName: "Idempotency-Key", propertyValue: key },
    }),
}
