import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { ApiClient } from "../src/client/ApiClient.ts"
import { describeObject } from "../src/command/DescribeObject.ts"

const withoutDeliveries = {
  call: () => Effect.succeed('{"data":[],"links":{"self":"/"}}'),
} as unknown as ApiClient

const measured = (condition: string, isMet: boolean) => ({
  conditions: [{ condition, isMet, good: 9, total: 10, detail: "measured 2" }],
})

it("describes an alert by its groups of conditions, one of which is enough", async () => {
  const alert = {
    apiVersion: "tocsin/v1alpha",
    kind: "Alert",
    metadata: { name: "a", project: "shop" },
    spec: {
      conditionTexts: ["fast burn"],
      evidence: { conditionGroups: [measured("fast burn", true), measured("slow burn", false)] },
    },
  }
  const terminal = { isTerminal: false, hasColor: false, width: 200 }
  const text = await Effect.runPromise(describeObject(withoutDeliveries, alert, terminal))
  expect(text).toMatch(/group 1: fast burn +yes +1 +10 .*\n +group 2: slow burn +no /)
  expect(text).not.toContain("Conditions:")
})
