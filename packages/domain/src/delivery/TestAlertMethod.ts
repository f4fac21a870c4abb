import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type AlertMethod, alertMethod } from "../alert-method/AlertMethod.ts"
import { resolveHidden } from "../alert-method/ResolveHidden.ts"
import { decode, described, hiddenValue, named } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { type DecodeOptions, proposedDefinition } from "../definition/DecodeDefinition.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { Attempt, AttemptOutcome } from "../notification/Attempt.ts"
import { failureReasonText } from "../notification/FailureReason.ts"
import { findAlertMethod } from "../notification/FindAlertMethod.ts"
import type { Notification, NotificationContent } from "../notification/Notification.ts"
import { notificationMethod, prepareMethod } from "../notification/NotificationRequest.ts"
import { sampleValues } from "../notification/SampleNotification.ts"
import { makeSendNotification } from "../notification/SendNotification.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import type { WebhookRequest } from "../notification/WebhookTransport.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { sampleVariableValues, type VariableValues } from "../template/Variable.ts"
import { isoTimestampText, unixSecondsText } from "../template/VariableText.ts"
import { readWarnings } from "../definition/WarningRules.ts"
import type { Warning } from "../codec/Warning.ts"
import type { SettledState } from "./Delivery.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"

/** Shortest time between two tests of one alert method, in milliseconds. */
export const testIntervalMs = 5_000

/** How often one alert method may be tested. */
export const testAlertMethodPolicy: RateLimitPolicy = {
  name: "test-alert-method",
  limit: 1,
  windowMs: testIntervalMs,
}

/** Most tests of alert methods that are not applied, per window and organization. */
export const proposedMethodTestsPerWindow = 5

/** Window of the rate limit for tests of alert methods that are not applied, in milliseconds. */
export const proposedMethodTestWindowMs = 10_000

/** How often an organization may test alert methods that are not applied. */
export const testProposedMethodPolicy: RateLimitPolicy = {
  name: "test-proposed-alert-method",
  limit: proposedMethodTestsPerWindow,
  windowMs: proposedMethodTestWindowMs,
}

/** The codec of a test request for an alert method that need not be stored. */
export const alertMethodTestRequest = named(
  object({
    definition: described(
      proposedDefinition("AlertMethod", alertMethod),
      "An alert method, which need not be stored; [hidden] is the stored value",
    ),
  }),
  "AlertMethodTestRequest",
)

/** The result of a test of an alert method. */
export interface AlertMethodTest {
  /** The ID of the delivery in the log; absent for an alert method that is not stored. */
  readonly deliveryId?: string
  /** `Test failed` if the attempt has a `reason`. */
  readonly message: "Test completed successfully!" | "Test failed"
  /** What is wrong, in words that a user can act on; absent after a success. */
  readonly detail?: string
  /** The only attempt, with number 1; it is not retried. */
  readonly attempt: Attempt
  /** Absent when nothing was sent. */
  readonly request?: SentRequest
  /** Paths are those of the definition; of a stored one, or below `definition` of the request. */
  readonly warnings: ReadonlyArray<Warning>
}

