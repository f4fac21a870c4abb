import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { type MetricFailure, MetricSource, type NameList, metricNameMaxCharacters } from "./MetricSource.ts"
import { DataSourceNotFound } from "./TestDataSource.ts"

/** Most names of a list. */
export const listedNamesMax = 1_000

/** Most lists of names, per window and organization. */
export const nameListsPerWindow = 50

/** Window of the rate limit for lists of names, in milliseconds. */
export const nameListWindowMs = 10_000

/** How often an organization may list names of metrics and labels. */
export const metricNamesPolicy: RateLimitPolicy = {
  name: "metric-names",
  limit: nameListsPerWindow,
  windowMs: nameListWindowMs,
}

/** How long names that were read are used, in seconds. */
export const namesKeptSeconds = 60

/** How long a server that could not be read is not asked again for the same names, in seconds. */
const failureKeptSeconds = 10

/** Most answers of servers that a process keeps; each has at most 512 KiB. */
const keptAnswersMax = 32

/** What is listed: the names of labels, or with `label` its values, of which `__name__` has the names of metrics. */
export interface NamesRequest {
  readonly label?: string | undefined
  readonly metric?: string | undefined
  /** Only names that contain it, in any letter case. */
  readonly search?: string | undefined
}

/** Names that a query can have. */
export interface MetricNames {
  /** At most `listedNamesMax`: those that begin with what was searched first. */
  readonly names: ReadonlyArray<string>
  /** Whether these are all of the last day. */
  readonly isComplete: boolean
  /** Why the names could not be read. */
  readonly problem?: { readonly reason: MetricFailure; readonly detail: string }
}

/**
 * Lists names of metrics and labels and values of labels that a data source has had in the last day.
 *
 * The source is asked at most once a minute for the same names, and only if it has too many, again for those that contain
 * the text. A source that cannot be read is a result. Fails with `ParameterIsInvalid`, `DataSourceNotFound` and
 * `RateLimitIsExceeded`.
 */
export const listMetricNames = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { project, name }: ProjectKey,
  { label = "", metric = "", search = "" }: NamesRequest,
) {
  for (const [propertyName, propertyValue] of Object.entries({ label, metric, search })) {
    if (propertyValue.length <= metricNameMaxCharacters) continue
    const detail = `must be at most ${metricNameMaxCharacters} characters long`
    return yield* new ParameterIsInvalid({ code: "name_too_long", propertyName, propertyValue, detail })
  }
  yield* enforceRateLimit(organization, metricNamesPolicy)
  const found = yield* (yield* DefinitionStore).find(organization, "DataSource", { project, name })
  if (Option.isNone(found)) return yield* new DataSourceNotFound({ project, name })
  const { version } = found.value
  const read = (containing: string) =>
    keptNames({ organization, project, name, version, label, metric, containing })
  const all = yield* Effect.result(read(""))
  const isSearchedAgain = search !== "" && label !== "" && Result.isSuccess(all) && !all.success.isComplete
  const answer = isSearchedAgain ? yield* Effect.result(read(search.toLowerCase())) : all
  if (Result.isSuccess(answer)) return namesFor(search, answer.success)
  if (answer.failure._tag !== "MetricsAreUnavailable") return yield* answer.failure
  const { reason, detail } = answer.failure
  const unavailable: MetricNames = { names: [], isComplete: false, problem: { reason, detail } }
  return unavailable
})

/** Those that contain a text; those that begin with it come first. */
const namesFor = (search: string, { names, isComplete }: NameList): MetricNames => {
  const text = search.toLowerCase()
  const matching = names.filter((name) => name.toLowerCase().includes(text))
  const isFirst = (name: string): boolean => name.toLowerCase().startsWith(text)
  const sorted = [...matching.filter(isFirst), ...matching.filter((name) => !isFirst(name))]
  return {
    names: sorted.slice(0, listedNamesMax),
    isComplete: isComplete && matching.length <= listedNamesMax,
  }
}

/** An answer of a data source as it is defined in a version; another version is read again. */
interface AnswerKey extends ProjectKey {
  readonly organization: OrganizationId
  readonly version: string
  readonly label: string
  readonly metric: string
  readonly containing: string
}

const readNames = Effect.fnUntraced(function* (text: string) {
  const { organization, project, name, label, metric, containing } = JSON.parse(text) as AnswerKey
  const found = yield* (yield* DefinitionStore).find(organization, "DataSource", { project, name })
  if (Option.isNone(found)) return yield* new DataSourceNotFound({ project, name })
  const to = yield* Clock.currentTimeMillis
  return yield* (yield* MetricSource).readNames({
    organization,
    server: found.value.definition.spec.prometheus,
    ...(label !== "" && { label }),
    ...(metric !== "" && { metric }),
    ...(containing !== "" && { containing }),
    from: to - dayMs,
    to,
  })
})

const makeCache = Cache.makeWith(
  // A client that goes away does not end the read that others wait for.
  (key: string) => Effect.uninterruptible(readNames(key)),
  {
    capacity: keptAnswersMax,
    requireServicesAt: "lookup",
    timeToLive: (exit) =>
      Exit.isSuccess(exit)
        ? `${namesKeptSeconds} seconds`
        : isUnavailable(exit)
          ? `${failureKeptSeconds} seconds`
          : "1 millis",
  },
)

const isUnavailable = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) => reason._tag === "Fail" && Predicate.isTagged(reason.error, "MetricsAreUnavailable"),
  )

type AnswerCache = Effect.Success<typeof makeCache>

/** The answers that were read through each port. */
const AnswerCaches = Context.Reference("@tocsin/domain/internal/data-source/AnswerCaches", {
  defaultValue: () => new WeakMap<MetricSource["Service"], AnswerCache>(),
})

const keptNames = Effect.fnUntraced(function* (key: AnswerKey) {
  const source = yield* MetricSource
  const caches = yield* AnswerCaches
  const cache = caches.get(source) ?? (yield* makeCache)
  caches.set(source, cache)
  return yield* Cache.get(cache, JSON.stringify(key))
})
