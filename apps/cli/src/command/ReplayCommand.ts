import { ReplaySchema } from "@tocsin/adapters-http/schemas"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type ApiCall, readResponse } from "../client/ApiClient.ts"
import { type ClientFlags, isJson } from "../client/ClientConfig.ts"
import { progressOutput, withProgress } from "../terminal/Progress.ts"
import { apiClient, ApiCommand, type CommandContext, CommandFailed, printResponse } from "./CommandContext.ts"

export const replayCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("replay")
    .summary("read a range of an SLO again from its data source")
    .description(
      "Read the counts of a range again from the data source of an SLO, in the background. The present counts are used until the whole range is read. Without --from and --to, print the state of the latest replay.",
    )
    .argument("<slo>", "name of the SLO")
    .option("--from <date-time>", "start of the range, in UTC")
    .option("--to <date-time>", "end of the range, in UTC")
    .option("--cancel", "cancel the replay that is running; the counts stay as they are")
    .option("--resume", "continue a replay that was canceled, or whose data source was unavailable")
    .option("--wait", "wait until the replay has ended; fail unless it is complete")
    .projectFlag()
    .outputFlag()
    .organizationFlag()
    .urlFlag()
    .examples(
      "  # Read a week again, and wait for it\n  $ tocsin replay checkout-availability --from 2026-01-01T00:00:00Z --to 2026-01-08T00:00:00Z --wait\n\n  # Show its progress\n  $ tocsin replay checkout-availability\n\n  # Cancel it\n  $ tocsin replay checkout-availability --cancel",
    )
    .action((name: string, flags: ReplayFlags) => context.run(replay(name, flags, context)))

interface ReplayFlags extends ClientFlags {
  readonly project: string
  readonly from?: string
  readonly to?: string
  readonly cancel?: true
  readonly resume?: true
  readonly wait?: true
}

const replay = (name: string, flags: ReplayFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { from, to, cancel, resume, wait } = flags
    const isStart = from !== undefined || to !== undefined
    if (isStart && (from === undefined || to === undefined)) {
      return yield* new CommandFailed({ message: "specify both --from and --to" })
    }
    if ([isStart, cancel, resume].filter((each) => each === true).length > 1) {
      return yield* new CommandFailed({ message: "specify either --from and --to, --cancel, or --resume" })
    }
    const client = yield* apiClient(flags, context)
    const path = `/api/slos/${encodeURIComponent(name)}/indicator/replay`
    const headers = { project: flags.project }
    const find: ApiCall = { method: "GET", path, headers }
    const call: ApiCall = isStart
      ? { method: "POST", path, headers, json: { from, to } }
      : cancel === true
        ? { method: "DELETE", path, headers }
        : resume === true
          ? { method: "POST", path: `${path}/resume`, headers }
          : find
    const read = (asked: ApiCall) =>
      Effect.flatMap(client.call(asked), (response) =>
        Effect.map(readResponse(ReplaySchema, response), (replay) => ({ response, ...replay })),
      )
    const first = yield* read(call)
    const progress = isJson(flags) ? undefined : progressOutput(context.environment)
    const last =
      wait === true
        ? yield* withProgress(progress, progressText(first), (report) =>
            untilEnded(
              first,
              Effect.tap(read(find), (next) => report(progressText(next))),
            ),
          )
        : first
    yield* printResponse(flags, last.response, ReplaySchema, textOf)
    if (wait === true && last.state !== "complete") {
      return yield* new CommandFailed({ message: `the replay is not complete: it is ${last.state}` })
    }
  })

const progressText = ({ percent, readTo }: typeof ReplaySchema.Type): string =>
  `Replaying: ${percent}%, read to ${readTo}`

const untilEnded = <Read extends { readonly state: string }, E, R>(
  read: Read,
  readAgain: Effect.Effect<Read, E, R>,
): Effect.Effect<Read, E, R> =>
  read.state === "running"
    ? Effect.flatMap(Effect.delay(readAgain, Duration.millis(waitMs)), (next) => untilEnded(next, readAgain))
    : Effect.succeed(read)

/** Interval between looks at a replay that is waited for, in milliseconds. */
const waitMs = 1_000

const textOf = (replay: typeof ReplaySchema.Type): string => {
  const { from, to, state, reason, percent, readTo, firstMinute, failures, problem } = replay
  const why = reason === undefined ? "" : ` (${reason})`
  return [
    `Replay from ${from} to ${to}: ${state}${why}, ${percent}%, read to ${readTo}`,
    ...(firstMinute !== undefined && firstMinute > from
      ? [`The data source has values from ${firstMinute}; earlier counts stay as they are`]
      : []),
    ...(problem === undefined
      ? []
      : [`${problem.reason}: ${problem.detail}${failures > 0 ? ` (${failures} failed reads)` : ""}`]),
  ].join("\n")
}
