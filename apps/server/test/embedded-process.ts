import { runEmbeddedPostgres } from "../src/postgres/EmbeddedPostgres.ts"
import * as Effect from "effect/Effect"

// A separate process that holds a data directory until it is killed, for the tests of crashes.
const [, , dataDirectory = ""] = process.argv
Effect.runFork(
  Effect.scoped(
    Effect.gen(function* () {
      yield* runEmbeddedPostgres({ dataDirectory })
      process.stdout.write("ready\n")
      return yield* Effect.never
    }),
  ).pipe(
    Effect.catch(({ message }) =>
      Effect.sync(() => {
        process.stderr.write(`${message}\n`)
        process.exitCode = 1
      }),
    ),
  ),
)
