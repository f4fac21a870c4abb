import { WebhookTransportUndici } from "@tocsin/adapters-egress"
import type { WebhookTransport } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { requestTo } from "../test/egress/receiver.ts"
import { type Comparison, judge } from "./Compare.ts"
import { startContender } from "./ContenderProcess.ts"
import { percentile } from "./QueueLatency.ts"
import type { SlowPathAddress } from "./SlowPathReceiver.ts"
import { amount } from "./Length.ts"

/**
 * How long the requests of one organization to a host take, alone and beside another organization whose path of the same
 * host responds after 14 s, with as many requests in flight as the dispatcher gives one organization.
 *
 * From the call of the transport to the response, waiting for a connection included; a request that fails counts with
 * its time. Rounds alternate.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const receiver = startContender(new URL("./SlowPathReceiver.ts", import.meta.url), "receiver")
  try {
    const address = await receiver.ask<SlowPathAddress>("address")
    const times = await Effect.runPromise(
      Effect.scoped(
        WebhookTransportUndici.make({ allowCidrs: ["127.0.0.0/8", "::1/128"], caPem: address.ca }).pipe(
          Effect.flatMap((transport) => allRounds(transport, address)),
        ),
      ),
    )
    const bounds = [
      { name: `${besideName}, p99`, against: limitName, atLeast: 1 },
      { name: `${besideName}, p99`, against: `${aloneName}, p99`, atLeast: 0.5 },
    ]
    const title = "Requests to a host beside an organization that uses a slow path of it"
    return [{ title, time: "wall", ...judge(times, bounds) }]
  } finally {
    receiver.end()
  }
}

const aloneName = "alone"
const besideName = "beside a slow organization"
const limitName = "1 s"
const rounds = amount(4, 1)
const perSecond = 20
const seconds = amount(15, 1)
const slowInFlight = amount(128, 16)

/** The times of the rounds by what they are, in microseconds. The first round of each is a warm-up. */
const allRounds = (transport: WebhookTransport["Service"], { port }: SlowPathAddress) =>
  Effect.gen(function* () {
    const send = (organization: string, path: string) =>
      Effect.result(transport.send(requestTo(`https://localhost:${port}${path}`, organization)))

    const timed = Effect.gen(function* () {
      const start = performance.now()
      const { _tag } = yield* send("healthy", "/hook")
      if (_tag === "Failure") failures += 1
      return performance.now() - start
    })

    const healthy = Effect.gen(function* () {
      const fibers: Array<Fiber.Fiber<number>> = []
      const start = performance.now()
      for (let n = 0; n < perSecond * seconds; n++) {
        yield* Effect.sleep(Math.max(0, start + (n * 1_000) / perSecond - performance.now()))
        fibers.push(yield* Effect.forkChild(timed))
      }
      return (yield* Fiber.joinAll(fibers)).toSorted((a, b) => a - b)
    })

    const attacked = Effect.gen(function* () {
      const slow = yield* Effect.forEach(Array.from({ length: slowInFlight }), () =>
        Effect.forkChild(Effect.forever(send("slow", "/slow"))),
      )
      yield* Effect.sleep(amount(2_000, 200))
      const measured = yield* healthy
      yield* Fiber.interruptAll(slow)
      yield* Effect.sleep(amount(1_000, 100))
      return measured
    })

    let failures = 0
    const times = new Map<string, Array<number>>([[limitName, []]])
    const record = (name: string, milliseconds: number): void => {
      times.set(name, [...(times.get(name) ?? []), milliseconds * 1_000])
    }
    for (let round = 0; round <= rounds; round++) {
      const inTurn = [
        [aloneName, healthy],
        [besideName, attacked],
      ] as const
      for (const [name, measure] of round % 2 === 0 ? inTurn : inTurn.toReversed()) {
        failures = 0
        const measured = yield* measure
        if (failures > 0) console.log(`${name}: ${failures} of ${measured.length} requests failed`)
        if (round === 0) continue
        record(`${name}, p50`, percentile(measured, 0.5))
        record(`${name}, p99`, percentile(measured, 0.99))
      }
      if (round > 0) record(limitName, 1_000)
    }
    return times
  })
