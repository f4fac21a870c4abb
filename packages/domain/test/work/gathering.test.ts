import { makeGathering } from "../../src/work/Gathering.ts"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "@tocsin/testing/vitest"

/** A gathering whose groups wait for a gate each; `groups` are those that have begun. */
const gated = (sizeMax = 100) => {
  const groups: Array<{
    readonly key: string
    readonly items: ReadonlyArray<string>
    readonly gate: Deferred.Deferred<void, string>
    isInterrupted: boolean
  }> = []
  const submit = makeGathering<string, string, string>({
    sizeMax,
    sizeOf: (item) => item.length,
    isShared: (error) => error === "away",
    subjectsOf: (item) => item,
    waiting: { max: 3, full: Effect.fail("full"), maxMs: 1_000, late: Effect.fail("late") },
    running: { maxMs: () => 20_000, late: Effect.fail("too long") },
    run: (key, items) => {
      const group = { key, items, gate: Deferred.makeUnsafe<void, string>(), isInterrupted: false }
      groups.push(group)
      return Deferred.await(group.gate).pipe(
        Effect.as(items.map((item) => (item === "bad" ? Exit.fail("is bad") : Exit.succeed(`did ${item}`)))),
        Effect.onInterrupt(() => Effect.sync(() => (group.isInterrupted = true))),
      )
    },
  })
  return { groups, submit, begun: () => groups.map(({ key, items }) => [key, ...items].join(" ")) }
}

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forkChild(effect, { startImmediately: true })

/** Lets all fibers go on, so that what can begin has begun. */
const settled = Effect.repeat(Effect.yieldNow, { times: 10 })

const open = (group: { readonly gate: Deferred.Deferred<void, string> } | undefined, error?: string) =>
  Effect.sync(() => {
    if (group === undefined) throw new Error("the group has not begun")
    Deferred.doneUnsafe(group.gate, error === undefined ? Effect.void : Effect.fail(error))
  })

