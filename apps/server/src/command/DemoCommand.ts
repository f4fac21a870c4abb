import * as Result from "effect/Result"
import { Command } from "commander"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { ConfigIsInvalid } from "../client/ClientConfig.ts"
import { type DemoOptions, runDemo } from "../demo/Demo.ts"
import {
  type ConfigIssue,
  decodeListenAddress,
  decodeStoreConfig,
  type Environment,
} from "../config/ServerConfig.ts"
import type { CommandContext } from "./CommandContext.ts"

export const demoCommand = (context: CommandContext): Command =>
  new Command("demo")
    .summary("run a demo server with sample data")
    .description(
      "Run a server with 12 SLOs and 28 days of history, let an alert fire, and print the verified notification. Reads PORT, HOST, TOCSIN_STORE, TOCSIN_DATA_DIR, DATABASE_URL and TOCSIN_MASTER_KEY.",
    )
    .action(() =>
      context.runUntilStopped(
        Effect.mapError(
          Effect.fromResult(decodeDemoOptions(context.environment)),
          (issues) => new ConfigIsInvalid({ issues }),
        ).pipe(Effect.flatMap(runDemo), Effect.andThen(Effect.never), Effect.scoped),
      ),
    )

const decodeDemoOptions = (
  environment: Environment,
): Result.Result<DemoOptions, ReadonlyArray<ConfigIssue>> => {
  const address = decodeListenAddress(environment)
  const store = decodeStoreConfig({
    ...environment,
    // A store in memory does not need a master key that outlives it.
    ...(environment["TOCSIN_STORE"] === "memory" &&
      !environment["TOCSIN_MASTER_KEY"] && { TOCSIN_MASTER_KEY: randomBytes(32).toString("base64") }),
  })
  if (Result.isSuccess(address) && Result.isSuccess(store))
    return Result.succeed({ ...address.success, store: store.success })
  return Result.fail([
    ...(Result.isSuccess(address) ? [] : address.failure),
    ...(Result.isSuccess(store) ? [] : store.failure),
  ])
}
