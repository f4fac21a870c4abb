import {
  TransportFailure,
  type WebhookRequest,
  type WebhookResponse,
  WebhookTransport,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The response to a recorded request; `n` counts requests from 1. An effect can sleep, as a receiver that hangs does. */
export type RespondTo = (
  request: WebhookRequest,
  n: number,
) => WebhookResponse | TransportFailure | Effect.Effect<WebhookResponse, TransportFailure>

/** A transport that sends nothing, and the requests that it was given, oldest first. */
export interface WebhookTransportRecording {
  /** The port. */
  readonly transport: WebhookTransport["Service"]
  /** The latest 10,000 requests, oldest first. */
  readonly requests: ReadonlyArray<WebhookRequest>
  /** A layer with the port. */
  readonly layer: Layer.Layer<WebhookTransport>
}

/**
 * Makes a transport that records requests and responds with the result of a function; by default with 204.
 *
 * A request is recorded when its effect runs, before the response, so one that is interrupted is recorded too. Only
 * the latest 10,000 requests are kept.
 */
export const make = (respond: RespondTo = () => responseOf(204)): WebhookTransportRecording => {
  const requests: Array<WebhookRequest> = []
  let count = 0
  const transport: WebhookTransport["Service"] = {
    send: (request) =>
      Effect.suspend(() => {
        count += 1
        requests.push(request)
        if (requests.length > requestsKeptMax) requests.shift()
        const response = respond(request, count)
        if (response instanceof TransportFailure) return Effect.fail(response)
        return Effect.isEffect(response) ? response : Effect.succeed(response)
      }),
  }
  return { transport, requests, layer: Layer.succeed(WebhookTransport, transport) }
}

/** A response with a status and a body, which took no time. */
export const responseOf = (status: number, body = ""): WebhookResponse => ({
  status,
  headMs: 0,
  totalMs: 0,
  body,
})

const requestsKeptMax = 10_000
