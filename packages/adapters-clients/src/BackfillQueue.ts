import { CountsRetention } from "@tocsin/domain"
import { TaggedError } from "@tocsin/domain/adapter"
import {
  anyString,
  boolean,
  type Codec,
  dayMs,
  decode,
  exactOptional,
  type Instant,
  instant,
  type Issue,
  literals,
  minuteMs,
  minuteOf,
  normalDuration,
  number,
  object,
  plain,
} from "@tocsin/domain/codec"
import {
  cancelQueuedBackfills,
  cancelBackfill,
  findBackfill,
  isQueued,
  listBackfills,
  BackfillIsInvalid,
  backfillNothing,
  backfillPercent,
  startBackfillFrom,
} from "@tocsin/domain/features/data-source"
import type { Backfill, BackfillOfSlo } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type ClientRequest, emptyResponse, jsonResponse, timeText } from "./ClientRequest.ts"

/** A backfill that has begun to read cannot be deleted like one that waits. */
export class BackfillIsReading extends TaggedError("BackfillIsReading")<{
  /** The name of the SLO. */
  readonly name: string
}> {}

/** What the clients say about the data source, which is that of the SLO here. */
const availabilityParameters = [
  "durationUnit",
  "durationValue",
  "dataSource",
  "dataSourceKind",
  "dataSourceProject",
]

/** The statuses of failures that only these calls have. */
export const backfillErrors = {
  BackfillIsReading: ({ name }: BackfillIsReading) => ({
    status: 409,
    errors: [
      {
        title: "The backfill has begun to read. Cancel it instead",
        code: "backfill_reading",
        detail:
          "Only a backfill that waits in the queue can be deleted. Cancel it: POST /api/timetravel/cancel.",
        source: { propertyName: "slo", propertyValue: name },
      },
    ] as const,
  }),
}

/**
 * Backfills as the service's public clients ask for them (spec/clients §8): of a length of time up to the present, in a queue
 * that those that have read nothing yet are waiting in.
 */
export const backfillQueueRoutes = [
  {
    method: "GET",
    path: "/api/internal/plan-info",
    access: "token",
    query: [],
    handler: () => Effect.succeed(jsonResponse(200, JSON.stringify({ enabledPlaylists: true }))),
  },
  {
    method: "GET",
    path: "/api/internal/timemachine/availability",
    access: "token",
    query: availabilityParameters,
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const lengthMs = yield* lengthOf({
        unit: request.parameters.get("durationUnit") ?? "",
        value: Number(request.parameters.get("durationValue") || Number.NaN),
      })
      const isRetained = lengthMs <= (yield* CountsRetention) * dayMs
      const reason = "max_historical_data_retrieval_too_low"
      return jsonResponse(200, JSON.stringify({ available: isRetained, ...(!isRetained && { reason }) }))
    }),
  },
  {
    method: "POST",
    path: "/api/timetravel",
    access: "token",
    role: "editor",
    query: [],
    body: "json",
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization } = request.access
      const { project, slo, duration, timeRange, sourceSlo } = yield* bodyOf(request, startRequest)
      if (sourceSlo !== undefined) {
        return yield* invalid(
          "sourceSlo",
          "is not supported: a backfill reads the data source of its own SLO",
        )
      }
      const startAt = setTime(timeRange?.startDate)
      const endAt = setTime(timeRange?.endDate)
      const isStart = startAt !== undefined
      const isLength = duration !== undefined && (duration.unit !== "" || duration.value !== 0)
      if (isStart === isLength)
        return yield* invalid("duration", "is required, or timeRange.startDate, but not both")
      if (endAt !== undefined && !(isStart && endAt - startAt >= minuteMs)) {
        return yield* invalid("timeRange.endDate", "must be at least a minute after startDate")
      }
      const now = yield* Clock.currentTimeMillis
      const from = isStart ? startAt : now - (yield* lengthOf(duration ?? { unit: "", value: 0 }))
      const backfill = yield* startBackfillFrom(organization, { project, name: slo }, from, endAt).pipe(
        Effect.catchTag("IndicatorNotFound", (failure) =>
          backfillNothing(organization, failure, { from: minuteOf(from), to: minuteOf(endAt ?? now) }),
        ),
      )
      return jsonResponse(202, JSON.stringify(statusOf({ slo: { project, name: slo }, backfill })))
    }),
  },
  {
    method: "GET",
    path: "/api/timetravel/list",
    access: "token",
    query: [],
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization } = request.access
      const now = yield* Clock.currentTimeMillis
      const { items } = yield* listBackfills(organization)
      return jsonResponse(200, JSON.stringify(items.map((each) => listItem(each, now))))
    }),
  },
  {
    method: "GET",
    path: "/api/timetravel/:slo",
    access: "token",
    query: [],
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization } = request.access
      const slo = { project: request.header("project") ?? "", name: request.pathParams["slo"] ?? "" }
      const backfill = yield* findBackfill(organization, slo).pipe(
        Effect.catchTag("IndicatorNotFound", (failure) => backfillNothing(organization, failure)),
      )
      return jsonResponse(200, JSON.stringify(statusOf({ slo, backfill })))
    }),
  },
  {
    method: "POST",
    path: "/api/timetravel/cancel",
    access: "token",
    role: "editor",
    query: [],
    body: "json",
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization } = request.access
      const { project, slo } = yield* bodyOf(request, cancelRequest)
      const backfill = yield* cancelBackfill(organization, { project, name: slo })
      return jsonResponse(200, JSON.stringify(statusOf({ slo: { project, name: slo }, backfill })))
    }),
  },
  {
    method: "DELETE",
    path: "/api/timetravel",
    access: "token",
    role: "editor",
    query: [],
    body: "json",
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization } = request.access
      const { project = "", slo: name = "", all = false } = yield* bodyOf(request, deleteRequest)
      if (all === (name !== "")) return yield* invalid("slo", "is required, or all, but not both")
      if (!all) {
        const slo = { project, name }
        const backfill = yield* findBackfill(organization, slo)
        if (backfill.state === "running" && !isQueued(backfill)) return yield* new BackfillIsReading({ name })
        yield* cancelBackfill(organization, slo)
        return emptyResponse
      }
      yield* cancelQueuedBackfills(organization)
      return emptyResponse
    }),
  },
] as const

