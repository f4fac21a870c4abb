import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { hiddenValue } from "../codec/Codec.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Attempt } from "../notification/Attempt.ts"
import { acknowledgedEvents, type Notification, notificationValues } from "../notification/Notification.ts"
import {
  notificationContentType,
  notificationHeaders,
  notificationMethod,
  prepareMethod,
  renderBody,
} from "../notification/NotificationRequest.ts"
import { writeContentDigest } from "../signature/ContentDigest.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { signatureLabel, writeSignatureParams } from "../signature/SignatureParams.ts"
import { signedBase } from "../signature/SignRequest.ts"
import { usesVariable } from "../template/Template.ts"
import { findDelivery, type LoggedDelivery } from "./DeliveryLog.ts"
import { testValues } from "./TestAlertMethod.ts"

/** The request of one attempt, as far as it is known. */
interface ShownAttempt {
  readonly number: number
  /** In the order sent, with the values of secret headers hidden. `Signature`, which is not stored, is left out. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Authority and path are hidden. */
  readonly signatureBase: string
  /** Whether the body of `ShownRequest` is what the attempt sent, byte for byte. */
  readonly isBodyAsSent: boolean
}

/** What the attempts of a delivery sent, without the URL and other secrets. */
export interface ShownRequest {
  readonly method: typeof notificationMethod
  /** The body by the alert method as it is now; absent if the alert method was deleted, or the body is too large. */
  readonly body?: string
  /** Of the body. */
  readonly contentDigest?: string
  /**
   * - `as_sent`: what the latest attempt sent.
   * - `changed`: the alert method, or the URL of this server, has changed since.
   * - `link_hidden`: the body has a link that acknowledges the alert, whose token is hidden, so it cannot be compared.
   * - `method_deleted`, `too_large`: there is no body.
   * - `unknown`: no attempt was signed, or by an earlier version that did not log it, or it is of a subscriber of a status page.
   */
  readonly bodyState: "as_sent" | "changed" | "link_hidden" | "method_deleted" | "too_large" | "unknown"
  /** Those that signed a request, oldest first. */
  readonly attempts: ReadonlyArray<ShownAttempt>
}

/**
 * Shows what the attempts of a delivery sent.
 *
 * Bodies and signatures are not stored. The body is rendered again from the stored event, and compared with the digest that
 * each attempt logged; the signature base follows from the logged digest, time and key. Fails with `DeliveryNotFound`.
 */
export const showRequest = Effect.fnUntraced(function* (
  organization: OrganizationId,
  id: string,
  { baseUrl }: { readonly baseUrl: string },
) {
  const logged = yield* findDelivery(organization, id)
  // The body of a subscriber's request has links of the subscriber.
  if (logged.delivery.notification.statusPage !== undefined)
    return shown(logged, [], { bodyState: "unknown" })
  const { sha256Base64 } = yield* Sha256
  const stored = yield* (yield* DefinitionStore).find(
    organization,
    "AlertMethod",
    logged.delivery.alertMethod,
  )
  if (Option.isNone(stored)) return shown(logged, [], { bodyState: "method_deleted" })
  const { definition } = stored.value
  const prepared = prepareMethod(definition)
  const secret = new Set(
    definition.spec.webhook.headers.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])),
  )
  const headers = prepared.headers.map(
    ([name, value]) => [name, secret.has(name) ? hiddenValue : value] as const,
  )
  const { notification } = logged.delivery
  const rendered = renderBody(prepared, valuesOf(notification, baseUrl))
  if (Result.isFailure(rendered)) return shown(logged, headers, { bodyState: "too_large" })
  const body = new TextDecoder().decode(rendered.success)
  const hasLink =
    acknowledgedEvents.has(notification.event) && usesVariable(prepared.template, "acknowledge_link")
  if (hasLink) return shown(logged, headers, { body, bodyState: "link_hidden" })
  return shown(logged, headers, { body, contentDigest: writeContentDigest(rendered.success, sha256Base64) })
})

const valuesOf = (notification: Notification, baseUrl: string) =>
  notification.event === "test"
    ? testValues(notification, baseUrl)
    : notificationValues(
        notification,
        baseUrl,
        acknowledgedEvents.has(notification.event) ? hiddenValue : undefined,
      )

const shown = (
  { delivery: { notification }, attempts }: LoggedDelivery,
  headers: ReadonlyArray<readonly [name: string, value: string]>,
  rendered: Pick<ShownRequest, "body" | "contentDigest"> & { readonly bodyState?: ShownRequest["bodyState"] },
): ShownRequest => {
  const signed = attempts.flatMap((attempt) =>
    attempt.sent === undefined ? [] : [shownAttempt(notification, attempt, attempt.sent, headers, rendered)],
  )
  const latest = signed.at(-1)
  return {
    method: notificationMethod,
    bodyState: latest === undefined ? "unknown" : latest.isBodyAsSent ? "as_sent" : "changed",
    ...rendered,
    attempts: signed,
  }
}

const shownAttempt = (
  { id, event }: Notification,
  { number }: Attempt,
  { created, keyId, contentDigest, traceparent }: NonNullable<Attempt["sent"]>,
  headers: ReadonlyArray<readonly [name: string, value: string]>,
  rendered: Pick<ShownRequest, "contentDigest">,
): ShownAttempt => {
  const signatureParams = writeSignatureParams(created, keyId)
  return {
    number,
    headers: [
      ["Content-Type", notificationContentType],
      ["Content-Digest", contentDigest],
      ["Signature-Input", `${signatureLabel}=${signatureParams}`],
      ...notificationHeaders({ id, event, attempt: number, traceparent }),
      ...headers,
    ],
    signatureBase: signedBase(
      {
        method: notificationMethod,
        authority: hiddenValue,
        path: hiddenValue,
        contentType: notificationContentType,
      },
      contentDigest,
      signatureParams,
    ),
    isBodyAsSent: rendered.contentDigest === contentDigest,
  }
}
