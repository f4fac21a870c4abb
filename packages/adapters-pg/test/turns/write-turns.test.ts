import {
  makeWriteTurns,
  WritesAreTooMany,
  writesWaitingMax,
  writeTurnMs,
} from "../../src/database/WriteTurns.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "@tocsin/testing/vitest"

describe("write transactions", () => {
  it.effect("of one organization wait while another one's run, and go on when they end", () =>
    Effect.gen(function* () {
      const turns = yield* makeWriteTurns(2)
      const gate = yield* Deferred.make<void>()
      const order: Array<string> = []
      const write = (name: string, organization: string) =>
        Effect.forkChild(
          turns.run(
            organization,
            Effect.andThen(
              Effect.sync(() => order.push(name)),
              Deferred.await(gate),
            ),
          ),
          { startImmediately: true },
        )
      const fibers = [
        yield* write("a1", "a"),
        yield* write("a2", "a"),
        yield* write("b1", "b"),
        yield* write("c1", "c"),
      ]
      // One of two turns an organization; c waits behind it, not behind the second of a.
      expect(order).toEqual(["a1", "b1"])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(fibers)
      expect(order).toEqual(["a1", "b1", "c1", "a2"])
    }),
  )

  it.effect("that are interrupted while they wait or run give up their turn", () =>
    Effect.gen(function* () {
      const turns = yield* makeWriteTurns(1)
      const forever = (organization: string) =>
        Effect.forkChild(turns.run(organization, Effect.never), { startImmediately: true })
      const running = yield* forever("a")
      const waiting = yield* forever("b")
      const last = yield* Effect.forkChild(turns.run("c", Effect.succeed("written")), {
        startImmediately: true,
      })
      yield* Fiber.interrupt(waiting)
      expect(last.pollUnsafe()).toBeUndefined()
      yield* Fiber.interrupt(running)
      expect(yield* Fiber.join(last)).toBe("written")
    }),
  )

  it.effect("that fail or die give up their turn", () =>
    Effect.gen(function* () {
      const turns = yield* makeWriteTurns(1)
      expect(Exit.isFailure(yield* Effect.exit(turns.run("a", Effect.fail("no"))))).toBe(true)
      expect(Exit.isFailure(yield* Effect.exit(turns.run("a", Effect.die("never"))))).toBe(true)
      expect(yield* turns.run("a", Effect.succeed("written"))).toBe("written")
    }),
  )

  it.effect("fail when too many of an organization wait, while those of another one still wait", () =>
    Effect.gen(function* () {
      const turns = yield* makeWriteTurns(1)
      const start = <A>(organization: string, write: Effect.Effect<A>) =>
        Effect.forkChild(turns.run(organization, write), { startImmediately: true })
      const running = yield* start("a", Effect.never)
      let written = 0
      const waiting = yield* Effect.forEach(Array.from({ length: writesWaitingMax }), () =>
        start(
          "a",
          Effect.sync(() => void written++),
        ),
      )
      expect(yield* Effect.flip(turns.run("a", Effect.void))).toEqual(
        new WritesAreTooMany({ reason: "full" }),
      )
      const other = yield* start("b", Effect.succeed("written"))
      yield* TestClock.adjust(writeTurnMs - 1)
      expect(written).toBe(0)
      yield* Fiber.interrupt(running)
      expect(yield* Fiber.join(other)).toBe("written")
      yield* Fiber.joinAll(waiting)
      expect(written).toBe(writesWaitingMax)
    }),
  )

  it.effect("that can be run together take one turn, and wait up to the same number", () =>
    Effect.gen(function* () {
      const turns = yield* makeWriteTurns(1)
      const transactions: Array<ReadonlyArray<number>> = []
      const gate = yield* Deferred.make<void>()
      const write = turns.together({
        sizeMax: writesWaitingMax + 1,
        isShared: () => true,
        operation: (turn) => turn,
        transaction: (_, items: ReadonlyArray<number>) =>
          Effect.as(
            Effect.andThen(
              Deferred.await(gate),
              Effect.sync(() => transactions.push(items)),
            ),
            items.map((item) => Exit.succeed(item)),
          ),
      })
      const start = (item: number) => Effect.forkChild(write("a", item), { startImmediately: true })
      const running = yield* start(0)
      yield* Effect.repeat(Effect.yieldNow, { times: 10 })
      const fibers = [
        running,
        ...(yield* Effect.forEach(
          Array.from({ length: writesWaitingMax }, (_, index) => index + 1),
          start,
        )),
      ]
      expect(yield* Effect.flip(write("a", writesWaitingMax + 1))).toEqual(
        new WritesAreTooMany({ reason: "full" }),
      )
      const alone = yield* Effect.forkChild(turns.run("a", Effect.succeed("alone")), {
        startImmediately: true,
      })
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.joinAll(fibers)).toEqual(fibers.map((_, index) => index))
      expect(yield* Fiber.join(alone)).toBe("alone")
      expect(transactions.map(({ length }) => length)).toEqual([1, writesWaitingMax])
    }),
  )

  it.effect("that waited too long are told apart from those that are too many", () =>
    Effect.gen(function* () {
      const turns = yield* makeWriteTurns(1)
      yield* Effect.forkChild(turns.run("a", Effect.never), { startImmediately: true })
      const waiting = yield* Effect.forkChild(Effect.flip(turns.run("b", Effect.die("it ran"))), {
        startImmediately: true,
      })
      yield* TestClock.adjust(writeTurnMs)
      expect(yield* Fiber.join(waiting)).toEqual(new WritesAreTooMany({ reason: "timeout" }))
    }),
  )
})
