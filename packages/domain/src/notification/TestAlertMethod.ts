import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { DefinitionStore, DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import type { Attempt } from "./Attempt.ts"
import { failureReasonText } from "./FailureReason.ts"
import { notificationMethod } from "./NotificationRequest.ts"
import { prepareMethod } from "./PreparedMethod.ts"
import { makeSendNotification } from "./SendNotification.ts"
import { uuidV7 } from "./UuidV7.ts"
import type { WebhookRequest, WebhookTransport } from "./WebhookTransport.ts"
import {
  enforceRateLimit,
  type RateLimitIsExceeded,
  type RateLimiter,
  type RateLimiterIsUnavailable,
} from "../rate-limit/RateLimiter.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import type { Sha256 } from "../signature/Sha256.ts"
import type { Signer, SignerIsUnavailable } from "../signature/Signer.ts"
import { isoTimestampText, unixSecondsText } from "../template/VariableText.ts"
import { type AlertMethodNotFound, findAlertMethod } from "./FindAlertMethod.ts"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import { hiddenValue } from "../codec/Codec.ts"
import { sampleValues } from "./SampleValues.ts"

/** Shortest time between two tests of one method, in milliseconds. */
export const testIntervalMs = 5_000

/** How a test of an alert method went. */
export interface AlertMethodTest {
  readonly message: "Test completed successfully!" | "Test failed"
  /** What is wrong, in words the user can act on; absent after a success. */
  readonly detail?: string
  readonly attempt: Attempt
  /** Absent when nothing was sent. */
  readonly request?: SentRequest
}

/** A request as people are shown it: without its URL, and with the values of secret headers hidden. */
export interface SentRequest {
  readonly method: typeof notificationMethod
  /** In the order sent. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

/** How often one alert method may be tested. */
export const testAlertMethodPolicy: RateLimitPolicy = {
  name: "test-alert-method",
  limit: 1,
  windowMs: testIntervalMs,
}

/**
 * Sends one notification with sample values, as a delivery would, and returns the attempt.
 *
 * It is not retried, not in the delivery log and does not change the endpoint's health. It is also sent to a disabled
 * method.
 *
 * Fails with `AlertMethodNotFound`, and with `RateLimitIsExceeded` within 5 s of the method's last test.
 */
export const testAlertMethod = (
  organization: OrganizationId,
  key: ProjectKey,
  options: { readonly baseUrl: string },
): Effect.Effect<
  AlertMethodTest,
  | AlertMethodNotFound
  | DefinitionStoreIsUnavailable
  | RateLimiterIsUnavailable
  | RateLimitIsExceeded
  | SignerIsUnavailable,
  DefinitionStore | RateLimiter | Signer | Sha256 | WebhookTransport
> =>
  Effect.gen(function* () {
    const method = yield* findAlertMethod(organization, key)
    yield* enforceRateLimit(organization, testAlertMethodPolicy, projectKeyText(key))
    const prepared = prepareMethod(method)
    const send = yield* makeSendNotification
    const id = yield* uuidV7
    const now = yield* Clock.currentTimeMillis
    const values = {
      ...sampleValues(organization, options.baseUrl),
      alert_status: "test",
      notification_id: id,
      timestamp: unixSecondsText(now),
      iso_timestamp: isoTimestampText(now),
    }
    const { attempt, request } = yield* send(prepared, { id, event: "test", attempt: 1 }, values).pipe(
      Effect.catchTag("TransportFailure", ({ reason, detail }) =>
        Effect.succeed({
          attempt: { number: 1, startedAt: now, durationMs: 0, reason, detail },
          request: undefined,
        }),
      ),
    )
    const sent = request === undefined ? {} : { request: sentRequest(method, request) }
    return attempt.reason === undefined
      ? { message: "Test completed successfully!", attempt, ...sent }
      : {
          message: "Test failed",
          detail: attempt.detail ?? failureReasonText[attempt.reason],
          attempt,
          ...sent,
        }
  })

const sentRequest = ({ spec: { webhook } }: AlertMethod, { headers, body }: WebhookRequest): SentRequest => {
  const secret = new Set(webhook.headers.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])))
  return {
    method: notificationMethod,
    headers: headers.map(([name, value]) => [name, secret.has(name) ? hiddenValue : value] as const),
    body: new TextDecoder().decode(body),
  }
}
