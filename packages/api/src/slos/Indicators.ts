import { sourceKinds } from "@tocsin/domain/definitions"
import { indicatorTestRequest } from "@tocsin/domain/features/data-source"
import {
  dayStepMinutes,
  indicatorTestMinutes,
  indicatorTestsPerWindow,
  indicatorTestWindowMs,
} from "@tocsin/domain/limits"
import { metricFailures, sampleProblems } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import { count, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { warnings } from "../operation/Warnings.ts"
import { projectOfSlo, sloNameParam } from "./SloParameters.ts"

const indicatorProblem = Schema.Struct({
  reason: Schema.Literals([...metricFailures, ...sampleProblems, "source_unsupported"]),
  detail: Schema.String,
  at: time("When the read failed"),
})

/** How far the indicator of an SLO was read, and what failed. */
export const indicatorState = Schema.Struct({
  readTo: Schema.optionalKey(time("Counts before this time have been read; absent until the first read")),
  succeededAt: Schema.optionalKey(time("When a read last succeeded")),
  receivedAt: Schema.optionalKey(
    time("When data points that count last arrived over OTLP; absent until the first, and with Prometheus"),
  ),
  failures: count.annotate({ description: "Number of consecutive failed reads" }),
  problem: Schema.optionalKey(
    indicatorProblem.annotate({ description: "Why the latest read failed; absent if it succeeded" }),
  ),
  history: Schema.optionalKey(
    Schema.Struct({
      recentFrom: time("Start of the recent minutes that have been read (inclusive)"),
      recentTo: time("End of the recent minutes that have been read"),
      failures: count.annotate({ description: "Number of consecutive failed reads of older minutes" }),
      problem: Schema.optionalKey(
        indicatorProblem.annotate({
          description: "Why the latest read of older minutes failed; absent if it succeeded",
        }),
      ),
    }).annotate({
      description:
        "Progress of reading the history: recent minutes are read first, then the older ones from `readTo` on, and `failures` and `problem` beside it are about new minutes. Absent once everything has been read",
    }),
  ),
  unavailableSince: Schema.optionalKey(
    time(
      "Since when the server could not be read for this SLO; absent if it could be when it was last tried",
    ),
  ),
  dataSource: Schema.optionalKey(
    Schema.Struct({
      project: Schema.String,
      name: Schema.String,
      kind: Schema.optionalKey(Schema.Literals(sourceKinds)).annotate({
        description: "Absent for a DataSource",
      }),
    }).annotate({
      description: "The data source that is read; absent for a url",
    }),
  ),
}).annotate({ identifier: "IndicatorState" })

/** What is wrong with what was read for an SLO that need not be stored. */
export const indicatorTestProblem = Schema.optionalKey(
  Schema.Struct({
    reason: Schema.Literals([...metricFailures, ...sampleProblems]),
    detail: Schema.String,
  }).annotate({ description: "Why minutes have no count, or the server could not be read" }),
)

/** What the queries of an indicator returned, and problems. */
export const indicatorTest = Schema.Struct({
  from: time("Start of the range (inclusive)"),
  to: time("End of the range"),
  stepMinutes: count.annotate({ description: "Number of minutes that each count covers" }),
  counts: Schema.Array(
    Schema.Struct({
      objective: Schema.optionalKey(
        Schema.String.annotate({
          description: "Only where objectives compare a metric with values of their own",
        }),
      ),
      timestamp: time("Start of the step"),
      good: Schema.Finite.annotate({ description: "Number of good events" }),
      total: Schema.Finite.annotate({ description: "Number of all events" }),
    }),
  ).annotate({ description: "The steps that have a count, the earliest first" }),
  problem: indicatorTestProblem,
  warnings,
}).annotate({ identifier: "IndicatorTest" })

/** The JSON of `indicatorState`. */
export type IndicatorState = (typeof indicatorState)["Encoded"]

/** The JSON of `indicatorTest`. */
export type IndicatorTest = (typeof indicatorTest)["Encoded"]

/** Indicators of SLOs, from which their counts are read. */
export const indicators = resource("Indicators", {
  findIndicator: {
    method: "GET",
    path: "/api/slos/:sloName/indicator",
    params: sloNameParam,
    headers: projectOfSlo,
    success: indicatorState,
    errors: [404],
    summary: "Retrieve the status of an SLO's indicator",
    description:
      "Returns how far counts have been read from Prometheus, whether the history is still being read, and the latest problem, or when metrics last arrived over OTLP. An SLO whose data source is not read has the problem `source_unsupported`. Returns 404 for an SLO without an indicator.",
  },
  testIndicator: {
    method: "POST",
    path: "/api/indicators/test",
    role: "editor",
    body: indicatorTestRequest,
    // Its other issues are found in what is stored.
    bodyAs: "json",
    success: indicatorTest,
    summary: "Test an SLO's indicator",
    description: `Reads the counts of the last ${indicatorTestMinutes} minutes, or with range=day of the last day in steps of ${dayStepMinutes} minutes, for an SLO that need not be stored. Nothing is stored. At most ${indicatorTestsPerWindow} tests in ${indicatorTestWindowMs / 1_000} s.`,
  },
})
