import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { replayRequest } from "@tocsin/domain/features/data-source"
import { replayMinutesMax } from "@tocsin/domain/limits"
import { metricFailures, replayReasons, replayStates, sampleProblems } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import {
  BearerAccess,
  bodyErrors,
  Conflict,
  NotFound,
  organizationErrors,
  endpoint,
  count,
  dateTime,
} from "@tocsin/api/openapi"
import * as examples from "./ReplayExamples.ts"
import { ProjectHeader } from "./StatusApi.ts"
import { SloNameParam } from "./StatusSchema.ts"

/** A replay of history with its range, state and progress. */
export const ReplaySchema = Schema.Struct({
  from: dateTime("Start of the range (inclusive)"),
  to: dateTime("End of the range (exclusive)"),
  state: Schema.Literals(replayStates),
  reason: Schema.optionalKey(
    Schema.Literals(replayReasons).annotate({ description: "Why it was canceled, or has failed" }),
  ),
  percent: Schema.Int.annotate({
    description: "How much of the range has been read; 100 once its minutes are replaced",
  }),
  readTo: dateTime("Minutes of the range before this time have been read"),
  firstMinute: Schema.optionalKey(
    dateTime("The first minute that the data source has values of. Earlier minutes are not replaced"),
  ),
  failures: count.annotate({ description: "Number of consecutive failed reads" }),
  problem: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.Literals([...metricFailures, ...sampleProblems]),
      detail: Schema.String,
      at: dateTime("When it occurred"),
    }).annotate({ description: "Why the latest read failed, or minutes have no count" }),
  ),
  startedAt: dateTime("When the replay was started"),
  endedAt: Schema.optionalKey(dateTime("When it was complete, canceled or failed")),
}).annotate({ identifier: "Replay" })

const path = "/api/slos/:sloName/indicator/replay"

export const ReplaysApi = HttpApiGroup.make("replays")
  .add(
    endpoint.post("startReplay", path, {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      payload: replayRequest.schema(),
      success: ReplaySchema.annotate({ description: "The replay was started" }).pipe(
        HttpApiSchema.status(202),
      ),
      error: [...organizationErrors, NotFound, Conflict, ...bodyErrors],
      summary: "Start a replay",
      description: `Reads a range of an SLO's indicator again from its data source, in the background. The present counts are used until the whole range is read; then they are replaced in one transaction. No alert triggers because of it. An SLO has one replay at a time, of at most ${replayMinutesMax} minutes of all objectives together. Requires the role editor.`,
      example: examples.startReplay,
    }),
    endpoint.get("findReplay", path, {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      success: ReplaySchema,
      error: [...organizationErrors, NotFound],
      summary: "Retrieve the latest replay of an SLO",
      example: examples.findReplay,
    }),
    endpoint.delete("cancelReplay", path, {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      success: ReplaySchema,
      error: [...organizationErrors, NotFound],
      summary: "Cancel a replay",
      description:
        "The counts stay as they are. Has no effect on a replay that has ended. Requires the role editor.",
      example: examples.cancelReplay,
    }),
    endpoint.post("resumeReplay", `${path}/resume`, {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      success: ReplaySchema.annotate({ description: "The replay is running" }).pipe(
        HttpApiSchema.status(202),
      ),
      error: [...organizationErrors, NotFound, Conflict],
      summary: "Resume a replay",
      description:
        "Continues a replay that was canceled on request, or whose data source was unavailable for a day, with what it has read. Requires the role editor.",
      example: examples.resumeReplay,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Replays")
