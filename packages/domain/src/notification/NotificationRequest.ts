import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { type SigningKeyInUse, signRequestInBackground } from "../signature/SignRequest.ts"
import { renderTemplate } from "../template/Template.ts"
import type { VariableValues } from "../template/Variable.ts"
import type { NotificationEvent } from "./Notification.ts"
import type { PreparedMethod } from "./PreparedMethod.ts"
import type { WebhookRequest } from "./WebhookTransport.ts"

/** Largest rendered body, in bytes of UTF-8. */
export const renderedBodyMaxBytes = 256 * 1024

/** The content type of every notification. */
export const notificationContentType = "application/json"

/** The HTTP method of every notification. */
export const notificationMethod = "POST"

/** What the headers of one attempt state. */
export interface AttemptFacts {
  readonly id: string
  readonly event: NotificationEvent
  readonly attempt: number
  /** The header `traceparent`; absent: none is sent. */
  readonly traceparent?: string | undefined
}

/** Renders the body of a notification as the bytes that are digested and sent, at most `renderedBodyMaxBytes`. */
export const renderBody = (
  prepared: PreparedMethod,
  values: VariableValues,
): Result.Result<Uint8Array, "body_too_large"> => {
  const text = renderTemplate(prepared.template, values)
  if (text.length > renderedBodyMaxBytes) return Result.fail("body_too_large")
  const body = encoder.encode(text)
  return body.length > renderedBodyMaxBytes ? Result.fail("body_too_large") : Result.succeed(body)
}

/** A rendered body with its digest, as `writeContentDigest` writes it. */
export interface DigestedBody {
  readonly body: Uint8Array
  readonly contentDigest: string
}

/**
 * Builds the request of one attempt: a new signature, then the headers of the notification and those of the alert method.
 * `created` is the time of the attempt in Unix seconds.
 */
export const notificationRequest = (
  prepared: PreparedMethod,
  organization: OrganizationId,
  { body, contentDigest }: DigestedBody,
  facts: AttemptFacts,
  created: number,
  key: SigningKeyInUse,
): Effect.Effect<WebhookRequest> => {
  const { url, headers } = prepared
  const { authority, path } = url
  // A parsed URL and a generated key can be signed.
  const signing = Effect.orDie(
    signRequestInBackground(
      {
        method: notificationMethod,
        authority,
        path,
        contentType: notificationContentType,
        contentDigest,
        created,
      },
      key,
    ),
  )
  return Effect.map(signing, (signed) => ({
    organization,
    url,
    headers: [
      ["Content-Type", notificationContentType],
      ["Content-Digest", signed["content-digest"]],
      ["Signature-Input", signed["signature-input"]],
      ["Signature", signed.signature],
      ...notificationHeaders(facts),
      ...headers,
    ],
    body,
  }))
}

/** The unsigned headers that name a notification, and the trace that it continues (W3C Trace Context). */
export const notificationHeaders = (
  facts: AttemptFacts,
): ReadonlyArray<readonly [name: string, value: string]> => [
  ["Notification-Event", facts.event],
  ["Notification-Id", facts.id],
  ["Notification-Attempt", String(facts.attempt)],
  ...(facts.traceparent === undefined ? [] : [["traceparent", facts.traceparent] as const]),
]

const encoder = new TextEncoder()
