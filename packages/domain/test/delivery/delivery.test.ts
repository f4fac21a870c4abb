import {
  type AttemptOutcome,
  claimDelivery,
  type Delivery,
  isSettled,
  newDelivery,
  releaseDelivery,
  resendDelivery,
  settleDelivery,
} from "@tocsin/domain/adapter"
import { TransportFailure } from "@tocsin/domain/ports"
import { outcomeOfResponse, outcomeOfFailure } from "../../src/notification/Attempt.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aNotification } from "@tocsin/testing/fixtures"

const fresh = newDelivery(aNotification("acme", "id-1"), { project: "shop", name: "hook" }, 1000)
const answer = (status: number, retryAfterSeconds?: number) => ({
  status,
  headMs: 1,
  totalMs: 1,
  body: "",
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
})

describe("a response", () => {
  it("spec/delivery §3: is a success with 2xx only, ends the delivery with 410, and fails otherwise", () => {
    for (let status = 100; status < 600; status++) {
      const kind = status >= 200 && status < 300 ? "delivered" : status === 410 ? "gone" : "failed"
      expect(outcomeOfResponse(answer(status)).kind).toBe(kind)
    }
  })

  it("spec/delivery §5: asks for a wait with 429 and 503 only", () => {
    expect(outcomeOfResponse(answer(429, 60))).toEqual({ kind: "failed", retryAfterSeconds: 60 })
    expect(outcomeOfResponse(answer(503, 60))).toEqual({ kind: "failed", retryAfterSeconds: 60 })
    expect(outcomeOfResponse(answer(500, 60))).toEqual({ kind: "failed" })
  })

  it("that is missing because a reused connection was closed is tried again at no cost", () => {
    const failure = (isReusedSocketReset: boolean) =>
      new TransportFailure({
        reason: "connection_reset",
        detail: "",
        isReusedSocketReset,
        isInfrastructureFault: false,
      })
    expect(outcomeOfFailure(failure(true))).toEqual({ kind: "reset" })
    expect(outcomeOfFailure(failure(false))).toEqual({ kind: "failed" })
    const settled = settleDelivery(claimDelivery(fresh), { kind: "reset" }, 5000, 0.5)
    expect(settled).toMatchObject({ state: "pending", attempt: 1, attemptsUsed: 0, dueAt: 5000 })
  })
})

describe("a delivery", () => {
  it("spec/delivery §5: is exhausted after 11 failed attempts, and restarts when it is resent", () => {
    let delivery: Delivery = fresh
    for (let attempt = 1; attempt <= 11; attempt++) {
      expect(delivery.state).toBe("pending")
      delivery = claimDelivery(delivery)
      expect(delivery).toMatchObject({ state: "sending", attempt, attemptsUsed: attempt })
      delivery = settleDelivery(delivery, { kind: "failed" }, 2000, 0.5)
    }
    expect(delivery).toMatchObject({ state: "exhausted", settledAt: 2000 })
    const resent = resendDelivery(delivery, 9000)
    expect(resent).toMatchObject({ state: "pending", attempt: 11, attemptsUsed: 0, dueAt: 9000 })
    expect(resent.notification.id).toBe("id-1")
    expect(resent).not.toHaveProperty("settledAt")
  })

  it("uses no attempt when the service fails or crashes", () => {
    const sending = claimDelivery(fresh)
    expect(releaseDelivery(sending, 5000)).toMatchObject({
      state: "pending",
      attempt: 1,
      attemptsUsed: 0,
      dueAt: 5000,
    })
    expect(claimDelivery(sending)).toMatchObject({ state: "sending", attempt: 2, attemptsUsed: 1 })
  })

  it("that is being sent is not resent", () => {
    const sending = claimDelivery(fresh)
    expect(resendDelivery(sending, 5000)).toBe(sending)
  })

  const outcome: fc.Arbitrary<AttemptOutcome> = fc.oneof(
    fc.constantFrom<AttemptOutcome>(
      { kind: "delivered" },
      { kind: "gone" },
      { kind: "reset" },
      { kind: "undeliverable" },
      { kind: "failed" },
    ),
    fc.record({ kind: fc.constant("failed" as const), retryAfterSeconds: fc.nat(100_000) }),
  )
  const step = fc.oneof(
    fc.record({
      do: fc.constant("settle" as const),
      outcome,
      random: fc.double({ min: 0, max: 0.99, noNaN: true }),
    }),
    fc.record({ do: fc.constantFrom("release" as const, "die" as const, "resend" as const) }),
  )

  it("whatever happens, its attempt numbers grow, its schedule holds, and settled means settled", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let delivery: Delivery = fresh
        let now = 1000
        for (const each of steps) {
          now += 1000
          if (isSettled(delivery)) delivery = resendDelivery(delivery, now)
          const claimed = claimDelivery(delivery)
          expect(claimed.attempt).toBe(delivery.attempt + 1)
          expect(claimed.attemptsUsed).toBeLessThanOrEqual(11)
          if (each.do === "settle") delivery = settleDelivery(claimed, each.outcome, now, each.random)
          else if (each.do === "release") delivery = releaseDelivery(claimed, now)
          else delivery = each.do === "die" ? claimed : resendDelivery(claimed, now)
          expect(isSettled(delivery)).toBe(delivery.settledAt !== undefined)
          if (delivery.state === "pending") {
            expect(delivery.dueAt).toBeGreaterThanOrEqual(now)
            expect(delivery.attemptsUsed).toBeLessThan(11)
          }
        }
      }),
    )
  })
})
