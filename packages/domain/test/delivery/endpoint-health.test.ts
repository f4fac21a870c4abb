import {
  type AttemptOutcome,
  enabledHealth,
  type EndpointHealth,
  nextHealth,
  unknownHealth,
} from "@tocsin/domain/adapter"
import { breakerOpenMaxMs, endpointCapacity } from "../../src/delivery/EndpointHealth.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const failed: AttemptOutcome = { kind: "failed" }
const delivered: AttemptOutcome = { kind: "delivered" }
const day = 86_400_000

const after = (outcomes: ReadonlyArray<readonly [AttemptOutcome, number]>, from = unknownHealth) =>
  outcomes.reduce((health, [outcome, now]) => nextHealth(health, outcome, now), from)

const failures = (count: number, at: number) => Array.from({ length: count }, () => [failed, at] as const)

describe("an endpoint's breaker", () => {
  it("opens after 5 failures in a row, lets one probe through, and opens for longer when that fails", () => {
    expect(endpointCapacity(after(failures(4, 0)), 0, 0)).toBe(5)
    const open = after(failures(5, 0))
    expect(endpointCapacity(open, 0, 29_999)).toBe(0)
    expect(endpointCapacity(open, 0, 30_000)).toBe(1)
    expect(endpointCapacity(open, 1, 30_000)).toBe(0)
    const openAgain = nextHealth(open, failed, 30_000)
    expect(openAgain.circuitOpenUntil).toBe(90_000)
    let health = openAgain
    for (let probes = 0; probes < 10; probes++)
      health = nextHealth(health, failed, health.circuitOpenUntil ?? 0)
    const lastOpening = health.circuitOpenUntil ?? 0
    expect(nextHealth(health, failed, lastOpening).circuitOpenUntil).toBe(lastOpening + breakerOpenMaxMs)
  })

  it("starts slowly after a probe that succeeds", () => {
    let health = nextHealth(after(failures(5, 0)), delivered, 30_000)
    const rooms: Array<number> = []
    for (let successes = 0; successes < 5; successes++) {
      rooms.push(endpointCapacity(health, 0, 30_000))
      health = nextHealth(health, delivered, 30_000)
    }
    expect(rooms).toEqual([2, 3, 4, 5, 5])
  })

  it("is not opened further by responses that were in flight when it opened", () => {
    const open = after(failures(5, 0))
    expect(nextHealth(open, failed, 10_000)).toMatchObject({
      failures: 6,
      circuitOpenUntil: 30_000,
      openings: 1,
    })
  })

  it("ignores what was not sent, and a reused connection that was closed", () => {
    const open = after(failures(5, 0))
    expect(nextHealth(open, { kind: "undeliverable" }, 30_000)).toBe(open)
    expect(nextHealth(open, { kind: "reset" }, 30_000)).toBe(open)
  })
})

describe("an endpoint", () => {
  it("spec/delivery §3: that returns 410 is disabled", () => {
    expect(nextHealth(unknownHealth, { kind: "gone" }, 7)).toMatchObject({
      disabled: { at: 7, because: "gone" },
    })
  })

  it("spec/delivery §9: is disabled after 5 days of failing with 20 failed attempts, not before either", () => {
    const nineteen = after(failures(19, 0))
    expect(nextHealth(nineteen, failed, 5 * day)).toMatchObject({
      disabled: { at: 5 * day, because: "failing" },
    })
    expect(nextHealth(nineteen, failed, 5 * day - 1).disabled).toBeUndefined()
    expect(nextHealth(after(failures(18, 0)), failed, 5 * day).disabled).toBeUndefined()
    expect(after([...failures(19, 0), [delivered, day], ...failures(19, day)]).disabled).toBeUndefined()
  })

  it("spec/delivery §9: that was silent for long is not disabled for one bad night", () => {
    const health = after([[delivered, 0], ...failures(30, 30 * day)])
    expect(health.disabled).toBeUndefined()
  })

  it("spec/delivery §9: stays disabled until it is enabled, and then starts slowly", () => {
    const disabled = after([
      [{ kind: "gone" }, 0],
      [delivered, 1],
    ])
    expect(disabled.disabled).toBeDefined()
    expect(endpointCapacity(disabled, 100, 1)).toBe(Number.POSITIVE_INFINITY)
    expect(endpointCapacity(enabledHealth, 0, 1)).toBe(1)
  })

  const outcome = fc.constantFrom<AttemptOutcome>(failed, failed, failed, delivered, { kind: "reset" })

  it("has room for at most 5, for at least one probe sooner or later, and counts failures since its success", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(outcome, fc.nat(400_000)), { maxLength: 80 }), (steps) => {
        let health: EndpointHealth = unknownHealth
        let now = 0
        let sinceSuccess = 0
        for (const [each, passed] of steps) {
          now += passed
          health = nextHealth(health, each, now)
          if (each.kind === "delivered") sinceSuccess = 0
          else if (each.kind === "failed") sinceSuccess++
          expect(health.failures).toBe(sinceSuccess)
          expect(endpointCapacity(health, 0, now)).toBeLessThanOrEqual(5)
          expect(endpointCapacity(health, 0, now + breakerOpenMaxMs)).toBeGreaterThanOrEqual(1)
        }
      }),
    )
  })
})
