import { inFlightMeanMs } from "../../src/delivery/ChooseClaims.ts"
import {
  type Chosen,
  DeliverySchedule,
  type EndpointHealth,
  type Lane,
  laneOf,
  lanes,
  unknownHealth,
  type WaitingDelivery,
} from "@tocsin/domain/adapter"
import { breakerOpenMinMs } from "../../src/delivery/EndpointHealth.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

type Step =
  | { readonly kind: "put"; readonly hook: number; readonly inMs: number; readonly isRetry: boolean }
  | { readonly kind: "remove"; readonly index: number }
  | { readonly kind: "choose"; readonly limit: number }
  | { readonly kind: "end"; readonly index: number }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "set back"; readonly ms: number }
  | { readonly kind: "pause"; readonly hook: number; readonly isPaused: boolean }
  | { readonly kind: "health"; readonly hook: number; readonly inFlightMax: number; readonly isOpen: boolean }

const hook = fc.nat(5)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      hook,
      inMs: fc.constantFrom(0, 0, 1, 5000, 30_000),
      isRetry: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), index: fc.nat(99) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("choose" as const), limit: fc.constantFrom(1, 2, 1000) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("end" as const), index: fc.nat(99) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(0, 1, 4999, 60_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("set back" as const), ms: fc.constantFrom(2000, 3_600_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("pause" as const), hook, isPaused: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("health" as const),
      hook,
      inFlightMax: fc.integer({ min: 1, max: 5 }),
      isOpen: fc.boolean(),
    }),
  },
)

/** What waits, with its time left, which only passing time changes. */
interface Wait {
  readonly delivery: WaitingDelivery
  leftMs: number
}

interface Hook {
  readonly organization: string
  readonly alertMethod: { readonly project: string; readonly name: string }
  readonly waits: Set<Wait>
  inFlight: number
  isPaused: boolean
  health: EndpointHealth
  openLeftMs: number
}

const aHook = (number: number): Hook => ({
  organization: `organization-${number % 2}`,
  alertMethod: { project: "shop", name: `hook-${number}` },
  waits: new Set(),
  inFlight: 0,
  isPaused: false,
  health: unknownHealth,
  openLeftMs: 0,
})

const capacityOf = ({ isPaused, health, inFlight, openLeftMs }: Hook): number =>
  isPaused || openLeftMs > 0 ? 0 : Math.max(0, health.inFlightMax - inFlight)

const startable = (each: Hook): number =>
  Math.min(capacityOf(each), [...each.waits].filter(({ leftMs }) => leftMs <= 0).length)

/** Time until something may start, if nothing may now. */
const msUntilNext = (each: Hook): number => {
  if (each.isPaused) return Infinity
  if (each.openLeftMs > 0) return each.openLeftMs
  return capacityOf(each) === 0 ? Infinity : Math.min(...[...each.waits].map(({ leftMs }) => leftMs))
}

