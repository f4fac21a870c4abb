import * as Result from "effect/Result"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { type SigningKeyInUse, signDigested } from "../signature/SignRequest.ts"
import { renderTemplate, type Template } from "../template/Template.ts"
import type { VariableValues } from "../template/Variable.ts"
import type { NotificationEvent } from "./Notification.ts"
import type { WebhookRequest } from "./WebhookTransport.ts"
import { reveal } from "../secret/SharedRedacted.ts"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import type { WebhookUrl } from "../alert-method/WebhookUrl.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import { makeSecretMask, type SecretMask } from "./SecretMask.ts"

/** What sending needs of an alert method. Contains secrets. */
export interface PreparedMethod {
  readonly url: WebhookUrl
  readonly template: Template
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Hides the method's secrets in responses of its receiver. */
  readonly mask: SecretMask
}

/** Prepares an alert method for sending. The address of the URL is checked by the transport, whenever it connects. */
export const prepareMethod = ({ spec: { webhook } }: AlertMethod): PreparedMethod => {
  const url = reveal(webhook.url)
  return {
    url,
    template: webhook.body.template,
    headers: webhook.headers.map(({ name, value }) => [name, reveal(value)]),
    mask: makeSecretMask(
      url,
      webhook.headers.flatMap(({ value, isSecret }) => (isSecret ? [reveal(value)] : [])),
    ),
  }
}

/** Makes a `prepareMethod` that prepares each stored definition once, for as long as its store caches it. */
export const makePreparedMethods = () => {
  const preparedByDefinition = new WeakMap<StoredDefinition<AlertMethod>, PreparedMethod>()
  return (stored: StoredDefinition<AlertMethod>): PreparedMethod => {
    const cached = preparedByDefinition.get(stored)
    if (cached !== undefined) return cached
    const prepared = prepareMethod(stored.definition)
    preparedByDefinition.set(stored, prepared)
    return prepared
  }
}

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
): WebhookRequest => {
  const { url, headers } = prepared
  const { authority, path } = url
  // A parsed URL and a generated key can be signed. On another thread, a signature would take more of the processor.
  const signed = Result.getOrThrow(
    signDigested(
      { method: notificationMethod, authority, path, contentType: notificationContentType, created },
      contentDigest,
      key,
    ),
  )
  return {
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
  }
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
