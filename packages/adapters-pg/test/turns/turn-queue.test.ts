import { TurnQueue, turnsSavedMax } from "../../src/database/TurnQueue.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

interface Waiter {
  readonly key: string
  readonly number: number
}

/** Takes turns one after the other until `count` are taken or nobody waits; a key of `again` waits again after its turn. */
const takeTurns = (queue: TurnQueue<Waiter>, count: number, again: ReadonlySet<string> = new Set()) => {
  const taken: Array<string> = []
  for (let number = 0; number < count; number++) {
    const next = queue.next()
    if (next === undefined) break
    taken.push(next.key)
    queue.end(next.key)
    if (again.has(next.key)) queue.add(next.key, { key: next.key, number })
  }
  return taken
}

const add = (queue: TurnQueue<Waiter>, key: string, count = 1) => {
  for (let number = 0; number < count; number++) queue.add(key, { key, number })
}

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `neighbor-${index}`)

describe("turns", () => {
  it("spec/rate-limits §10: alternate between one that waits with many and one that waits with few", () => {
    const queue = new TurnQueue<Waiter>(1)
    add(queue, "many", 100)
    add(queue, "few", 3)
    expect(takeTurns(queue, 7)).toEqual(["many", "few", "many", "few", "many", "few", "many"])
    expect(queue.waiting).toBe(96)
  })

  it("that are of several requests cost as many: others get the same number of requests", () => {
    const queue = new TurnQueue<Waiter>(1)
    for (let number = 0; number < 2; number++) queue.add("many", { key: "many", number }, 5)
    add(queue, "few", 8)
    expect(takeTurns(queue, 8).join(" ")).toBe("many few few few few few many few")
  })

  it("go around all that always wait, one turn a round", () => {
    const queue = new TurnQueue<Waiter>(1)
    const keys = keysOf(64)
    for (const key of keys) add(queue, key)
    const taken = takeTurns(queue, 64 * 5, new Set(keys))
    for (let round = 0; round < 5; round++)
      expect(new Set(taken.slice(round * 64, round * 64 + 64)).size).toBe(64)
  })

  it("come next to one that has had none for a while, before 64 that take one all the time", () => {
    const queue = new TurnQueue<Waiter>(1)
    const neighbors = new Set(keysOf(64))
    for (const key of neighbors) add(queue, key)
    takeTurns(queue, 64 * 20 + 7, neighbors)
    add(queue, "healthy", 5)
    expect(takeTurns(queue, 6, neighbors).slice(0, 5)).toEqual(Array.from({ length: 5 }, () => "healthy"))
  })

  it("are saved up to a limit: then the one with a backlog takes its turn like the others", () => {
    const queue = new TurnQueue<Waiter>(1)
    const neighbors = new Set(keysOf(8))
    for (const key of neighbors) add(queue, key)
    takeTurns(queue, 8 * 1_000, neighbors)
    add(queue, "burst", 1_000)
    const taken = takeTurns(queue, turnsSavedMax + 8 * 10, neighbors)
    const ofBurst = taken.filter((key) => key === "burst").length
    expect(ofBurst).toBeGreaterThanOrEqual(turnsSavedMax)
    expect(ofBurst).toBeLessThanOrEqual(turnsSavedMax + 11)
    for (const key of neighbors) expect(taken.filter((each) => each === key).length).toBeGreaterThanOrEqual(7)
  })

  it("are not saved before there was anything to wait for", () => {
    const queue = new TurnQueue<Waiter>(1)
    const neighbors = new Set(keysOf(8))
    for (const key of neighbors) add(queue, key)
    add(queue, "burst", 1_000)
    const taken = takeTurns(queue, 9 * 10, neighbors)
    expect(taken.filter((key) => key === "burst").length).toBe(10)
    takeTurns(queue, 2_000)
    expect(queue.waiting).toBe(0)
    // As if nothing had been.
    add(queue, "burst", 10)
    add(queue, "other", 2)
    expect(takeTurns(queue, 3)).toEqual(["burst", "other", "burst"])
  })

  it("of one key do not exceed its part, and leave the others to the next keys", () => {
    const queue = new TurnQueue<Waiter>(4, 2)
    add(queue, "blocked", 10)
    expect([queue.next()?.key, queue.next()?.key, queue.next()?.key]).toEqual([
      "blocked",
      "blocked",
      undefined,
    ])
    add(queue, "other")
    expect(queue.next()?.key).toBe("other")
    queue.end("blocked")
    expect(queue.next()?.key).toBe("blocked")
  })

  it("skip whoever no longer waits", () => {
    const queue = new TurnQueue<Waiter>(1)
    const gone = { key: "a", number: 0 }
    queue.add("a", gone)
    add(queue, "b")
    expect(queue.remove("a", gone)).toBe(true)
    expect(queue.remove("a", gone)).toBe(false)
    expect(takeTurns(queue, 2)).toEqual(["b"])
  })

  it("are never withheld while one is free, keep to both limits, and are in order within a key", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), key: fc.nat(5) }),
      fc.record({ kind: fc.constant("leave" as const), at: fc.nat(20) }),
      fc.record({ kind: fc.constant("next" as const) }),
      fc.record({ kind: fc.constant("end" as const), at: fc.nat(20) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.nat(3), fc.nat(3), (steps, total, ofKey) => {
        const [runningMax, runningMaxOfKey] = [total + 1, ofKey + 1]
        const queue = new TurnQueue<Waiter>(runningMax, runningMaxOfKey)
        const running: Array<Waiter> = []
        let waiting: Array<Waiter> = []
        let number = 0
        const runningOf = (key: string) => running.filter((each) => each.key === key).length
        for (const each of steps) {
          if (each.kind === "add") {
            const waiter = { key: `k${each.key}`, number: number++ }
            queue.add(waiter.key, waiter)
            waiting.push(waiter)
          } else if (each.kind === "leave") {
            const waiter = waiting[each.at]
            if (waiter === undefined) continue
            expect(queue.remove(waiter.key, waiter)).toBe(true)
            waiting = waiting.filter((other) => other !== waiter)
          } else if (each.kind === "end") {
            const [waiter] = running.splice(each.at, 1)
            if (waiter !== undefined) queue.end(waiter.key)
          } else {
            const next = queue.next()
            const mayRun = waiting.filter(({ key }) => runningOf(key) < runningMaxOfKey)
            if (next === undefined) {
              expect(running.length === runningMax || mayRun.length === 0).toBe(true)
              continue
            }
            expect(running.length).toBeLessThan(runningMax)
            expect(mayRun.find(({ key }) => key === next.key)).toBe(next)
            running.push(next)
            waiting = waiting.filter((other) => other !== next)
          }
          expect(queue.waiting).toBe(waiting.length)
        }
      }),
    )
  })
})
