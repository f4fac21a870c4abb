import { describe, expect, it } from "vitest"
import { stateOfDay } from "../../src/status-page/ReadStatusPage.ts"

describe("a day of a component", () => {
  it.each([
    [0.99, "operational"],
    [0.989, "degraded"],
    [0.9, "outage"],
    [0, "outage"],
  ])("spec/status-pages §2: with %d of good events and a target of 0.99 is %s", (reliability, state) => {
    expect(stateOfDay({ target: 0.99, reliability })).toBe(state)
  })
})
