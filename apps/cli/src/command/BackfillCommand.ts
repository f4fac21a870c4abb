import { type Backfill, backfills } from "@tocsin/api"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isJson } from "../client/ClientConfig.ts"
import { progressOutput, withProgress } from "../terminal/Progress.ts"
import { CommandFailed, printJson, resourceClient } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { client, given as flag, project, text } from "./Flags.ts"

export const backfillCommand = work(
  {
    summary: "read a range of an SLO again from its data source",
    description:
      "Read the counts of a range again from the data source of an SLO, in the background. The current counts are used until the whole range is read. If --from and --to are omitted, print the status of the latest backfill.",
    arguments: { slo: "name of the SLO" },
    flags: {
      from: text("<date-time>", "start of the range, in UTC"),
      to: text("<date-time>", "end of the range, in UTC"),
      cancel: flag("cancel the running backfill; the counts remain unchanged"),
      resume: flag("continue a backfill that was canceled, or whose data source was unavailable"),
      wait: flag("wait until the backfill has ended; fail unless it is complete"),
      ...project,
      ...client,
    },
    examples:
      "  # Read a week again, and wait for it\n  $ tocsin backfill checkout-availability --from 2026-01-01T00:00:00Z --to 2026-01-08T00:00:00Z --wait\n\n  # Show its progress\n  $ tocsin backfill checkout-availability\n\n  # Cancel it\n  $ tocsin backfill checkout-availability --cancel",
  },
  (given, context) =>
    Effect.gen(function* () {
      const { slo, project, from, to, cancel, resume, wait } = given
      const isStart = from !== undefined || to !== undefined
      if (isStart && (from === undefined || to === undefined))
        return yield* new CommandFailed({ message: "specify both --from and --to" })
      if ([isStart, cancel, resume].filter((each) => each === true).length > 1) {
        return yield* new CommandFailed({
          message: "specify either --from and --to, --cancel, or --resume",
        })
      }
      const api = yield* resourceClient(backfills, given, context)
      const of = { sloName: slo, project }
      const find = api.findBackfill(of)
      const first = yield* from !== undefined && to !== undefined
        ? api.startBackfill({ ...of, body: { from, to } })
        : cancel === true
          ? api.cancelBackfill(of)
          : resume === true
            ? api.resumeBackfill(of)
            : find
      const progress = isJson(given) ? undefined : progressOutput(context.environment)
      const last =
        wait === true
          ? yield* withProgress(progress, progressText(first), (report) =>
              untilEnded(
                first,
                Effect.tap(find, (next) => report(progressText(next))),
              ),
            )
          : first
      yield* printJson(given, last, textOf)
      if (wait === true && last.state !== "complete") {
        return yield* new CommandFailed({ message: `the backfill is not complete: it is ${last.state}` })
      }
    }),
)

const progressText = ({ percent, readTo }: Backfill): string => `Backfilling: ${percent}%, read to ${readTo}`

const untilEnded = <Read extends { readonly state: string }, E, R>(
  read: Read,
  readAgain: Effect.Effect<Read, E, R>,
): Effect.Effect<Read, E, R> =>
  read.state === "running"
    ? Effect.flatMap(Effect.delay(readAgain, Duration.millis(waitMs)), (next) => untilEnded(next, readAgain))
    : Effect.succeed(read)

/** Interval between looks at a backfill that is waited for, in milliseconds. */
const waitMs = 1_000

const textOf = (backfill: Backfill): string => {
  const { from, to, state, reason, percent, readTo, firstMinute, failures, problem } = backfill
  const why = reason === undefined ? "" : ` (${reason})`
  return [
    `Backfill from ${from} to ${to}: ${state}${why}, ${percent}%, read to ${readTo}`,
    ...(firstMinute !== undefined && firstMinute > from
      ? [`The data source has values from ${firstMinute}; earlier counts remain unchanged`]
      : []),
    ...(problem === undefined
      ? []
      : [`${problem.reason}: ${problem.detail}${failures > 0 ? ` (${failures} failed reads)` : ""}`]),
  ].join("\n")
}