describe("a gathering", () => {
  it.effect("handles what arrives while a group is handled as the next group, and other keys beside it", () =>
    Effect.gen(function* () {
      const { groups, submit, begun } = gated()
      const first = yield* start(submit("a", "x"))
      yield* settled
      const others = [
        yield* start(submit("a", "y")),
        yield* start(submit("a", "bad")),
        yield* start(submit("a", "z")),
      ]
      const foreign = yield* start(submit("b", "x"))
      yield* settled
      expect(begun()).toEqual(["a x", "b x"])
      yield* open(groups[0])
      expect(yield* Fiber.join(first)).toBe("did x")
      yield* settled
      expect(begun()).toEqual(["a x", "b x", "a y bad z"])
      yield* open(groups[2])
      expect(yield* Effect.forEach(others, (other) => Effect.exit(Fiber.join(other)))).toEqual([
        Exit.succeed("did y"),
        Exit.fail("is bad"),
        Exit.succeed("did z"),
      ])
      yield* open(groups[1])
      yield* Fiber.join(foreign)
      // A key without items is forgotten, and begins at once.
      const last = yield* start(submit("a", "x"))
      yield* settled
      expect(begun()).toHaveLength(4)
      yield* open(groups[3])
      yield* Fiber.join(last)
    }),
  )

  it.effect("begins a group without waiting for a turn of the event loop", () =>
    Effect.gen(function* () {
      const { groups, submit, begun } = gated()
      let hasTurned = false
      setImmediate(() => (hasTurned = true))
      const first = yield* start(submit("a", "x"))
      yield* Effect.promise(() => Promise.resolve())
      expect(begun()).toEqual(["a x"])
      const others = [yield* start(submit("a", "y")), yield* start(submit("a", "z"))]
      yield* open(groups[0])
      yield* Fiber.join(first)
      yield* Effect.promise(() => Promise.resolve())
      expect(begun()).toEqual(["a x", "a y z"])
      expect(hasTurned).toBe(false)
      yield* open(groups[1])
      yield* Fiber.joinAll(others)
    }),
  )

  it.effect("handles together what those submit next to whom the results of a group are handed out", () =>
    Effect.gen(function* () {
      const first = gated()
      const second = gated()
      const both = (item: string) => Effect.andThen(first.submit("a", item), second.submit("a", item))
      const fibers = yield* Effect.forEach(["x", "y", "z"], (item) => start(both(item)))
      yield* settled
      yield* open(first.groups[0])
      yield* settled
      expect([first.begun(), second.begun()]).toEqual([["a x y z"], ["a x y z"]])
      yield* open(second.groups[0])
      yield* Fiber.joinAll(fibers)
    }),
  )

  it.effect("leaves the event loop to others between groups that wait for nothing", () =>
    Effect.gen(function* () {
      let handled = 0
      const submit = makeGathering<number, number, never>({
        sizeMax: 1,
        isShared: () => true,
        run: (_, items) => {
          handled += items.length
          return Effect.succeed(items.map(Exit.succeed))
        },
      })
      let handledBefore: number | undefined
      setImmediate(() => (handledBefore = handled))
      const all = Array.from({ length: 100 }, (_, index) => index)
      expect(yield* Effect.forEach(all, (item) => submit("a", item), { concurrency: "unbounded" })).toEqual(
        all,
      )
      expect(handledBefore).toBeLessThan(3)
    }),
  )

  it.effect("fails an item whose size or subjects cannot be found out, and no other one", () =>
    Effect.gen(function* () {
      const throwFor = (wrong: string, item: string) => {
        if (item === wrong) throw new Error(`no ${item}`)
      }
      const submit = makeGathering<string, string, never>({
        sizeMax: 100,
        isShared: () => true,
        sizeOf: (item) => {
          throwFor("size", item)
          return 1
        },
        subjectsOf: (item) => {
          throwFor("subjects", item)
          return [item]
        },
        run: (_, items) => Effect.succeed(items.map(Exit.succeed)),
      })
      const exits = yield* Effect.forEach(
        ["size", "x", "subjects", "y", "size"],
        (item) => Effect.exit(submit("a", item)),
        { concurrency: "unbounded" },
      )
      expect(exits).toEqual([
        Exit.die(new Error("no size")),
        Exit.succeed("x"),
        Exit.die(new Error("no subjects")),
        Exit.succeed("y"),
        Exit.die(new Error("no size")),
      ])
      expect(yield* submit("a", "z")).toBe("z")
    }),
  )

  it.effect("leaves what has a subject of one that is left before it, too", () =>
    Effect.gen(function* () {
      const { groups, submit, begun } = gated()
      const running = yield* start(submit("a", "x"))
      yield* settled
      const waiting = yield* Effect.forEach(["p", "pq", "q"], (item) => start(submit("a", item)))
      for (const index of [0, 1, 2, 3]) {
        yield* open(groups[index])
        yield* settled
      }
      yield* Fiber.joinAll([running, ...waiting])
      expect(begun()).toEqual(["a x", "a p", "a pq", "a q"])
    }),
  )

  it.effect("leaves what is too large or about the same for a later group, in order", () =>
    Effect.gen(function* () {
      const { groups, submit, begun } = gated(4)
      const running = yield* start(submit("a", "x"))
      yield* settled
      const waiting = [
        yield* start(submit("a", "12345")),
        yield* start(submit("a", "y")),
        yield* start(submit("a", "y")),
      ]
      expect(yield* Effect.exit(submit("a", "z"))).toEqual(Exit.fail("full"))
      for (const index of [0, 1, 2, 3]) {
        yield* open(groups[index])
        yield* settled
      }
      yield* Fiber.joinAll([running, ...waiting])
      expect(begun()).toEqual(["a x", "a 12345", "a y", "a y"])
    }),
  )

  it.effect("handles the halves of a group that fails, so that only the items that fail do", () =>
    Effect.gen(function* () {
      const runs: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const submit = makeGathering<string, string, string>({
        sizeMax: 100,
        isShared: () => false,
        run: (_, items) =>
          Effect.andThen(
            items.includes("first") ? Deferred.await(gate) : Effect.void,
            Effect.suspend(() => {
              runs.push(items.join(" "))
              if (items.includes("fails")) return Effect.fail("failed")
              if (items.includes("dies")) return Effect.die("died")
              return Effect.succeed(items.map((item) => Exit.succeed(item)))
            }),
          ),
      })
      const first = yield* start(submit("a", "first"))
      yield* settled
      const items = ["1", "fails", "2", "dies"]
      const fibers = yield* Effect.forEach(items, (item) => start(submit("a", item)))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      expect(yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))).toEqual([
        Exit.succeed("1"),
        Exit.fail("failed"),
        Exit.succeed("2"),
        Exit.die("died"),
      ])
      expect(runs.slice(0, 3)).toEqual(["first", "1 fails 2 dies", "1 fails"])
    }),
  )

  it.effect("shares a failure of the store: nothing is handled again", () =>
    Effect.gen(function* () {
      const { groups, submit, begun } = gated()
      const first = yield* start(submit("a", "x"))
      yield* settled
      const others = [yield* start(submit("a", "y")), yield* start(submit("a", "z"))]
      yield* open(groups[0])
      yield* Fiber.join(first)
      yield* settled
      yield* open(groups[1], "away")
      expect(yield* Effect.forEach(others, (other) => Fiber.await(other))).toEqual([
        Exit.fail("away"),
        Exit.fail("away"),
      ])
      expect(begun()).toEqual(["a x", "a y z"])
    }),
  )

  it.effect("goes on when some who submitted are interrupted, and stops when all are", () =>
    Effect.gen(function* () {
      const { groups, submit, begun } = gated()
      const first = yield* start(submit("a", "x"))
      yield* settled
      const [y, z, waiting] = [
        yield* start(submit("a", "y")),
        yield* start(submit("a", "z")),
        yield* start(submit("a", "w")),
      ]
      yield* Fiber.interrupt(waiting)
      yield* open(groups[0])
      yield* Fiber.join(first)
      yield* settled
      expect(begun()).toEqual(["a x", "a y z"])
      // The group has the context of `y`, but does not end with it.
      yield* Fiber.interrupt(y)
      expect(groups[1]?.isInterrupted).toBe(false)
      const last = yield* start(submit("a", "v"))
      yield* Fiber.interrupt(z)
      expect(groups[1]?.isInterrupted).toBe(true)
      yield* settled
      yield* open(groups[2])
      expect(yield* Fiber.join(last)).toBe("did v")
    }),
  )

  it.effect("handles what is submitted in the same moment together, and nothing that was given up then", () =>
    Effect.gen(function* () {
      const { groups, submit, begun } = gated()
      const givenUp = yield* start(submit("a", "x"))
      const fibers = [yield* start(submit("a", "y")), yield* start(submit("a", "z"))]
      yield* Fiber.interrupt(givenUp)
      yield* settled
      expect(begun()).toEqual(["a y z"])
      yield* open(groups[0])
      yield* Fiber.joinAll(fibers)
      yield* Fiber.interrupt(yield* start(submit("a", "x")))
      yield* settled
      expect(begun()).toEqual(["a y z"])
    }),
  )

  it.effect("waits for its group for a bounded time, and then for its result as long as it takes", () =>
    Effect.gen(function* () {
      const { groups, submit, begun } = gated()
      const hanging = yield* start(submit("a", "x"))
      yield* settled
      const late = yield* start(Effect.flip(submit("a", "y")))
      yield* TestClock.adjust(500)
      const waiting = yield* start(submit("a", "z"))
      yield* TestClock.adjust(500)
      expect(yield* Fiber.join(late)).toBe("late")
      yield* open(groups[0])
      expect(yield* Fiber.join(hanging)).toBe("did x")
      yield* settled
      expect(begun()).toEqual(["a x", "a z"])
      yield* TestClock.adjust(10_000)
      yield* open(groups[1])
      expect(yield* Fiber.join(waiting)).toBe("did z")
    }),
  )

  it.effect("waits as long for a group that has been handled for a while", () =>
    Effect.gen(function* () {
      const { submit, begun } = gated()
      const hanging = yield* start(Effect.flip(submit("a", "x")))
      yield* settled
      yield* TestClock.adjust(10_300)
      const late = yield* start(Effect.flip(submit("a", "y")))
      yield* settled
      yield* TestClock.adjust(999)
      expect(late.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(late)).toBe("late")
      yield* TestClock.adjust(8_700)
      expect(yield* Fiber.join(hanging)).toBe("too long")
      expect(begun()).toEqual(["a x"])
    }),
  )

  it.effect("gives up a group that takes too long, and goes on with the next one", () =>
    Effect.gen(function* () {
      const { groups, submit, begun } = gated()
      const hanging = yield* start(Effect.flip(submit("a", "x")))
      yield* settled
      yield* TestClock.adjust(19_500)
      const waiting = yield* start(submit("a", "y"))
      yield* settled
      expect(groups[0]?.isInterrupted).toBe(false)
      yield* TestClock.adjust(500)
      expect(yield* Fiber.join(hanging)).toBe("too long")
      yield* settled
      expect(groups[0]?.isInterrupted).toBe(true)
      expect(begun()).toEqual(["a x", "a y"])
      yield* TestClock.adjust(19_999)
      yield* open(groups[1])
      expect(yield* Fiber.join(waiting)).toBe("did y")
    }),
  )

  it.effect("runs a group in the context of its first item", () =>
    Effect.gen(function* () {
      const Name = Context.Reference<string>("test/Name", { defaultValue: () => "nobody" })
      const submit = makeGathering<string, string, never>({
        sizeMax: 100,
        isShared: () => true,
        run: (_, items) => Effect.map(Name, (name) => items.map((item) => Exit.succeed(`${name} ${item}`))),
      })
      expect(yield* Effect.provideService(submit("a", "x"), Name, "first")).toBe("first x")
    }),
  )
})
