import { inTurn, makeTurns } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"

it("spec/promql §7: requests that wait for their turn let others in between them", async () => {
  const turns = makeTurns({ perOrganization: 1, total: 1, waitingPerOrganization: 64, waiting: 64 })
  let pauses = 0
  const count = (): void => {
    pauses++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const seen = await Effect.runPromise(
    Effect.all(
      Array.from({ length: 20 }, () => inTurn(turns, "acme")(Effect.sync(() => pauses))),
      { concurrency: "unbounded" },
    ),
  )
  clearImmediate(timer)
  expect(new Set(seen).size).toBe(20)
})
