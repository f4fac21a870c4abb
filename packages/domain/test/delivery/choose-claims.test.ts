import { chooseClaims, type ClaimLimits, type Contender } from "../../src/delivery/ChooseClaims.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { percentile, simulateWaits } from "./DeliverySimulation.ts"

interface Sender {
  readonly inFlight: number
  readonly meanInFlight: number
  readonly due: number
}

const sender: fc.Arbitrary<Sender> = fc.record({
  inFlight: fc.nat(60),
  meanInFlight: fc.double({ min: 0, max: 120, noNaN: true }),
  due: fc.nat(300),
})

const situation = fc
  .record({ senders: fc.array(sender, { maxLength: 12 }), capacity: fc.integer({ min: 8, max: 512 }) })
  .map(({ senders, capacity }) => ({ senders, capacity, limit: capacity }))

/** Who was chosen, by index. */
const choose = (
  senders: ReadonlyArray<Sender>,
  given: Partial<ClaimLimits> & Pick<ClaimLimits, "capacity">,
) => {
  const contenders = senders.map((each, index): Contender<number> => ({
    ...each,
    due: Array.from({ length: each.due }, () => index).values(),
  }))
  const inFlight = senders.reduce((sum, each) => sum + each.inFlight, 0)
  return chooseClaims(
    { inFlight, active: senders.length, newcomers: 0, limit: given.capacity, ...given },
    contenders,
  )
}

const inFlightOf = (senders: ReadonlyArray<Sender>): number =>
  senders.reduce((sum, { inFlight }) => sum + inFlight, 0)

const after = (senders: ReadonlyArray<Sender>, chosen: ReadonlyArray<number>): ReadonlyArray<Sender> =>
  senders.map((each, index) => {
    const started = chosen.filter((of) => of === index).length
    return { ...each, inFlight: each.inFlight + started, due: each.due - started }
  })

const newcomer: Sender = { inFlight: 0, meanInFlight: 0, due: 1 }

