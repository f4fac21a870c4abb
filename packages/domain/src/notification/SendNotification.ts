import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Sha256 } from "../signature/Sha256.ts"
import { Signer, type SignerIsUnavailable } from "../signature/SignRequest.ts"
import type { VariableValues } from "../template/Variable.ts"
import {
  type Attempt,
  type AttemptOutcome,
  failureOfStatus,
  outcomeOfFailure,
  outcomeOfResponse,
} from "./Attempt.ts"
import { type FailureReason, failureReasonText } from "./FailureReason.ts"
import { type AttemptFacts, notificationRequest, renderBody } from "./NotificationRequest.ts"
import type { PreparedMethod } from "./PreparedMethod.ts"
import { type TransportFailure, type WebhookRequest, WebhookTransport } from "./WebhookTransport.ts"

/** The result of one attempt. */
export interface AttemptResult {
  readonly attempt: Attempt
  readonly outcome: AttemptOutcome
  /** What was sent, with its secrets; absent when nothing was. */
  readonly request?: WebhookRequest
}

/** A fault of the sender; the attempt does not count. */
export type SenderFault = SignerIsUnavailable | TransportFailure

/**
 * Makes the function that sends notifications: it renders, digests, signs and passes the request to the transport.
 *
 * Deliveries and tests of alert methods share it. It succeeds whatever the receiver responds, and fails only with a fault
 * of the sender.
 */
export const makeSendNotification = Effect.gen(function* () {
  const transport = yield* WebhookTransport
  const signer = yield* Signer
  const sha256 = yield* Sha256
  const clock = yield* Clock.Clock
  return (
    prepared: PreparedMethod,
    facts: AttemptFacts,
    values: VariableValues,
  ): Effect.Effect<AttemptResult, SenderFault> =>
    Effect.suspend(() => {
      const number = facts.attempt
      const signedAt = clock.currentTimeMillisUnsafe()
      const body = renderBody(prepared, values)
      if (Result.isFailure(body)) return Effect.succeed(undeliverable(number, signedAt, body.failure))
      const created = Math.floor(signedAt / 1000)
      const signing = Effect.flatMap(signer.current(values.organization), (key) =>
        notificationRequest(prepared, values.organization, body.success, facts, created, key, sha256),
      )
      const startAfter = (waitedMs: number = 0) => signedAt + Math.round(waitedMs)
      const send = (request: WebhookRequest) =>
        Effect.matchEffect(transport.send(request), {
          onSuccess: (response) => {
            const { status, waitedMs, connectMs, headMs, totalMs } = response
            const attempt: Attempt = {
              number,
              startedAt: startAfter(waitedMs),
              durationMs: totalMs,
              ...(connectMs !== undefined && { connectMs }),
              headMs,
              status,
              responseBody: prepared.mask(response.body),
              ...failureOfStatus(status),
            }
            return Effect.succeed({ attempt, outcome: outcomeOfResponse(response), request })
          },
          onFailure: (failure) => {
            if (failure.isInfrastructureFault) return Effect.fail(failure)
            const { reason, detail, waitedMs } = failure
            const startedAt = startAfter(waitedMs)
            const durationMs = clock.currentTimeMillisUnsafe() - startedAt
            const attempt: Attempt = { number, startedAt, durationMs, reason, detail }
            return Effect.succeed({ attempt, outcome: outcomeOfFailure(failure), request })
          },
        })
      return Effect.flatMap(signing, send)
    })
})

/** The result of an attempt that sent nothing because sending it would never help. */
export const undeliverable = (number: number, startedAt: number, reason: FailureReason): AttemptResult => ({
  attempt: { number, startedAt, durationMs: 0, reason, detail: failureReasonText[reason] },
  outcome: { kind: "undeliverable" },
})
