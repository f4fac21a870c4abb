import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { minuteOf } from "../codec/MinuteInstant.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { type MetricFailure, MetricSource } from "./MetricSource.ts"

/** Shortest time between two tests of one data source, in milliseconds. */
export const dataSourceTestIntervalMs = 5_000

/** How often one data source may be tested. */
export const testDataSourcePolicy: RateLimitPolicy = {
  name: "test-data-source",
  limit: 1,
  windowMs: dataSourceTestIntervalMs,
}

/** The result of a test of a data source. */
export interface DataSourceTest {
  readonly message: "Test completed successfully!" | "Test failed"
  readonly durationMs: number
  /** Absent after a success. */
  readonly reason?: MetricFailure
  /** What is wrong, in words that a user can act on; absent after a success. */
  readonly detail?: string
}

/**
 * Evaluates `vector(1)` on the server of a data source, with its credentials.
 *
 * Fails with `DataSourceNotFound`, and with `RateLimitIsExceeded` within 5 s of the last test.
 */
export const testDataSource = Effect.fnUntraced(function* (organization: OrganizationId, key: ProjectKey) {
  const found = yield* (yield* DefinitionStore).find(organization, "DataSource", key)
  if (Option.isNone(found)) return yield* new DataSourceNotFound({ project: key.project, name: key.name })
  yield* enforceRateLimit(organization, testDataSourcePolicy, projectKeyText(key))
  const startedAt = yield* Clock.currentTimeMillis
  const at = minuteOf(startedAt)
  const { prometheus: server } = found.value.definition.spec
  const query = { organization, server, expression: "vector(1)", from: at, to: at }
  const failure = yield* (yield* MetricSource).readSeries(query).pipe(
    Effect.as(undefined),
    Effect.catch((error) => Effect.succeed(error)),
  )
  const result: DataSourceTest = {
    message: failure === undefined ? "Test completed successfully!" : "Test failed",
    durationMs: Math.max(0, (yield* Clock.currentTimeMillis) - startedAt),
    ...(failure !== undefined && { reason: failure.reason, detail: failure.detail }),
  }
  return result
})

/** The project of the organization has no data source with this name. */
export class DataSourceNotFound extends Data.TaggedError("DataSourceNotFound")<ProjectKey> {}