describe("which deliveries start", () => {
  it("never more than the capacity, the limit, or what is due", () => {
    fc.assert(
      fc.property(situation, fc.nat(300), ({ senders, capacity }, limit) => {
        const chosen = choose(senders, { capacity, limit })
        expect(chosen.length).toBeLessThanOrEqual(limit)
        expect(chosen.length).toBeLessThanOrEqual(Math.max(0, capacity - inFlightOf(senders)))
        for (const { due } of after(senders, chosen)) expect(due).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it("one of each organization that holds nothing beyond the capacity, and nothing else", () => {
    fc.assert(
      fc.property(situation, fc.nat(100), ({ senders, capacity }, newcomers) => {
        const chosen = choose(senders, { capacity, newcomers, limit: 1_000 })
        const ended = after(senders, chosen)
        expect(inFlightOf(ended)).toBeLessThanOrEqual(Math.max(inFlightOf(senders), capacity + newcomers))
        const within = after(senders, choose(senders, { capacity, limit: 1_000 }))
        for (const [index, { inFlight }] of ended.entries()) {
          if (inFlight > 1) expect(inFlight).toBeLessThanOrEqual(Math.max(within[index]?.inFlight ?? 0, 1))
        }
      }),
    )
  })

  it("of an organization that sends little, although many with slow receivers came before it", () => {
    const limits = { capacity: 256, newcomers: 128 }
    let senders: ReadonlyArray<Sender> = []
    for (let count = 0; count < 128; count++) {
      senders = [...senders, { ...newcomer, due: 3_000 }]
      senders = after(senders, choose(senders, limits))
    }
    expect(inFlightOf(senders)).toBeGreaterThan(256)
    expect(choose([...senders, newcomer], limits)).toEqual([128])
  })

  it("everything that may: a second choice at the same moment finds nothing", () => {
    fc.assert(
      fc.property(situation, ({ senders: any, capacity }) => {
        // Those that hold the same take turns, and one choice at a time cannot know whose turn it is.
        const senders = any.map((each, index) => ({
          ...each,
          meanInFlight: each.meanInFlight + (index + 1) / 1_000,
        }))
        const chosen = choose(senders, { capacity })
        expect(choose(after(senders, chosen), { capacity })).toEqual([])
        // One at a time, it is the same.
        let left: ReadonlyArray<Sender> = senders
        const inTurn: Array<number> = []
        for (;;) {
          const [next] = choose(left, { capacity, limit: 1 })
          if (next === undefined) break
          inTurn.push(next)
          left = after(left, [next])
        }
        expect(
          after(senders, inTurn)
            .map(({ inFlight }) => inFlight)
            .toSorted(),
        ).toEqual(
          after(senders, chosen)
            .map(({ inFlight }) => inFlight)
            .toSorted(),
        )
      }),
    )
  })

  it("of an organization with nothing in flight whenever there is capacity, before those of all others", () => {
    fc.assert(
      fc.property(situation, ({ senders, capacity }) => {
        const all = [...senders, newcomer]
        const isFull = inFlightOf(senders) >= capacity
        const chosen = choose(all, { capacity })
        expect(chosen.includes(senders.length)).toBe(!isFull)
      }),
    )
  })

  it("of organizations, so that none starts while another that holds less waits", () => {
    fc.assert(
      fc.property(situation, ({ senders, capacity }) => {
        const held = ({ inFlight, meanInFlight }: Sender): number => Math.max(inFlight, meanInFlight)
        const chosen = choose(senders, { capacity })
        const ended = after(senders, chosen)
        for (const index of new Set(chosen)) {
          const started = ended[index]
          if (started === undefined) continue
          const before = held({ ...started, inFlight: started.inFlight - 1 })
          for (const other of ended.filter(({ due }) => due > 0)) {
            expect(before).toBeLessThanOrEqual(held(other))
          }
        }
      }),
    )
  })

  it("of one organization alone up to almost half of the capacity, and of more ever less each", () => {
    const capacity = 256
    const shares = [1, 2, 4, 8, 16, 64, 200].map((count) => {
      const senders = Array.from({ length: count }, () => ({ ...newcomer, due: 500 }))
      const chosen = choose(senders, { capacity })
      expect(choose([...after(senders, chosen), newcomer], { capacity })).toContain(count)
      return Math.max(...after(senders, chosen).map(({ inFlight }) => inFlight))
    })
    expect(shares[0]).toBeGreaterThan(capacity * 0.4)
    expect(shares[0]).toBeLessThan(capacity / 2)
    expect(shares).toEqual(shares.toSorted((a, b) => b - a))
    expect(shares.at(-1)).toBe(2)
  })

  it("fewer of an organization that has had many in flight, until the mean has come down", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), (meanInFlight) => {
        const spent = { inFlight: 0, meanInFlight, due: 500 }
        const idle = { inFlight: 0, meanInFlight: 0, due: 500 }
        const chosen = choose([spent, idle], { capacity: 256, limit: meanInFlight })
        expect(chosen.every((index) => index === 1)).toBe(true)
      }),
    )
  })
})

describe("spec/delivery §8: a healthy organization beside hostile ones", () => {
  const workload = {
    endpointsEach: 600,
    hostileMs: 14_000,
    everyMs: 50,
    healthyMs: 5,
    durationMs: 60_000,
  }

  for (const hostile of [2, 8, 64]) {
    it(`${hostile} with 600 slow endpoints each do not make it wait`, () => {
      const waits = simulateWaits({ ...workload, hostile })
      expect(waits.length).toBe(1200)
      expect(percentile(waits, 0.99)).toBeLessThanOrEqual(100)
    })
  }

  it("more than a process has capacity for make it wait only until their first deliveries end", () => {
    const waits = simulateWaits({ ...workload, hostile: 300, endpointsEach: 20 })
    expect(waits.length).toBe(1200)
    const later = waits.slice((1000 / workload.everyMs) * 30)
    expect(percentile(later, 0.99)).toBeLessThanOrEqual(100)
  })
})
