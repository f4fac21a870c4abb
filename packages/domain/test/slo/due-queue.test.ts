import { DueQueue } from "@tocsin/domain/adapter"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

type Step =
  | { readonly kind: "put"; readonly item: number; readonly dueAt: number }
  | { readonly kind: "remove"; readonly item: number }
  | { readonly kind: "due"; readonly now: number; readonly count: number }

const item = fc.nat(15)
const time = fc.nat(20)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("put" as const), item, dueAt: time }),
  fc.record({ kind: fc.constant("remove" as const), item }),
  fc.record({ kind: fc.constant("due" as const), now: time, count: fc.nat(20) }),
)

describe("a queue of what is due", () => {
  it("returns what a sorted list of everything would, and keeps it", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const items = Array.from({ length: 16 }, (_, number) => ({ number }))
        const queue = new DueQueue<{ readonly number: number }>()
        const model = new Map<number, number>()
        for (const step of steps) {
          if (step.kind === "due") {
            const due = queue.due(step.now, step.count)
            const expected = [...model.values()].filter((dueAt) => dueAt <= step.now).sort((a, b) => a - b)
            // Among items that are due at the same time any order will do.
            expect(due.map(({ number }) => model.get(number))).toEqual(expected.slice(0, step.count))
            expect(new Set(due).size).toBe(due.length)
            continue
          }
          const item = items[step.item]
          if (item === undefined) continue
          if (step.kind === "put") {
            queue.put(item, step.dueAt)
            model.set(step.item, step.dueAt)
          } else {
            queue.remove(item)
            model.delete(step.item)
          }
          expect(items.filter((item) => queue.has(item)).map(({ number }) => number)).toEqual(
            [...model.keys()].sort((a, b) => a - b),
          )
          expect(queue.nextDueAt).toBe(model.size === 0 ? undefined : Math.min(...model.values()))
        }
      }),
    )
  })

  it("has of items that are due at the same time the first one in the order that is given", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ number: fc.nat(), dueAt: fc.nat(3) }), { maxLength: 50 }), (items) => {
        const queue = new DueQueue<(typeof items)[number]>((a, b) => a.number < b.number)
        for (const item of items) queue.put(item, item.dueAt)
        const expected = items.toSorted((a, b) => a.dueAt - b.dueAt || a.number - b.number)
        const numbers = (of: typeof expected) => of.map(({ dueAt, number }) => [dueAt, number])
        expect(numbers([...queue.due(3, 50)])).toEqual(numbers(expected))
        for (const { number } of expected) {
          expect(queue.first?.number).toBe(number)
          if (queue.first !== undefined) queue.remove(queue.first)
        }
      }),
    )
  })
})
