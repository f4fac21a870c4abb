import { describe, expect, it } from "vitest"
import { healthText } from "../src/command/AlertMethodCommand.ts"
import { logText } from "../src/command/DeliveryCommand.ts"

const delivery = {
  id: "019c0eb2-5400-7c1e-8a55-0d1f6f6b2f10",
  alertMethod: { project: "shop", name: "on-call" },
  slo: { project: "shop", name: "checkout" },
  event: "alert.triggered",
  state: "pending",
  attempt: 3,
  createdAt: "2026-01-30T12:00:00.000Z",
  nextAttemptAt: "2026-01-30T12:01:00.000Z",
  attempts: [],
} as unknown as Parameters<typeof logText>[0]

const health = { isDisabled: false, failures: 3, isPaused: false, inFlight: 0, isAllPaused: false }

const stateLine = (changes: object) => logText(delivery, { ...health, ...changes }).split("\n")[1]

describe("what the command line says of a delivery that waits", () => {
  it("names what delays it beyond the time of its next attempt", () => {
    expect(stateLine({})).toBe("pending, next attempt 2026-01-30T12:01:00.000Z")
    expect(logText(delivery, undefined)).toContain("pending, next attempt 2026-01-30T12:01:00.000Z")
    expect(stateLine({ circuitOpenUntil: "2026-01-30T12:01:30.000Z" })).toBe(
      "pending, the circuit breaker of shop/on-call is open until 2026-01-30T12:01:30.000Z",
    )
    expect(stateLine({ circuitOpenUntil: "2026-01-30T12:00:30.000Z" })).toContain("next attempt")
    expect(stateLine({ isPaused: true })).toBe("pending, the deliveries of shop/on-call are paused")
    expect(stateLine({ isPaused: true, isAllPaused: true })).toBe(
      "pending, all deliveries of the server are paused",
    )
  })

  it("says that a circuit breaker is open", () => {
    expect(healthText({ ...health, circuitOpenUntil: "2026-01-30T12:01:30.000Z" })).toContain(
      "circuit breaker open: no attempt starts before 2026-01-30T12:01:30.000Z",
    )
  })
})