/** How the clients write a time that is not set. */
const unsetTime = Date.parse("0001-01-01T00:00:00Z")

const setTime = (time: Instant | undefined): number | undefined =>
  time === undefined || time.ms === unsetTime ? undefined : time.ms

const unitMs = { Minute: minuteMs, Hour: 60 * minuteMs, Day: dayMs } as const

const length = object({ unit: anyString, value: number({ isInteger: true }) })

const anything = plain<unknown>(
  () => Schema.Unknown,
  (value) => value,
)

const startRequest = object({
  project: anyString,
  slo: anyString,
  duration: exactOptional(length),
  timeRange: exactOptional(object({ startDate: instant, endDate: exactOptional(instant) })),
  sourceSlo: exactOptional(anything),
})

const cancelRequest = object({ project: anyString, slo: anyString })

const deleteRequest = object({
  project: exactOptional(anyString),
  slo: exactOptional(anyString),
  all: exactOptional(boolean),
})

const bodyOf = <A>({ json }: ClientRequest, codec: Codec<A>) => {
  const decoded = decode(codec, json, undefined)
  return Result.isSuccess(decoded)
    ? Effect.succeed(decoded.success)
    : Effect.fail(new BackfillIsInvalid({ issues: decoded.failure }))
}

const durationUnits = literals(["Minute", "Hour", "Day"])

/** The length of a backfill in milliseconds. */
const lengthOf = ({ unit, value }: { readonly unit: string; readonly value: number }) => {
  const decoded = decode(
    object({ unit: durationUnits, value: number({ min: 1, isInteger: true }) }),
    { unit, value },
    undefined,
  )
  return Result.isSuccess(decoded)
    ? Effect.succeed(unitMs[decoded.success.unit] * decoded.success.value)
    : Effect.fail(
        new BackfillIsInvalid({
          issues: decoded.failure.map((issue) => ({ ...issue, path: `duration.${issue.path}` })),
        }),
      )
}

const invalid = (path: string, message: string) => {
  const issue: Issue = { path, code: "not_allowed_value", message }
  return Effect.fail(new BackfillIsInvalid({ issues: [issue] }))
}

const stateText = (backfill: Backfill): string => {
  if (backfill.state === "complete") return "completed"
  if (backfill.state !== "running") return backfill.state
  return isQueued(backfill) ? "queued" : "in progress"
}

const cancellationOf = ({ state }: Backfill): string =>
  state === "running" ? "possible" : state === "canceled" ? "canceled" : "not_possible"

const statusOf = ({ slo, backfill }: BackfillOfSlo) => ({
  project: slo.project,
  slo: slo.name,
  status: {
    source: "",
    status: stateText(backfill),
    cancellation: cancellationOf(backfill),
    triggeredBy: "",
    unit: "Minute",
    value: (backfill.range.to - backfill.range.from) / minuteMs,
    startTime: timeText(backfill.startedAt),
    ...(backfill.endedAt !== undefined && { endTime: timeText(backfill.endedAt) }),
  },
})

const listItem = ({ slo, backfill }: BackfillOfSlo, now: number) => {
  const elapsedMs = Math.max(0, (backfill.endedAt ?? now) - backfill.startedAt)
  return {
    slo: slo.name,
    project: slo.project,
    createdAt: timeText(backfill.startedAt),
    elapsedTime: elapsedMs < 1_000 ? "0s" : normalDuration(Math.floor(elapsedMs / 1_000) * 1_000),
    retrievedScope: `${backfillPercent(backfill)}%`,
    retrievedFrom: timeText(backfill.range.from),
    status: stateText(backfill),
    cancellation: cancellationOf(backfill),
  }
}
