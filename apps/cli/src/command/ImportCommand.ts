import { counts } from "@tocsin/api"
import { InvalidArgumentError } from "commander"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type ApiClient, type ApiFailure, ApiRejected, operationsOf } from "../client/ApiClient.ts"
import { progressOutput, withProgress } from "../terminal/Progress.ts"
import { apiClient, CommandFailed } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { type CountEntry, CountFileIsInvalid, readCountFile } from "./CountFile.ts"
import { organization, parsedDefault, project, requiredTexts, text, url, type ValuesOf } from "./Flags.ts"

/** Maximum number of counts in one request of an import. */
export const importPartMax = 5_000

/** Largest request body of an import, in bytes. */
export const importPartMaxBytes = 900_000

/** Longest time for which an import repeats a request that the server cannot take, in milliseconds. */
export const importRetryMaxMs = 300_000

/** First wait before an import repeats a request, in milliseconds; each further one is twice as long, up to 30 s. */
export const importRetryMinMs = 1_000

const flags = {
  file: requiredTexts("<file...>", "file with counts, oldest first; - reads stdin", "f"),
  ...project,
  slo: text("<name>", "SLO of entries without slo"),
  objective: text("<name>", "objective of entries without objective"),
  skip: parsedDefault("<number>", "number of entries to skip, to continue an import", wholeNumber, "0"),
  ...organization,
  ...url,
}

type ImportFlags = ValuesOf<typeof flags>

export const importCommand = work(
  {
    summary: "import counts from files",
    description:
      "Import counts of good and total events from files: a JSON array of {project, slo, objective, at, good, bad, total}, one such object per line, or CSV with these names as header. Counts can be as old as the retention. Counts more than an hour older than the latest ones trigger no alerts.",
    flags,
    examples:
      "  # Import the counts of one objective\n  $ tocsin import -f counts.csv -p shop --slo checkout --objective fast",
  },
  (flags, context) =>
    Effect.gen(function* () {
      const client = yield* apiClient(flags, context)
      const output = progressOutput(context.environment)
      let last = flags.skip
      // On a terminal, the number stays in its line until it is final.
      const done = yield* withProgress(output, "Importing", (report) =>
        importParts(client, flags, (done) =>
          Effect.andThen(
            Effect.sync(() => void (last = done)),
            output === undefined ? Console.error(importedText(done)) : report(importedText(done)),
          ),
        ),
      ).pipe(Effect.onInterrupt(() => Console.error(withResume(last, "Interrupted"))))
      if (done === flags.skip)
        return yield* new CommandFailed({ message: `no entry to import after ${done}` })
      if (output !== undefined) yield* Console.error(importedText(done))
    }),
)

const importedText = (done: number): string => `Imported ${done} entries`

/** Imports all parts, and returns the number of entries that are done, with those skipped. */
const importParts = (client: ApiClient, flags: ImportFlags, report: (done: number) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const parts = partsOf(readFiles(flags))
    let done = flags.skip
    for (;;) {
      const next = yield* Effect.tryPromise({
        try: () => parts.next(),
        catch: (cause) => new CommandFailed({ message: withResume(done, fileMessage(cause)) }),
      })
      if (next.done === true) return done
      yield* post(client, next.value, done)
      done += next.value.length
      yield* report(done)
    }
  })

/** An entry of a request, and its size as JSON. */
interface Placed extends CountEntry {
  readonly bytes: number
}

async function* readFiles({ file: files, skip, project, slo, objective }: ImportFlags) {
  let left = skip
  const named = { project, ...(slo !== undefined && { slo }), ...(objective !== undefined && { objective }) }
  for (const file of files) {
    for await (const { place, entry } of readCountFile(file)) {
      if (left > 0) left--
      else yield sized(place, { ...named, ...entry })
    }
  }
}

const sized = (place: string, entry: CountEntry["entry"]): Placed => ({
  place,
  entry,
  bytes: Buffer.byteLength(JSON.stringify(entry)) + 1,
})

/** Collects entries up to the limits of a request. */
async function* partsOf(entries: AsyncIterable<Placed>): AsyncGenerator<ReadonlyArray<Placed>> {
  let part: Array<Placed> = []
  let bytes = 0
  for await (const each of entries) {
    if (part.length > 0 && (part.length === importPartMax || bytes + each.bytes > importPartMaxBytes)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(each)
    bytes += each.bytes
  }
  if (part.length > 0) yield part
}

const post = (client: ApiClient, part: ReadonlyArray<Placed>, done: number) => {
  const call = operationsOf(counts, client.call).recordCountBatch({
    // The server decodes them.
    body: part.map(({ entry }) => entry) as never,
  })
  const attempt = (waitMs: number, waitedMs: number): Effect.Effect<void, ApiFailure> =>
    Effect.catchIf(
      call,
      (error) => isPassing(error) && waitedMs < importRetryMaxMs,
      () =>
        Effect.andThen(
          Effect.sleep(Duration.millis(waitMs)),
          attempt(Math.min(2 * waitMs, 30_000), waitedMs + waitMs),
        ),
    )
  return Effect.mapError(
    attempt(importRetryMinMs, 0),
    (error) => new CommandFailed({ message: withResume(done, messageOf(error, part)) }),
  )
}

/** Whether the same request can succeed later. */
const isPassing = (error: ApiFailure): boolean =>
  error._tag === "ServerIsUnreachable" ||
  (error._tag === "ApiRejected" && [408, 429, 502, 503, 504].includes(error.status))

/** Replaces the paths of the entries with their places in the files. */
const messageOf = (error: ApiFailure, part: ReadonlyArray<Placed>): string => {
  if (!(error instanceof ApiRejected)) return error.message
  const errors = error.errors.map((each) => {
    const [, index, below] = /^\[(\d+)\]\.?(.*)$/.exec(each.source?.propertyName ?? "") ?? []
    const place = index === undefined ? undefined : part[Number(index)]?.place
    if (place === undefined) return each
    const propertyName = below === "" ? place : `${place}: ${below}`
    return { ...each, source: { ...each.source, propertyName } }
  })
  return new ApiRejected({ status: error.status, errors, help: error.help }).message
}

const fileMessage = (cause: unknown): string =>
  cause instanceof CountFileIsInvalid
    ? cause.message
    : `a file cannot be read (${(cause as { readonly code?: string }).code ?? "unknown error"})`

const withResume = (done: number, message: string): string =>
  done === 0
    ? message
    : `${message}\nThe first ${done} entries are imported; to continue, add --skip ${done}.`

function wholeNumber(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw new InvalidArgumentError("It must be a whole number.")
}
