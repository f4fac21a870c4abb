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

/** `tocsin demo`: the whole service on this machine, with something to see. */
export const demoCommand = (context: CommandContext): Command =>
  new Command("demo")
    .summary("see it work: a server with a dozen SLOs rings a verified alert")
    .description(
      "Run the server with a dozen SLOs, ring an alert, and print the verified notification. Reads PORT, HOST and the settings of the store.",
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
    // What is in memory needs no master key that anybody knows.
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
