import { createServer } from "node:https"
import type { ServerResponse } from "node:http"
import { connectionsPerOriginMax, connectionWaitersMax } from "../../src/ConnectionSlots.ts"
import { WebhookTransportUndici } from "@tocsin/adapters-egress"
import { TransportFailure, type WebhookTransport } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterEach, beforeEach, describe, expect } from "vitest"
import { it } from "@tocsin/testing/vitest"
import { type Certificates, makeCertificates } from "../../../../test/egress/certificates.ts"
import { listen, type Receiver, requestTo } from "../../../../test/egress/receiver.ts"

/** A host with a path that responds at once, and one that responds when it is told to. */
let receiver: Receiver
let held: Array<ServerResponse>
let certificates: Certificates
beforeEach(async () => {
  certificates = await makeCertificates()
  held = []
  const server = createServer({ ...certificates, keepAliveTimeout: 60_000 }, (request, response) => {
    if (request.url === "/slow") held.push(response)
    else response.writeHead(204).end()
  })
  receiver = await listen(server)
})
afterEach(() => receiver.close())

const withTransport = <A, E>(use: (transport: WebhookTransport["Service"]) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.flatMap(WebhookTransportUndici.make({ allowCidrs: ["127.0.0.0/8"], caPem: certificates.ca }), use),
  )

const toReceiver = (organization: string, path: string) =>
  requestTo(`https://127.0.0.1:${receiver.port}${path}`, organization)

/** Starts requests to the slow path; succeeds when as many as may have arrived. */
const attack = (transport: WebhookTransport["Service"], organization: string, count: number) =>
  Effect.gen(function* () {
    const arrivedBefore = held.length
    const fibers = yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.forkChild(Effect.result(transport.send(toReceiver(organization, "/slow")))),
    )
    const expected = arrivedBefore + Math.min(count, connectionsPerOriginMax)
    while (held.length < expected) yield* Effect.promise(() => new Promise((done) => setTimeout(done, 5)))
    return fibers
  })

const respond = Effect.sync(() => {
  for (const response of held.splice(0)) response.writeHead(204).end()
})

describe("connections shared by organizations", () => {
  it.live("spec/delivery §17: slow paths of a host delay no other organization's notifications to it", () =>
    withTransport((transport) =>
      Effect.gen(function* () {
        const slow = yield* attack(transport, "slow", 2 * connectionsPerOriginMax)
        yield* attack(transport, "slower", connectionsPerOriginMax)
        const responses = yield* Effect.forEach(
          Array.from({ length: 200 }),
          () => transport.send(toReceiver("healthy", "/fast")),
          { concurrency: 5 },
        )
        // None of the slow ones has been answered, so a wait for one of them would never have ended.
        expect(held).toHaveLength(2 * connectionsPerOriginMax)
        expect(responses.every(({ status }) => status === 204)).toBe(true)
        expect(Math.max(...responses.map(({ waitedMs = 0 }) => waitedMs))).toBeLessThan(1_000)
        yield* respond
        while (held.length < connectionsPerOriginMax)
          yield* Effect.promise(() => new Promise((done) => setTimeout(done, 5)))
        yield* respond
        for (const each of yield* Fiber.joinAll(slow)) expect(each).toMatchObject({ _tag: "Success" })
      }),
    ),
  )

  it.live(
    "spec/delivery §17: a request that waits is interrupted at once and frees its place in the queue",
    () =>
      withTransport((transport) =>
        Effect.gen(function* () {
          yield* attack(transport, "slow", connectionsPerOriginMax)
          const waiting = yield* Effect.forEach(Array.from({ length: connectionWaitersMax }), () =>
            Effect.forkChild(transport.send(toReceiver("slow", "/fast"))),
          )
          yield* Effect.yieldNow
          const refused = yield* Effect.flip(transport.send(toReceiver("slow", "/fast")))
          expect(refused).toBeInstanceOf(TransportFailure)
          expect(refused).toMatchObject({ reason: "sender_unavailable", isInfrastructureFault: true })
          yield* Fiber.interruptAll(waiting)
          const next = yield* Effect.forkChild(transport.send(toReceiver("slow", "/fast")))
          yield* Effect.yieldNow
          yield* respond
          expect(yield* Fiber.join(next)).toMatchObject({ status: 204 })
          expect(receiver.sockets).toHaveLength(connectionsPerOriginMax)
        }),
      ),
  )
})