/** A sent request as users see it: without its URL, and with the values of secret headers hidden. */
interface SentRequest {
  readonly method: typeof notificationMethod
  /** In the order sent. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

/**
 * Sends one notification with sample values, as a delivery would, and returns the attempt.
 *
 * It is not retried, and does not change the endpoint's health. It is also sent to a disabled method. The delivery log has it
 * as a delivery of the event `test`. Fails with `AlertMethodNotFound`, and with `RateLimitIsExceeded` within 5 s of the method's last test.
 */
export const testAlertMethod = Effect.fnUntraced(function* (
  organization: OrganizationId,
  key: ProjectKey,
  options: { readonly baseUrl: string },
) {
  const method = yield* findAlertMethod(organization, key)
  yield* enforceRateLimit(organization, testAlertMethodPolicy, projectKeyText(key))
  const { notification, outcome, ...test } = yield* sendTest(organization, method, options)
  yield* (yield* DeliveryQueue).logTest({
    notification,
    alertMethod: key,
    attempt: test.attempt,
    state: testStates[outcome],
  })
  const warnings = yield* readWarnings(organization, method, {})
  return { deliveryId: notification.id, ...test, warnings } satisfies AlertMethodTest
})

/**
 * Does the same with an alert method that need not be stored; nothing is stored or logged.
 *
 * Fails with `AlertMethodTestIsInvalid`, and with `RateLimitIsExceeded`.
 */
export const testProposedMethod = Effect.fnUntraced(function* (
  organization: OrganizationId,
  body: unknown,
  options: DecodeOptions & { readonly baseUrl: string },
) {
  const decoded = decode(alertMethodTestRequest, body, options)
  if (Result.isFailure(decoded)) return yield* new AlertMethodTestIsInvalid({ issues: decoded.failure })
  const { definition } = decoded.success
  const stored = yield* (yield* DefinitionStore).find(organization, "AlertMethod", definition.metadata)
  const resolved = resolveHidden(definition, Option.getOrUndefined(stored)?.definition)
  if (Result.isFailure(resolved)) {
    const issues = new IssueList()
    issues.addAll("definition", resolved.failure)
    return yield* new AlertMethodTestIsInvalid({ issues: issues.sorted() })
  }
  yield* enforceRateLimit(organization, testProposedMethodPolicy, "")
  const { notification: _, outcome: __, ...test } = yield* sendTest(organization, resolved.success, options)
  const warnings = yield* readWarnings(organization, resolved.success, options, "definition")
  return { ...test, warnings } satisfies AlertMethodTest
})

/** Nothing was sent. */
export class AlertMethodTestIsInvalid extends TaggedError("AlertMethodTestIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

const sendTest = Effect.fnUntraced(function* (
  organization: OrganizationId,
  method: AlertMethod,
  { baseUrl }: { readonly baseUrl: string },
) {
  const send = yield* makeSendNotification
  const id = yield* uuidV7
  const now = yield* Clock.currentTimeMillis
  const notification: Notification = { ...sampleContent(organization, now), id }
  const { attempt, request, outcome } = yield* send(
    prepareMethod(method),
    { id, event: "test", attempt: 1 },
    testValues(notification, baseUrl),
  ).pipe(
    Effect.catchTag("TransportFailure", ({ reason, detail }) =>
      Effect.succeed({
        attempt: { number: 1, startedAt: now, durationMs: 0, reason, detail },
        request: undefined,
        outcome: { kind: "failed" } as const,
      }),
    ),
  )
  const { reason, detail } = attempt
  return {
    ...(reason === undefined
      ? { message: "Test completed successfully!" as const }
      : { message: "Test failed" as const, detail: detail ?? failureReasonText[reason] }),
    attempt,
    ...(request !== undefined && { request: sentRequest(method, request) }),
    notification,
    outcome: outcome.kind,
  }
})

/** What a test is in the delivery log, by the outcome of its attempt. */
const testStates: Readonly<Record<AttemptOutcome["kind"], SettledState>> = {
  delivered: "delivered",
  failed: "exhausted",
  reset: "exhausted",
  gone: "failed",
  undeliverable: "failed",
}

const sentRequest = ({ spec: { webhook } }: AlertMethod, { headers, body }: WebhookRequest): SentRequest => {
  const secret = new Set(webhook.headers.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])))
  return {
    method: notificationMethod,
    headers: headers.map(([name, value]) => [name, secret.has(name) ? hiddenValue : value]),
    body: new TextDecoder().decode(body),
  }
}

/** The event of a test. Its SLO, policy and alert do not exist. */
const sampleContent = (organization: OrganizationId, now: number): NotificationContent => {
  const sample = sampleVariableValues
  return {
    event: "test",
    organization,
    at: now,
    alertId: "",
    severity: "High",
    conditions: sample.alert_policy_conditions,
    slo: { project: sample.project_name, name: sample.slo_name },
  }
}

/** The values of a test: those of its event, and samples for what the event leaves open. */
export const testValues = (notification: Notification, baseUrl: string): VariableValues => ({
  ...sampleValues(notification.organization, baseUrl),
  alert_status: "test",
  notification_id: notification.id,
  timestamp: unixSecondsText(notification.at),
  iso_timestamp: isoTimestampText(notification.at),
})
