import { replayRequest } from "@tocsin/domain/features/data-source"
import { replayMinutesMax } from "@tocsin/domain/limits"
import { metricFailures, replayReasons, replayStates, sampleProblems } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import { count, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { projectOfSlo, sloNameParam } from "./SloParameters.ts"

/** A replay of history with its range, state and progress. */
export const replay = Schema.Struct({
  from: time("Start of the range (inclusive)"),
  to: time("End of the range (exclusive)"),
  state: Schema.Literals(replayStates),
  reason: Schema.optionalKey(
    Schema.Literals(replayReasons).annotate({ description: "Why it was canceled, or has failed" }),
  ),
  percent: Schema.Int.annotate({
    description: "How much of the range has been read; 100 once its minutes are replaced",
  }),
  readTo: time("Minutes of the range before this time have been read"),
  firstMinute: Schema.optionalKey(
    time("The first minute that the data source has values of. Earlier minutes are not replaced"),
  ),
  failures: count.annotate({ description: "Number of consecutive failed reads" }),
  problem: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.Literals([...metricFailures, ...sampleProblems]),
      detail: Schema.String,
      at: time("When it occurred"),
    }).annotate({ description: "Why the latest read failed, or minutes have no count" }),
  ),
  startedAt: time("When the replay was started"),
  endedAt: Schema.optionalKey(time("When it was complete, canceled or failed")),
}).annotate({ identifier: "Replay" })

/** The JSON of `replay`. */
export type Replay = (typeof replay)["Encoded"]

const path = "/api/slos/:sloName/indicator/replay"

const ofSlo = { params: sloNameParam, headers: projectOfSlo } as const

/** Replays of the history of indicators. */
export const replays = resource("Replays", {
  startReplay: {
    method: "POST",
    path,
    role: "editor",
    ...ofSlo,
    body: replayRequest,
    // An SLO that does not exist is the first thing to say.
    bodyAs: "json",
    success: { 202: replay.annotate({ description: "The replay was started" }) },
    errors: [404, 409],
    summary: "Start a replay",
    description: `Reads a range of an SLO's indicator again from its data source, in the background. The present counts are used until the whole range is read; then they are replaced in one transaction. No alert triggers because of it. An SLO has one replay at a time, of at most ${replayMinutesMax} minutes of all objectives together.`,
  },
  findReplay: {
    method: "GET",
    path,
    ...ofSlo,
    success: replay,
    errors: [404],
    summary: "Retrieve the latest replay of an SLO",
  },
  cancelReplay: {
    method: "DELETE",
    path,
    role: "editor",
    ...ofSlo,
    success: replay,
    errors: [404],
    summary: "Cancel a replay",
    description: "The counts stay as they are. Has no effect on a replay that has ended.",
  },
  resumeReplay: {
    method: "POST",
    path: `${path}/resume`,
    role: "editor",
    ...ofSlo,
    success: { 202: replay.annotate({ description: "The replay is running" }) },
    errors: [404, 409],
    summary: "Resume a replay",
    description:
      "Continues a replay that was canceled on request, or whose data source was unavailable for a day, with what it has read.",
  },
})
