import {
  type Answer,
  TransportFailure,
  type WebhookRequest,
  WebhookTransport,
} from "@tocsin/domain/notification/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * What a recorded request is answered with; `n` counts requests from 1.
 *
 * An effect can take its time by `Clock`, as a receiver that hangs does.
 */
export type AnswerRequest = (
  request: WebhookRequest,
  n: number,
) => Answer | TransportFailure | Effect.Effect<Answer, TransportFailure>

/** A transport that sends nothing, and what it was given so far, oldest first. */
export interface WebhookTransportRecording {
  readonly transport: WebhookTransport["Service"]
  readonly requests: ReadonlyArray<WebhookRequest>
  /** The transport as a layer; every use of it records into the same `requests`. */
  readonly layer: Layer.Layer<WebhookTransport>
}

/**
 * Makes a transport that records requests and answers them by a function, 204 when none is given.
 *
 * A request is recorded when its effect runs, before it is answered, so one that is interrupted is recorded too. Only
 * the last 10,000 requests are kept.
 */
export const make = (answer: AnswerRequest = () => answerOf(204)): WebhookTransportRecording => {
  const requests: Array<WebhookRequest> = []
  let count = 0
  const transport: WebhookTransport["Service"] = {
    send: (request) =>
      Effect.suspend(() => {
        count += 1
        requests.push(request)
        if (requests.length > requestsKeptMax) requests.shift()
        const given = answer(request, count)
        if (given instanceof TransportFailure) return Effect.fail(given)
        return Effect.isEffect(given) ? given : Effect.succeed(given)
      }),
  }
  return { transport, requests, layer: Layer.succeed(WebhookTransport, transport) }
}

/** An answer of a status, at once, with a body if one matters. */
export const answerOf = (status: number, body = ""): Answer => ({ status, headMs: 0, totalMs: 0, body })

const requestsKeptMax = 10_000
