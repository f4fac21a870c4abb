import { failureReasons } from "@tocsin/domain"
import { responseBodyKeptMaxBytes } from "@tocsin/domain/limits"
import { type WebhookRequest, WebhookTransport } from "@tocsin/domain/ports"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { describe, expect, it } from "./EffectTest.ts"
import { webhookUrlOf } from "./ParsedValues.ts"

/** A request as a receiver gets it. */
export interface ReceivedWebhook {
  /** As it arrived. */
  readonly method: string
  /** Path and query, with their percent-encoding. */
  readonly target: string
  /** The header lines in the order received; names in any letter case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** The whole body. */
  readonly body: Uint8Array
}

/** How a receiver responds: it may also close the connection before it responds, or never respond. */
export type WebhookAnswer =
  | {
      /** 200 to 599. */
      readonly status: number
      /** Header fields of the response. */
      readonly headers?: Readonly<Record<string, string>>
      /** Text of the response. */
      readonly body?: string
    }
  | "closes"
  | "hangs"

/**
 * What every `WebhookTransport` does.
 *
 * `receive` starts a receiver that the transport can reach, for as long as its scope, and gives its URL without a path:
 * `https://127.0.0.1:8443`. It calls the function with each request that has arrived completely, and responds with the result.
 */
export const webhookTransportContract = <E>(
  name: string,
  layer: Layer.Layer<WebhookTransport, E>,
  receive: (
    answer: (received: ReceivedWebhook) => WebhookAnswer,
  ) => Effect.Effect<string, never, Scope.Scope>,
): void => {
  describe(`webhook transport, ${name}`, () => {
    /** Sends to a receiver that responds in one way, and gives what it received too. */
    const receiver = Effect.fnUntraced(function* (answer: (received: ReceivedWebhook) => WebhookAnswer) {
      const received: Array<ReceivedWebhook> = []
      const url = yield* receive((webhook) => {
        received.push(webhook)
        return answer(webhook)
      })
      const { send } = yield* WebhookTransport
      return {
        url,
        received,
        send: (change: Partial<WebhookRequest> = {}) => send({ ...requestTo(url), ...change }),
      }
    })

    it.effect("posts the target, the headers and the body as they are", () =>
      Effect.gen(function* () {
        const { received, send } = yield* receiver(() => ({ status: 204 }))
        const headers = [
          ["Content-Type", "application/json"],
          ["Signature-Input", 'sig1=("@method");created=1;keyid="k"'],
          ["X-Custom_1", "tab\tand  words"],
        ] as const
        const body = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256)
        expect(yield* send({ headers, body })).toMatchObject({ status: 204, body: "" })
        expect(received).toHaveLength(1)
        expect(received[0]).toMatchObject({ method: "POST", target: "/in%2f;a=b?x=1&x=%20" })
        const names = new Set(headers.map(([header]) => header.toLowerCase()))
        const arrived = received[0]?.headers.map(([header, value]) => [header.toLowerCase(), value] as const)
        expect(arrived?.filter(([header]) => names.has(header))).toEqual(
          headers.map(([header, value]) => [header.toLowerCase(), value]),
        )
        expect(Uint8Array.from(received[0]?.body ?? [])).toEqual(body)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("posts an empty body and one of 256 KiB", () =>
      Effect.gen(function* () {
        const { received, send } = yield* receiver(() => ({ status: 200 }))
        for (const size of [0, 256 * 1_024]) yield* send({ body: new Uint8Array(size).fill(0x61) })
        expect(received.map(({ body }) => body.length)).toEqual([0, 256 * 1_024])
      }).pipe(Effect.provide(layer)),
    )

    it.effect.each([200, 204, 302, 400, 404, 429, 500, 503])(
      "succeeds with a response of status %s, after one request",
      (status) =>
        Effect.gen(function* () {
          const { received, send } = yield* receiver(() => ({ status, headers: { location: "/other" } }))
          const response = yield* send()
          expect(response.status).toBe(status)
          expect(response.headMs).toBeGreaterThanOrEqual(0)
          expect(response.totalMs).toBeGreaterThanOrEqual(response.headMs)
          expect(received).toHaveLength(1)
        }).pipe(Effect.provide(layer)),
    )

    it.effect("gives the beginning of the response's body, at most 4 KiB without NUL", () =>
      Effect.gen(function* () {
        let body = "thänks"
        const { send } = yield* receiver(() => ({ status: 200, body }))
        expect((yield* send()).body).toBe("thänks")
        body = `a\u0000b${"ü".repeat(20_000)}`
        const kept = (yield* send()).body
        expect(kept).toMatch(/^a.?bü{1000}/)
        expect(kept).not.toContain("\u0000")
        expect(new TextEncoder().encode(kept).length).toBeLessThanOrEqual(responseBodyKeptMaxBytes)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("reads Retry-After as seconds or a date", () =>
      Effect.gen(function* () {
        let value: string | undefined
        const { send } = yield* receiver(() => ({
          status: 503,
          ...(value !== undefined && { headers: { "retry-after": value } }),
        }))
        const retryAfter = Effect.suspend(() => Effect.map(send(), (response) => response.retryAfterSeconds))
        expect(yield* retryAfter).toBeUndefined()
        // The clock is at the start of 1970.
        for (const [text, seconds] of [
          ["120", 120],
          ["Thu, 01 Jan 1970 00:02:00 GMT", 120],
          ["soon", undefined],
        ] as const) {
          value = text
          expect(yield* retryAfter, text).toBe(seconds)
        }
      }).pipe(Effect.provide(layer)),
    )

    it.effect("fails without a response, after one request, with words that name no address", () =>
      Effect.gen(function* () {
        const { url, received, send } = yield* receiver(() => "closes")
        const failure = yield* Effect.flip(send())
        expect(failure._tag).toBe("TransportFailure")
        expect(failureReasons).toContain(failure.reason)
        expect(failure.detail.length).toBeGreaterThan(10)
        expect(failure.detail).not.toContain(new URL(url).hostname)
        expect(failure).toMatchObject({ isInfrastructureFault: false, isReusedSocketReset: false })
        expect(received).toHaveLength(1)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("stops when it is interrupted, and sends the next request", () =>
      Effect.gen(function* () {
        const arrived = yield* Deferred.make<void>()
        let isHanging = true
        const { received, send } = yield* receiver(() => {
          Deferred.doneUnsafe(arrived, Effect.void)
          return isHanging ? "hangs" : { status: 200 }
        })
        const fiber = yield* Effect.forkChild(send())
        yield* Deferred.await(arrived)
        expect(fiber.pollUnsafe()).toBeUndefined()
        yield* Fiber.interrupt(fiber)
        isHanging = false
        expect(yield* send()).toMatchObject({ status: 200 })
        expect(received).toHaveLength(2)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("gives each of many requests at once its own response, for each organization", () =>
      Effect.gen(function* () {
        const { received, send } = yield* receiver(({ body }) => ({
          status: 200,
          body: new TextDecoder().decode(body),
        }))
        const bodies = Array.from({ length: 40 }, (_, index) => `{"n": ${index}}`)
        const responses = yield* Effect.forEach(
          bodies,
          (body, index) =>
            send({ organization: index % 2 === 0 ? "acme" : "globex", body: new TextEncoder().encode(body) }),
          { concurrency: "unbounded" },
        )
        expect(responses.map(({ body }) => body)).toEqual(bodies)
        expect(received).toHaveLength(40)
      }).pipe(Effect.provide(layer)),
    )
  })
}

const requestTo = (url: string): WebhookRequest => ({
  organization: "acme",
  url: webhookUrlOf(`${url}/in%2f;a=b?x=1&x=%20`),
  headers: [["content-type", "application/json"]],
  body: new TextEncoder().encode("{}"),
})
