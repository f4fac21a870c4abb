import * as Result from "effect/Result"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Sha256 } from "../signature/Sha256.ts"
import { Signer, type SignerIsUnavailable } from "../signature/Signer.ts"
import type { VariableValues } from "../template/Variable.ts"
import { type Attempt, type AttemptOutcome, outcomeOfResponse, failureToOutcome } from "./Attempt.ts"
import { type FailureReason, failureReasonText } from "./FailureReason.ts"
import { type AttemptFacts, notificationRequest, renderBody } from "./NotificationRequest.ts"
import type { PreparedMethod } from "./PreparedMethod.ts"
import {
  type Answer,
  failureResponse,
  type TransportFailure,
  type WebhookRequest,
  WebhookTransport,
} from "./WebhookTransport.ts"

/** What came of one attempt. */
export interface AttemptResult {
  readonly attempt: Attempt
  readonly outcome: AttemptOutcome
  /** What was sent, with its secrets; absent when there was nothing to send. */
  readonly request?: WebhookRequest
}

/** Our own side could not make the attempt; it does not count. Source: spec/delivery §5. */
export type SenderFault = SignerIsUnavailable | TransportFailure

/** Sends one notification once. */
export type SendNotification = (
  prepared: PreparedMethod,
  facts: AttemptFacts,
  values: VariableValues,
) => Effect.Effect<AttemptResult, SenderFault>

/**
 * Makes the function that sends notifications: it renders, digests, signs and passes the request to the transport.
 *
 * Deliveries and tests of an alert method share it. It succeeds whatever the receiver responds, and fails only with a
 * fault of the sender.
 *
 * Source: spec/signatures §1, spec/signatures §9.
 */
export const makeSendNotification: Effect.Effect<
  SendNotification,
  never,
  Signer | Sha256 | WebhookTransport
> = Effect.gen(function* () {
  const transport = yield* WebhookTransport
  const signer = yield* Signer
  const sha256 = yield* Sha256
  const clock = yield* Clock.Clock
  return (prepared, facts, values) =>
    Effect.suspend(() => {
      const startedAt = clock.currentTimeMillisUnsafe()
      const body = renderBody(prepared, values)
      if (Result.isFailure(body)) return Effect.succeed(unsent(facts.attempt, startedAt, body.failure))
      return Effect.flatMap(signer.current, (key) => {
        const created = Math.floor(startedAt / 1000)
        const request = notificationRequest(prepared, body.success, facts, created, key, sha256)
        return Effect.matchEffect(transport.send(request), {
          onSuccess: (answer) => {
            const shown = { ...answer, body: prepared.mask(answer.body) }
            return Effect.succeed(answered(facts.attempt, startedAt, request, shown))
          },
          onFailure: (failure) => {
            if (failure.isInfrastructureFault) return Effect.fail(failure)
            const endedAt = clock.currentTimeMillisUnsafe()
            return Effect.succeed(unanswered(facts.attempt, startedAt, endedAt, request, failure))
          },
        })
      })
    })
})

/** The result of an attempt of which nothing could be sent. Source: spec/delivery §9. */
export const unsent = (number: number, startedAt: number, reason: FailureReason): AttemptResult => ({
  attempt: { number, startedAt, durationMs: 0, reason, detail: failureReasonText(reason) },
  outcome: { kind: "undeliverable" },
})

const answered = (
  number: number,
  startedAt: number,
  request: WebhookRequest,
  answer: Answer,
): AttemptResult => ({
  attempt: {
    number,
    startedAt,
    durationMs: answer.totalMs,
    ...(answer.connectMs === undefined ? {} : { connectMs: answer.connectMs }),
    headMs: answer.headMs,
    status: answer.status,
    answer: answer.body,
    ...failureResponse(answer),
  },
  outcome: outcomeOfResponse(answer),
  request,
})

const unanswered = (
  number: number,
  startedAt: number,
  endedAt: number,
  request: WebhookRequest,
  failure: TransportFailure,
): AttemptResult => ({
  attempt: {
    number,
    startedAt,
    durationMs: endedAt - startedAt,
    reason: failure.reason,
    detail: failure.detail,
  },
  outcome: failureToOutcome(failure),
  request,
})