describe("the schedule of deliveries", () => {
  it("starts all that is due and that endpoints have capacity for, and knows when to look again", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        // So large that no share is used up.
        const schedule = new DeliverySchedule<WaitingDelivery>(100_000)
        const hooks = Array.from({ length: 6 }, (_, number) => aHook(number))
        const inFlight: Array<Chosen<WaitingDelivery>> = []
        const hookOf = ({ endpoint }: Chosen<WaitingDelivery>): Hook | undefined =>
          hooks.find(({ alertMethod }) => alertMethod.name === endpoint.alertMethod.name)
        let now = 1_000_000_000
        let count = 0
        const choose = (limit: number): void => {
          const wanted = hooks.reduce((sum, each) => sum + startable(each), 0)
          const chosen = schedule.choose(limit, now)
          expect(chosen.length).toBe(Math.min(limit, wanted))
          for (const each of chosen) {
            const of = hookOf(each)
            const wait = [...(of?.waits ?? [])].find(({ delivery }) => delivery === each.delivery)
            if (of === undefined || wait === undefined) throw new Error("chose what does not wait")
            expect(wait.leftMs).toBeLessThanOrEqual(0)
            expect(capacityOf(of)).toBeGreaterThan(0)
            of.waits.delete(wait)
            of.inFlight++
            inFlight.push(each)
          }
          expect(schedule.hasDue).toBe(wanted > limit)
          const msUntil = Math.min(...hooks.map(msUntilNext))
          if (wanted > limit) expect(schedule.nextDueAt(now)).toBe(now)
          else expect(schedule.nextDueAt(now)).toBe(Number.isFinite(msUntil) ? now + msUntil : undefined)
        }
        for (const step of steps) {
          if (step.kind === "choose") choose(step.limit)
          else if (step.kind === "set back") {
            // The clock is read just before, and just after.
            schedule.nextDueAt(now)
            now -= step.ms
            schedule.nextDueAt(now)
          } else if (step.kind === "pass") {
            now += step.ms
            for (const each of hooks) {
              each.openLeftMs = Math.max(0, each.openLeftMs - step.ms)
              for (const wait of each.waits) wait.leftMs -= step.ms
            }
          } else if (step.kind === "end") {
            const [ended] = inFlight.splice(step.index % Math.max(1, inFlight.length), 1)
            const of = ended && hookOf(ended)
            if (ended === undefined || of === undefined) continue
            of.inFlight--
            schedule.end(of.organization, of.alertMethod, laneOf(ended.delivery), now)
          } else if (step.kind === "remove") {
            const all = hooks.flatMap((of) => [...of.waits].map((wait) => ({ of, wait })))
            const removed = all[step.index % Math.max(1, all.length)]
            if (removed === undefined) continue
            removed.of.waits.delete(removed.wait)
            schedule.remove(removed.of.organization, removed.of.alertMethod, removed.wait.delivery)
          } else {
            const of = hooks[step.hook]
            if (of === undefined) continue
            if (step.kind === "put") {
              const delivery = { id: `d-${count++}`, dueAt: now + step.inMs, isRetry: step.isRetry }
              of.waits.add({ delivery, leftMs: step.inMs })
              schedule.put(of.organization, of.alertMethod, [delivery], now)
              continue
            }
            if (step.kind === "pause") of.isPaused = step.isPaused
            else {
              of.openLeftMs = step.isOpen ? breakerOpenMinMs : 0
              of.health = {
                ...unknownHealth,
                inFlightMax: step.inFlightMax,
                ...(step.isOpen && { openings: 1, circuitOpenUntil: now + breakerOpenMinMs }),
              }
            }
            // Given again while the circuit is open, as after every settlement.
            const left = of.openLeftMs
            if (left > 0) of.health = { ...of.health, openings: 1, circuitOpenUntil: now + left }
            schedule.setEndpoint(of.organization, of.alertMethod, of, now)
          }
        }
        for (const each of hooks) {
          each.isPaused = false
          each.openLeftMs = 0
          each.health = unknownHealth
          schedule.setEndpoint(each.organization, each.alertMethod, each, now)
        }
        // Nothing is lost: all of it starts in the end.
        now += 60_000
        for (const each of hooks) for (const wait of each.waits) wait.leftMs -= 60_000
        for (let rounds = 0; rounds < 100 && hooks.some(({ waits }) => waits.size > 0); rounds++) {
          for (const ended of inFlight.splice(0)) {
            const of = hookOf(ended)
            if (of === undefined) continue
            of.inFlight--
            schedule.end(of.organization, of.alertMethod, laneOf(ended.delivery), now)
          }
          choose(1000)
        }
        expect(hooks.filter(({ waits }) => waits.size > 0)).toEqual([])
        expect(schedule.inFlight).toBe(inFlight.length)
      }),
      { numRuns: 300 },
    )
  })

  const key = (number: number) => ({ project: "shop", name: `hook-${number}` })
  const waiting = (id: string, isRetry: boolean): WaitingDelivery => ({ id, dueAt: 0, isRetry })

  it("starts first attempts and retries half each while both are due, however many at a time", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 20 }), (limits) => {
        const schedule = new DeliverySchedule<WaitingDelivery>()
        const started: Record<Lane, number> = { first: 0, retry: 0 }
        for (let number = 0; number < 10; number++) {
          const both = Array.from({ length: 100 }, (_, index) =>
            waiting(`${number}-${index}`, index % 2 === 0),
          )
          schedule.put("acme", key(number), both, 0)
        }
        for (const limit of limits) {
          const chosen = schedule.choose(limit, 0)
          expect(chosen.length).toBe(limit)
          for (const { endpoint, delivery } of chosen) {
            started[laneOf(delivery)]++
            schedule.end("acme", endpoint.alertMethod, laneOf(delivery), 0)
          }
          expect(Math.abs(started.first - started.retry)).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  it("has endpoints take turns", () => {
    const schedule = new DeliverySchedule<WaitingDelivery>()
    for (let number = 0; number < 4; number++) {
      for (const lane of lanes) {
        const many = Array.from({ length: 9 }, (_, index) =>
          waiting(`${lane}-${number}-${index}`, lane === "retry"),
        )
        schedule.put("acme", key(number), many, 0)
      }
    }
    const names = schedule.choose(8, 0).map(({ endpoint }) => endpoint.alertMethod.name)
    for (let number = 0; number < 4; number++) {
      expect(names.filter((name) => name === key(number).name).length).toBe(2)
    }
  })

  it("counts the time that deliveries were in flight against an organization, also when it comes back", () => {
    const schedule = new DeliverySchedule<WaitingDelivery>(8)
    const add = (organization: string, now: number) =>
      schedule.put(
        organization,
        key(0),
        [1, 2, 3].map((id) => ({ id: `${organization}-${id}`, dueAt: now, isRetry: false })),
        now,
      )
    add("slow", 0)
    expect(schedule.choose(3, 0).length).toBe(3)
    const later = inFlightMeanMs
    for (let count = 0; count < 3; count++) schedule.end("slow", key(0), "first", later)
    schedule.removeEndpoint("slow", key(0))
    add("slow", later)
    add("idle", later)
    const first = schedule.choose(1, later)
    expect(first.map(({ endpoint }) => endpoint.organization)).toEqual(["idle"])
  })

  it("takes no memory for organizations that have had nothing to send for some minutes", () => {
    const schedule = new DeliverySchedule<WaitingDelivery>()
    for (let number = 0; number < 50; number++) {
      schedule.put(`organization-${number}`, key(0), [waiting("d", false)], 0)
    }
    const chosen = schedule.choose(50, 0)
    expect(chosen.length).toBe(50)
    for (const { endpoint } of chosen) {
      schedule.end(endpoint.organization, key(0), "first", 14_000)
      schedule.removeEndpoint(endpoint.organization, key(0))
    }
    schedule.choose(1, 14_000 + 10 * inFlightMeanMs)
    expect(schedule.size).toBe(0)
    expect(schedule.inFlight).toBe(0)
    expect(schedule.nextDueAt(14_000 + 10 * inFlightMeanMs)).toBeUndefined()
  })

  it("frees at once what an organization that is removed had in flight", () => {
    const schedule = new DeliverySchedule<WaitingDelivery>(8)
    schedule.put("acme", key(0), [waiting("a", false), waiting("b", false), waiting("c", true)], 0)
    expect(schedule.choose(2, 0).length).toBe(2)
    schedule.removeOrganization("acme")
    expect(schedule.inFlight).toBe(0)
    expect(schedule.choose(8, 0)).toEqual([])
    expect(schedule.size).toBe(0)
  })
})
