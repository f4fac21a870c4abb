import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { decode, described, named } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { minuteOf } from "../codec/MinuteInstant.ts"
import { type DecodeOptions, proposedDefinition } from "../definition/DecodeDefinition.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { type DataSource, dataSource } from "../slo/DataSource.ts"
import { resolveHiddenSource } from "../slo/ResolveHiddenSource.ts"
import { readWarnings } from "../definition/WarningRules.ts"
import type { Warning } from "../codec/Warning.ts"
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
interface DataSourceTest {
  readonly message: "Test completed successfully!" | "Test failed"
  readonly durationMs: number
  /** Absent after a success. */
  readonly reason?: MetricFailure
  /** What is wrong, in words that a user can act on; absent after a success. */
  readonly detail?: string
  /** Paths are those of the definition; of a stored one, or below `definition` of the request. */
  readonly warnings: ReadonlyArray<Warning>
}

/** Most tests of data sources that are not applied, per window and organization. */
export const proposedSourceTestsPerWindow = 5

/** Window of the rate limit for tests of data sources that are not applied, in milliseconds. */
export const proposedSourceTestWindowMs = 10_000

/** How often an organization may test data sources that are not applied. */
export const testProposedSourcePolicy: RateLimitPolicy = {
  name: "test-proposed-data-source",
  limit: proposedSourceTestsPerWindow,
  windowMs: proposedSourceTestWindowMs,
}

/** The codec of a test request for a data source that need not be stored. */
export const dataSourceTestRequest = named(
  object({
    definition: described(
      proposedDefinition("DataSource", dataSource),
      "A data source, which need not be stored; [hidden] is the stored value",
    ),
  }),
  "DataSourceTestRequest",
)

/**
 * Evaluates `vector(1)` on the server of a data source, with its credentials.
 *
 * Fails with `DataSourceNotFound`, and with `RateLimitIsExceeded` within 5 s of the last test.
 */
export const testDataSource = Effect.fnUntraced(function* (organization: OrganizationId, key: ProjectKey) {
  const found = yield* (yield* DefinitionStore).find(organization, "DataSource", key)
  if (Option.isNone(found)) return yield* new DataSourceNotFound({ project: key.project, name: key.name })
  yield* enforceRateLimit(organization, testDataSourcePolicy, projectKeyText(key))
  return yield* evaluateOn(organization, found.value.definition, "")
})

/**
 * Does the same with a data source that need not be stored; stores nothing.
 *
 * Fails with `DataSourceTestIsInvalid`, and with `RateLimitIsExceeded`.
 */
export const testProposedSource = Effect.fnUntraced(function* (
  organization: OrganizationId,
  body: unknown,
  options: DecodeOptions,
) {
  const decoded = decode(dataSourceTestRequest, body, options)
  if (Result.isFailure(decoded)) return yield* new DataSourceTestIsInvalid({ issues: decoded.failure })
  const { definition } = decoded.success
  const stored = yield* (yield* DefinitionStore).find(organization, "DataSource", definition.metadata)
  const resolved = resolveHiddenSource(definition, Option.getOrUndefined(stored)?.definition)
  if (Result.isFailure(resolved)) {
    const issues = new IssueList()
    issues.addAll("definition", resolved.failure)
    return yield* new DataSourceTestIsInvalid({ issues: issues.sorted() })
  }
  yield* enforceRateLimit(organization, testProposedSourcePolicy, "")
  return yield* evaluateOn(organization, resolved.success, "definition")
})

const evaluateOn = Effect.fnUntraced(function* (
  organization: OrganizationId,
  definition: DataSource,
  path: string,
) {
  const server = definition.spec.prometheus
  const startedAt = yield* Clock.currentTimeMillis
  const at = minuteOf(startedAt)
  const query = { organization, server, expression: "vector(1)", from: at, to: at }
  const failure = yield* (yield* MetricSource).readSeries(query).pipe(
    Effect.as(undefined),
    Effect.catch((error) => Effect.succeed(error)),
  )
  const result: DataSourceTest = {
    message: failure === undefined ? "Test completed successfully!" : "Test failed",
    durationMs: Math.max(0, (yield* Clock.currentTimeMillis) - startedAt),
    ...(failure !== undefined && { reason: failure.reason, detail: failure.detail }),
    warnings: yield* readWarnings(organization, definition, {}, path),
  }
  return result
})

/** Nothing was sent. */
export class DataSourceTestIsInvalid extends TaggedError("DataSourceTestIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** The project of the organization has no data source with this name. */
export class DataSourceNotFound extends TaggedError("DataSourceNotFound")<ProjectKey> {}
