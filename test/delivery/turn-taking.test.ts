import { Fifo } from "@tocsin/domain/collections/Fifo"
import { TurnTaking } from "@tocsin/adapters-memory/collections/TurnTaking"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("Fifo", () => {
  it("gives back what was put in, in its order, as a list would", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat()), { maxLength: 5000, size: "max" }), (steps) => {
        const fifo = new Fifo<number>()
        const list: Array<number> = []
        for (const step of steps) {
          if (step === null) expect(fifo.shift()).toBe(list.shift())
          else {
            fifo.push(step)
            list.push(step)
          }
          expect(fifo.size).toBe(list.length)
        }
      }),
      { numRuns: 20 },
    )
  })
})

describe("TurnTaking", () => {
  const item = fc.record({ organization: fc.constantFrom("a", "b", "c"), name: fc.nat(5) })
  const items = fc.uniqueArray(item, { selector: ({ organization, name }) => `${organization}${name}` })

  it("gives each item once, and no organization a second turn while another one waits for its first", () => {
    fc.assert(
      fc.property(items, (waiting) => {
        const turns = new TurnTaking<(typeof waiting)[number]>()
        for (const each of waiting) {
          turns.add(each)
          turns.add(each)
        }
        const taken = waiting.map(() => turns.next())
        expect(turns.next()).toBeUndefined()
        expect(turns.isEmpty).toBe(true)
        expect(new Set(taken)).toEqual(new Set(waiting))
        const organizations = taken.map((each) => each?.organization)
        const first = new Set(organizations).size
        expect(new Set(organizations.slice(0, first)).size).toBe(first)
      }),
    )
  })

  it("passes over organizations without room until it resumes, and keeps what they have", () => {
    const turns = new TurnTaking<{ readonly organization: string; readonly name: string }>()
    const [a, b] = [
      { organization: "a", name: "1" },
      { organization: "b", name: "1" },
    ]
    turns.add(a)
    turns.add(b)
    const hasCapacity = (organization: string): boolean => organization !== "a"
    expect([turns.next(hasCapacity), turns.next(hasCapacity), turns.isEmpty]).toEqual([b, undefined, true])
    turns.add(a)
    turns.resume()
    turns.resume()
    expect([turns.isEmpty, turns.next(), turns.next(), turns.isEmpty]).toEqual([false, a, undefined, true])
  })

  it("has items that come back wait for all others", () => {
    const turns = new TurnTaking<{ readonly organization: string; readonly name: string }>()
    const [a1, a2, b1] = [
      { organization: "a", name: "1" },
      { organization: "a", name: "2" },
      { organization: "b", name: "1" },
    ]
    for (const each of [a1, a2, b1]) turns.add(each)
    const taken = Array.from({ length: 6 }, () => {
      const next = turns.next()
      if (next !== undefined) turns.add(next)
      return next
    })
    expect(taken).toEqual([a1, b1, a2, b1, a1, b1])
  })
})
