import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import {
  metricFailureText,
  MetricsAreUnavailable,
  MetricSource,
} from "@tocsin/domain/data-source/MetricSource"
import { testDataSource } from "@tocsin/domain/data-source/TestDataSource"
import type { DataSource } from "@tocsin/domain/slo/DataSource"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { putDefinitions } from "../contract/slo-definitions.ts"
import { describe, expect, it } from "../EffectTest.ts"
import { sourceUrlOf } from "../ParsedValues.ts"
import { ask, organization, test } from "./delivery-client.ts"

const key = { project: "shop", name: "mimir" }
const source: DataSource = {
  kind: "DataSource",
  metadata: key,
  spec: { prometheus: { url: sourceUrlOf("https://mimir.example.com"), headers: [] } },
}

const inShop = { headers: { project: "shop" } }
const path = "/api/datasources/mimir/test"

describe("POST /api/datasources/{name}/test", () => {
  test(
    "spec/data-sources §6: tests a data source of the organization, for an editor, once in 5 s",
    Effect.gen(function* () {
      expect((yield* ask("POST", path, inShop)).status).toBe(404)
      yield* putDefinitions(organization, [source])
      expect((yield* ask("POST", path, { ...inShop, organization: "globex" })).status).toBe(404)
      expect((yield* ask("POST", path, { ...inShop, role: "viewer" })).status).toBe(403)
      const response = yield* ask("POST", path, inShop)
      expect(response.status).toBe(200)
      expect(response.json).toEqual({ message: "Test completed successfully!", durationMs: 0 })
      expect((yield* ask("POST", path, inShop)).status).toBe(429)
      yield* TestClock.adjust(5_000)
      expect((yield* ask("POST", path, inShop)).status).toBe(200)
    }),
  )

  const reason = "credentials_rejected"
  const rejecting = Layer.succeed(MetricSource, {
    readGaps: () => Effect.succeed([]),
    readSeries: ({ server, expression }) => {
      expect([server.url.text, expression]).toEqual(["https://mimir.example.com", "vector(1)"])
      return Effect.fail(new MetricsAreUnavailable({ reason, detail: metricFailureText[reason] }))
    },
  })

  it.effect("spec/data-sources §6: returns why a test failed", () =>
    Effect.gen(function* () {
      yield* putDefinitions(organization, [source])
      expect(yield* testDataSource(organization, key)).toEqual({
        message: "Test failed",
        durationMs: 0,
        reason,
        detail: metricFailureText[reason],
      })
    }).pipe(Effect.provide(Layer.mergeAll(MemoryStores.layer, rejecting))),
  )
})
