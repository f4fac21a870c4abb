import type { IdempotencyKeyIsReused } from "@tocsin/domain/alerting/AlertStore"
import type { AlertmanagerGroupIsInvalid } from "@tocsin/domain/intake/AlertmanagerGroup"
import type { AlertIsInvalid } from "@tocsin/domain/intake/DecodeAlert"
import type { AlertNotFound } from "@tocsin/domain/intake/ExternalAlert"
import { invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const alertErrors: StatusTable<
  AlertIsInvalid | AlertmanagerGroupIsInvalid | AlertNotFound | IdempotencyKeyIsReused
> = {
  AlertIsInvalid: ({ issues }) => invalidBody("Invalid alert", issues),
  AlertmanagerGroupIsInvalid: ({ issues }) => invalidBody("Invalid Alertmanager notification", issues),
  AlertNotFound: () =>
    oneError(404, {
      title: "Alert not found",
      code: "alert_not_found",
      detail: "No alert was triggered with this alertId, or for this SLO, objective and alert policy.",
    }),
  IdempotencyKeyIsReused: ({ key }) =>
    oneError(409, {
      title: "Idempotency-Key was used for a different request",
      code: "idempotency_key_reused",
      source: { propertyName: "Idempotency-Key", propertyValue: key },
    }),
}
