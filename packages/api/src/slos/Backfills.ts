import { backfillRequest } from "@tocsin/domain/features/data-source"
import { backfillMinutesMax } from "@tocsin/domain/limits"
import { metricFailures, backfillReasons, backfillStates, sampleProblems } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import { count, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { projectOfSlo, sloNameParam } from "./SloParameters.ts"

/** A backfill of history with its range, status and progress. */
export const backfill = Schema.Struct({
  from: time("Start of the range (inclusive)"),
  to: time("End of the range (exclusive)"),
  state: Schema.Literals(backfillStates),
  reason: Schema.optionalKey(
    Schema.Literals(backfillReasons).annotate({ description: "Why it was canceled, or has failed" }),
  ),
  percent: Schema.Int.annotate({
    description: "How much of the range has been read; 100 once its minutes are replaced",
  }),
  readTo: time("Minutes of the range before this time have been read"),
  firstMinute: Schema.optionalKey(
    time("The first minute for which the data source has values. Earlier minutes are not replaced"),
  ),
  failures: count.annotate({ description: "Number of consecutive failed reads" }),
  problem: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.Literals([...metricFailures, ...sampleProblems]),
      detail: Schema.String,
      at: time("When it occurred"),
    }).annotate({ description: "Why the latest read failed, or minutes have no count" }),
  ),
  startedAt: time("When the backfill was started"),
  endedAt: Schema.optionalKey(time("When it was complete, canceled or failed")),
}).annotate({ identifier: "Backfill" })

/** The JSON of `backfill`. */
export type Backfill = (typeof backfill)["Encoded"]

const path = "/api/slos/:sloName/indicator/backfill"

const ofSlo = { params: sloNameParam, headers: projectOfSlo } as const

/** Backfills of the history of indicators. */
export const backfills = resource("Backfills", {
  startBackfill: {
    method: "POST",
    path,
    role: "editor",
    ...ofSlo,
    body: backfillRequest,
    // An SLO that does not exist is the first thing to say.
    bodyAs: "json",
    success: { 202: backfill.annotate({ description: "The backfill was started" }) },
    errors: [404, 409],
    summary: "Start a backfill",
    description: `Reads a range of an SLO's indicator again from its data source, in the background. The current counts are used until the whole range is read; then they are replaced in one transaction. No alert triggers because of it. An SLO has one backfill at a time, of at most ${backfillMinutesMax} minutes of all objectives together.`,
  },
  findBackfill: {
    method: "GET",
    path,
    ...ofSlo,
    success: backfill,
    errors: [404],
    summary: "Retrieve the latest backfill of an SLO",
  },
  cancelBackfill: {
    method: "DELETE",
    path,
    role: "editor",
    ...ofSlo,
    success: backfill,
    errors: [404],
    summary: "Cancel a backfill",
    description: "The counts stay as they are. Has no effect on a backfill that has ended.",
  },
  resumeBackfill: {
    method: "POST",
    path: `${path}/resume`,
    role: "editor",
    ...ofSlo,
    success: { 202: backfill.annotate({ description: "The backfill is running" }) },
    errors: [404, 409],
    summary: "Resume a backfill",
    description:
      "Continues a backfill that was canceled on request, or whose data source was unavailable for a day, with what it has read.",
  },
})
