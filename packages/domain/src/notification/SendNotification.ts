import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { writeContentDigest } from "../signature/ContentDigest.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { Signer } from "../signature/SignRequest.ts"
import type { VariableValues } from "../template/Variable.ts"
import {
  type Attempt,
  type AttemptOutcome,
  failureOfStatus,
  outcomeOfFailure,
  outcomeOfResponse,
  type SentFacts,
} from "./Attempt.ts"
import { type FailureReason, failureReasonText } from "./FailureReason.ts"
import { makeFreshSeconds } from "./FreshSeconds.ts"
import {
  type AttemptFacts,
  notificationRequest,
  type PreparedMethod,
  renderBody,
} from "./NotificationRequest.ts"
import {
  type ConnectTimings,
  type TransportFailure,
  type WebhookRequest,
  WebhookTransport,
} from "./WebhookTransport.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** The result of one attempt. */
export interface AttemptResult {
  readonly attempt: Attempt
  readonly outcome: AttemptOutcome
  /** What was sent, with its secrets; absent when nothing was. */
  readonly request?: WebhookRequest
}

/** A fault of the sender; the attempt does not count. */
export type SenderFault = StoreIsUnavailable | TransportFailure

/**
 * Makes the function that sends notifications: it renders, digests, signs and passes the request to the transport.
 *
 * It waits for the next second if the same request was signed in the present one (`makeFreshSeconds`), among those that it
 * sends itself.
 *
 * Deliveries and tests of alert methods share it. It succeeds whatever the receiver responds, and fails only with a fault
 * of the sender.
 */
export const makeSendNotification = Effect.gen(function* () {
  const transport = yield* WebhookTransport
  const signer = yield* Signer
  const sha256 = yield* Sha256
  const clock = yield* Clock.Clock
  const freshSecond = makeFreshSeconds()
  return (
    prepared: PreparedMethod,
    facts: AttemptFacts,
    values: VariableValues,
  ): Effect.Effect<AttemptResult, SenderFault> =>
    Effect.suspend(() => {
      const number = facts.attempt
      const { organization } = values
      const body = renderBody(prepared, values)
      if (Result.isFailure(body)) {
        return Effect.succeed(undeliverable(number, clock.currentTimeMillisUnsafe(), body.failure))
      }
      const digested = {
        body: body.success,
        contentDigest: writeContentDigest(body.success, sha256.sha256Base64),
      }
      const send = (request: WebhookRequest, signedAt: number, sent: SentFacts) => {
        const startAfter = (waitedMs: number = 0) => signedAt + Math.round(waitedMs)
        return Effect.matchEffect(transport.send(request), {
          onSuccess: (response) => {
            const { status, waitedMs, connectMs, headMs, totalMs, headers } = response
            const attempt: Attempt = {
              number,
              startedAt: startAfter(waitedMs),
              durationMs: totalMs,
              ...(connectMs !== undefined && { connectMs }),
              ...timingsOf(response),
              headMs,
              status,
              ...(headers !== undefined && {
                responseHeaders: headers.map(([name, value]) => ({ name, value: prepared.mask(value) })),
              }),
              responseBody: prepared.mask(response.body),
              sent,
              ...failureOfStatus(status),
            }
            return Effect.succeed({ attempt, outcome: outcomeOfResponse(response), request })
          },
          onFailure: (failure) => {
            if (failure.isInfrastructureFault) return Effect.fail(failure)
            const { reason, detail, waitedMs, timings = {} } = failure
            const startedAt = startAfter(waitedMs)
            const durationMs = clock.currentTimeMillisUnsafe() - startedAt
            const attempt: Attempt = {
              number,
              startedAt,
              durationMs,
              ...timingsOf(timings),
              reason,
              detail,
              sent,
            }
            return Effect.succeed({ attempt, outcome: outcomeOfFailure(failure), request })
          },
        })
      }
      return Effect.flatMap(signer.current(organization), (key) => {
        const now = clock.currentTimeMillisUnsafe()
        const { authority, path } = prepared.url
        const created = freshSecond(
          `${key.keyId} ${authority}${path} ${digested.contentDigest}`,
          Math.floor(now / 1_000),
        )
        const signedAt = Math.max(now, created * 1_000)
        const sent: SentFacts = {
          created,
          keyId: key.keyId,
          contentDigest: digested.contentDigest,
          bodyBytes: digested.body.length,
          ...(facts.traceparent !== undefined && { traceparent: facts.traceparent }),
        }
        const request = notificationRequest(prepared, organization, digested, facts, created, key)
        const sending = send(request, signedAt, sent)
        return signedAt === now ? sending : Effect.delay(sending, signedAt - now)
      })
    })
})

const timingsOf = ({ lookupMs, tcpMs, tlsMs }: ConnectTimings): ConnectTimings => ({
  ...(lookupMs !== undefined && { lookupMs }),
  ...(tcpMs !== undefined && { tcpMs }),
  ...(tlsMs !== undefined && { tlsMs }),
})

/** The result of an attempt that sent nothing because sending it would never help. */
export const undeliverable = (number: number, startedAt: number, reason: FailureReason): AttemptResult => ({
  attempt: { number, startedAt, durationMs: 0, reason, detail: failureReasonText[reason] },
  outcome: { kind: "undeliverable" },
})
