import type { DeliveryLogIsUnavailable } from "@tocsin/domain/delivery/DeliveryLog"
import type { EndpointStoreIsUnavailable } from "@tocsin/domain/delivery/EndpointStore"
import type { CredentialStoreIsUnavailable } from "@tocsin/domain/access/CredentialStore"
import type { AlertStoreIsUnavailable } from "@tocsin/domain/alerting/AlertStore"
import type { CountStoreIsUnavailable } from "@tocsin/domain/counts/CountStore"
import type { IndicatorStoreIsUnavailable } from "@tocsin/domain/data-source/IndicatorStore"
import type { DefinitionStoreIsUnavailable } from "@tocsin/domain/definition/DefinitionStore"
import type { DeliveryQueueIsUnavailable } from "@tocsin/domain/delivery/DeliveryQueue"
import type { RateLimiterIsUnavailable } from "@tocsin/domain/rate-limit/RateLimiter"
import type { BulkResendStoreIsUnavailable } from "@tocsin/domain/resend/BulkResendStore"
import type { SealedSecretsAreUnavailable } from "@tocsin/domain/secret/SecretBox"
import type { SignerIsUnavailable } from "@tocsin/domain/signature/SignRequest"
import type { SigningKeyStoreIsUnavailable } from "@tocsin/domain/signature/SigningKeyStore"
import type { SloStoreIsUnavailable } from "@tocsin/domain/status/SloStore"
import { accessErrors } from "../access/AccessErrors.ts"
import { alertErrors } from "../alerts/AlertErrors.ts"
import { alertMethodErrors } from "../alert-methods/AlertMethodErrors.ts"
import { definitionErrors } from "../definitions/DefinitionErrors.ts"
import { deliveryErrors } from "../deliveries/DeliveryErrors.ts"
import { type ErrorStatus, oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import { frameErrors } from "../frame/FrameErrors.ts"
import { operatorErrors } from "../operator/OperatorErrors.ts"
import { resendErrors } from "../resends/ResendErrors.ts"
import { sessionErrors } from "../session/SessionErrors.ts"
import { signingKeyErrors } from "../signing-keys/SigningKeyErrors.ts"
import { sloErrors } from "../slos/SloErrors.ts"

const unavailable = (): ErrorStatus =>
  oneError(
    503,
    { title: "Service unavailable", code: "unavailable", detail: "Try again in a few seconds." },
    { "retry-after": "5" },
  )

const portErrors: StatusTable<
  | AlertStoreIsUnavailable
  | DeliveryQueueIsUnavailable
  | DeliveryLogIsUnavailable
  | EndpointStoreIsUnavailable
  | BulkResendStoreIsUnavailable
  | SignerIsUnavailable
  | CredentialStoreIsUnavailable
  | SigningKeyStoreIsUnavailable
  | RateLimiterIsUnavailable
  | DefinitionStoreIsUnavailable
  | SloStoreIsUnavailable
  | CountStoreIsUnavailable
  | IndicatorStoreIsUnavailable
  | SealedSecretsAreUnavailable
> = {
  AlertStoreIsUnavailable: unavailable,
  DeliveryQueueIsUnavailable: unavailable,
  DeliveryLogIsUnavailable: unavailable,
  EndpointStoreIsUnavailable: unavailable,
  BulkResendStoreIsUnavailable: unavailable,
  SignerIsUnavailable: unavailable,
  CredentialStoreIsUnavailable: unavailable,
  SigningKeyStoreIsUnavailable: unavailable,
  RateLimiterIsUnavailable: unavailable,
  DefinitionStoreIsUnavailable: unavailable,
  SloStoreIsUnavailable: unavailable,
  CountStoreIsUnavailable: unavailable,
  IndicatorStoreIsUnavailable: unavailable,
  SealedSecretsAreUnavailable: unavailable,
}

/** The status and body of every failure of the API. */
export const apiErrors = {
  ...frameErrors,
  ...accessErrors,
  ...sessionErrors,
  ...operatorErrors,
  ...signingKeyErrors,
  ...sloErrors,
  ...definitionErrors,
  ...alertErrors,
  ...alertMethodErrors,
  ...deliveryErrors,
  ...resendErrors,
  ...portErrors,
}
